"""Which of the settings that the paper tried is best on nominal images? A heat map of OOB's, and ALOOC's beneath."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from mistrust.figures.monitoring.misses import Scale
from mistrust.figures.monitoring.parts import THREE, data_in, name_lines, of, percent, words
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.style import PALETTE, Picture, figure, ink, picture, style
from mistrust.figures.written import many
from mistrust.monitoring.experiment.tried import (
    ENLARGEMENTS,
    OPTIMISERS,
    PROJECTIONS,
    TABLE,
    box_line,
    clusters_of,
    optimiser_line,
)
from mistrust.rows import select

_WHAT = "settings that the paper tried"
_LINE = 0.27  # inches of a line
_SCALE = Scale(0, 1, "{:.2f}".format, "MCC of the answers")
_SIZE = 10.5  # points of numbers
_BEST: dict[str, Any] = {"edgecolor": PALETTE[1], "lw": 2.5}  # the frame of what the paper calls best
_GAP = 0.25  # between image sets, of a cell's width
_WIDE = len(ENLARGEMENTS) + _GAP


@dataclass(frozen=True)
class Setting:
    """One setting of a monitor: means over runs of the answers' MCC and of the share of images that alarm."""

    mcc: float
    alarms: float


@dataclass(frozen=True)
class Line:
    """One line of the figure: its title, and what rows call the settings of its cells on an image set; none: a head."""

    title: str
    names: Callable[[str], list[str]] = lambda _: []


def tried(rows: pd.DataFrame, *, data: str | None = None, network: str | None = None, caption: str = "") -> Picture:
    """Draw what each setting makes of nominal images: OOB by clusters, projection and enlargement, ALOOC by optimiser.

    Parameters
    ----------
    rows : rows of the chapter, with the table "tried": one row per run, metrics "mcc" and "fpr".
    data, network : which image set, None for all; which classifier, None for the first.

    Returns
    -------
    Picture
        A column of OOB's cells for each image set and enlargement, with the mean MCC over runs; two lines of ALOOC with
        the share of nominal images that alarm as well. What the paper calls best is framed. Which runs the means are
        over, and of how many images a run is, stands beneath.

    Raises
    ------
    NoRows
        There are no such rows; the message names those that there are.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "tried", "data": "gtsrb-thin", "network": "farm-lenet", "seed": 0.0, "n": 3000}
    >>> own, other = "alooc/as published", "alooc/as published, RMSProp"
    >>> found = [{"method": own, "metric": "mcc", "value": 0.6}, {"method": own, "metric": "fpr", "value": 0.4}]
    >>> found += [{"method": other, "metric": "mcc", "value": 0.7}, {"method": other, "metric": "fpr", "value": 0.2}]
    >>> tried(rows.table(found, **common)).alt.partition("GTSRB, thinned: ")[2]
    'ALOOC with Adam 0.60 at 40% false alarms, with RMSProp 0.70 at 20% false alarms; 1 run (seed 0), n = 3,000.'
    """
    held = _held(rows, data, network)
    there, found = list(held), {one: _settings(own) for one, own in held.items()}
    some([one for own in found.values() for one in own], _WHAT)
    with style():
        lines = _shown(_lines(there), found)
        drawn = figure(_LINE * len(lines) + 0.2 * len(there) + 1.5)
        axes = drawn.subplots()
        for column, one in enumerate(there):
            for top, line in enumerate(lines):
                _cells_of(axes, (column * _WIDE, top), line.names(one), found[one])
        _frame(axes, there, lines)
        notes = [f"number and colour: {_SCALE.title}, mean over runs"]
        notes += [fill(f"{words(one)}: {_runs(own)}", 52) for one, own in held.items()]
        best = Patch(facecolor="none", label="best in the paper", **_BEST)
        blank = [Patch(facecolor="none", edgecolor="none", label=note) for note in notes]
        drawn.legend(handles=[best, *blank], loc="outside lower left", frameon=False, fontsize=_SIZE, handlelength=1.2)
        told = ". ".join(f"{words(one)}: {_told(one, found[one])}; {_runs(own)}" for one, own in held.items())
        alt = (
            f"Heat map of the {_SCALE.title} on nominal images, mean over runs, by the settings that the paper tried: "
            f"clusters and projection of OOB down, image set and enlargement across, and below them ALOOC by its "
            f"optimiser. n is the number of nominal images per run. {told}."
        )
        return picture(drawn, alt, caption, "fig-tried")


