"""A heat map with its number in every cell: the one way in which this chapter draws matrices."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from mistrust.figures.style import MAP, ink


def whole(value: float) -> str:
    """Write a number without decimals."""
    return f"{value:.0f}"


def heat(
    axes: Axes,
    values: NDArray[np.float64],
    down: Sequence[str],
    across: Sequence[str],
    top: float,
    *,
    write: Callable[[float], str] = whole,
    size: float | None = None,
) -> AxesImage:
    """Draw a matrix: colour from 0 to `top`, the number in each cell, names at both sides.

    Parameters
    ----------
    axes : where to draw.
    values : (rows, columns); NaN stays blank.
    down, across : names of rows and columns; long names of columns stand upright.
    top : the value of the strongest colour.
    write : how a number is written.
    size : points of the numbers; None for the style's.
    """
    shown = axes.imshow(values, cmap=MAP, vmin=0, vmax=top)
    for (y, c), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = ink(value / top) if top else "white"
            axes.text(c, y, write(float(value)), ha="center", va="center", color=colour, fontsize=size)
    axes.set_xticks(range(len(across)), across, rotation=90 if max(map(len, across)) > 2 else 0)
    axes.set_yticks(range(len(down)), down)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return shown
