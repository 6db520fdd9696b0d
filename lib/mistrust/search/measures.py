"""Errors found over errors expected: the Standardized Discovery Ratio (SDR), and what it is compared with.

Paper, equation 3: the number of errors among the queries over the sum of 1 - confidence. Over replicates there are two
means: the **pooled** ratio, errors of all over expected errors of all, and the **mean of ratios** that the paper draws,
which is biased upward while queries are few. And there are two lines to compare with: the **pool's own** SDR, which
says how overconfident the class is whoever searches, and the errors to be expected among **members of equal
confidence**, which also takes out that overconfidence differs between levels.
"""

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers, truths
from mistrust.inputs.limits import whole
from mistrust.search.poisson_binomial import (
    chances,
    confidences,
    p_value,
    p_values,
    poisson_binomial,
    rate_interval,
    sdr_interval,
)
from mistrust.search.simulated import SimulatedNull, simulated_null
from mistrust.search.spread import diameter, misaligned_spread, spread, utility

__all__ = [
    "SimulatedNull",
    "alike",
    "chances",
    "diameter",
    "expected_alike",
    "mean_of_ratios",
    "misaligned_spread",
    "p_value",
    "p_values",
    "poisson_binomial",
    "pool_sdr",
    "pooled",
    "rate_interval",
    "sdr",
    "sdr_interval",
    "simulated_null",
    "spread",
    "utility",
]

Array = NDArray[np.float64]


def sdr(errors: ArrayLike, confidence: ArrayLike) -> Float64[np.ndarray, "... b"]:
    """Standardized Discovery Ratio after each query (paper, equation 3).

    Parameters
    ----------
    errors : (..., b) whether each query was an error, in the order of the queries.
    confidence : (..., b) of the queries, in (0, 1].

    Returns
    -------
    (..., b) ratios; NaN while no error is expected, all confidences being exactly 1 (the code gives 100000 there).

    Raises
    ------
    MistrustError
        What is no numbers; shapes that differ; errors other than 0 and 1; confidences outside (0, 1].

    Examples
    --------
    >>> sdr([1, 0, 1], [0.8, 0.9, 0.8]).round(2)  # errors so far over errors expected so far
    array([5.  , 3.33, 4.  ])
    """
    wrong, doubt = _checked(errors, confidence)
    return _ratio(wrong.cumsum(-1), doubt.cumsum(-1))


def pooled(errors: ArrayLike, confidence: ArrayLike) -> Float64[np.ndarray, " b"]:
    """SDR over replicates after each query: errors of all over expected errors of all. (R, b) each gives (b,).

    Examples
    --------
    One error in each of two replicates, where 0.25 and 0.75 were to be expected:

    >>> pooled([[1], [1]], [[0.75], [0.25]])
    array([2.])
    """
    wrong, doubt = _replicated(errors, confidence)
    return _ratio(wrong.sum(0).cumsum(-1), doubt.sum(0).cumsum(-1))


def mean_of_ratios(errors: ArrayLike, confidence: ArrayLike) -> Float64[np.ndarray, " b"]:
    """Mean of the replicates' SDR after each query, as published: (R, b) each gives (b,).

    Biased upward unless the class is calibrated: at the first query it estimates E[(1 - p) / (1 - c)], so that with one
    half at c = .99 and 3 % errors, the other at c = .70 and 30 %, it is 2.0 where the pooled ratio is 1.065. NaN where
    one replicate has none.

    Examples
    --------
    Two replicates. The first is asked about what is almost sure and wrong: it weighs as much as it can.

    >>> errors, confidence = [[1], [0]], [[0.99], [0.75]]
    >>> mean_of_ratios(errors, confidence).round(2), pooled(errors, confidence).round(2)
    (array([50.]), array([3.85]))
    """
    wrong, doubt = _replicated(errors, confidence)
    return _ratio(wrong.cumsum(-1), doubt.cumsum(-1)).mean(0)


def pool_sdr(errors: ArrayLike, confidence: ArrayLike) -> Float64[np.ndarray, "..."]:
    """SDR of the whole pool, what random queries come to: (..., n) each gives (...).

    Examples
    --------
    >>> round(float(pool_sdr([1, 0, 0, 0], [0.9, 0.9, 0.9, 0.9])), 2)
    2.5
    """
    wrong, doubt = _checked(errors, confidence)
    return _ratio(wrong.sum(-1), doubt.sum(-1))


