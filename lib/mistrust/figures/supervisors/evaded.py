"""How many mistakes get past a supervisor, by how far pixels may move, for who knows it and who does not."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.supervisors.parts import in_order, of, reach, short, words
from mistrust.over_models import EVERY
from mistrust.supervisors.tables.evaded import ALONE, TOO

TITLES = {ALONE: "attacker knows\nthe network alone", TOO: "attacker knows\nthe supervisor, too"}
_WHO = {ALONE: "who knows the network alone", TOO: "who knows the supervisor, too"}


def evaded(rows: pd.DataFrame, methods: Sequence[str] = (), *, data: str | None = None, caption: str = "") -> Picture:
    """Draw the share of attacked images that are mistaken unnoticed, by epsilon; panels by network and what is known.

    Parameters
    ----------
    rows : rows of the chapter, with the table "evaded"; a mean over networks, which is like none of them, is left out.
    methods : which supervisors; none takes all that have rows.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.supervisors.tables.evaded import ALONE, TOO
    >>> found = [
    ...     {"condition": condition, "level": level, "value": value}
    ...     for condition, values in ((ALONE, (0.0, 0.1)), (TOO, (0.3, 0.9)))
    ...     for level, value in zip((0.01, 0.02), values)
    ... ]
    >>> about = {"table": "evaded", "method": "mdsa", "metric": "share unnoticed", "data": "mnist"}
    >>> evaded(rows.table(found, network="ambiguess-conv", **about)).alt.partition("past a supervisor. ")[2]
    'Convolutional: who knows the network alone: MDSA 0% to 10%; who knows the supervisor, too: MDSA 30% to 90%.'
    """
    held = of(rows, "evaded", "attacks on supervisors", data=data)
    held = held[(held["network"] != EVERY) & (held["metric"] == "share unnoticed")]
    there = in_order(set(held["method"]) & set(methods or held["method"]))
    some(there, "attacks on supervisors")
    held = held[held["method"].isin(there)]
    means = held.pivot_table("value", ["network", "condition", "level"], "method")
    levels, networks = sorted(set(held["level"])), sorted(set(held["network"]))
    told = []
    with style():
        drawn = figure(2.6 * len(networks) + 1.6)
        panels = drawn.subplots(len(networks), len(TITLES), sharex=True, sharey=True, squeeze=False)
        for line, network in zip(panels, networks, strict=True):
            parts = []
            for axes, condition in zip(line, TITLES, strict=True):
                past = _lines(axes, means.loc[(network, condition)], there)
                parts.append(f"{_WHO[condition]}: {past}")
                axes.set_xscale("log")
                written = levels[::-2]  # the last first: the text speaks of it
                axes.set_xticks(written, [f"{level:g}" for level in written])
                axes.minorticks_off()
            named = words(network)
            line[0].set_ylabel("\n".join([*named.split(", "), "", "mistaken, unnoticed"]))
            told.append(f"{named[0].upper()}{named[1:]}: {'; '.join(parts)}.")
        for axes, title in zip(panels[0], TITLES.values(), strict=True):
            axes.set_title(title)
        panels[0, 0].yaxis.set_major_formatter("{x:.0%}")
        panels[0, 0].set_ylim(-0.03, 1.03)
        for axes in panels[-1]:
            axes.set_xlabel("largest change\nof a pixel")
        legend_beneath(drawn, ncols=3, columnspacing=1, handles=panels[0, 0].get_lines())
        alt = (
            f"Line plots of {words(held['data'].iloc[0])} by network, over a pixel's largest change from {levels[0]:g} "
            f"to {levels[-1]:g}: the share of images mistaken and past a supervisor. {' '.join(told)}"
        )
        return picture(drawn, alt, f"{caption} {_behind(held)}".strip(), "fig-evaded")


def _lines(axes: Axes, means: pd.DataFrame, methods: Sequence[str]) -> str:
    """Draw a line a supervisor, which has a column, and tell where each begins and ends."""
    said = []
    for index, name in enumerate(methods):
        line = means[name].dropna()
        look = {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
        axes.plot(line.index, line, lw=2, ms=6, label=short(name), **look)
        said.append(f"{words(name)} {line.iloc[0]:.0%} to {line.iloc[-1]:.0%}")
    return and_so_on(said)


def _behind(held: pd.DataFrame) -> str:
    """How sure the shares are, and of how many images a single classifier's are, where rows say it."""
    if held["low"].isna().all():
        return ""
    over = held["over"].eq("models").any()
    what = "A share's interval over runs" if over else f"{int(held['n'].max()):,} images; a share's interval"
    return f"{what} reaches up to {reach(held)} from it."
