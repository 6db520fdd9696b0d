"""Controls: a search must find what was planted, nothing where there is nothing, and what Theorem 3.1 says of both.

**Positive control**: the distances of errors are lowered by so many residual standard deviations; lift must follow, and
none without. Errors are drawn with probability 1 - confidence, so that nothing but what was planted can be found.
**Negative control**: against such an oracle, the SDR of any order that looks at no answer is 1 on average, and its
interval holds 1.
**Theorem 3.1**: the printed proof takes the mean of a ratio for the ratio of means. What holds: if, given the
confidences of all instances of the pool, each errs with probability 1 - p(c) of its own, and p(c) >= c everywhere, then
E[SDR] <= 1 for any number of queries chosen by confidence alone, independent or not. That errors are as frequent as
each confidence says, over all pools, is not enough: what errs must not depend on the confidences of others, as it does
not where instances are independent. A selection by the residual may have E[SDR] above 1 although p(c) = c at every
confidence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate
from mistrust.random import generator
from mistrust.search import measures
from mistrust.search.poisson_binomial import chances, rate_interval
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


def planted(
    distance: ArrayLike, confidence: ArrayLike, errors: ArrayLike, strength: float
) -> Float64[np.ndarray, " n"]:
    """Lower the log distance of errors by `strength` standard deviations of the residual.

    Parameters
    ----------
    distance, confidence : (n,) as `residual`.
    errors : (n,) which instances are errors.
    strength : 0 leaves distances as they are.

    Returns
    -------
    (n,) distances.
    """
    return _lowered(distance, errors, strength * float(residual(distance, confidence).std(ddof=1)))


def _lowered(distance: ArrayLike, errors: ArrayLike, by: float) -> Array:
    return np.asarray(distance, dtype=np.float64) * np.exp(-by * np.asarray(errors, dtype=np.float64))


def positive_control(
    distance: ArrayLike,
    confidence: ArrayLike,
    *,
    budget: int,
    strengths: Sequence[float] = STRENGTHS,
    numbers: Sequence[int] | int = 100,
    fraction: float = 0.1,
    seed: int = 0,
    search: Callable[[Array, Array], NDArray[np.int64]] | None = None,
) -> list[Control]:
    """Plant a signal of each strength and search for it.

    Parameters
    ----------
    distance, confidence : (n,) of a pool.
    budget : queries.
    numbers : how many oracles, or which; the same ones for every strength.
    fraction : of the fit of F.
    search : from distances and confidences (n,) to rows in order; by default the lowest residuals first.

    Returns
    -------
    One `Control` a strength. The distance of an oracle's errors is no longer what the residual was fitted on before, so
    F is fitted again each time, as a user would.
    """
    c = np.asarray(confidence, dtype=np.float64)
    wanted = range(numbers) if isinstance(numbers, int) else numbers
    answers = oracles(c, wanted, seed)
    sd = float(residual(distance, c, fraction=fraction).std(ddof=1))
    search = search or (lambda d, c: np.argsort(residual(d, c, fraction=fraction), kind="stable"))
    found = []
    for strength in strengths:
        orders = np.stack([search(_lowered(distance, e, strength * sd), c)[:budget] for e in answers])
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


def negative_control(
    order: ArrayLike, confidence: ArrayLike, *, numbers: Sequence[int] | int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[Estimate, float]:
    """Search calibrated oracles in a fixed order: the SDR, and how often its exact interval holds 1.

    Parameters
    ----------
    order : (b,) rows of the pool; an order that looks at no answer.
    confidence : (n,) of the pool.

    Returns
    -------
    SDR over oracles with its interval, and the share of oracles whose interval holds 1 (`level` or more).
    """
    c, rows = np.asarray(confidence, dtype=np.float64), np.asarray(order)
    wanted = range(numbers) if isinstance(numbers, int) else numbers
    queried = c[rows]
    errors = oracles(queried, wanted, seed)
    # Few counts occur: each has one interval.
    counts = errors.sum(1)
    known, place = np.unique(counts, return_inverse=True)
    low, high = rate_interval(known, chances(queried), level)
    holds = (low <= 1) & (high >= 1)
    sdr = measures.sdr(errors, np.broadcast_to(queried, errors.shape))[:, -1]
    return mean_estimate(sdr), float(holds[place].mean())


def theorem(
    confidence: ArrayLike,
    right: ArrayLike,
    order: Callable[[np.random.Generator], NDArray[np.int64]] | ArrayLike,
    *,
    draws: int = 2000,
    seed: int = 0,
) -> tuple[Estimate, float]:
    """Simulate E[SDR] where each instance is right with a probability of its own.

    Parameters
    ----------
    confidence : (n,) c.
    right : (n,) probability of a right prediction: p(c) where the theorem's condition holds, else with something in it
        that the selection sees.
    order : rows to ask about, (b,), or what draws them.
    draws : simulated searches.

    Returns
    -------
    Mean SDR with its interval, and the mean of sum(1 - right) / sum(1 - c) over the queries, which equals it exactly.
    """
    c, p = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if c.shape != p.shape or c.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise MistrustError(f"Confidences and chances to be right have shapes {c.shape} and {p.shape}, expected (n,).")
    if draws < 2:
        raise MistrustError(f"draws is {draws!r}, expected at least 2.")
    draw = generator(seed, "search/theorem")
    rows: Int64[np.ndarray, "S b"]
    if callable(order):
        rows = np.stack([order(draw) for _ in range(draws)])
    else:
        rows = np.broadcast_to(np.asarray(order), (draws, len(np.asarray(order))))
    errors: Bool[np.ndarray, "S b"] = draw.random(rows.shape) >= p[rows]
    expected = (1 - c[rows]).sum(1)
    if not (expected > 0).all():
        raise MistrustError("All queries have a confidence of exactly 1: no error is expected, and SDR is not defined.")
    return mean_estimate(errors.sum(1) / expected), float(((1 - p[rows]).sum(1) / expected).mean())


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
