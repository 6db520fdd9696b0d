"""Does the boundary attack say the same twice? Of log MAE nearly always, of the residual only after many steps."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from mistrust.figures.parts import and_so_on, means, numbers, some
from mistrust.figures.search.held import of, wanted
from mistrust.figures.search.parts import (
    conditions_in,
    data_in,
    told,
    words,
)
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import interval
from mistrust.search.gates import GATES

GATE = GATES["retest"].bar  # that the residual of two runs must reach
# What is compared gives the colour, with what gives the marker: the attack's second run, the fast distance, or the
# attack of the same name in foolbox.
_LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "distance reliability": ("log MAE, two runs", {"color": PALETTE[0], "marker": "o", "ls": "-"}),
    "residual reliability": ("residual, two runs", {"color": PALETTE[1], "marker": "o", "ls": "-"}),
    "distance agreement": ("log MAE, fast distance", {"color": PALETTE[0], "marker": "s", "ls": "--", "mfc": "white"}),
    "residual agreement": ("residual, fast distance", {"color": PALETTE[1], "marker": "s", "ls": "--", "mfc": "white"}),
    "distance agreement with foolbox": (
        "log MAE, foolbox 3", {"color": PALETTE[0], "marker": "^", "ls": ":", "mfc": "white"},
    ),
    "residual agreement with foolbox": (
        "residual, foolbox 3", {"color": PALETTE[1], "marker": "^", "ls": ":", "mfc": "white"},
    ),
}  # fmt: skip
# So that intervals do not hide each other.
_SHIFT = dict(zip(_LINES, (-1.5, -0.5, 0.5, 1.5, 2.5, 3.5), strict=True))
_PANEL = 1.65  # inches
_WHAT = "agreement of the attack with itself"


def attack(
    rows: pd.DataFrame,
    *,
    data: str | None = None,
    conditions: list[str] | None = None,
    at: str | None = None,
    caption: str = "",
) -> Picture:
    """Draw rank correlations against the number of steps, one panel per condition, and beneath them the median MAE.

    Parameters
    ----------
    rows : rows of the chapter, with the table "attack" (level = steps; metrics distance reliability, residual
        reliability, distance agreement, residual agreement, the same "with foolbox", mae). Of too few images there is
        no correlation.
    data : which image set; None for all, which have conditions of their own.
    conditions : which, in this order; None for all.
    at : the critical class; None for the one that was attacked.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> metrics = {"distance reliability": 0.96, "residual reliability": 0.31}
    >>> records = [{"metric": name, "value": value} for name, value in metrics.items()]
    >>> held = rows.table(records, table="attack", condition="gray/gray", at="cat", level=1000)
    >>> print(attack(held).alt.partition("critical class cat: ")[2])
    log MAE, two runs 0.96 at 1,000; residual, two runs 0.31 at 1,000. The gate for the residual of two runs is 0.6.
    """
    held = of(rows, "attack", _WHAT, data=data, at=at, metric=[*_LINES, "mae"])
    names = wanted(conditions, conditions_in(held["condition"]), _WHAT)
    some(names, _WHAT)
    subjects = [(name, means(held[held["condition"] == name]).sort_values("level")) for name in names]
    compared = [(name, own) for name, own in subjects if own["metric"].isin(list(_LINES)).any()]
    steps = sorted(set(held[held["condition"].isin(names)]["level"]))
    with style():
        several = len(names) > 1
        drawn = figure(_PANEL * (len(compared) + 1) + 1.15 + 0.25 * (several + len(compared)))
        panels = drawn.subplots(len(compared) + 1, 1, squeeze=False, sharex=True)[:, 0]
        for axes, (name, own) in zip(panels, compared, strict=False):
            _correlations(axes, own, (1.5 * steps[-1] / steps[0]) ** 0.013)
            axes.set_title(told(name), loc="left", weight="bold")
        _distances(panels[-1], subjects)
        panels[-1].set_xscale("log")
        panels[-1].set_xlim(steps[0] / 1.25, steps[-1] * 1.25)
        panels[-1].xaxis.set_major_locator(FixedLocator(steps))
        panels[-1].xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panels[-1].xaxis.set_minor_locator(NullLocator())
        panels[-1].set_xlabel("steps of the boundary attack")
        if compared:
            known: dict[str, Any] = {}
            for axes in panels[: len(compared)]:
                handles, titles = axes.get_legend_handles_labels()
                known |= dict(zip(titles, handles, strict=True))
            order = list(known.values())
            legend_beneath(drawn, handles=order, ncols=2, columnspacing=0.8, handlelength=1.5, handletextpad=0.5)
        on = and_so_on(words(one) for one in data_in(held["data"]))
        alt = (
            f"Line plots against the steps of the boundary attack on {on}: rank correlations over images of its "
            f"distances with those of {_others(held)}, with intervals, and the median MAE in grey levels out of 255. "
            f"{' '.join(_told(name, own) for name, own in subjects)} The gate for the residual of "
            f"two runs is {GATE}."
        )
        return picture(drawn, alt, caption, "fig-attack", held)


def _others(held: pd.DataFrame) -> str:
    peer = held["metric"].str.endswith("with foolbox").any()
    return and_so_on(["a second run", "the fast distance", *["foolbox 3's attack"] * bool(peer)])


def _correlations(axes: Axes, own: pd.DataFrame, step: float) -> None:
    """Draw four lines with intervals, each beside the others by a power of `step`: the axis is logarithmic."""
    for metric, (title, look) in _LINES.items():
        line = own[own["metric"] == metric]
        if line.empty:
            continue
        x = step ** _SHIFT[metric] * numbers(line["level"])
        axes.vlines(x, line["low"], line["high"], color=look["color"], lw=1.6, alpha=0.5)
        axes.plot(x, line["value"], lw=2, ms=7, mew=1.6, label=title, **look)
    axes.axhline(GATE, color="black", lw=1.2, ls=":", label=f"gate, {GATE}".replace("0.", "."))
    low = min(0.0, axes.get_ylim()[0])
    axes.set_ylim(-1.02 if low < -0.3 else low - 0.02, 1.04)
    axes.set_yticks(*(([-1, 0, 1], ["−1", "0", "1"]) if low < -0.3 else ([0, 0.5, 1], ["0", ".5", "1"])))
    axes.set_ylabel("correlation ρ")


def _distances(axes: Axes, subjects: list[tuple[str, pd.DataFrame]]) -> None:
    top = 0.0
    for index, (name, own) in enumerate(subjects):
        line = own[own["metric"] == "mae"]
        top = max([top, *line["value"]])
        look = {"color": "#444444", "marker": MARKERS[index % len(MARKERS)], "ls": ("-", "--", ":", "-.")[index % 4]}
        axes.plot(line["level"], line["value"], lw=2, ms=7, label=told(name).partition(",")[0], **look)
    axes.set_ylim(0, 1.15 * top or 1)
    axes.set_title("median MAE", loc="left", weight="bold")
    axes.set_ylabel("grey levels")
    if len(subjects) > 1:
        axes.legend(frameon=False, borderpad=0, handlelength=1.8)


def _told(name: str, own: pd.DataFrame) -> str:
    said = []
    for metric, (title, _) in _LINES.items():
        line = own[own["metric"] == metric]
        each = [f"{interval(value, low, high)} at {level:,.0f}"
                for level, value, low, high in numbers(line[["level", "value", "low", "high"]])]  # fmt: skip
        if each:
            said.append(f"{title} {and_so_on(each)}")
    line = own[own["metric"] == "mae"]
    if len(line):
        each = (f"{value:.1f} at {level:,.0f}" for level, value in numbers(line[["level", "value"]]))
        said.append(f"median MAE {and_so_on(each)}")
    few = "" if own["metric"].isin(list(_LINES)).any() else " (too few images for correlations)"
    return f"{told(name)}, critical class {own['at'].iloc[0]}{few}: {'; '.join(said)}."
