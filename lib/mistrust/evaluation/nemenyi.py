"""Which methods differ? Nemenyi's critical difference, the groups that it leaves, and a bootstrap beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation.friedman import average_ranks
from mistrust.evaluation.given import confident, count, numbers
from mistrust.evaluation.intervals import percentile_interval
from mistrust.evaluation.resampling import cluster_bootstrap


@dataclass(frozen=True, eq=False)
class RankDifferences:
    """How much lower (better) or higher each method ranks than each other.

    Attributes
    ----------
    value : (k, k) mean rank of the row's method less that of the column's.
    low, high : (k, k) their interval.
    sets, clusters : data sets that were ranked, and clusters that they fall into.

    Examples
    --------
    >>> from mistrust import random
    >>> scores = [[0.9, 0.8], [0.8, 0.7], [0.9, 0.7], [0.6, 0.5]]
    >>> found = rank_differences(scores, ["fog", "fog", "snow", "noise"], 100, random.generator(0, "example"))
    >>> float(found.value[0, 1]), found.sets, found.clusters  # the first is a rank better on every set
    (-1.0, 4, 3)
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sets: int
    clusters: int


def critical_difference(methods: int, sets: int, alpha: float = 0.05) -> float:
    """Give the difference of two mean ranks from which on Nemenyi's test calls two methods different.

    q sqrt(k (k + 1) / (6 n)), q being the studentized range's upper quantile for k groups and infinitely many degrees
    of freedom, divided by sqrt(2) (Nemenyi, 1963; Demšar, 2006, section 3.2.2).

    Raises
    ------
    MistrustError
        Fewer than two methods or sets, or no whole number of them; alpha outside (0, 1).

    Examples
    --------
    >>> round(critical_difference(methods=5, sets=30), 3)  # Demšar's table 5: 2.728 sqrt(5 * 6 / (6 * 30))
    1.114
    """
    methods, sets = count("The number of methods", methods), count("The number of data sets", sets)
    if methods < 2 or sets < 2:
        raise MistrustError(
            f"A critical difference needs at least two methods and two data sets, got {methods} and {sets}."
        )
    confident(alpha, "alpha")
    q = float(stats.studentized_range.ppf(1 - alpha, methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * sets)))


def cliques(ranks: ArrayLike, difference: float) -> list[tuple[int, ...]]:
    """Find the largest groups of methods of which no two differ by as much as the critical difference.

    Parameters
    ----------
    ranks : (k,) mean ranks.
    difference : the critical difference.

    Returns
    -------
    Positions in `ranks`, best first; groups of two and more, none inside another. They are the bars of a critical
    difference diagram.

    Examples
    --------
    >>> cliques([1.2, 1.9, 3.0], difference=1.0)
    [(0, 1)]
    """
    means = numbers("Ranks", ranks)
    order = np.argsort(means, kind="stable")
    found: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = int((means[order] - means[order[start]] < difference).sum())
        if end > max(reached, start + 1):
            found.append(tuple(int(one) for one in order[start:end]))
            reached = end
    return found


def rank_differences(
    scores: ArrayLike,
    clusters: Sequence[object] | NDArray[np.generic],
    resamples: int,
    draw: np.random.Generator,
    *,
    higher_is_better: bool = True,
    confidence_level: float = 0.95,
) -> RankDifferences:
    """Differences of mean ranks with intervals that keep together the data sets made by the same fault.

    Nemenyi's test counts data sets as independent. Sets that differ in the severity of one fault alone, or that share
    their nominal images, are not: the bootstrap draws whole clusters of them.

    Parameters
    ----------
    scores : (n sets, k methods); a set with NaN is left out, with a warning.
    clusters : (n,) which cluster each set belongs to: its fault.
    resamples, draw : see `cluster_bootstrap`.

    Raises
    ------
    MistrustError
        What `average_ranks` and `cluster_bootstrap` refuse; another number of clusters than sets; a single cluster.

    Examples
    --------
    >>> from mistrust import random
    >>> scores = [[0.9, 0.8], [0.8, 0.7], [0.9, 0.7], [0.6, 0.7]]
    >>> found = rank_differences(scores, ["fog", "fog", "snow", "noise"], 200, random.generator(0, "example"))
    >>> float(found.value[0, 1]), bool(found.high[0, 1] > 0)  # better on average; three faults prove nothing
    (-0.5, True)
    """
    ranks = average_ranks(scores, higher_is_better=higher_is_better)
    names = np.asarray([str(one) for one in clusters])
    if names.shape != (len(ranks),):
        raise MistrustError(f"clusters has length {len(names)}, expected {len(ranks)}: one a data set.")
    whole = ~np.isnan(ranks).any(1)
    ranks, names = ranks[whole], names[whole]
    different = len(np.unique(names))
    if different < 2:
        raise MistrustError("All data sets are of one cluster: an interval over clusters needs at least two.")

    def apart(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        means = weights @ ranks / weights.sum()
        return means[:, None] - means[None, :]

    low, high = percentile_interval(cluster_bootstrap(names, apart, resamples, draw), confidence_level)
    return RankDifferences(apart(np.ones(len(ranks))), low, high, len(ranks), different)
