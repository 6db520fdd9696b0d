"""How many errors chance gives, exactly: each query errs by itself with a probability of its own.

The number of errors then has the Poisson-binomial distribution (Wang, 1993, On the number of successes in independent
trials). Exact for orders that look at no answer: Adversarial Distance, low confidence, random. Where an answer decides
what is asked next, `simulated.simulated_null` takes the place of all this.

Everything works on the last axis and on any number of leading ones, so that all budgets or replicates are one call.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.given import confident, numbers
from mistrust.inputs.limits import within

Array = NDArray[np.float64]
SMALLEST = 1e-300  # chance that has a reciprocal; a smaller one is none
NEAR = 64  # neighbours among float64 numbers: 1e-14 of rho


def confidences(values: ArrayLike) -> Array:
    """Give confidences (...) as float64.

    Raises
    ------
    MistrustError
        What is no numbers; one outside (0, 1], NaN among them.

    Examples
    --------
    >>> confidences([0.9, 90])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Confidences must lie in (0, 1], got 90.
    """
    c = numbers("Confidences", values)
    inside = (c > 0) & (c <= 1)
    if not inside.all():
        raise MistrustError(f"Confidences must lie in (0, 1], got {c[~inside].flat[0]:g}.")
    return c


def chances(confidence: ArrayLike, multiplier: float = 1.0) -> Float64[np.ndarray, "... n"]:
    """Chance that each query is an error: min(1, multiplier (1 - confidence)).

    Parameters
    ----------
    confidence : (..., n) in (0, 1].
    multiplier : at least 0: 1 if confidences are believed; the pool's own SDR to compare with the pool instead.

    Raises
    ------
    MistrustError
        Confidences that are no numbers in (0, 1]; a multiplier that is no finite number, or below 0.

    Examples
    --------
    >>> chances([0.9, 0.8]).round(2)
    array([0.1, 0.2])
    """
    c = confidences(confidence)
    return np.minimum(1.0, within("The multiplier of the error rate", multiplier, 0) * (1 - c))


def poisson_binomial(probabilities: ArrayLike) -> Float64[np.ndarray, "... n+1"]:
    """Distribution of the number of errors among n queries.

    Parameters
    ----------
    probabilities : (..., n) in [0, 1]; a 0 changes nothing, so shorter lists may be filled up with zeros.

    Returns
    -------
    (..., n + 1) probabilities of 0 to n errors, by convolution: sums of terms that are not negative, so that far tails
    keep their digits.

    Raises
    ------
    MistrustError
        What is no numbers, or has no axis of queries; a probability outside [0, 1].

    Examples
    --------
    >>> poisson_binomial([0.5, 0.5])
    array([0.25, 0.5 , 0.25])
    """
    p = _probabilities(probabilities)
    n = p.shape[-1]
    pmf = np.zeros((*p.shape[:-1], n + 1))
    pmf[..., 0] = 1
    for i in range(n):
        one = p[..., i, None]
        # In place, from above: the product on the right is computed before anything is written.
        moved = pmf[..., : i + 1] * one
        pmf[..., : i + 1] *= 1 - one
        pmf[..., 1 : i + 2] += moved
    return pmf


def p_value(count: ArrayLike, probabilities: ArrayLike) -> Float64[np.ndarray, "..."]:
    """Chance of as many errors as found, or more: P(K >= count).

    Parameters
    ----------
    count : (...) errors found, 0 to n.
    probabilities : (..., n) chance of an error at each query; in the paper 1 - confidence (`chances`).

    Raises
    ------
    MistrustError
        What is no numbers; a count outside 0 to n or not whole; a probability outside [0, 1]; leading axes that do not
        go together.

    Examples
    --------
    >>> float(p_value(2, [0.5, 0.5]))
    0.25
    """
    k, p = _counted(count, probabilities)
    return np.minimum(_upper(k, p), 1.0)


def p_values(counts: ArrayLike, probabilities: ArrayLike) -> Float64[np.ndarray, " n"]:
    """Chance of as many errors as found, or more, after each of the queries: `p_value` of all beginnings at once.

    Parameters
    ----------
    counts : (n,) errors found so far, after 1 to n queries.
    probabilities : (n,) chance of an error at each query.

    Raises
    ------
    MistrustError
        What is no numbers; another shape; counts that are not whole, or more than queries so far; a probability outside
        [0, 1].

    Examples
    --------
    >>> p_values([1, 1], [0.5, 0.5]).tolist()
    [0.5, 0.75]
    """
    k, p = numbers("Errors found so far", counts), _probabilities(probabilities)
    after = np.arange(1, p.shape[-1] + 1)
    if p.ndim != 1:
        raise MistrustError(f"Probabilities have shape {p.shape}, expected (n,), one per query.")
    if k.shape != p.shape or not ((k >= 0) & (k <= after) & (k == np.floor(k))).all():
        raise MistrustError(f"Errors found so far must be whole numbers from 0 to 1, 2, ..., {len(p)}, got {counts!r}.")
    pmf, found = np.zeros(len(p) + 1), np.empty(len(p))
    pmf[0] = 1
    for i, one in enumerate(p):
        pmf[1 : i + 2] = pmf[1 : i + 2] * (1 - one) + pmf[: i + 1] * one
        pmf[0] *= 1 - one
        found[i] = pmf[int(k[i]) : i + 2].sum()
    return np.minimum(found, 1.0)


def rate_interval(
    count: ArrayLike, probabilities: ArrayLike, confidence_level: float = 0.95
) -> tuple[Float64[np.ndarray, "..."], Float64[np.ndarray, "..."]]:
    """Interval for how many times more often errors occur than `probabilities` say.

    The number rho is in the interval when neither tail of the count under min(1, rho p) is below
    (1 - confidence_level) / 2: as Clopper and Pearson's interval, it covers at least as often as it says.

    Parameters
    ----------
    count : (...) errors found, 0 to n.
    probabilities : (..., n) in [0, 1], as `p_value`.

    Returns
    -------
    low, high : (...) each. No error: low is 0; nothing but errors: high is infinite; errors that no rho explains, since
        more were found than there are probabilities above 0: both infinite.

    Raises
    ------
    MistrustError
        What `p_value` refuses; a confidence level outside (0, 1).

    Examples
    --------
    Three errors among ten, where each had a chance of 0.1. That is three times as many, and may be chance:

    >>> low, high = rate_interval(3, np.full(10, 0.1))
    >>> round(float(low), 2), round(float(high), 2)
    (0.67, 6.52)
    """
    k, p = _counted(count, probabilities)
    tail = (1 - confident(confidence_level)) / 2
    p = np.where(p < SMALLEST, 0, p)
    possible = (p > 0).sum(-1)
    # Up to where the least likely of the possible errors has become certain: nothing changes beyond.
    most = np.asarray(1 / np.where(p > 0, p, 1).min(-1, initial=1.0))
    low = _solved(lambda rho: _upper(k, np.minimum(1, rho[..., None] * p)) >= tail, most)
    high = _solved(lambda rho: _lower(k, np.minimum(1, rho[..., None] * p)) <= tail, most)
    low = np.where(k == 0, 0.0, np.where(k > possible, np.inf, low))
    return low, np.where(k >= possible, np.inf, high)


def sdr_interval(
    count: ArrayLike, probabilities: ArrayLike, confidence_level: float = 0.95
) -> tuple[Float64[np.ndarray, "..."], Float64[np.ndarray, "..."]]:
    """`rate_interval` on the scale of SDR: what SDR is on average at both ends of the factor.

    Where min(1, rho p) reaches 1, more of the factor finds no more errors: SDR has a largest value, that of nothing but
    errors, and the factor has none. Parameters and errors as of `rate_interval`.

    Returns
    -------
    low, high : (...) each, around errors over expected errors. Errors that no factor explains, and nothing to be
        expected: both infinite.

    Examples
    --------
    Twelve of twenty were errors, where 3.2 were to be expected. The factor may be above 3.3, from where on the
    likeliest of them are certain:

    >>> chances = np.linspace(0.02, 0.3, 20)
    >>> [round(float(end), 2) for end in rate_interval(12, chances)]
    [2.38, 5.94]
    >>> [round(float(end), 2) for end in (12 / chances.sum(), *sdr_interval(12, chances))]
    [3.75, 2.38, 4.72]
    """
    ends = rate_interval(count, probabilities, confidence_level)
    k, p = _counted(count, probabilities)
    p = np.where(p < SMALLEST, 0, p)
    expected, possible = p.sum(-1), (p > 0).sum(-1)
    found = []
    for rho in ends:
        known = np.where(np.isfinite(rho), rho, 0.0)
        reached = np.where(np.isfinite(rho), np.minimum(1, known[..., None] * p).sum(-1), possible)
        beyond = (k > possible) | (expected == 0)
        found.append(np.where(beyond, np.inf, reached / np.where(expected == 0, 1, expected)))
    return found[0], found[1]


def _solved(reached: Callable[[Array], NDArray[np.bool_]], most: Array) -> Array:
    """The least rho up to `most` for which `reached` holds; `most` where it holds nowhere.

    Numbers of one sign are ordered as their bits are: halving the bits finds any float64 in 63 steps, however small.
    """
    low, high = np.zeros(most.shape, dtype=np.int64), np.asarray(most, dtype=np.float64).view(np.int64)
    while (high - low > NEAR).any():
        middle = low + (high - low) // 2
        there = reached(middle.view(np.float64))
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return high.view(np.float64)


def _upper(k: NDArray[np.int64], p: Array) -> Array:
    pmf = poisson_binomial(p)
    return np.where(np.arange(pmf.shape[-1]) >= k[..., None], pmf, 0).sum(-1)


def _lower(k: NDArray[np.int64], p: Array) -> Array:
    pmf = poisson_binomial(p)
    return np.where(np.arange(pmf.shape[-1]) <= k[..., None], pmf, 0).sum(-1)


def _probabilities(probabilities: ArrayLike) -> Array:
    p = numbers("Probabilities", probabilities)
    if p.ndim == 0:
        raise MistrustError("Probabilities have no axis of queries, expected shape (..., n).")
    if not ((p >= 0) & (p <= 1)).all():
        raise MistrustError(f"Probabilities must lie in [0, 1], got {p[~((p >= 0) & (p <= 1))].flat[0]:g}.")
    return p


def _counted(count: ArrayLike, probabilities: ArrayLike) -> tuple[NDArray[np.int64], Array]:
    p, given = _probabilities(probabilities), numbers("Errors found", count)
    if not ((given >= 0) & (given <= p.shape[-1]) & (given == np.floor(given))).all():
        raise MistrustError(f"Errors found must be whole numbers from 0 to the {p.shape[-1]} queries, got {count!r}.")
    try:
        shape = np.broadcast_shapes(given.shape, p.shape[:-1])
    except ValueError:
        raise MistrustError(
            f"Errors found have shape {given.shape}, expected {p.shape[:-1]}: that of the probabilities {p.shape} "
            "without their last axis, the queries."
        ) from None
    return np.broadcast_to(given, shape).astype(np.int64), np.broadcast_to(p, (*shape, p.shape[-1]))
