"""Log MAE against confidence, with the curve F: the paper's Figure 1, as counts on a grid."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.figures.parts import numbers, one_of
from mistrust.figures.search.one_search import panel
from mistrust.figures.search.parts import classes_in, told, words
from mistrust.figures.style import MAP, Picture, figure, picture, style

_WHAT = "grid of confidence and log MAE"
_LEAST = 0.5  # of a cell's side: a cell with one instance
_TALL = 2.55  # inches a panel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """One pool on a grid: edges (k + 1,) of confidence and of log MAE, counts (k, k), F at the edges of confidence."""

    across: Array
    up: Array
    errors: Array
    right: Array
    fitted: Array

    @property
    def every(self) -> Array:
        """Instances by cell."""
        return self.errors + self.right


def rank(
    rows: pd.DataFrame,
    classes: Sequence[str] | None = None,
    *,
    data: str | None = None,
    condition: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw pools on a grid: a cell is the larger the more images it holds, its colour the share of errors; F as a line.

    Parameters
    ----------
    rows : rows of the chapter, with the table "rank".
    classes : critical classes, a panel each; None for all.
    data, condition, seed : which image set, condition and model; None for the first, and the
        strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows; counts without their edges.

    Examples
    --------
    A grid of two by two cells; in one of them eight correct predictions, in another three errors:

    >>> from mistrust import rows
    >>> ends = {"confidence edge": (0.65, 0.8, 1.0), "log mae edge": (-6, -4, -2)}
    >>> found = [{"at": "cat", "metric": m, "level": i, "value": v} for m, at in ends.items() for i, v in enumerate(at)]
    >>> found += [{"at": "cat/0/1", "metric": "right", "value": 8}, {"at": "cat/1/0", "metric": "errors", "value": 3}]
    >>> print(rank(rows.table(found, table="rank", condition="biased/25")).alt.partition("missing). ")[2])
    Predicted as cat: 11 images, 3 errors; F is not defined there.
    """
    held = panel(rows, "rank", _WHAT, data=data, condition=condition, seed=seed)
    counts = held["metric"].isin(["errors", "right"])
    owner = held["at"].where(~counts, held["at"].str.rsplit("/", n=2).str[0])
    there = classes_in(owner)
    names = there if classes is None else [one_of(name, there, _WHAT) for name in classes]
    grids = {name: _grid(held[owner == name], name) for name in names}
    said = []
    with style():
        drawn = figure(_TALL * len(grids) + 0.75)
        panels = drawn.subplots(len(grids), 1, squeeze=False)[:, 0]
        for axes, (name, grid) in zip(panels, grids.items(), strict=True):
            _panel(axes, grid, f"predicted as {name}: {grid.every.sum():,.0f} images, {grid.errors.sum():,.0f} errors")
            axes.set_ylabel("natural log of MAE")
            said.append(_told(name, grid))
        panels[-1].set_xlabel("confidence")
        scale = ScalarMappable(Normalize(0, 1), MAP)
        bar = drawn.colorbar(scale, ax=list(panels), location="bottom", aspect=30, ticks=[0, 0.5, 1], pad=0.03)
        bar.ax.set_xticklabels(["0%", "50%", "100%"])
        bar.set_label("share of errors among a cell's images")
        alt = (
            "Images by confidence and log MAE (natural logarithm) of the adversarial distance in cells of a grid, "
            "larger where they hold more images, coloured by their share of errors, with the curve F "
            f"({words(held['data'].iloc[0])}, {told(held['condition'].iloc[0])}). {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-rank", held)


def _grid(own: pd.DataFrame, name: str) -> Grid:
    def line(metric: str) -> Array:
        found = own[own["metric"] == metric].sort_values("level")
        return numbers(found["value"])

    across, up, fitted = line("confidence edge"), line("log mae edge"), line("fitted")
    k = len(across) - 1
    if k < 1 or len(up) != k + 1 or len(fitted) not in (0, k + 1):
        raise MistrustError(
            f"The grid of '{name}' has {len(across)} edges of confidence, {len(up)} of log MAE and {len(fitted)} "
            "values of F: expected as many of each, and of F either as many or none. Run the chapter again."
        )
    errors, right = np.zeros((k, k)), np.zeros((k, k))
    for metric, counts in (("errors", errors), ("right", right)):
        found = own[own["metric"] == metric]
        for i, j, value in zip(*_cell(found["at"]), found["value"], strict=True):
            counts[i, j] = value
    return Grid(across, up, errors, right, fitted)


def _cell(at: pd.Series) -> tuple[list[int], list[int]]:
    parts = at.str.rsplit("/", n=2)
    return [int(one[1]) for one in parts], [int(one[2]) for one in parts]


def _panel(axes: Axes, grid: Grid, title: str) -> None:
    i, j = np.nonzero(grid.every)
    count = grid.every[i, j]
    side = _LEAST + (1 - _LEAST) * np.log(count) / max(1.0, np.log(count.max(initial=1)))
    wide, high = np.diff(grid.across)[i] * side / 2, np.diff(grid.up)[j] * side / 2
    x, y = (grid.across[i] + grid.across[i + 1]) / 2, (grid.up[j] + grid.up[j + 1]) / 2
    corners = np.stack([
        np.stack([x + a * wide, y + b * high], 1) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ], 1)  # fmt: skip
    cells = PolyCollection(list(corners), array=grid.errors[i, j] / count, cmap=MAP, norm=Normalize(0, 1), zorder=2)
    axes.add_collection(cells)
    if len(grid.fitted):
        edge = [patheffects.withStroke(linewidth=3, foreground="white")]
        axes.plot(grid.across, grid.fitted, color="black", lw=1.5, zorder=3, path_effects=edge)
        half = len(grid.across) // 2
        axes.annotate(
            "F", (grid.across[half], grid.fitted[half]), xytext=(26, -34), textcoords="offset points", weight="bold",
            arrowprops={"arrowstyle": "-", "lw": 0.9, "shrinkA": 0, "shrinkB": 2}, path_effects=edge, zorder=4,
        )  # fmt: skip
    for limits, edges in ((axes.set_xlim, grid.across), (axes.set_ylim, grid.up)):
        room = 0.02 * (edges[-1] - edges[0])
        limits(edges[0] - room, edges[-1] + room)
    axes.set_title(title)


def _told(name: str, grid: Grid) -> str:
    total, errors = grid.every.sum(), grid.errors.sum()
    said = f"Predicted as {name}: {total:,.0f} images, {errors:,.0f} errors"
    if not len(grid.fitted):
        return f"{said}; F is not defined there."
    middle = (grid.fitted[1:] + grid.fitted[:-1]) / 2
    below = (grid.up[1:] + grid.up[:-1]) / 2 < middle[:, None]
    shares = [f"{what[below].sum() / max(1.0, what.sum()):.0%}" for what in (grid.errors, grid.right)]
    return (
        f"{said}; log MAE from {grid.up[0]:.1f} to {grid.up[-1]:.1f}, F from {grid.fitted[0]:.1f} at confidence "
        f"{grid.across[0]:.2f} to {grid.fitted[-1]:.1f} at {grid.across[-1]:.2f}. By the centres of the cells, "
        f"{shares[0]} of the errors and {shares[1]} of the correct predictions lie below F."
    )
