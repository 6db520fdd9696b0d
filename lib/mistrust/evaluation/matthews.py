"""Matthews' correlation coefficient, of two classes and of many."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers


def matthews(table: ArrayLike) -> NDArray[np.float64]:
    """Correlation of truth and answer over k classes, R_k (Gorodkin, 2004); Matthews' own (1975) for two classes.

    R_k = (c s - Σ p_k t_k) / sqrt((s² - Σ p_k²)(s² - Σ t_k²)), with s decisions, c of them right, t_k of true class k
    and p_k answered as k.

    Parameters
    ----------
    table : (..., k, k) counts of true class (row) and answer (column), at least 0.

    Returns
    -------
    (...) in [-1, 1] (the least value is above -1 for more than two classes). 0 where all truths or all answers are
    alike, as in scikit-learn; NaN without decisions.

    Raises
    ------
    MistrustError
        What is no numbers; not square; fewer than two classes; a count that is below 0, NaN or infinite.

    Examples
    --------
    >>> round(float(matthews([[8, 2], [1, 9]])), 3)
    0.704
    """
    cells = numbers("The table's counts", table)
    if cells.ndim < 2 or cells.shape[-1] != cells.shape[-2] or cells.shape[-1] < 2:
        raise MistrustError(f"The table has shape {cells.shape}, expected (..., k, k) of at least two classes.")
    none = ~((cells >= 0) & (cells < np.inf))
    if none.any():
        raise MistrustError(f"The table's counts must be at least 0 and finite, got {cells[none][0]:g}.")
    truths, answers = cells.sum(-1), cells.sum(-2)
    total, right = truths.sum(-1), np.trace(cells, axis1=-2, axis2=-1)
    # The margins' spreads are divided by the total early: products of four counts of 100,000 would lose digits.
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = [total - (margin**2).sum(-1) / total for margin in (truths, answers)]
        between = right - (truths * answers).sum(-1) / total
        found = between / np.sqrt(spread[0] * spread[1])
    # One class alone on a margin leaves no spread, but for rounding.
    alone = (truths.max(-1) == total) | (answers.max(-1) == total)
    return np.where(total > 0, np.where(alone, 0.0, np.clip(found, -1.0, 1.0)), np.nan)
