"""Chances of several tests, corrected for their number."""

from collections.abc import Sequence

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers


def holm(chances: Sequence[float]) -> list[float]:
    """Correct p-values so that among all of them one below 0.05 comes by chance in at most one of twenty families.

    In ascending order, each p times the number not yet rejected, never below the one before (Holm, "A Simple
    Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 1979). Our own lines, since
    statsmodels' collects all garbage at each call, a hundred times slower.

    Parameters
    ----------
    chances : p-values in [0, 1], in any order.

    Returns
    -------
    The corrected ones, in the order given, at most 1.

    Raises
    ------
    MistrustError
        What is no row of numbers; one that is outside [0, 1], or NaN.

    Examples
    --------
    >>> [round(one, 3) for one in holm([0.04, 0.01, 0.03])]
    [0.06, 0.03, 0.06]
    """
    row = numbers("Chances", chances)
    if row.ndim != 1:
        raise MistrustError(f"Chances have shape {row.shape}, expected (n,).")
    if wrong := [one for one in chances if not 0 <= one <= 1]:
        raise MistrustError(f"A chance is {wrong[0]!r}, expected a number in [0, 1].")
    corrected, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        least = max(least, min(1.0, chances[place] * (len(chances) - rank)))
        corrected[place] = least
    return corrected
