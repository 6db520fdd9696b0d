"""Answering less often to be wrong less often: risk against coverage (El-Yaniv and Wiener, 2010).

A selective classifier answers the least suspicious inputs only. Coverage is the share that it answers; risk, the share
of wrong ones among these. Inputs of equal score cannot be told apart: where only some of them are answered, the risk
is its mean over all orders of these inputs.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.ordering import Ordered, ordered


@dataclass(frozen=True)
class RiskCoverage:
    """The curve.

    Attributes
    ----------
    coverage : (n,) 1/n, 2/n, ... 1.
    risk : (n,) share of wrong predictions among those answered; the last is the plain error.
    """

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]

    @property
    def area(self) -> float:
        """Area under the curve: its mean risk, in [0, 1]; lower is better (Geifman and others, 2019)."""
        return float(self.risk.mean())

    def at(self, coverage: float) -> float:
        """Risk where at least this share is answered, in (0, 1], rounded up to whole inputs."""
        if not 0 < coverage <= 1:
            raise MistrustError(f"The coverage is {coverage}, expected a number above 0 and up to 1.")
        n = len(self.risk)
        return float(self.risk[max(1, ceil(coverage * n - 1e-9)) - 1])


def risk_coverage(scores: ArrayLike, wrong: ArrayLike) -> RiskCoverage:
    """Risk at every coverage, the least suspicious inputs answered first.

    Parameters
    ----------
    scores : (n,) higher is more suspicious.
    wrong : (n,) true where the prediction is wrong.
    """
    return ordered_risk_coverage(ordered(scores, wrong))


def ordered_risk_coverage(outcomes: Ordered, weights: ArrayLike | None = None) -> RiskCoverage:
    """`risk_coverage` of outcomes that are sorted already, each repeated `weights` (n,) times, whole numbers."""
    w = outcomes.weights(weights)
    wrong = outcomes.positive
    if outcomes.tied:
        # Each input of a run stands for the run's mean: the expectation over all its orders.
        runs = np.diff(np.append(outcomes.starts, len(wrong)))
        counted = np.ones_like(wrong) if w is None else w
        total = np.add.reduceat(counted, outcomes.starts)
        errors = np.add.reduceat(counted * wrong, outcomes.starts)
        wrong = np.repeat(errors / np.maximum(total, 1), runs)
    if w is not None:
        if bool((w < 0).any()) or bool((w != np.floor(w)).any()) or not w.any():
            raise MistrustError("Weights must be whole numbers, how often each input is drawn, and not all 0.")
        wrong = np.repeat(wrong, w.astype(np.int64))
    kept = np.arange(1, len(wrong) + 1)
    return RiskCoverage(kept / len(wrong), np.cumsum(wrong) / kept)


def best_area(errors: int, n: int) -> float:
    """Area under the curve of an oracle that scores all `errors` wrong of n predictions above all right ones.

    What lies above it is the excess area (Geifman and others, 2019): it tells the score's share from the network's.
    """
    if not 0 <= errors <= n or n < 1:
        raise MistrustError(f"An area needs 0 <= errors <= n and n >= 1, got {errors} of {n}.")
    wrong = np.arange(n) >= n - errors
    return ordered_risk_coverage(ordered(wrong.astype(np.float64), wrong)).area
