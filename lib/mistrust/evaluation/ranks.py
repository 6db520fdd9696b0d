"""Agreement of two orders."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation with average ranks for ties, over the pairs where neither is NaN.

    NaN when fewer than three pairs are left or one side is constant.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]), 3)
    0.8
    """
    a, b = numbers("Values", first).ravel(), numbers("Values", second).ravel()
    if len(a) != len(b):
        raise MistrustError(f"Spearman's correlation needs two arrays of equal length, got {len(a)} and {len(b)}.")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = stats.rankdata(a[both]), stats.rankdata(b[both])
    if len(a) < 3 or a.std() == 0 or b.std() == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
