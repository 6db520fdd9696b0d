"""The p-value of a permutation test."""

import numpy as np
from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers


def permutation_p(observed: float, chance: ArrayLike) -> float:
    """Share of chance statistics at least as large as the observed one, which counts as one of them.

    p = (b + 1) / (m + 1) with b of m draws at or above the observed value: never 0, and valid for every m (Phipson and
    Smyth, 2010). Draws that differ from the observed value by rounding alone count as equal.

    Parameters
    ----------
    observed : the statistic; large values speak against chance.
    chance : (m,) the same statistic where chance alone rules, m >= 1.

    Raises
    ------
    MistrustError
        What is no numbers; several observed ones; no draws; NaN.

    Examples
    --------
    >>> permutation_p(2.5, [1.0, 2.0, 3.0])  # one of three is as high, and what was seen counts too
    0.5
    """
    drawn, seen = numbers("Draws", chance).ravel(), numbers("The observed statistic's values", observed)
    if seen.size != 1:
        raise MistrustError(f"The observed statistic has shape {seen.shape}, expected one number.")
    observed = float(seen.item())
    if len(drawn) == 0:
        raise MistrustError("A permutation test needs at least one draw, got none.")
    if np.isnan(drawn).any() or np.isnan(observed):
        raise MistrustError("A permutation test has no place for NaN.")
    nearly = 1e-12 * max(1.0, abs(observed))
    return (int((drawn >= observed - nearly).sum()) + 1) / (len(drawn) + 1)
