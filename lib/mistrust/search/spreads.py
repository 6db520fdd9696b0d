"""The spread of many searches of subsets of one pool: the numbers of `spread.spread`, replicate by replicate.

What a subset's own search would compute again and again is computed once: the distances of instances that many
replicates ask about to the whole pool, and the few pairs that can be a subset's furthest.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float64, Int64
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mistrust.search.spread import diameter

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
# Entries of the table of distances that is kept for queries that replicates share (64 MB).
TABLE = 8_000_000
# A row of that table is as long as the pool: beyond so many subsets' lengths it costs more than it saves.
LONGER = 4
OUTER = 1000
# Of a pool of at most `WHOLE` whose outermost give fewer than `FEW` pairs, all are compared, and `LISTED` are kept.
FEW, LISTED, WHOLE, ROWS = 64, 2**15, 20_000, 64


class Diameters:
    """Diameters of subsets of a pool, exact.

    The longest pairs are listed, and the first of the list that a subset holds is its diameter; a subset that holds
    none is measured by itself. Two instances are no further apart than the sum of their distances from the mean: all
    pairs further apart than the outermost instance and the first that is not among the `OUTER` outermost are among
    these. Where they are few, as in a pool that is about as wide in all directions, every pair is compared.
    """

    def __init__(self, features: Float64[np.ndarray, "n p"]) -> None:
        self.features = features
        radius = np.sqrt(((features - features.mean(0)) ** 2).sum(1))
        order = np.argsort(-radius, kind="stable")
        outer = order[:OUTER]
        rest = radius[order[OUTER]] if len(order) > OUTER else 0.0
        apart = np.triu(cdist(features[outer], features[outer]), 1)
        # A hair above: what is left out must not be further apart by rounding.
        bar = (radius[order[0]] + rest) * (1 + 1e-12) if len(order) > OUTER else 0.0
        first, second = np.nonzero(apart > bar)
        length, first, second = apart[first, second], outer[first], outer[second]
        if len(length) < FEW and OUTER < len(order) <= WHOLE:
            length, first, second = longest_pairs(features, LISTED)
        longest = np.argsort(-length, kind="stable")
        self.length, self.first, self.second = length[longest], first[longest], second[longest]

    def of(self, member: NDArray[np.bool_], rows: Rows) -> float:
        """Largest distance within a subset, given as (n,) membership and as rows."""
        for start in range(0, len(self.length), 512):
            here = slice(start, start + 512)
            both = member[self.first[here]] & member[self.second[here]]
            if both.any():
                return float(self.length[start + both.argmax()])
        return diameter(self.features[rows])


def longest_pairs(
    features: Float64[np.ndarray, "n p"], most: int
) -> tuple[Float64[np.ndarray, " k"], Int64[np.ndarray, " k"], Int64[np.ndarray, " k"]]:
    """Give all pairs further apart than some length, at most so many: how far, and both rows.

    Examples
    --------
    >>> longest_pairs(np.array([[0.0], [1.0], [3.0]]), 2)
    (array([3., 2.]), array([0, 1]), array([2, 2]))
    """
    bar = 0.0
    length, one, other = np.empty(0), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for start in range(0, len(features), ROWS):
        apart = cdist(features[start : start + ROWS], features[start:])
        first, second = np.nonzero(apart > bar)
        later = second > first
        first, second = first[later], second[later]
        length = np.concatenate([length, apart[first, second]])
        one, other = np.concatenate([one, first + start]), np.concatenate([other, second + start])
        if len(length) > most:
            next_one = len(length) - most - 1
            bar = float(np.partition(length, next_one)[next_one])
            long = length > bar
            length, one, other = length[long], one[long], other[long]
    return length, one, other


def spreads(
    features: Float64[np.ndarray, "n p"],
    member: Bool[np.ndarray, "R n"],
    index: Int64[np.ndarray, "R m"],
    orders: dict[str, Int64[np.ndarray, "R b"]],
    diameters: Diameters | None = None,
    *,
    tables: bool = True,
) -> dict[str, Float64[np.ndarray, "R b"]]:
    """Spread after each query, each subset searched by itself and divided by its own diameter.

    Parameters
    ----------
    features : (n, p) of the pool, finite.
    member, index : (R, n) and (R, m) subsets, as membership and as rows of the pool.
    orders : by method, (R, b) rows of the pool, each row within its subset.
    diameters : of the pool, where it has been made already.
    tables : whether distances of queries that replicates share are looked up; which are shared depends on what is
        given at once, and so do the last digits of what is found. Without, a replicate's are its own.
    """
    n, m = len(features), index.shape[1]
    diameters = diameters or Diameters(features)
    largest = [diameters.of(held, rows) or 1.0 for held, rows in zip(member, index, strict=True)]
    found: dict[str, Array] = {name: np.empty(order.shape) for name, order in orders.items()}
    b = max(order.shape[1] for order in orders.values())
    # Made once: fresh memory of this size costs as much as what is done in it.
    direct, looked_up = np.empty((b, m)), np.empty((b, n))
    # One method after the other: its table stays in the processor's cache.
    for name, order in orders.items():
        table, steps = _shared(features, order, m) if tables else None, order.shape[1]
        for r, rows in enumerate(index):
            if table is None:
                near = direct[:steps]
                cdist(features[order[r]], features[rows], "sqeuclidean", out=near)
                _running(list(near), near)
                np.sqrt(near, out=near)
                found[name][r] = near.sum(1) / (m * largest[r])
            else:
                near = looked_up[:steps]
                _running([table[0][row] for row in table[1][r]], near)
                found[name][r] = near @ member[r].astype(np.float64) / (m * largest[r])
    return found


def _running(rows: Sequence[Array], near: Array) -> None:
    """Running minimum down the rows, into `near`; a loop of whole rows takes a third of the time of `accumulate`."""
    near[0] = rows[0]
    for i in range(1, len(near)):
        np.minimum(rows[i], near[i - 1], out=near[i])


def _shared(features: Array, order: Rows, m: int) -> tuple[Array, Rows] | None:
    """Distances of all queries of a method to the whole pool and where each query stands there, if they are few."""
    queries, place = np.unique(order, return_inverse=True)
    few = len(queries) * 4 <= order.size and len(queries) * len(features) <= TABLE
    if not few or len(features) > LONGER * m:
        return None
    table: Array = np.asarray(cdist(features[queries], features), dtype=np.float64)
    return table, place.reshape(order.shape).astype(np.int64)
