"""One matrix, read out of the rows: its values, its classes, its largest cells."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.figures.misclassification.parts import ALL, classes_of_cells
from mistrust.figures.parts import of_network, some
from mistrust.rows import select


def matrix(
    rows: pd.DataFrame, method: str, column: str = "value", *, seed: int | None = None, condition: str = ALL
) -> tuple[NDArray[np.float64], list[str]]:
    """Give the (k, k) matrix of a method, NaN where there is no cell, and its class names.

    Parameters
    ----------
    rows : rows of the chapter, with the table "matrix".
    method : method in the rows ("minimum").
    column : "value", "low" or "high".
    seed : the network's seed; None for the mean over networks.
    condition : "perturbed/all", or "perturbed/pooled" for one matrix over all levels.

    Raises
    ------
    MistrustError
        There is no such matrix.

    Examples
    --------
    >>> from mistrust import rows
    >>> cells = [{"at": "cat>dog", "value": 0.8}, {"at": "cat>owl", "value": 0.2}, {"at": "dog>cat", "value": 1.0}]
    >>> common = {"table": "matrix", "method": "minimum", "metric": "likelihood", "condition": "perturbed/all"}
    >>> values, classes = matrix(rows.table(cells, seed=0, **common), "minimum")
    >>> classes, values[0]
    (['cat', 'dog', 'owl'], array([nan, 0.8, 0.2]))
    """
    every = select(rows, table="matrix", condition=condition)
    cells = of_network(every[every["method"] == method], seed)
    some(cells, f"matrix by {method}")
    classes = classes_of_cells(every["at"])
    return laid_out(cells, classes, column), classes


def laid_out(cells: pd.DataFrame, classes: list[str], column: str = "value") -> NDArray[np.float64]:
    """Give the (k, k) matrix of rows whose `at` names its cell ("4>9"), NaN where there is none."""
    position = {name: i for i, name in enumerate(classes)}
    values = np.full((len(classes), len(classes)), np.nan)
    for at, value in zip(cells["at"], cells[column], strict=True):
        y, c = at.split(">")
        values[position[y], position[c]] = value
    return values


def same_tops(
    rows: pd.DataFrame, first: str = "minimum", second: str = "confusion", *, seed: int | None = None
) -> tuple[list[str], int]:
    """Give the classes whose largest cell is the same by two methods, and how many classes both have a row of.

    In the matrices of one network (its `seed`), or for None in the means over networks: of networks that differ in
    their favourites the means may agree in fewer classes than any of them.

    Examples
    --------
    >>> from mistrust import rows
    >>> by = {"minimum": {"4>9": 0.8, "4>7": 0.2, "9>4": 0.6, "9>7": 0.4},
    ...       "confusion": {"4>9": 0.9, "4>7": 0.1, "9>4": 0.3, "9>7": 0.7}}
    >>> cells = [{"method": m, "at": at, "value": v} for m, shares in by.items() for at, v in shares.items()]
    >>> same_tops(rows.table(cells, table="matrix", condition="perturbed/all", metric="share", seed=0))
    (['4'], 2)
    """
    (a, classes), (b, _) = (matrix(rows, method, seed=seed) for method in (first, second))
    whole = [y for y in range(len(classes)) if not (np.isnan(a[y]).all() or np.isnan(b[y]).all())]
    return [classes[y] for y in whole if np.nanargmax(a[y]) == np.nanargmax(b[y])], len(whole)


def tops(values: NDArray[np.float64], classes: list[str]) -> str:
    """Name the largest cell of each row, in words."""
    tops = [
        f"{classes[y]} for {classes[int(np.nanargmax(row))]} ({np.nanmax(row):.0%})"
        for y, row in enumerate(values)
        if not np.isnan(row).all()
    ]
    return f"largest cell of each row: {', '.join(tops)}."
