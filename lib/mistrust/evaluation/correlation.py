"""Rank correlation with its interval, also of two things given others: does depth go with robustness at equal size?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation.given import clusters_of, confident, numbers
from mistrust.evaluation.intervals import Estimate, percentile_interval
from mistrust.evaluation.resampling import cluster_bootstrap


def partial_spearman(
    first: ArrayLike, second: ArrayLike, given: Sequence[ArrayLike] = (), weights: ArrayLike | None = None
) -> float:
    """Spearman's rank correlation of two variables, given others: what is left of it at equal ranks of these.

    The correlation of what linear regressions on the ranks of `given` leave of the ranks of both; given one variable z,
    (r_xy - r_xz r_yz) / sqrt((1 - r_xz²) (1 - r_yz²)). Given none it is Spearman's own. Rows with a NaN are left out.

    Parameters
    ----------
    first, second : (n,) numbers.
    given : variables (n,) to be held fixed, each.
    weights : (n,) how often each row is counted, whole numbers; None counts each once.

    Returns
    -------
    In [-1, 1]; NaN with fewer than three rows more than variables given, or where nothing is left of either: it is
    constant, or its ranks follow from those of `given`.

    Raises
    ------
    MistrustError
        Unequal lengths, weights that are not whole numbers.

    Examples
    --------
    Both grow with the depth. At equal depth nothing is left of that:

    >>> depth = [1, 2, 3, 4, 5, 6, 7, 8]
    >>> first, second = [2, 1, 4, 3, 5, 6, 7, 8], [1, 2, 3, 4, 6, 5, 8, 7]
    >>> round(spearman(first, second), 2), round(partial_spearman(first, second, [depth]), 2)
    (0.9, -0.02)
    """
    table, often = _table((first, second, *given), weights)
    if often.sum() < 3 + len(given):
        return float("nan")
    ranks = np.stack([_average_ranks(one, often) for one in table])
    centred = (ranks - (ranks @ often / often.sum())[:, None]) * np.sqrt(often)
    left = centred[:2]
    if len(given):
        others = centred[2:].T
        left = left - (others @ np.linalg.lstsq(others, left.T, rcond=None)[0]).T
    size, before = np.linalg.norm(left, axis=1), np.linalg.norm(centred[:2], axis=1)
    if (size <= 1e-9 * before).any():
        return float("nan")
    return float(np.clip(left[0] @ left[1] / size.prod(), -1, 1))


def rank_correlation(
    first: ArrayLike, second: ArrayLike, given: Sequence[ArrayLike] = (), *, confidence_level: float = 0.95
) -> Estimate:
    """Estimate a (partial) rank correlation of independent rows, with Bonett and Wright's interval.

    Fisher's transformation with the standard error sqrt((1 + r² / 2) / (n - 3 - k)), k variables given (Bonett and
    Wright, Psychometrika 65, 2000; they advise n of at least 10). Where r is 1 or -1 that would be a point: the
    interval is then taken at half the way to the next value that ranks can have, 1 - 6 / (n (n² - 1)).

    Parameters
    ----------
    first, second, given : as for `partial_spearman`. Rows must be independent: of several networks of one architecture
        take the mean, or `clustered_rank_correlation`.
    confidence_level : of the interval, in (0, 1).

    Returns
    -------
    Value, interval and n, the rows without NaN; with fewer than 4 + k of them there is no interval.

    Raises
    ------
    MistrustError
        What `partial_spearman` refuses; a confidence level outside (0, 1).

    Examples
    --------
    >>> x = np.arange(20)
    >>> found = rank_correlation(x, x**2 + 5 * (-1.0) ** x)
    >>> found.n, bool(found.low < found.value < found.high)
    (20, True)
    """
    confident(confidence_level)
    n = len(_table((first, second, *given), None)[1])
    value = partial_spearman(first, second, given)
    free = n - 3 - len(given)
    if np.isnan(value) or free < 1:
        return Estimate(value, float("nan"), float("nan"), n)
    most = 1 - 6 / (n * (n**2 - 1))
    middle = np.clip(value, -most, most)
    half = float(stats.norm.ppf((1 + confidence_level) / 2) * np.sqrt((1 + middle**2 / 2) / free))
    ends = np.tanh(np.arctanh(middle) + np.array([-half, half]))
    return Estimate(value, float(min(ends[0], value)), float(max(ends[1], value)), n)


def clustered_rank_correlation(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike,
    resamples: int,
    draw: np.random.Generator,
    given: Sequence[ArrayLike] = (),
    *,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate a (partial) rank correlation of rows that come in clusters, with a bootstrap interval over clusters.

    Parameters
    ----------
    first, second, given : as for `partial_spearman`.
    clusters : (n,) what each row belongs to: its architecture, or its base image.
    resamples, draw : as for `cluster_bootstrap`.

    Returns
    -------
    Value, percentile interval and n, the number of clusters that have a row without NaN.

    Raises
    ------
    MistrustError
        Unequal lengths; fewer resamples than one.

    Examples
    --------
    >>> from mistrust import random
    >>> x, clusters = np.arange(12), np.repeat([0, 1, 2, 3], 3)
    >>> found = clustered_rank_correlation(x, x**2, clusters, 100, random.generator(0, "example"))
    >>> round(found.value, 6), found.n  # clusters count, not rows
    (1.0, 4)
    """
    ids = clusters_of(clusters)
    columns = [numbers("Variables", one) for one in (first, second, *given)]
    if any(one.shape != ids.shape for one in columns):
        raise MistrustError(
            f"A rank correlation over clusters needs one cluster per row, got {len(ids)} clusters of "
            f"{', '.join(str(one.size) for one in columns)} numbers."
        )
    # A cluster whose rows all have a NaN would be drawn in place of one that tells something, and be counted.
    kept = ~np.isnan(np.stack(columns)).any(0)
    if ids.size and not kept.any():
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    ids, (x, y, *held) = ids[kept], [one[kept] for one in columns]
    value = partial_spearman(x, y, held)
    several = cluster_bootstrap(ids, lambda w: [partial_spearman(x, y, held, w)], resamples, draw)
    low, high = percentile_interval(several, confidence_level)
    return Estimate(value, float(low[0]), float(high[0]), len(np.unique(ids)))


def _table(
    variables: Sequence[ArrayLike], weights: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Variables by rows, without rows that have a NaN or count 0 times, and how often each row counts."""
    columns = [numbers("Variables", one).ravel() for one in variables]
    often = np.ones(len(columns[0])) if weights is None else numbers("Weights", weights).ravel()
    lengths = [len(one) for one in (*columns, often)]
    if len(set(lengths)) > 1:
        raise MistrustError(f"A rank correlation needs variables of equal length, got {', '.join(map(str, lengths))}.")
    if not ((often >= 0) & (often == np.round(often))).all():
        raise MistrustError("Weights must be whole numbers of at least 0: how often each row is counted.")
    table = np.stack(columns)
    kept = ~np.isnan(table).any(0) & (often > 0)
    return table[:, kept], often[kept]


def _average_ranks(values: NDArray[np.float64], often: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of rows that are counted several times each, ties (and copies) sharing their mean rank."""
    _, group = np.unique(values, return_inverse=True)
    counted = np.bincount(group, often)
    return (np.cumsum(counted) - (counted - 1) / 2)[group]
