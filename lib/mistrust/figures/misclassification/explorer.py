"""The matrix of one network, cell by cell: a reader walks over it."""

import pandas as pd
import torch

from mistrust.figures.interactive import Interactive, grid
from mistrust.figures.misclassification.cells import matrix, tops


def explorer(
    rows: pd.DataFrame,
    method: str,
    images: tuple[torch.Tensor, dict[str, list[int]], list[str]],
    *,
    network: int = 0,
    caption: str = "",
) -> Interactive:
    """Let a reader walk over the matrix of one network: each cell tells its value, interval and nearest images.

    Parameters
    ----------
    rows : rows of the chapter, with the table "matrix".
    method : method in the rows ("minimum").
    images : what `mistrust.misclassification.thumbnails.nearest_images` gives; its pixels may be none.
    network : seed of the network.

    Raises
    ------
    MistrustError
        There is no matrix of that network.

    Examples
    --------
    >>> from mistrust import rows
    >>> cells = [{"at": "cat>dog", "value": 0.8}, {"at": "cat>owl", "value": 0.2}, {"at": "dog>cat", "value": 1.0}]
    >>> common = {"table": "matrix", "method": "minimum", "metric": "likelihood", "condition": "perturbed/all"}
    >>> explorer(rows.table(cells, seed=0, **common), "minimum", (torch.empty(0), {}, [])).alt
    'Matrix of likelihoods, one row per true class; largest cell of each row: cat for dog (80%), dog for cat (100%).'
    """
    values, classes = matrix(rows, method, seed=network)
    low, high = (matrix(rows, method, column, seed=network)[0] for column in ("low", "high"))
    pixels, cells, words = images
    at = {f"{a}>{b}": (y, c) for y, a in enumerate(classes) for c, b in enumerate(classes)}
    return grid(
        values,
        classes,
        classes,
        title="Likelihood of being mistaken, cell by cell",
        alt=f"Matrix of likelihoods, one row per true class; {tops(values, classes)}",
        row_title="true class",
        column_title="taken for",
        value_title="likelihood",
        intervals=(low, high),
        interval_title="95% interval over images",
        images=pixels.numpy() if len(pixels) else None,
        pictures={at[cell]: found for cell, found in cells.items()},
        labels=words,
        low=0.0,
        missing="not a mistake, so left out",
        caption=caption,
    )
