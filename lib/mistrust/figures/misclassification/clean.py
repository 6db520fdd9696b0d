"""What goes wrong on clean test images: the paper's Figure 1."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mistrust.figures.misclassification.cells import laid_out
from mistrust.figures.misclassification.heat import heat
from mistrust.figures.misclassification.parts import classes_of_cells
from mistrust.figures.parts import and_so_on, by_network, of_network, some
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.rows import select


def misses(rows: pd.DataFrame, *, seed: int | None = None, caption: str = "") -> Picture:
    """Draw how many clean test images of each class were taken for which, with the total of each class at the right.

    Parameters
    ----------
    rows : rows of the chapter, with the table "misses".
    seed : the network's seed; None for the mean over networks.

    Raises
    ------
    MistrustError
        There are no counts.

    Examples
    --------
    >>> from mistrust import rows
    >>> counts = [{"at": "4>9", "value": 12, "n": 982}, {"at": "9>4", "value": 5, "n": 1009}]
    >>> found = rows.table(counts, table="misses", metric="count", seed=0)
    >>> misses(found, seed=0).alt.rpartition("Largest cells: ")[2]
    '4 for 9 (12), 9 for 4 (5).'
    """
    held = select(rows, table="misses", metric="count")
    found = of_network(held, seed)
    some(found, "misses on clean images")
    classes = classes_of_cells(found["at"])
    counts = laid_out(found, classes)
    # Of single networks: n of a mean counts networks, not images.
    single = by_network(held)[1]
    images = {at.split(">")[0]: n for at, n in zip(single["at"], single["n"], strict=True)}
    totals = np.nansum(counts, axis=1)
    whose = "a mean over networks" if seed is None else f"of network {seed}"
    with style():
        drawn = figure(4.6)
        axes: Axes = drawn.subplots()
        values = np.pad(counts, ((0, 0), (0, 1)), constant_values=np.nan)  # room for the totals
        heat(axes, values, classes, [*classes, ""], float(np.nanmax(values)) or 1.0, write=_count, size=10)
        for y, total in enumerate(totals):
            axes.text(len(classes), y, _count(total), ha="center", va="center", weight="bold", fontsize=11)
        beneath = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "top", "weight": "bold"}
        axes.text(len(classes), -0.02, "all", **beneath)
        axes.tick_params(length=0)
        axes.set_xlabel("taken for")
        axes.set_ylabel("true class")
        return picture(drawn, _told(counts, totals, classes, images, whose), caption, "fig-misses")


def _count(value: float) -> str:
    """Write a count, or a mean of counts with a decimal where it is small and not whole."""
    return f"{value:.0f}" if value >= 9.95 or value == round(value) else f"{value:.1f}"


def _at(value: float, totals: NDArray[np.float64], classes: list[str]) -> str:
    """Name the classes with so many misses: several where they tie."""
    return and_so_on(name for name, total in zip(classes, totals, strict=True) if np.isclose(total, value))


def _told(
    counts: NDArray[np.float64], totals: NDArray[np.float64], classes: list[str], images: dict[str, float], whose: str
) -> str:
    of = [
        f"{name} {_count(total)}" + (f" of {images[name]:.0f}" if images.get(name, np.nan) > 0 else "")
        for name, total in zip(classes, totals, strict=True)
    ]
    order = np.argsort(-counts, axis=None, kind="stable")[:3]
    largest = [
        f"{classes[y]} for {classes[c]} ({_count(counts[y, c])})"
        for y, c in zip(*np.unravel_index(order, counts.shape), strict=True)
        if counts[y, c] > 0
    ]
    return (
        f"Matrix of how many clean test images are taken for which other class, {whose}. Wrong in all: "
        f"{_count(totals.sum())}; by true class: {', '.join(of)}. Fewest misses: "
        f"{_at(totals.min(), totals, classes)}; most: {_at(totals.max(), totals, classes)}. "
        f"Largest cells: {', '.join(largest) or 'none'}."
    )