def tuned(rows: pd.DataFrame, *, network: str | None = None) -> str:
    """Say which boxes do best on nominal images, which the paper chose, and what the classifier alone has there.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "tried" and "nominal".
    network : which classifier; None for the first.

    Raises
    ------
    NoRows
        There are no settings of OOB.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "tried", "data": "gtsrb-thin", "network": "farm-lenet", "seed": 0.0}
    >>> methods = {"oob/as published": 0.1, "oob/as published, PCA, no clusters, gamma 0.35": 0.02}
    >>> found = [{"method": name, "metric": "fpr", "value": share} for name, share in methods.items()]
    >>> found += [{"method": name, "metric": "mcc", "value": 0.9 - share} for name, share in methods.items()]
    >>> alone = [{"table": "nominal", "method": "network", "metric": "mcc", "value": 0.95, "seed": float("nan")}]
    >>> tuned(rows.table([common | one for one in found + alone])).rpartition("; ")[2]
    'the classifier alone has 0.950, and 0 of 2 settings have more.'
    """
    said = []
    for data, own in _held(rows, None, network).items():
        settings, cells = _settings(own), _cells(data)
        order = sorted((name for name in cells if name in settings), key=lambda name: settings[name].mcc)
        if order:
            best = f"{words(data)}: the best of {len(order)} settings of OOB has MCC {_exactly(settings[order[-1]])}"
            others = "".join(
                f"; the paper's setting has {_exactly(settings[name])}" for name in order[:-1] if _own(name)
            )
            papers = ", the paper's own setting" if _own(order[-1]) else others
            alike = sum(settings[name].mcc > settings[order[-1]].mcc - 1e-9 for name in order) - 1
            papers += f"; {many(alike, 'other setting')} {'has' if alike == 1 else 'have'} the same" if alike else ""
            said.append(f"{best}, with {cells[order[-1]]}{papers}{_alone(rows, own, settings, order)}.")
    some(said, _WHAT)
    return " ".join(said)


def _alone(rows: pd.DataFrame, own: pd.DataFrame, settings: dict[str, Setting], names: list[str]) -> str:
    """Say what the classifier has without a monitor, and how many settings have more."""
    one = {"data": own["data"].iloc[0], "network": own["network"].iloc[0], "method": "network", "metric": "mcc"}
    found = select(rows, table="nominal", **one)
    if found.empty:
        return ""
    value = float(by_network(found)[0]["value"].iloc[0])
    more = sum(settings[name].mcc > value + 1e-9 for name in names)
    return f"; the classifier alone has {value:.3f}, and {more} of {len(names)} settings have more"


def _exactly(one: Setting) -> str:
    return f"{one.mcc:.3f} at {100 * one.alarms:.1f}% false alarms"


def _held(rows: pd.DataFrame, data: str | None, network: str | None) -> dict[str, pd.DataFrame]:
    """Give the rows of single runs by image set."""
    found = select(rows, table=TABLE)
    some(found, _WHAT)
    there = data_in(found) if data is None else [data]
    held = {one: of(rows, TABLE, _WHAT, data=one, network=network) for one in there}
    return {one: own[own["seed"].notna()].sort_values("seed", kind="stable") for one, own in held.items()}


def _lines(there: Sequence[str]) -> list[Line]:
    """Give the lines from above: a head for each number of clusters, projections under it, then optimisers."""
    found: list[Line] = []
    for place, counts in enumerate(zip(*map(clusters_of, there), strict=True)):
        numbers = " or ".join(dict.fromkeys(str(one) if one > 1 else "no" for one in counts))
        found.append(Line(f"{THREE['oob']}, {numbers} clusters"))
        found += [Line(title, partial(_boxes, place, name)) for name, title in PROJECTIONS.items()]
    found.append(Line(f"{THREE['alooc']}, trained with"))
    return found + [Line(title, partial(_trained, name)) for name, title in OPTIMISERS.items()]


def _boxes(place: int, projection: str, data: str) -> list[str]:
    return [box_line(data, clusters_of(data)[place], projection, gamma) for gamma in ENLARGEMENTS]


def _trained(optimiser: str, _: str) -> list[str]:
    return [optimiser_line(optimiser)]


def _shown(lines: list[Line], found: dict[str, dict[str, Setting]]) -> list[Line]:
    """Leave out lines of which no image set has a cell, and heads above none."""
    first = next(iter(found))
    held = [
        one for one in lines
        if not one.names(first) or any(name in own for data, own in found.items() for name in one.names(data))
    ]  # fmt: skip
    return [
        one for one, after in zip(held, [*held[1:], Line("")], strict=True) if one.names(first) or after.names(first)
    ]


def _settings(own: pd.DataFrame) -> dict[str, Setting]:
    """Give means over runs by line; without those of which a metric is lacking."""
    wide = own.pivot_table(index="method", columns="metric", values="value", aggfunc="mean")
    wide = wide.reindex(columns=["mcc", "fpr"]).dropna()
    return {str(name): Setting(float(mcc), float(fpr)) for name, mcc, fpr in wide.itertuples()}


def _own(name: str) -> bool:
    """Whether a line is of the settings that the paper calls best: they have the monitor's usual name."""
    return "," not in name


