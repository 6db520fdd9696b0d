"""Answering less often to be wrong less often: risk against coverage (El-Yaniv and Wiener, 2010).

A selective classifier answers the least suspicious inputs only. Coverage is the share that it answers; risk, the share
of wrong ones among these. Inputs of equal score cannot be told apart: where only some of them are answered, the risk
is its mean over all orders of these inputs.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mistrust.errors import MistrustError
from mistrust.evaluation.given import count, portion
from mistrust.evaluation.ordering import Counted, ordered


@dataclass(frozen=True)
class RiskCoverage:
    """The curve.

    Attributes
    ----------
    coverage : (n,) 1/n, 2/n, ... 1.
    risk : (n,) share of wrong predictions among those answered; the last is the plain error.

    Examples
    --------
    >>> curve = risk_coverage([0.1, 0.2, 0.9, 0.8], [0, 0, 1, 0])
    >>> curve.coverage, curve.risk
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.  , 0.25]))
    >>> curve.area, curve.at(0.75)
    (0.0625, 0.0)
    """

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]

    @property
    def area(self) -> float:
        """Area under the curve: its mean risk, in [0, 1]; lower is better (Geifman and others, 2019)."""
        return float(self.risk.mean())

    def at(self, coverage: float) -> float:
        """Risk where at least this share is answered, in (0, 1], rounded up to whole inputs.

        Raises
        ------
        MistrustError
            A coverage that is no number in (0, 1].
        """
        n = len(self.risk)
        return float(self.risk[max(1, ceil(portion("The coverage", coverage) * n - 1e-9)) - 1])


def risk_coverage(scores: ArrayLike, wrong: ArrayLike) -> RiskCoverage:
    """Risk at every coverage, the least suspicious inputs answered first.

    Parameters
    ----------
    scores : (n,) higher is more suspicious.
    wrong : (n,) true where the prediction is wrong.

    Examples
    --------
    >>> risk_coverage([0.1, 0.9, 0.4], [False, True, False]).risk.round(3)
    array([0.   , 0.   , 0.333])
    """
    outcomes = ordered(scores, wrong)
    n = len(outcomes.order)
    # Of a run of equal scores each input stands for the run's mean.
    low, high = outcomes.low, outcomes.high
    first = np.flatnonzero(np.concatenate([[True], low[1:] != low[:-1]])) if len(low) else np.empty(0, dtype=np.int64)
    share = np.diff(np.append(first, len(low))) / (high - low)[first]
    steps = np.zeros(n + 1)
    np.add.at(steps, low[first], share)
    np.add.at(steps, high[first], -share)
    kept = np.arange(1, n + 1)
    return RiskCoverage(kept / n, np.cumsum(np.cumsum(steps[:-1])) / kept)


def counted_area(counted: Counted) -> float:
    """Area under the risk-coverage curve of positives that are counted already.

    Parameters
    ----------
    counted : `ordered(scores, wrong).counted(weights)`, with whole numbers for weights; the area is that of the inputs
        so often repeated.

    Notes
    -----
    An error at place i of N raises the risk of every coverage from i on, by 1/i + 1/(i+1) + ... + 1/N in all, so the
    area is a sum over errors alone and no curve is drawn.

    Examples
    --------
    >>> scores, wrong = [0.1, 0.2, 0.9, 0.8], [0, 0, 1, 0]
    >>> counted_area(ordered(scores, wrong).counted(np.ones(4)))  # the same as risk_coverage(scores, wrong).area
    0.0625
    """
    times, before, after, total = counted
    n = int(total)
    start, end = before.astype(np.int64), after.astype(np.int64)
    if n != total or bool((start != before).any()) or bool((end != after).any()):
        raise MistrustError("Weights must be whole numbers: how often each input is drawn.")
    table = _places(1 << n.bit_length())
    # An error that ties with others stands at each place of their run alike; what is not drawn has no place.
    run = np.maximum(after - before, 1)
    harmonic = special.digamma(n + 1) + np.euler_gamma
    return float((harmonic * times.sum() - times @ ((table[end] - table[start]) / run)) / n)


def best_area(errors: int, n: int) -> float:
    """Area under the curve of an oracle that scores all `errors` wrong of n predictions above all right ones.

    What lies above it is the excess area (Geifman and others, 2019): it tells the score's share from the network's.

    Raises
    ------
    MistrustError
        Counts that are no whole numbers, or not 0 <= errors <= n, n >= 1.

    Examples
    --------
    >>> round(best_area(errors=2, n=10), 4)
    0.0311
    """
    errors, n = count("The number of errors", errors), count("The number of predictions", n)
    if not 0 <= errors <= n or n < 1:
        raise MistrustError(f"An area needs 0 <= errors <= n and n >= 1, got {errors} of {n}.")
    kept = np.arange(1, n + 1)
    return float((np.maximum(kept - (n - errors), 0) / kept).mean())


@lru_cache(maxsize=1)
def _places(size: int) -> NDArray[np.float64]:
    """Sums H(0) + ... + H(m - 1) of the harmonic numbers, for m from 0 to `size`; they are m H(m) - m."""
    m = np.arange(size + 1, dtype=np.float64)
    return m * (special.digamma(m + 1) + np.euler_gamma) - m
