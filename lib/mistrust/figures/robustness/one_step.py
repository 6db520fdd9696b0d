"""One thing changed at a time: the same family with more layers or with more channels, and what becomes of robustness.

Over all networks depth, size and family go together. Two networks of one family are compared with each other that
differ in depth alone or in width alone, and with it in the number of parameters, or in depth with as many parameters.
"""

from collections.abc import Mapping
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from mistrust.evaluation import between_models
from mistrust.figures.dots import name_lines
from mistrust.figures.parts import GREY, and_so_on, numbers, one_of, singles, some
from mistrust.figures.robustness.parts import (
    ALL,
    OTHER,
    RIGHT,
    data_in,
    family,
    in_order,
    look,
    shape_of,
    words,
)  # fmt: skip
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.figures.written import interval, two
from mistrust.rows import select

DEEPER, WIDER, AS_LARGE = "deeper", "wider", "as large"
HEADS = {DEEPER: "More layers", WIDER: "More channels", AS_LARGE: "More layers, one size"}
AS_MANY = 1.25  # numbers of parameters that count as one: up to a quarter more
# What is compared -> where it stands in the rows.
MEASURES: Mapping[str, Mapping[str, object]] = {
    "random": {"table": "random", "metric": "capped mean", "method": RIGHT},
    "targeted": {"table": "targeted", "metric": "linf", "method": "adam"},
}
COLUMNS = ["kind", "before", "after", "measure", "value", "low", "high", "n"]
_WHAT = "networks that differ in one thing"
_LINE = 0.31  # inches
_FAR = 4.0  # times as much, at which an axis ends
_COARSE, _FINE = (0.25, 1, 4), (0.5, 1, 2)


def steps_of(rows: pd.DataFrame, *, data: str | None = None) -> pd.DataFrame:
    """Give what one more step of depth or width does: the later network's number over the earlier one's.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "random" (capped mean) and "targeted" (linf, by Adam, no level) of
        single networks that were trained on everything, and "networks" (parameters).
    data : which image set; None for the first.

    Returns
    -------
    A row for each two networks and measure: `kind` ("deeper": the next depth, as wide; "wider": the next width, as
    deep; "as large": deeper and narrower, as many parameters up to a quarter), `before`, `after` (networks), `measure`
    ("random", "targeted"), `value` (geometric mean over the training seeds that both have), `low`, `high` (Student's t
    of the logarithms, NaN below two seeds), `n` (seeds).

    No rows where no two networks differ in one thing alone.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"network": "vgg6-w16", "value": 50}, {"network": "vgg9-w16", "value": 60}]
    >>> common = {"table": "random", "metric": "capped mean", "method": "fixed-clipped", "data": "mnist", "seed": 0}
    >>> steps_of(rows.table(found, condition="all", **common))[["kind", "before", "after", "value"]].values.tolist()
    [['deeper', 'vgg6-w16', 'vgg9-w16', 1.2]]
    """
    lines = []
    known = select(rows, table="networks", metric="parameters", condition=ALL, data=_set(rows, data))
    sizes = known.groupby("network")["value"].first()
    for measure, where in MEASURES.items():
        own = singles(select(rows, condition=ALL, **where))
        own = own[own["level"].isna()]
        value = own[own["data"] == _set(rows, data)].pivot(index="network", columns="seed", values="value")
        for kind, before, after in _pairs(value.index, sizes):
            each = (value.loc[after] / value.loc[before]).dropna().to_numpy(dtype=np.float64)
            if len(each):
                told = between_models(np.log(each))
                ends = (float(np.exp(one)) for one in (told.value, told.low, told.high))
                lines.append((kind, before, after, measure, *ends, told.n))
    return pd.DataFrame(lines, columns=COLUMNS)


def _set(rows: pd.DataFrame, data: str | None) -> str:
    """Give the image set that is asked for, or the first of those that rows have; nothing where they have none."""
    held = select(rows, table=[str(where["table"]) for where in MEASURES.values()], condition=ALL)
    there = data_in(singles(held))
    return one_of(data, there, _WHAT) if there else ""


