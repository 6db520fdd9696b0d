"""Controls: lift must follow what was planted, and where nothing is to be found every search finds an SDR of 1."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mistrust.figures.dots import ends, name_lines
from mistrust.figures.parts import and_so_on, numbers, singles, some, values_of
from mistrust.figures.search.held import of, queries
from mistrust.figures.search.parts import (
    colour,
    data_in,
    in_order,
    marker,
    short,
    words,
)
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import interval

NULL, LOWERED = "control/null", "control/lowered"
_ABOUT = {
    LOWERED: "Line plot of a control: lift of Adversarial Distance, by how many residual standard deviations the log "
    "MAE of errors was lowered.",
    NULL: "Dot plot of a control: SDR of each search with an oracle that reports errors with probability "
    "1 - confidence, so that SDR should be 1 (nearly 1 for a search that reads answers).",
}
_HEADS = {LOWERED: "Errors made nearer: lift must rise", NULL: "Errors by chance: SDR should be 1"}
_LINE = 0.33  # inches a method and network
_WHAT = "controls of the searches"
Series = list[tuple[str, pd.DataFrame]]  # what each line and its dots are called, and its rows


def controls(
    rows: pd.DataFrame, *, level: float | None = None, data: str | None = None, at: str | None = None, caption: str = ""
) -> Picture:
    """Draw the lift by how far distances of errors were lowered, and beneath it each method's SDR by chance alone.

    Each network stands by itself, with its interval over oracles. What a control asks is whether the search finds what
    was planted in one pool; how far networks differ is another question, and a few of them cannot answer it.

    Parameters
    ----------
    rows : rows of the chapter, with the table "controls": condition "control/lowered" (level = residual standard
        deviations, metric lift) and "control/null" (level = queries, metric sdr). One of the two is enough.
    level : queries of the searches in the lower panel; None for the most that rows have.
    data : which image set; None for all.
    at : the critical class; None for the paper's, else the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> planted = {"condition": "control/lowered", "method": "adversarial_distance", "metric": "lift", "data": "fmnist"}
    >>> lifts = [{**planted, "level": by, "value": lift} for by, lift in ((0, 1.02), (1, 2.1))]
    >>> print(controls(rows.table(lifts, table="controls", at="summer")).alt.partition("intervals. ")[2])
    Lift on Fashion-MNIST, critical class summer: 1.02 at 0 and 2.10 at 1.
    """
    level = queries(rows, "controls", level, condition=NULL)
    held = of(rows, "controls", _WHAT, data=data, at=at)
    lowered = held[(held["condition"] == LOWERED) & (held["metric"] == "lift")].sort_values("level")
    null = held[(held["condition"] == NULL) & (held["metric"] == "sdr") & (held["level"] == level)]
    some([*lowered.index, *null.index], _WHAT)
    series = _series(pd.concat([lowered, null]))
    names = in_order(null["method"])
    tall = {LOWERED: 2.5, NULL: _LINE * len(names) * (1 + 0.5 * (len(series) - 1)) + 0.95}
    tall = {one: tall[one] for one, there in ((LOWERED, len(lowered)), (NULL, len(names))) if there}
    with style():
        drawn = figure(sum(tall.values()) + (0.3 * -(-len(series) // 2) if len(series) > 1 else 0))
        # Each part has margins of its own: the upper panel needs none for names of methods.
        parts = drawn.subfigures(len(tall), 1, squeeze=False, height_ratios=list(tall.values()))[:, 0]
        panels = {one: part.subplots() for one, part in zip(tall, parts, strict=True)}
        for one, part in zip(tall, parts, strict=True):
            part.suptitle(_HEADS[one], x=0.01, ha="left", weight="bold", fontsize=12)
        said: list[str] = []
        if LOWERED in panels:
            axes = panels[LOWERED]
            for index, (title, own) in enumerate(series):
                line = own[own["condition"] == LOWERED]
                _planted(axes, line, index, title)
                said += _lifts(line, title)
            strengths = values_of(lowered["level"])
            axes.set_xticks(strengths, [f"{value:g}" for value in strengths])
            axes.axhline(1, color="black", lw=1)
            axes.set_ylim(bottom=0)
            axes.set_xlabel("errors' log MAE lowered by λ residual SDs")
            axes.set_ylabel("lift")
        if NULL in panels:
            axes = panels[NULL]
            chance = [(title, own[own["condition"] == NULL]) for title, own in series]
            _chance(axes, chance, names)
            axes.set_xlabel(f"SDR at {level:.0f} queries")
            said += _sdrs(chance, names, level)
        if len(series) > 1:
            handles, texts = next(iter(panels.values())).get_legend_handles_labels()
            legend_beneath(parts[-1], handles, texts, ncols=2, columnspacing=1, handlelength=1.5, handletextpad=0.4)
        alt = (
            f"{' Beneath it: '.join(_ABOUT[one] for one in panels)} Means over oracles with intervals. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-controls")


def _series(held: pd.DataFrame) -> Series:
    """Give the rows of each image set's networks, one after the other; the mean's where rows have no single network."""
    found: Series = []
    for name in data_in(held["data"]):
        own = held[held["data"] == name]
        alone = singles(own)
        seeds = sorted(set(alone["seed"]))
        if len(seeds) < 2:
            found.append((words(name), alone if seeds else own))
        else:
            each = [alone[alone["seed"] == seed] for seed in seeds]
            found += [(f"{words(name)}, network {number}", one) for number, one in enumerate(each, 1)]
    return found


def _planted(axes: Axes, line: pd.DataFrame, index: int, label: str) -> None:
    look = PALETTE[index % len(PALETTE)]
    axes.fill_between(line["level"], line["low"], line["high"], color=look, alpha=0.18, lw=0)
    axes.plot(line["level"], line["value"], MARKERS[index % len(MARKERS)], ls="-", color=look, lw=2.2, ms=7,
              label=label)  # fmt: skip


def _chance(axes: Axes, series: Series, names: list[str]) -> None:
    """Draw one dot per method, and of several networks one each, in the order of the legend."""
    for y, name in enumerate(names):
        for index, (_, held) in enumerate(series):
            own = held[held["method"] == name]
            place = y + 0.24 * (index - (len(series) - 1) / 2)
            look, form = (colour(name), marker(name)) if len(series) == 1 else (
                PALETTE[index % len(PALETTE)], MARKERS[index % len(MARKERS)])  # fmt: skip
            for value, low, high in numbers(own[["value", "low", "high"]]):
                axes.plot(ends(value, low, high), [place, place], color=look, lw=2.2, alpha=0.75, zorder=2.5)
                axes.plot(value, place, form, color=look, ms=7, mec="white", mew=0.6, zorder=3)
    for index, (title, _) in enumerate(series):
        axes.plot([], [], MARKERS[index % len(MARKERS)], color=PALETTE[index % len(PALETTE)], ms=7, label=title)
    axes.axvline(1, color="black", lw=1)
    axes.margins(x=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    name_lines(axes, [(y, short(name), False) for y, name in enumerate(names)])


def _lifts(line: pd.DataFrame, title: str) -> list[str]:
    """Say the lift at each strength; nothing of a network without rows."""
    each = [f"{interval(*one)} at {strength:g}"
            for strength, *one in numbers(line[["level", "value", "low", "high"]])]  # fmt: skip
    return [f"Lift on {title}, critical class {line['at'].iloc[0]}: {and_so_on(each)}."] if each else []


def _sdrs(series: Series, names: list[str], level: float) -> list[str]:
    said = []
    for title, held in series:
        own = held.set_index("method")[["value", "low", "high"]]
        each = [f"{words(name)} {interval(*numbers(own.loc[name]))}" for name in names if name in own.index]
        if each:
            said.append(f"SDR by chance at {level:.0f} queries on {title}: {and_so_on(each)}.")
    return said
