"""Statistics of distances, and the same statistics of resampled inputs, without sorting or counting more than needed.

A resample counts every input as often as its base image was drawn. A quantile of it is the first input, in ascending
distance, at which enough has been counted. How much was counted up to a few places in that order follows from one
product of matrices, draws by base image with inputs by base image; only the stretch in which the goal lies is then
counted input by input. For small quantiles only the nearest inputs are put in order at all: where they turn out to be
too few, all are.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray

STRETCHES = 128  # places at which the count is known before anything is counted input by input
NEAREST = 2048  # inputs put in order beside one and a half times those wanted
CELLS = 2**22  # numbers in the largest table that is made on the way


def plain(distance: NDArray[np.float64], kind: str, q: float) -> NDArray[np.float64]:
    """Statistic of each column of distances (m, k), m >= 1: "mean", "minimum", or the quantile q (inverted CDF)."""
    m = len(distance)
    if kind == "mean":
        return (np.ones((1, m)) @ distance)[0] / m
    place = min(ceil(float(_goal(q, np.array([m]))[0])), m) - 1
    return np.array([np.partition(column, place)[place] for column in distance.T])


def resampled_mean(
    distance: NDArray[np.float64], base: NDArray[np.int64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Mean of each column in each resample: (b, k); NaN where a resample holds none of the inputs.

    Parameters
    ----------
    distance : (m, k) distances of the inputs.
    base : (m,) which of the n base images each was made from, 0 to n - 1.
    counts : (b, n) how often each resample holds each base image.
    """
    inputs = np.bincount(base, minlength=counts.shape[1])
    sums = np.stack([np.bincount(base, column, minlength=counts.shape[1]) for column in distance.T], axis=1)
    with np.errstate(invalid="ignore"):
        return (counts @ sums) / (counts @ inputs)[:, None]


def resampled_quantile(
    distance: NDArray[np.float64], base: NDArray[np.int64], counts: NDArray[np.float64], q: float
) -> NDArray[np.float64]:
    """Quantile q of each column in each resample: (b, k); parameters and NaN as for `resampled_mean`."""
    present, base = np.unique(base, return_inverse=True)
    counts = np.ascontiguousarray(counts[:, present])
    total = counts @ np.bincount(base).astype(np.float64)
    goal = _goal(q, total)
    there = total > 0
    result = np.full((len(counts), distance.shape[1]), np.nan)
    for c, column in enumerate(np.ascontiguousarray(distance.T)):
        result[there, c] = _column(column, base, counts[there], goal[there], q)
    return result


def _goal(q: float, total: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much must be counted until the share q is reached: at least one input."""
    return np.maximum(q * total - 1e-9, 0.5)


def _column(
    distance: NDArray[np.float64],
    base: NDArray[np.int64],
    counts: NDArray[np.float64],
    goal: NDArray[np.float64],
    q: float,
) -> NDArray[np.float64]:
    """Quantiles of one column, (b,)."""
    m = len(distance)
    # About q m inputs are wanted; how many it takes varies between resamples.
    tail = ceil(1.5 * q * m) + NEAREST
    if tail < m / 2:
        nearest = np.argpartition(distance, tail)[:tail]
        order = nearest[np.argsort(distance[nearest])]
        place = _places(base[order], counts, goal)
        if bool((place < tail).all()):
            return distance[order[place]]
    order = np.argsort(distance)
    return distance[order[_places(base[order], counts, goal).clip(max=m - 1)]]


def _places(base: NDArray[np.int64], counts: NDArray[np.float64], goal: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each resample the number of leading inputs that count less than the goal, (b,); all m where none reaches it.

    All counts are whole numbers far below 2**53, so every sum is exact, whatever its order.
    """
    m, n = len(base), counts.shape[1]
    stretches = max(2, min(STRETCHES, CELLS // max(n, 1), m))
    length = -(-m // stretches)
    # Inputs of each base image in each stretch, then counted up to the end of each stretch: (b, stretches).
    table = np.bincount(np.arange(m) // length * n + base, minlength=stretches * n).reshape(stretches, n)
    reached = np.cumsum(counts @ table.T.astype(np.float64), axis=1)
    stretch = (reached < goal[:, None]).sum(1)
    found = np.full(len(counts), m)
    block = max(1, CELLS // length)
    inside = np.flatnonzero(stretch < stretches)
    for some in np.split(inside, range(block, len(inside), block)):
        start = stretch[some] * length
        before = np.where(stretch[some] > 0, reached[some, stretch[some] - 1], 0.0)
        places = start[:, None] + np.arange(length)
        counted = counts[some[:, None], base[places.clip(max=m - 1)]]  # behind the last the goal is reached already
        so_far = before[:, None] + np.cumsum(counted, axis=1)
        found[some] = start + (so_far < goal[some, None]).sum(1)
    return found
