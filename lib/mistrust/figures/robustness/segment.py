"""The margin along straight lines between two images: every breakpoint, and what a grid sees of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.figures.parts import numbers, some
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import many, two


@dataclass(frozen=True)
class Along:
    """A segment.

    Attributes
    ----------
    title : what a reader calls it ("two threes").
    t : (q,) from 0 to 1, ascending: the ends and all breakpoints (`Certificates.of`).
    margins : (q,) of the class, in logits, at these.
    grid : (g,) margins at g equally distant points from 0 to 1; None where no grid is shown.

    Examples
    --------
    The margin falls to 0.5 at the first of two breakpoints and rises again; the ends are no breakpoints:

    >>> line = Along("from one three to another", t=[0, 0.25, 0.5, 1], margins=[2, 0.5, 1, 1])
    >>> segment([line]).alt.partition("images. ")[2]
    'from one three to another: 2 breakpoints, smallest margin 0.50 at t = 0.25.'
    """

    title: str
    t: ArrayLike
    margins: ArrayLike
    grid: ArrayLike | None = None


def segment(lines: Sequence[Along], *, caption: str = "") -> Picture:
    """Draw segments one beneath another: margin by place, breakpoints as a strip, smallest margins of both tests.

    Raises
    ------
    MistrustError
        No segment; places that do not ascend from 0 to 1, or another number of margins; a grid of fewer than two.

    Examples
    --------
    Between its three points the grid overlooks where the line leaves the region:

    >>> line = Along("from one three to another", t=[0, 0.25, 0.5, 1], margins=[2, -0.5, 1, 1], grid=[2, 1, 1])
    >>> segment([line]).alt.partition("images. ")[2]
    'from one three to another: 2 breakpoints, smallest margin -0.50 at t = 0.25, on a grid of 3 points 1.00.'
    """
    some(lines, "margin along a segment")
    checked = [_checked(one) for one in lines]
    with style():
        drawn = figure(2.2 * len(lines) + 0.95)
        panels = drawn.subplots(len(lines), 1, squeeze=False, sharex=True)[:, 0]
        for axes, one, (t, margins, grid) in zip(panels, lines, checked, strict=True):
            _panel(axes, t, margins, grid)
            axes.set_title(f"{one.title}: {many(len(t) - 2, 'breakpoint')}")
        panels[-1].set_xlabel("position on the segment, t")
        drawn.supylabel("margin (logits)", fontsize=12)
        handles, texts = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, columnspacing=1)
        alt = (
            "Line plots of the margin along straight lines between two images. "
            f"{' '.join(_told(one.title, *found) for one, found in zip(lines, checked, strict=True))}"
        )
        return picture(drawn, alt, caption, "fig-segment")


Found = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]


def _checked(one: Along) -> Found:
    t, margins = numbers(one.t), numbers(one.margins)
    if t.ndim != 1 or t.shape != margins.shape or len(t) < 2 or t[0] != 0 or t[-1] != 1 or (np.diff(t) < 0).any():
        raise MistrustError(
            f"Segment '{one.title}' has places of shape {t.shape} and margins of shape {margins.shape}, expected one "
            "margin a place, places ascending from 0 to 1."
        )
    grid = None if one.grid is None else numbers(one.grid)
    if grid is not None and (grid.ndim != 1 or len(grid) < 2):
        raise MistrustError(f"The grid of segment '{one.title}' has shape {grid.shape}, expected at least two margins.")
    return t, margins, grid


def _panel(axes: Axes, t: NDArray[np.float64], margins: NDArray[np.float64], grid: NDArray[np.float64] | None) -> None:
    axes.axhline(0, color="black", lw=0.9, ls=":")
    axes.plot(t, margins, color=PALETTE[0], lw=1.8, label="margin, exact", zorder=2)
    if grid is not None:
        there = np.linspace(0, 1, len(grid))
        axes.plot(
            there, grid, "o", mfc="white", mec=PALETTE[4], mew=1, ms=3.5, zorder=3, label=f"grid of {len(grid)} points"
        )
    low = int(margins.argmin())
    look = {"color": PALETTE[1], "ms": 9, "mec": "white", "mew": 0.8, "clip_on": False}
    axes.plot(t[low], margins[low], "v", zorder=4, label="smallest, exact", **look)
    foot, head = min(0.0, float(margins.min())), float(margins.max())
    axes.set_ylim(foot - 0.2 * (head - foot), head + 0.06 * (head - foot))
    inner = t[1:-1]
    shade = min(1.0, 0.15 + 60 / max(1, len(inner)))  # thousands stand close: darker where they are dense
    strip = {"color": "#555555", "ms": 7, "mew": 0.5, "alpha": shade, "transform": axes.get_xaxis_transform()}
    axes.plot(inner, np.full(len(inner), 0.045), "|", **strip)
    axes.plot([], [], "|", color="#555555", ms=8, ls="", label="breakpoint")
    axes.set_xlim(-0.01, 1.01)


def _told(title: str, t: NDArray[np.float64], margins: NDArray[np.float64], grid: NDArray[np.float64] | None) -> str:
    low = int(margins.argmin())
    text = f"{title}: {many(len(t) - 2, 'breakpoint')}, smallest margin {two(margins[low])} at t = {two(t[low])}"
    return f"{text}." if grid is None else f"{text}, on a grid of {len(grid)} points {two(float(grid.min()))}."
