"""Controls: a search must find what was planted, nothing where there is nothing, and what Theorem 3.1 says of both.

**Positive control**: the distances of errors are lowered by so many residual standard deviations; lift must follow, and
none without. Errors are drawn with probability 1 - confidence, so that nothing but what was planted can be found.
**Negative control**: against such an oracle, the SDR of any order that looks at no answer is 1 on average, and its
interval holds 1 (`mistrust.search.tables.controls.null`).
**Theorem 3.1**: the printed proof takes the mean of a ratio for the ratio of means. What holds: if, given the
confidences of all instances of the pool, each errs with probability 1 - p(c) of its own, and p(c) >= c everywhere, then
E[SDR] <= 1 for any number of queries chosen by confidence alone, independent or not. That errors are as frequent as
each confidence says, over all pools, is not enough: what errs must not depend on the confidences of others, as it does
not where instances are independent. A selection by the residual may have E[SDR] above 1 although p(c) = c at every
confidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.evaluation import Estimate
from mistrust.search.residual import residual
from mistrust.search.simulated import oracles

Array = NDArray[np.float64]
STRENGTHS = (0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Control:
    """What one strength gave: `lift` (pooled SDR over the pool's) and `sdr`, means over oracles with 95 % intervals."""

    strength: float
    lift: Estimate
    sdr: Estimate


def positive_control(
    distance: ArrayLike,
    confidence: ArrayLike,
    *,
    budget: int,
    strengths: Sequence[float] = STRENGTHS,
    numbers: int = 100,
    fraction: float = 0.1,
    seed: int = 0,
) -> list[Control]:
    """Plant a signal of each strength and search for it by the lowest residuals.

    Parameters
    ----------
    distance, confidence : (n,) of a pool.
    budget : queries.
    strengths : by how many standard deviations of the residual the log distances of errors are lowered.
    numbers : how many oracles; the same ones for every strength.
    fraction : of the fit of F.

    Returns
    -------
    One `Control` a strength. The distance of an oracle's errors is no longer what the residual was fitted on before, so
    F is fitted again each time, as a user would.
    """
    d, c = (np.asarray(values, dtype=np.float64) for values in (distance, confidence))
    answers = oracles(c, range(numbers), seed)
    sd = float(residual(d, c, fraction=fraction).std(ddof=1))
    found = []
    for strength in strengths:
        lowered = d * np.exp(-(strength * sd) * answers.astype(np.float64))
        left = [residual(one, c, fraction=fraction) for one in lowered]
        orders = np.argsort(left, axis=1, kind="stable")[:, :budget]
        errors, queried = np.take_along_axis(answers, orders, 1), c[orders]
        hits, expected = errors.sum(1).astype(float), (1 - queried).sum(1)
        all_hits, all_expected = answers.sum(1).astype(float), np.full(len(answers), (1 - c).sum())
        found.append(
            Control(
                float(strength),
                ratio_estimate(hits * all_expected.sum() / max(all_hits.sum(), 1.0), expected),
                ratio_estimate(hits, expected),
            )
        )
    return found


def mean_estimate(values: ArrayLike) -> Estimate:
    """Mean of simulated values (S,) with its normal 95 % interval; simulations are many."""
    v = np.asarray(values, dtype=np.float64)
    half = 1.959963984540054 * float(v.std(ddof=1)) / np.sqrt(len(v))
    return Estimate(float(v.mean()), float(v.mean() - half), float(v.mean() + half), len(v))


def ratio_estimate(numerators: ArrayLike, denominators: ArrayLike) -> Estimate:
    """Ratio of sums (S,) with its normal 95 % interval by the delta method (Cochran, Sampling Techniques, 6.3)."""
    a, b = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    ratio = float(a.sum() / b.sum())
    half = 1.959963984540054 * float((a - ratio * b).std(ddof=1)) / (np.sqrt(len(a)) * float(b.mean()))
    return Estimate(ratio, ratio - half, ratio + half, len(a))