def _cells(data: str) -> dict[str, str]:
    """Give OOB's settings in words, by what rows call them."""
    return {
        box_line(data, many, projection, gamma):
            f"{many if many > 1 else 'no'} clusters, {title}, enlargement {gamma:g}"
        for many in clusters_of(data) for projection, title in PROJECTIONS.items() for gamma in ENLARGEMENTS
    }  # fmt: skip


def _cells_of(axes: Axes, at: tuple[float, float], names: list[str], found: dict[str, Setting]) -> None:
    """Draw a line of one image set; where it has one setting alone, false alarms stand there as well."""
    left, top = at
    for step, name in enumerate(names):
        wide, one = len(ENLARGEMENTS) / len(names), found.get(name)
        alarms = f", alarms {percent(one.alarms)}%" if one and len(names) == 1 else ""
        _cell(axes, (left + step * wide, top, wide), one, alarms, _own(name))


def _cell(axes: Axes, at: tuple[float, float, float], one: Setting | None, alarms: str, own: bool) -> None:
    left, top, wide = at
    if one is None:
        axes.text(left + wide / 2, top + 0.5, "–", ha="center", va="center", fontsize=_SIZE)
        return
    face = _SCALE.colours.to_rgba(np.array([one.mcc]))[0]
    axes.add_patch(Rectangle((left + 0.04, top + 0.05), wide - 0.08, 0.9, facecolor=face, edgecolor="none"))
    if own:
        axes.add_patch(Rectangle((left + 0.04, top + 0.05), wide - 0.08, 0.9, fill=False, **_BEST, zorder=3))
    colour = ink(one.mcc)
    axes.text(left + wide / 2, top + 0.52, f"{_SCALE.write(one.mcc)}{alarms}", ha="center", va="center", color=colour,
              fontsize=_SIZE, zorder=4)  # fmt: skip


def _frame(axes: Axes, there: Sequence[str], lines: list[Line]) -> None:
    """Name lines and columns."""
    axes.set_xlim(0, _WIDE * len(there) - _GAP)
    axes.set_ylim(len(lines), 0)
    name_lines(axes, [(top + 0.5, line.title, not line.names(there[0])) for top, line in enumerate(lines)])
    ticks: list[tuple[float, str]] = []
    if any(len(line.names(there[0])) > 1 for line in lines):
        ticks = [(_WIDE * i + step + 0.5, f"{g:g}") for i in range(len(there)) for step, g in enumerate(ENLARGEMENTS)]
        _head(axes, (0, 0), "enlargement", (-6, 5), ha="right")
    axes.set_xticks([x for x, _ in ticks], [text for _, text in ticks])
    axes.xaxis.tick_top()
    for i, one in enumerate(there):
        name = words(one).replace(", ", ",\n")
        _head(axes, (_WIDE * i + len(ENLARGEMENTS) / 2, 0), name, (0, 22 if ticks else 5), ha="center", weight="bold")
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _head(axes: Axes, at: tuple[float, float], text: str, above: tuple[float, float], **looks: Any) -> None:
    axes.annotate(text, at, xytext=above, textcoords="offset points", va="bottom", annotation_clip=False, **looks)


def _told(data: str, found: dict[str, Setting]) -> str:
    """Say OOB's worst setting, its best and the paper's, and both of ALOOC."""
    said: list[str] = []
    cells = _cells(data)
    order = sorted((name for name in cells if name in found), key=lambda name: found[name].mcc)
    boxes = {name: f"{_says(found[name])} ({cells[name]})" for name in order}
    if order:
        said.append(f"OOB from {boxes[order[0]]} to {boxes[order[-1]]}")
        said += [f"the paper's best has {text}" for name, text in boxes.items() if _own(name)]
    both = {title: found.get(optimiser_line(name)) for name, title in OPTIMISERS.items()}
    alooc = [f"with {title} {_says(one)}" for title, one in both.items() if one]
    return "; ".join([*said, *([f"ALOOC {', '.join(alooc)}"] if alooc else [])])


def _says(one: Setting) -> str:
    return f"{_SCALE.write(one.mcc)} at {percent(one.alarms)}% false alarms"


def _runs(own: pd.DataFrame) -> str:
    """Say which runs the means are over, by monitor where these differ, and of how many images a run is."""
    kinds = own["method"].str.partition("/")[0]
    seeds = {str(kind): tuple(sorted({int(one) for one in each["seed"]})) for kind, each in own.groupby(kinds)}
    if len(set(seeds.values())) == 1:
        runs = _several(next(iter(seeds.values())))
    else:
        runs = and_so_on(f"{words(kind)} {_several(each)}" for kind, each in seeds.items())
    counts = " or ".join(f"{n:,.0f}" for n in sorted(set(own["n"].dropna())))
    return f"{runs}, n = {counts}"


def _several(seeds: tuple[int, ...]) -> str:
    numbers = and_so_on(map(str, seeds))
    return f"{len(seeds)} runs (seeds {numbers})" if len(seeds) > 1 else f"1 run (seed {numbers})"