def alike(queried: ArrayLike, confidence: ArrayLike, errors: ArrayLike, bins: int = 50) -> Float64[np.ndarray, "..."]:
    """Chance that a query is an error if it is like the other members of the pool of about its confidence.

    Parameters
    ----------
    queried : (...) confidences of queries.
    confidence, errors : (n,) of the pool that they came from.
    bins : groups of equally many members by confidence, fewer where members tie.

    Returns
    -------
    (...) share of errors in each query's bin, the query itself included; for `p_value` and `rate_interval`.

    Raises
    ------
    MistrustError
        What `sdr` refuses; no pool; bins that are not whole or fewer than one; a query outside the pool's range of
        confidence.

    Examples
    --------
    Of the two instances at 0.7 one is wrong, of those at 0.9 none:

    >>> alike([0.7, 0.9], confidence=[0.7, 0.7, 0.9, 0.9], errors=[1, 0, 0, 0], bins=2)
    array([0.5, 0. ])
    """
    wrong, c = _pool(errors, confidence)
    q, bins = numbers("Queries", queried), whole("bins", bins, 1)
    if not ((q >= c.min()) & (q <= c.max())).all():
        raise MistrustError(f"A query's confidence lies outside the pool's, [{c.min():g}, {c.max():g}].")
    edges = np.unique(np.quantile(c, np.linspace(0, 1, bins + 1)))
    # [a, b), the last one closed.
    place, own = (np.clip(np.searchsorted(edges, x, side="right") - 1, 0, max(len(edges) - 2, 0)) for x in (q, c))
    size = np.bincount(own, minlength=len(edges))
    return (np.bincount(own, weights=wrong, minlength=len(edges)) / np.maximum(size, 1))[place]


def others_alike(
    confidence: ArrayLike, errors: ArrayLike, bins: int = 50, least: int = 10
) -> Float64[np.ndarray, " n"]:
    """Share of errors among the other members of about each one's confidence.

    A member's own answer is left out: with it, an error that was found would account for a part of itself.

    Parameters
    ----------
    confidence, errors : (n,) of a pool.
    bins, least : groups of equally many members by confidence, fewer where they would hold less than `least`; whole
        numbers from 1 on.

    Returns
    -------
    (n,) shares; of a group of one, the share of all others. NaN in a pool of one.

    Raises
    ------
    MistrustError
        What `sdr` refuses; no pool; bins or least that are not whole, or below 1.
    """
    wrong, c = _pool(errors, confidence)
    n = len(c)
    groups = min(whole("bins", bins, 1), n // whole("least", least, 1))
    edges = np.unique(np.quantile(c, np.linspace(0, 1, groups + 1)))
    own = np.clip(np.searchsorted(edges, c, side="right") - 1, 0, max(len(edges) - 2, 0))
    size, count = np.bincount(own)[own], np.bincount(own, weights=wrong)[own]
    everyone = _ratio(wrong.sum() - wrong, np.full(n, n - 1.0))
    return np.where(size > 1, (count - wrong) / np.maximum(size - 1, 1), everyone)


def expected_alike(
    queried: ArrayLike, confidence: ArrayLike, errors: ArrayLike, bins: int = 50
) -> Float64[np.ndarray, "... b"]:
    """Errors to be expected among pool members of equal confidence, after each query: `alike`, summed up.

    Parameters
    ----------
    queried : (..., b) confidences in the order of the queries; the others are those of `alike`.

    Examples
    --------
    >>> expected_alike([0.7, 0.9, 0.7], confidence=[0.7, 0.7, 0.9, 0.9], errors=[1, 0, 0, 0], bins=2)
    array([0.5, 0.5, 1. ])
    """
    return alike(queried, confidence, errors, bins).cumsum(-1)


def _ratio(found: Array, expected: Array) -> Array:
    found, expected = np.broadcast_arrays(np.asarray(found), np.asarray(expected))
    return np.divide(found, expected, out=np.full(expected.shape, np.nan), where=expected > 0)


def _checked(errors: ArrayLike, confidence: ArrayLike) -> tuple[Array, Array]:
    """Errors as 0 and 1, and 1 - confidence."""
    e, c = truths("Errors", errors).astype(np.float64), confidences(confidence)
    if e.shape != c.shape or e.ndim == 0:
        raise MistrustError(f"Errors and confidences have shapes {e.shape} and {c.shape}, expected (..., b) for both.")
    return e, 1 - c


def _pool(errors: ArrayLike, confidence: ArrayLike) -> tuple[Array, Array]:
    """Errors of a pool as 0 and 1, and its confidences themselves, (n,) each."""
    wrong, _ = _checked(errors, confidence)
    c = confidences(confidence)
    if c.ndim != 1 or len(c) == 0:
        raise MistrustError(f"The pool has shape {c.shape}, expected (n,) of at least one member.")
    return wrong, c


def _replicated(errors: ArrayLike, confidence: ArrayLike) -> tuple[Array, Array]:
    wrong, doubt = _checked(errors, confidence)
    if wrong.ndim != 2 or len(wrong) == 0:
        raise MistrustError(f"Replicates have shape {wrong.shape}, expected (R, b) of at least one replicate.")
    return wrong, doubt
