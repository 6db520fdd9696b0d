"""How many mistakes get past a supervisor, by how far pixels may move, for who knows it and who does not."""

from collections.abc import Sequence

import pandas as pd

from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.supervisors.parts import in_order, of, reach, short, words
from mistrust.supervisors.tables.evaded import ALONE, TOO

TITLES = {ALONE: "The attacker knows the network alone", TOO: "The attacker knows the supervisor, too"}


def evaded(
    rows: pd.DataFrame, methods: Sequence[str] = (), *, data: str | None = None, network: str = "all", caption: str = ""
) -> Picture:
    """Draw the share of attacked images that are mistaken unnoticed, by epsilon; a panel for what the attacker knows.

    Parameters
    ----------
    rows : rows of the chapter, with the table "evaded".
    methods : which supervisors; none takes all that have rows.
    data, network : which image set (None for the first) and classifier; "all" for the mean over them.

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
    >>> about = {"table": "evaded", "method": "mdsa", "metric": "share unnoticed", "data": "mnist", "network": "all"}
    >>> evaded(rows.table(found, **about)).alt.partition("0.01 to 0.02. ")[2]
    'Who knows the network alone gets this share past: MDSA 0% to 10%. Who knows the supervisor, too: MDSA 30% to 90%.'
    """
    held = of(rows, "evaded", "attacks on supervisors", data=data)
    held = held[(held["network"] == network) & (held["metric"] == "share unnoticed")]
    there = in_order(set(held["method"]) & set(methods or held["method"]))
    some(there, "attacks on supervisors")
    held = held[held["method"].isin(there)]
    means = held.groupby(["condition", "method", "level"])["value"].mean()
    levels = sorted(set(held["level"]))
    told: dict[str, str] = {}
    with style():
        drawn = figure(6.4)
        panels = drawn.subplots(len(TITLES), 1, sharex=True, sharey=True)
        for axes, (condition, title) in zip(panels, TITLES.items(), strict=True):
            said = []
            for index, name in enumerate(there):
                line = means[condition, name]
                look = {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
                axes.plot(line.index, line, lw=2, ms=6, label=short(name), **look)
                said.append(f"{words(name)} {line.iloc[0]:.0%} to {line.iloc[-1]:.0%}")
            told[condition] = and_so_on(said)
            axes.set_title(title)
            axes.set_xscale("log")
            axes.set_xticks(levels, [f"{level:g}" for level in levels])
            axes.minorticks_off()
            axes.set_ylabel("mistaken and unnoticed")
        panels[-1].set_xlabel("most that a pixel may change, of a range of 1")
        panels[0].yaxis.set_major_formatter("{x:.0%}")
        panels[0].set_ylim(-0.03, 1.03)
        legend_beneath(drawn, ncols=3, columnspacing=1, handles=panels[0].get_lines())
        alt = (
            f"Two line plots of {words(held['data'].iloc[0])} over a pixel's largest change from {levels[0]:g} to "
            f"{levels[-1]:g}. Who knows the network alone gets this share past: {told[ALONE]}. Who knows the "
            f"supervisor, too: {told[TOO]}."
        )
        return picture(drawn, alt, f"{caption} {_behind(held)}".strip(), "fig-evaded")


def _behind(held: pd.DataFrame) -> str:
    """How sure the shares are, and of how many images a single classifier's are, where rows say it."""
    if held["low"].isna().all():
        return ""
    over = held["over"].eq("models").any()
    what = "A share's interval over runs" if over else f"{int(held['n'].max()):,} images; a share's interval"
    return f"{what} reaches up to {reach(held)} from it."
