"""How often a limit that is a quantile of some images lets others alarm: the exact law, and what it makes of a bar.

A limit that is the k-th smallest of m scores leaves a share of all images above it that is drawn with these m: for
continuous scores from Beta(m - k + 1, k), whatever their distribution. Of n other images then so many alarm as the
beta-binomial law says (David and Nagaraja, Order statistics, 2003, on the uniform law's; Angelopoulos and Bates, A
gentle introduction to conformal prediction, 2021, on the coverage of one calibration set). Where scores are tied fewer
alarm.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation.given import count as whole
from mistrust.evaluation.given import numbers, real

ROUNDING = 1e-9


class TooFew(MistrustError):
    """Fewer images than a rate can be set for or tried on."""


def alarm_law(rate: float, fitted: int, tried: int) -> Any:
    """Give the law of how many of `tried` nominal images alarm: a frozen `scipy.stats.betabinom`.

    Parameters
    ----------
    rate : in (0, 1), for which the limit is the k-th smallest score, k = ceil((fitted + 1)(1 - rate)).
    fitted : images that set the limit, at least 1 / rate - 1.
    tried : other images, at least 1, all exchangeable with those.

    Raises
    ------
    MistrustError
        What is no number, or out of its range; counts that are not whole; too few images for the rate.

    Examples
    --------
    With 19 images and 5 % the limit is the largest score, which another image exceeds one time in twenty:

    >>> law = alarm_law(0.05, 19, 1)
    >>> round(float(law.pmf(1)), 6)
    0.05
    """
    if not (real(rate) and 0 < rate < 1):
        raise MistrustError(f"The rate of alarms is {rate!r}, expected a share between 0 and 1 such as 0.05.")
    fitted, tried = whole("The number of images that set the limit", fitted), whole("The number of others", tried)
    k = ceil((fitted + 1) * (1 - rate) - ROUNDING)
    if tried < 1 or not 1 <= k <= fitted:
        raise TooFew(
            f"{fitted} images set the limit for a rate of {rate} and {tried} try it, expected at least "
            f"{ceil(1 / rate - 1 - ROUNDING)} and 1."
        )
    return stats.betabinom(tried, fitted - k + 1, k)


def chance_off(rate: float, within: float, fitted: int, tried: int, runs: int = 1) -> float:
    """How probable it is that the measured rate is off by more than `within`, by chance alone.

    Parameters
    ----------
    rate, fitted, tried : as in `alarm_law`.
    within : at least 0; a rate that is off by just so much is not off.
    runs : at least 1, whose rates are averaged; taken as independent, each with images of its own.

    Raises
    ------
    MistrustError
        As `alarm_law`; a `within` that is no number or negative; no run, or no whole number of them.

    Examples
    --------
    >>> round(chance_off(0.05, 0.01, fitted=2000, tried=3000), 3)
    0.105
    """
    runs = whole("The number of runs", runs)
    if not (real(within) and within >= 0) or runs < 1:
        raise MistrustError(f"Off by more than {within!r} over {runs} runs, expected at least 0 and at least 1.")
    law = alarm_law(rate, fitted, tried)
    if runs == 1:
        low = max(ceil(tried * (rate - within - ROUNDING)), 0)
        high = min(int(tried * (rate + within + ROUNDING)), tried)
        return float(max(1 - law.pmf(np.arange(low, high + 1)).sum(), 0))
    one = law.pmf(np.arange(tried + 1))
    sums = one
    for _ in range(runs - 1):
        sums = np.convolve(sums, one)
    rates = np.arange(len(sums)) / (runs * tried)
    return float(sums[np.abs(rates - rate) > within + ROUNDING].sum())


def at_least(chances: Sequence[float], count: int) -> float:
    """How probable it is that at least `count` independent events of these chances happen: Poisson's binomial law.

    Raises
    ------
    MistrustError
        Chances that are no row of numbers in [0, 1]; a count that is not whole.

    Examples
    --------
    >>> round(at_least([0.5, 0.5, 0.1], 2), 6)
    0.3
    """
    row, count = numbers("Chances", chances), whole("The number of events", count)
    if row.ndim != 1 or not ((row >= 0) & (row <= 1)).all():
        raise MistrustError(f"Chances are {chances!r}, expected (n,) numbers in [0, 1].")
    happens = np.ones(1)
    for chance in row:
        happens = np.convolve(happens, [1 - chance, chance])
    return float(happens[max(count, 0) :].sum())
