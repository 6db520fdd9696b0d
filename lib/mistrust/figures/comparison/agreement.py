"""Do scorers put the same images in the same order? Rank correlation of each pair, on good images and on all."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.comparison.tables.agreement import EVERY
from mistrust.comparison.troubles import NOMINAL
from mistrust.figures.comparison.parts import in_order, of, short, words
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.figures.written import many

_CELL = 0.2  # inches
_LETTER = 0.085


def pairs(rows: pd.DataFrame, condition: str, data: str | None = None) -> tuple[list[str], NDArray[np.float64]]:
    """Give scorers in their order, and their rank correlations (k, k), symmetric, 1 on the diagonal.

    Pairs without one have NaN.

    Raises
    ------
    MistrustError
        There are no such rows.
    """
    found = of(rows, "agreement", "rank correlations of scorers", data=data, condition=condition)
    second = found["at"].str.removeprefix("beside=")
    names = in_order([*found["method"], *second])
    matrix = np.full((len(names), len(names)), np.nan)  # a scorer that gives one number to all goes with none
    np.fill_diagonal(matrix, 1.0)
    for one, other, value in zip(found["method"], second, found["value"], strict=True):
        a, b = names.index(one), names.index(other)
        matrix[a, b] = matrix[b, a] = value
    return names, matrix


def agreement(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw the correlations: below the diagonal of nominal images, above it of every kind together.

    Parameters
    ----------
    rows : rows of the chapter, with the table "agreement".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = {("max_softmax", "dsa"): 0.4, ("max_softmax", "knn"): 0.5, ("dsa", "knn"): 0.9}
    >>> made = [{"method": a, "at": f"beside={b}", "value": value, "condition": condition}
    ...         for (a, b), value in found.items() for condition in ("nominal", "every kind")]
    >>> drawn = agreement(rows.table(made, table="agreement", metric="rank correlation", data="mnist"))
    >>> drawn.alt.split("together: ")[1]
    'from DSA with Max Softmax 0.40 to DSA with KNN 0.90.'
    """
    names, good = pairs(rows, NOMINAL, data)
    others, every = pairs(rows, EVERY, data)
    every = every[np.ix_(*[[others.index(name) for name in names]] * 2)]
    both = np.tril(good, -1) + np.triu(every, 1)
    np.fill_diagonal(both, np.nan)
    found = of(rows, "agreement", "rank correlations of scorers", data=data)
    side = _CELL * len(names)
    room = _LETTER * max(len(short(name)) for name in names)
    with style():
        drawn = figure(side + room + 0.9)
        axes = drawn.subplots()
        image = axes.imshow(both, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
        axes.set_xticks(range(len(names)), [short(name) for name in names], rotation=90, fontsize=9)
        axes.set_yticks(range(len(names)), [short(name) for name in names], fontsize=9)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.plot([-0.5, len(names) - 0.5], [-0.5, len(names) - 0.5], color="black", lw=1)
        bar = drawn.colorbar(image, ax=axes, location="top", aspect=40, pad=0.02, ticks=[-1, -0.5, 0, 0.5, 1])
        bar.set_label("rank correlation; below: nominal, above: every kind", fontsize=10)
        bar.ax.set_xticklabels(["−1", "−.5", "0", ".5", "1"])
        alt = (
            f"Heat map of rank correlations between {many(len(names), 'scorer')} on the same images of "
            f"{words(str(found['data'].iloc[0]))}. {_ends('Nominal images', names, good)} "
            f"{_ends('Every kind together', names, every)}"
        )
        return picture(drawn, alt, caption, "fig-agreement")


def _ends(what: str, names: list[str], matrix: NDArray[np.float64]) -> str:
    rows, columns = np.tril_indices(len(names), -1)
    values = matrix[rows, columns]
    most, least = int(np.nanargmax(values)), int(np.nanargmin(values))
    told = [f"{words(names[rows[i]])} with {words(names[columns[i]])} {values[i]:.2f}" for i in (most, least)]
    return f"{what}: from {told[1]} to {told[0]}."
