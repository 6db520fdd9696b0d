"""Dots on lines: a thing a line, an interval each, single models as ticks; and the same in words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.parts import GREY, means, numbers, singles
from mistrust.figures.written import Write, interval


def dot(
    axes: Axes, found: pd.DataFrame, y: float, *, colour: str, marker: str = "o", scale: float = 1, size: float = 7,
    hollow: bool = False,
) -> None:  # fmt: skip
    """Draw one thing on a line: single networks as grey ticks, their mean as a large one, its interval.

    Parameters
    ----------
    found : rows of one thing, by network.
    hollow : whether the large dot is empty (a number that is printed and not ours).
    """
    single = scale * numbers(singles(found)["value"])
    if len(single) > 1:
        axes.plot(single, np.full(len(single), y), "|", color=GREY, ms=6, mew=1.1, zorder=2)
    for value, low, high in scale * numbers(means(found)[["value", "low", "high"]]):
        axes.plot(ends(value, low, high), [y, y], color=colour, lw=2.2, alpha=0.75, solid_capstyle="butt", zorder=2.5)
        face = "white" if hollow else colour
        axes.plot(value, y, marker, color=colour, mfc=face, mec=colour if hollow else "white", ms=size,
                  mew=1.5 if hollow else 0.6, zorder=3)  # fmt: skip


def marks(found: pd.DataFrame) -> str:
    """Say what bars and ticks about the dots of these rows are; "" where `dot` draws none.

    Examples
    --------
    >>> from mistrust import rows
    >>> single = [{"seed": seed, "value": value} for seed, value in enumerate((0.8, 0.9))]
    >>> mean = {"value": 0.85, "low": 0.7, "high": 1.0}
    >>> marks(rows.table([*single, mean], table="trust", metric="auroc"))
    'Bars: 95% intervals between networks; ticks: single networks.'
    >>> marks(rows.table(single[:1], table="trust", metric="auroc"))
    ''
    """
    bars = means(found)["low"].notna().any() and singles(found)["seed"].nunique() != 1
    ticks = singles(found)["seed"].nunique() > 1
    each = ["bars: 95% intervals between networks"] * bool(bars) + ["ticks: single networks"] * ticks
    return f"{'; '.join(each).capitalize()}." if each else ""


def ends(value: float, low: float, high: float) -> tuple[float, float]:
    """Give the ends of an interval as a line is drawn: an open one, and none, stop at the dot."""
    return low if np.isfinite(low) else value, high if np.isfinite(high) else value


def estimate(found: pd.DataFrame, write: Write) -> str:
    """Write the mean of one thing with its interval: "12.0 (11.0 to 13.0)"; "not run" where there is none."""
    mean = means(found)
    if mean.empty:
        return "not run"
    value, low, high = numbers(mean[["value", "low", "high"]])[0]
    return interval(value, low, high, write)


def value_of(found: pd.DataFrame) -> float:
    """Give the mean of one thing; NaN where there is none."""
    mean = means(found)
    return float(mean["value"].iloc[0]) if len(mean) else float("nan")


def name_lines(axes: Axes, labels: Sequence[tuple[float, str, bool]]) -> None:
    """Name the lines of a figure at its left, heads in bold, and leave room above and beneath."""
    axes.set_yticks([at for at, _, _ in labels], [text for _, text, _ in labels])
    for tick, (_, _, head) in zip(axes.get_yticklabels(), labels, strict=True):
        tick.set(weight="bold" if head else "normal")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(labels[-1][0] + 0.6, -0.6)
