"""Are the labels right: what the labels state against what judges observe."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mistrust.figures.ambiguity.parts import RULES, SETS, in_order, words
from mistrust.figures.parts import and_so_on, by_network, numbers, numbers_at, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.rows import select

_SAID = {"ensemble": "by clean classifiers", "known world": "exact, in the known world"}


_FEW = 20  # images; the mean of fewer says little


def calibration(rows: pd.DataFrame, condition: str = "ensemble", *, caption: str = "") -> Picture:
    """Draw the observed probability of the first class against the stated one: one line per label rule, rivals dashed.

    Parameters
    ----------
    rows : rows of the chapter, with the table "calibration". Whiskers are the rows' intervals.
    condition : who observes: "ensemble" or "known world".

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> bins = {("stated", 1): 0.05, ("observed", 1): 0.1, ("stated", 2): 0.95, ("observed", 2): 0.9}
    >>> made = [{"metric": m, "at": f"bin={b}", "value": v, "n": 100} for (m, b), v in bins.items()]
    >>> drawn = calibration(rows.table(made, table="calibration", method="prior", condition="ensemble"))
    >>> drawn.name, drawn.alt.split("equal. ")[1]
    ('fig-calibration-ensemble', "the prior's own: 0.05 observed as 0.10 and 0.95 observed as 0.90.")
    """
    held, _ = by_network(select(rows, table="calibration", condition=condition))
    bins = numbers_at(held[held["metric"].isin(["stated", "observed"])], "bin")
    bins = bins[(bins["over"] == "models") | ~(bins["n"] < _FEW)]
    wide = bins.pivot_table(index=["method", "bin"], columns="metric", values=["value", "low", "high"], dropna=False)
    some(wide, f"calibration of condition '{condition}'")
    rivals = SETS[1:]
    methods = in_order(wide.index.get_level_values("method"), (*RULES, *rivals))
    said = []
    with style():
        drawn = figure(5.3)
        axes: Axes = drawn.subplots()
        axes.plot([0, 1], [0, 1], color="black", lw=1.2, ls=":")
        for index, method in enumerate(methods):
            line = wide.loc[method].sort_index()
            x, y = (numbers(line["value", metric]) for metric in ("stated", "observed"))
            low, high = (
                numbers(line[end, "observed"]) if (end, "observed") in line else np.full(len(line), np.nan)
                for end in ("low", "high")
            )
            look = {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
            axes.vlines(x, low, high, color=look["color"], lw=1.5)
            axes.plot(x, y, ls="--" if method in rivals else "-", lw=2, ms=6, label=words(method), **look)
            points = and_so_on(f"{x[i]:.2f} observed as {y[i]:.2f}" for i in _told(x, y))
            said.append(f"{words(method)}: {points}{_error(held[held['method'] == method])}.")
        axes.set_aspect("equal")
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("stated probability, first class")
        axes.set_ylabel(f"observed ({_SAID.get(condition, condition)})")
        legend_beneath(drawn, *axes.get_legend_handles_labels(), ncols=2)
        alt = (
            f"Line plot of the observed probability of the first class ({_SAID.get(condition, condition)}) against "
            f"the one that labels state; on the dotted diagonal both are equal. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, f"fig-calibration-{condition.replace(' ', '-')}")


def _told(stated: NDArray[np.float64], observed: NDArray[np.float64]) -> list[int]:
    """Of the bins that hold images the first, the one nearest to one half, and the last."""
    held = np.flatnonzero(~np.isnan(stated + observed)).tolist()
    middle = sorted(held, key=lambda i: round(abs(stated[i] - 0.5), 6))[:1]
    return sorted({*held[:1], *middle, *held[-1:]})


def _error(found: pd.DataFrame) -> str:
    values = found.loc[found["metric"] == "absolute error", "value"]
    return f"; mean absolute error {values.iloc[0]:.2f}" if len(values) else ""