def one_step(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw `steps_of`: a line for each two neighbours, a panel for each measure; 1 means that nothing changes.

    Raises
    ------
    MistrustError
        No two networks differ in one thing alone.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"network": "vgg6-w16", "value": 50}, {"network": "vgg9-w16", "value": 60}]
    >>> common = {"table": "random", "metric": "capped mean", "method": "fixed-clipped", "data": "mnist", "seed": 0}
    >>> one_step(rows.table(found, condition="all", **common)).alt.partition("same. ")[2]
    'More layers: VGG-6 w16 to VGG-9 w16 breaking noise 1.20.'
    """
    found = steps_of(rows, data=data)
    some(found, _WHAT)
    measures = [one for one in MEASURES if one in set(found["measure"])]
    kinds = set(found["kind"])
    labels, at = _laid_out(found)
    with style():
        drawn = figure(_LINE * (labels[-1][0] + 1.6) + 1.0)
        panels = drawn.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for axes, measure in zip(panels, measures, strict=True):
            own = found[found["measure"] == measure]
            for (before, after), ends in zip(_names(own), numbers(own[["value", "low", "high"]]), strict=True):
                _line(axes, before, ends, at[before, after])
            _finish(axes, measure, own)
        name_lines(panels[0], labels)
        for axes in panels[1:]:
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        drawn.supxlabel("second network / first one", fontsize="medium")
        said = (f"{head}: {_told(found[found['kind'] == kind])}." for kind, head in HEADS.items() if kind in kinds)
        alt = (
            "Dot plots of what more layers, more channels, or more layers at one size, do to networks of one family on "
            f"{words(_set(rows, data))}: the second network's number divided by "
            f"the first one's, geometric mean over seeds with its interval; at 1 both are the same. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-one-step")


def _pairs(networks: pd.Index, sizes: "pd.Series[float]") -> list[tuple[str, str, str]]:
    """Give (kind, before, after): networks of one family that differ in depth, in width, or in both at one size."""
    known = [name for name in in_order(networks) if family(name) != OTHER and shape_of(name) != (0, 0)]
    found: list[tuple[str, str, str]] = []
    for kind, same in ((DEEPER, 1), (WIDER, 0)):
        groups: dict[tuple[str, int], list[str]] = {}
        for name in known:
            groups.setdefault((family(name), shape_of(name)[same]), []).append(name)
        for own in groups.values():
            found += [(kind, before, after) for before, after in pairwise(own)]  # in order of depth and width
    for before, after in permutations([name for name in known if name in sizes], 2):
        (depth, width), (deep, wide) = shape_of(before), shape_of(after)
        ratio = sizes[after] / sizes[before]
        if family(before) == family(after) and deep > depth and wide < width and 1 / AS_MANY <= ratio <= AS_MANY:
            found.append((AS_LARGE, before, after))
    return found


def _short(before: str, after: str) -> str:
    """Write both under one family's name: "VGG w16, 6 → 9"."""
    (depth, width), (deep, wide) = shape_of(before), shape_of(after)
    title = words(before).partition("-")[0]
    if depth != deep and width != wide:
        return f"{title}-{depth} w{width} → {deep} w{wide}"
    if depth != deep:
        return f"{title} w{width}, {depth} → {deep}"
    return f"{title}-{depth}, w{width} → w{wide}"


def _names(found: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(found["before"], found["after"], strict=True))


def _laid_out(found: pd.DataFrame) -> tuple[list[tuple[float, str, bool]], dict[tuple[str, str], float]]:
    """Give lines under the heads of what changes: (where, name, whether a head), and each pair's line."""
    labels: list[tuple[float, str, bool]] = []
    at: dict[tuple[str, str], float] = {}
    y = 0.0
    for kind, head in HEADS.items():
        own = dict.fromkeys(_names(found[found["kind"] == kind]))
        if not own:
            continue
        labels.append((y, head, True))
        for pair in own:
            y += 1
            at[pair] = y
            labels.append((y, _short(*pair), False))
        y += 1.2
    return labels, at


def _told(found: pd.DataFrame) -> str:
    """Write each pair of one kind with what was measured of it."""
    each: dict[tuple[str, str], list[str]] = {}
    ends = numbers(found[["value", "low", "high"]])
    for pair, measure, (value, low, high) in zip(_names(found), found["measure"], ends, strict=True):
        each.setdefault(pair, []).append(f"{words(measure)} {interval(value, low, high, two)}")
    return "; ".join(f"{words(before)} to {words(after)} {and_so_on(own)}" for (before, after), own in each.items())


def _line(axes: Axes, network: str, ends: NDArray[np.float64], y: float) -> None:
    value, low, high = ends
    axes.plot([low, high], [y, y], color=look(network)["color"], lw=2.2, alpha=0.75, solid_capstyle="butt", zorder=2)
    axes.plot(value, y, ls="", ms=7.5, mec="white", mew=0.6, zorder=3, **look(network))


def _finish(axes: Axes, measure: str, own: pd.DataFrame) -> None:
    """Scale so that a half and a double are as far; an interval beyond a quarter or four times is cut at the edge."""
    ends = numbers(own[["value", "low", "high"]])
    low, high = max(np.nanmin(ends) / 1.1, 1 / _FAR), min(np.nanmax(ends) * 1.1, _FAR)
    low, high = min(low, 0.9), max(high, 1.1)
    axes.axvline(1, color=GREY, lw=1.2, zorder=1)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = [one for one in (_COARSE if high / low > _FAR else _FINE) if low <= one <= high]
    axes.set_xticks(ticks, [f"{one:g}".replace("0.", ".") for one in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks([], minor=True)
    axes.set_xlabel(words(measure).replace(" ", "\n"))
