"""Intervals: exact for a share, Student's t between models, bootstrap by base image for everything else.

Where the scores of an AUROC are gone, its bound.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from mistrust.errors import MistrustError, check_known
from mistrust.evaluation.given import clusters_of, confident, numbers, real, truths

NEAR = 1e-6  # of an end, where a logit or an inverse hyperbolic tangent runs away
HAIR = 1e-9  # hits fewer or missing: as good as none, and beta's quantiles overflow soon after


@dataclass(frozen=True)
class Scale:
    """Where numbers are close to normal: the way there and back, their range, and the scale for those at its ends."""

    there: Callable[[Any], Any]
    back: Callable[[Any], Any]
    least: float = -np.inf
    most: float = np.inf
    at_ends: str = ""


SCALES = {
    "identity": Scale(np.positive, np.positive),
    "share": Scale(np.positive, lambda x: np.clip(x, 0.0, 1.0), 0.0, 1.0),
    "logit": Scale(special.logit, special.expit, 0.0, 1.0, "arcsine"),
    "arcsine": Scale(lambda x: np.arcsin(np.sqrt(x)), lambda a: np.sin(np.clip(a, 0, np.pi / 2)) ** 2, 0.0, 1.0),
    "root": Scale(np.sqrt, lambda r: np.maximum(r, 0.0) ** 2, 0.0),
    "fisher": Scale(np.arctanh, np.tanh, -1.0, 1.0, "angle"),
    "angle": Scale(np.arcsin, lambda a: np.sin(np.clip(a, -np.pi / 2, np.pi / 2)), -1.0, 1.0),
}


@dataclass(frozen=True)
class Estimate:
    """A number, its 95 % interval (NaN where there is none), and how many observations it rests on.

    Examples
    --------
    >>> found = Estimate(0.8, 0.7, 0.9, n=60)
    >>> found.low <= found.value <= found.high
    True
    """

    value: float
    low: float
    high: float
    n: int


def share(successes: int, n: int, confidence_level: float = 0.95) -> Estimate:
    """Estimate a share of n independent trials with its exact interval (Clopper and Pearson, 1934).

    Raises
    ------
    MistrustError
        Counts that are not whole, or not 0 <= successes <= n, n >= 1; a confidence level outside (0, 1).

    Examples
    --------
    >>> found = share(3, 50)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.06, 0.013, 0.165)
    """
    hits, of = numbers("A share's counts", [successes, n]).tolist()
    if not (hits.is_integer() and of.is_integer() and of >= 1 and 0 <= hits <= of):
        raise MistrustError(f"A share needs 0 <= successes <= n and n >= 1, whole numbers, got {successes!r} of {n!r}.")
    confident(confidence_level)
    return Estimate(successes / n, *_counted(int(successes), int(n), float(confidence_level)), n)


@lru_cache(maxsize=4096)  # counts come again and again: none of 100, and whatever a clustered share is compared with
def _counted(successes: int, n: int, confidence_level: float) -> tuple[float, float]:
    """Find the exact interval of a share by counts."""
    interval = stats.binomtest(successes, n).proportion_ci(confidence_level, method="exact")
    return float(interval.low), float(interval.high)


def clustered_share(hits: ArrayLike, clusters: ArrayLike, confidence_level: float = 0.95) -> Estimate:
    """Estimate a share of trials that come in clusters, such as several noise fields of each image.

    The exact interval of as many independent trials as would vary as much as the clusters do (Korn and Graubard,
    1998): n divided by the design effect, and by the square of what Student's t has over its value for n - 1 degrees of
    freedom. Where all trials agree, so that nothing tells how clusters vary, each counts as one trial. Never narrower
    than `share`.

    Parameters
    ----------
    hits : (n,) booleans, or 0 and 1.
    clusters : (n,) what each trial belongs to.
    confidence_level : of the interval, in (0, 1).

    Raises
    ------
    MistrustError
        No trial, other shapes, hits that are neither true nor false, a confidence level outside (0, 1).

    Examples
    --------
    Ten images, five of them hit, under one noise field each, and under four that always agree:

    >>> once = clustered_share([True] * 5 + [False] * 5, range(10))
    >>> again = clustered_share(([True] * 5 + [False] * 5) * 4, [*range(10)] * 4)
    >>> round(once.low, 2), round(again.low, 2), round(share(20, 40).low, 2)
    (0.19, 0.16, 0.34)
    """
    told, of = truths("Hits", hits), clusters_of(clusters)
    if told.ndim != 1 or told.shape != of.shape or not told.size:
        raise MistrustError(f"hits have shape {told.shape} and clusters {of.shape}, expected one shape (n,), n >= 1.")
    p = share(int(told.sum()), told.size, confidence_level).value  # which refuses a level that is none
    worth = worth_of(told, of, confidence_level)
    return Estimate(p, *(_exact(p, worth, confidence_level) if worth else (0.0, 1.0)), told.size)


def worth_of(told: NDArray[np.bool_], of: NDArray[Any], confidence_level: float = 0.95) -> float:
    """How many independent trials these are worth that come in clusters, as `clustered_share` counts them.

    Parameters
    ----------
    told, of : (n,) hits, and what each trial belongs to; n is at least 1.

    Returns
    -------
    At most n; 0 where all trials are of one cluster, which says nothing of others.

    Examples
    --------
    >>> worth_of(np.array([True] * 6), np.array([0, 0, 0, 1, 1, 1]))
    2.0
    """
    _, place = np.unique(of, return_inverse=True)
    sizes, found = np.bincount(place), np.bincount(place, weights=told)
    n, m, p = told.size, len(sizes), float(told.mean())
    if m == 1 and n > 1:
        return 0.0
    if not 0 < p < 1:
        return float(m)
    effect = max(1.0, float(((found - p * sizes) ** 2).sum()) / (n * p * (1 - p)))
    tail = (1 + confidence_level) / 2
    return float(n / effect * (stats.t.ppf(tail, n - 1) / stats.t.ppf(tail, m - 1)) ** 2)


def bounded_auroc(value: float, positives: int, negatives: int, confidence_level: float = 0.95) -> Estimate:
    """Estimate an AUROC of which no scores are left: its interval is by the largest variance that it can have.

    Whatever the laws of the scores are, from independent inputs an AUROC A is estimated with a variance of at most
    A (1 - A) / min(positives, negatives), that of a share of so many trials (van Dantzig, 1951; Birnbaum and Klose,
    1957; Cortes and Mohri, 2005). With ties, too: the estimate is the mean over all ways to give each input of the
    rarer kind one of the other to itself, and each way gives such a share. The interval is the exact one of that share
    (Clopper and Pearson, 1934), also where hits are no whole number: it stays in [0, 1] and has a width at both ends.

    It is meant to be too wide rather than too narrow: no law is known of the scores, so the worst is taken. Where they
    are at hand, draw them again (`cluster_bootstrap`), which is narrower. The bound does not know inputs that come in
    clusters.

    Parameters
    ----------
    value : the AUROC as estimated, in [0, 1].
    positives, negatives : how many inputs of each kind there were, at least 1.
    confidence_level : of the interval, in (0, 1).

    Returns
    -------
    n is the smaller of the two counts.

    Raises
    ------
    MistrustError
        What is no number; a value outside [0, 1], counts that are not whole or below 1, a confidence level outside
        (0, 1).

    Examples
    --------
    >>> found = bounded_auroc(0.9, 200, 10_000)
    >>> round(found.low, 3), round(found.high, 3), found.n
    (0.85, 0.938, 200)
    >>> round(bounded_auroc(1.0, 200, 10_000).low, 3)  # no zero width where all pairs are in order
    0.982
    """
    numbers = (value, positives, negatives)
    if not all(map(real, numbers)):
        raise MistrustError(f"An AUROC and its counts are numbers, got {', '.join(map(repr, numbers))}.")
    if not 0 <= value <= 1:
        raise MistrustError(f"An AUROC lies in [0, 1], got {value!r}.")
    if not float(positives).is_integer() or not float(negatives).is_integer() or min(positives, negatives) < 1:
        raise MistrustError(
            f"An AUROC needs whole numbers of positives and negatives, at least 1 each, got {positives!r} and "
            f"{negatives!r}."
        )
    confident(confidence_level)
    n = int(min(positives, negatives))
    return Estimate(float(value), *_exact(value, n, confidence_level), n)


def _exact(p: float, worth: float, confidence_level: float) -> tuple[float, float]:
    """The exact interval of a share of so many trials; neither they nor the hits need be whole numbers."""
    hit = p * worth
    low = stats.beta.ppf((1 - confidence_level) / 2, hit, worth - hit + 1) if hit > HAIR else 0.0
    high = stats.beta.ppf((1 + confidence_level) / 2, hit + 1, worth - hit) if worth - hit > HAIR else 1.0
    return min(float(low), p), max(float(high), p)


def between_models(
    values: ArrayLike, *, scale: str = "identity", confidence_level: float = 0.95, wider: float = 1.0
) -> Estimate:
    """Estimate the mean over models with Student's t interval.

    Parameters
    ----------
    values : (m,) one number per model.
    scale : where the values are close to normal: "identity"; "logit" for shares in (0, 1); "arcsine" for shares that
        may be 0 or 1; "share" for those that nearly all are, whose plain mean arcsines tell nothing of: as they are,
        with ends cut to [0, 1]; "root" for counts; "fisher" (inverse hyperbolic tangent) for correlations, "angle"
        (inverse sine) for those that may be 1. The interval is taken there and given back on the values' own scale, so
        that it never leaves their range. Where a value is within 1e-6 of an end, "arcsine" takes the place of "logit"
        and "angle" of "fisher": one such value would be all that the interval tells of. A value outside the scale's
        range, which rounding gives, is taken to its end for the interval.
    confidence_level : of the interval, in (0, 1).
    wider : makes the interval so many times as wide, on that scale, where the models share parts.

    Returns
    -------
    The plain mean of the values, and the interval, wide enough to hold it; one model has none.

    Raises
    ------
    MistrustError
        No value, another shape, an unknown scale, a confidence level outside (0, 1), a width that is not above 0.

    Examples
    --------
    >>> found = between_models([0.91, 0.93, 0.92])
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.n
    (0.92, 0.895, 0.945, 3)
    """
    x = numbers("Values", values)
    if x.ndim != 1 or len(x) == 0:
        raise MistrustError(f"A mean over models needs at least one value, got shape {x.shape}.")
    check_known("scale", scale, SCALES)
    confident(confidence_level)
    if not 0 < wider < np.inf:
        raise MistrustError(f"An interval is to be {wider!r} times as wide: expected a number above 0.")
    if len(x) == 1:
        return Estimate(float(x[0]), float("nan"), float("nan"), 1)
    of = SCALES[scale]
    if of.at_ends and ((x < of.least + NEAR) | (x > of.most - NEAR)).any():
        of = SCALES[of.at_ends]
    ends = _student(of.there(np.clip(x, of.least, of.most)), confidence_level, wider)
    low, high = (float(of.back(end)) for end in ends)
    mean = float(x.mean())
    # The mean on the other scale is not the plain one, which can lie a hair outside where values are far apart.
    return Estimate(mean, min(low, mean), max(high, mean), len(x))


def _student(x: NDArray[np.float64], confidence_level: float, wider: float) -> tuple[float, float]:
    half = wider * _quantile(confidence_level, len(x) - 1) * float(x.std(ddof=1)) / float(np.sqrt(len(x)))
    return float(x.mean()) - half, float(x.mean()) + half


@cache
def _quantile(confidence_level: float, degrees: int) -> float:
    # Thousands of means of as many models ask for the same few quantiles.
    return float(stats.t.ppf((1 + confidence_level) / 2, degrees))


def percentile_interval(
    resampled: NDArray[np.float64], confidence_level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the central interval of resampled values (b, ...) along the first axis, NaN kept where all are NaN.

    An end between a finite value and an infinite one is infinite; between -inf and inf it is NaN.

    Raises
    ------
    MistrustError
        What is no number, no resample at all, a confidence level outside (0, 1).

    Examples
    --------
    >>> low, high = percentile_interval(np.arange(101.0), confidence_level=0.9)
    >>> round(float(low), 6), round(float(high), 6)
    (5.0, 95.0)
    """
    edges: Sequence[float] = ((1 - confident(confidence_level)) / 2, (1 + confidence_level) / 2)
    drawn = numbers("Resampled values", resampled)
    if drawn.ndim == 0 or len(drawn) == 0:
        raise MistrustError(f"Resampled values have shape {drawn.shape}, expected (b, ...) with b of at least 1.")
    empty = np.isnan(drawn).all(axis=0)
    filled = np.where(empty, 0.0, drawn)
    with np.errstate(invalid="ignore"):
        ends = np.nanquantile(filled, edges, axis=0)
        if np.isnan(ends).any():  # between neighbours of which one is infinite: inf - inf
            neighbours = (np.nanquantile(filled, edges, axis=0, method=way) for way in ("lower", "higher"))
            ends = np.where(np.isnan(ends), sum(neighbours) / 2, ends)
    low, high = ends
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
