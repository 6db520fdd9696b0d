"""Many subsets of one pool, searched by every method that is a sort, in one call.

Paper, section V.B: 1,000 subsets of 2,000 instances, 50 queries each. A pool that is hardly larger than its subsets
gives nearly the same subset each time, so here a subset is at most 44 % of its pool (2,000 of the authors' own 4,527),
and the share stands in the result. Replicates of one model and one pool measure the noise of subsets alone: not of
training, of the test images, of the attack or of the temperature. Intervals come from separately trained models.

A method that is a sort never reads an answer: the lowest scores are asked about first. So all replicates are a matrix
of rows (R, m), and orders, errors and expected errors are array operations on it. With `refit=True`, as published, F is
fitted again on every subset, which takes nearly all of the time; table "refit" says how little the means move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from jaxtyping import Bool, Float64, Int64
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.random import BLOCK, generator
from mistrust.search import measures
from mistrust.search.residual import residual
from mistrust.search.spreads import Diameters, spreads

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
REPLICATES, MOST, SHARE, BUDGET = 1000, 2000, 0.44, 50
RANDOM = "random"
STRIP = 16  # replicates drawn at once; divides a block of draws
ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Sort:
    """A method that asks about the lowest scores first.

    Attributes
    ----------
    scores : (n,) of the pool, lower first, ties to the lowest row; of a trend, distances above 0.
    trend : None: the scores as they are. Else what `residual` takes beside distance and confidence (fraction,
        iterations, delta, form, fit; empty for its defaults): the scores are distances, and the residual is sorted.
    """

    scores: Array
    trend: Mapping[str, float | str] | None = None

    def once(self, refit: bool) -> bool:
        """Whether one order of the pool serves all subsets."""
        return self.trend is None or not refit

    def of(self, rows: Rows | slice, confidence: Array) -> Array:
        """What is sorted, of some rows of the pool as a set of their own."""
        scores = self.scores[rows]
        return scores if self.trend is None else residual(scores, confidence[rows], **self.trend)  # type: ignore


@dataclass(frozen=True, eq=False)
class Searched:
    """What one method did in every replicate.

    Attributes
    ----------
    order : (R, b) rows of the pool in the order of the queries.
    errors : (R, b) whether each query was an error.
    confidence : (R, b) of the queries.
    spread : (R, b) after each query, or None where the pool has no features.
    """

    order: Int64[np.ndarray, "R b"]
    errors: Bool[np.ndarray, "R b"]
    confidence: Float64[np.ndarray, "R b"]
    spread: Float64[np.ndarray, "R b"] | None = field(default=None)

    @property
    def sdr(self) -> Float64[np.ndarray, "R b"]:
        """Of each replicate after each query."""
        return measures.sdr(self.errors, self.confidence)

    @property
    def pooled(self) -> Float64[np.ndarray, " b"]:
        """SDR over all replicates: errors of all over expected errors of all."""
        return measures.pooled(self.errors, self.confidence)

    @property
    def mean_of_ratios(self) -> Float64[np.ndarray, " b"]:
        """Mean of the replicates' SDR, as published."""
        return measures.mean_of_ratios(self.errors, self.confidence)


@dataclass(frozen=True, eq=False)
class Replicates:
    """All replicates of all methods.

    Attributes
    ----------
    index : (R, m) the subsets: rows of the pool, rising.
    share : m over the size of the pool; near 1 the subsets are nearly the same.
    refit : whether F was fitted on every subset.
    methods : what each method did, by name.
    pool_sdr : (R,) SDR of each whole subset.
    """

    index: Int64[np.ndarray, "R m"]
    share: float
    refit: bool
    methods: Mapping[str, Searched]
    pool_sdr: Float64[np.ndarray, " R"]


def subset_size(n: int, most: int = MOST, share: float = SHARE) -> int:
    """How many instances of a pool of n a replicate holds: min(most, share n), rounded down."""
    return min(most, int(share * n + 1e-9))


def planned(n: int, size: int | None, budget: int, numbers: Sequence[int] | int) -> tuple[int, list[int]]:
    """Size of the subsets of a pool of n, and the replicates' numbers, as `replicate` takes and refuses them."""
    m = subset_size(n) if size is None else whole("size of a subset", size, 1, n)
    if not 1 <= budget <= m:
        raise MistrustError(
            f"{budget} queries cannot be asked of subsets of {m} instances ({m / n:.0%} of a pool of {n}): take a "
            "smaller budget, a larger pool, or name the size."
        )
    wanted = list(range(numbers) if isinstance(numbers, int) else numbers)
    if not wanted or min(wanted) < 0:
        raise MistrustError(f"Replicates are {numbers!r}, expected at least one, numbered from 0 on.")
    return m, wanted


def replicate(
    errors: ArrayLike,
    confidence: ArrayLike,
    sorts: Mapping[str, Sort],
    *,
    features: ArrayLike | None = None,
    numbers: Sequence[int] | int = REPLICATES,
    size: int | None = None,
    budget: int = BUDGET,
    refit: bool = True,
    seed: int = 0,
) -> Replicates:
    """Search subsets of a pool by every method that is a sort, and by chance (`"random"`).

    Parameters
    ----------
    errors, confidence : (n,) of the pool: 0 or 1, and in (0, 1].
    sorts : methods by name; may be empty.
    features : (n, p) of the pool, for the spread; without them there is none.
    numbers : how many replicates, or which (a range, where the work is spread): results do not depend on the split.
    size : of a subset, by default `subset_size(n)`.
    budget : queries in each replicate.
    refit : fit F on every subset, as published, or once on the pool.
    seed : of subsets and of random queries.

    Raises
    ------
    MistrustError
        Lengths that differ; no replicates; a subset that is larger than the pool or smaller than the budget; scores
        that are NaN; a method called "random"; what `residual` refuses of the pool, or of a subset with `refit=True`.
    """
    e, c, x = checked(errors, confidence, sorts, features)
    n = len(c)
    m, wanted = planned(n, size, budget, numbers)
    ranked = {name: np.argsort(sort.of(ALL, c), kind="stable") for name, sort in sorts.items() if sort.once(refit)}
    diameters = None if x is None else Diameters(x)
    parts: list[tuple[Rows, dict[str, Rows], dict[str, Array] | None]] = []
    ratios: list[Array] = []
    left = 1 - c
    for _, block in groupby(wanted, lambda number: number // BLOCK):
        member, random = subsets(n, m, budget, list(block), seed)
        index, orders = where(member), {RANDOM: random}
        for name, sort in sorts.items():
            orders[name] = first(ranked[name], member, budget) if name in ranked else _each(sort, index, c, budget)
        apart = None if x is None else spreads(x, member, index, orders, diameters)
        parts.append((index, orders, apart))
        expected = left[index].sum(1)
        ratios.append(np.divide(e[index].sum(1), expected, out=np.full(len(index), np.nan), where=expected > 0))
    index = np.concatenate([part[0] for part in parts])
    methods = {}
    for name in (*sorts, RANDOM):
        order = np.concatenate([orders[name] for _, orders, _ in parts])
        apart = None if x is None else np.concatenate([spread[name] for *_, spread in parts if spread is not None])
        methods[name] = Searched(order, e[order], c[order], apart)
    return Replicates(index, m / n, refit, methods, np.concatenate(ratios))


def subsets(
    n: int, size: int, budget: int, numbers: Sequence[int], seed: int = 0
) -> tuple[Bool[np.ndarray, "R n"], Int64[np.ndarray, "R b"]]:
    """Draw subsets without replacement, as membership, and the random queries of each by the same draws.

    Every instance has a uniform key: the lowest `size` of them are the subset, the lowest `budget` its queries.

    Parameters
    ----------
    numbers : which replicates, all of one block of draws.
    """
    # A block of `random.keyed`, drawn in strips that stay in the processor's cache, in the same memory each time.
    draw = generator(seed, "search/replicates", numbers[0] // BLOCK)
    inside = [number % BLOCK for number in numbers]
    last = -(-(max(inside) + 1) // STRIP) * STRIP
    member, queries = np.empty((last, n), dtype=bool), np.empty((last, budget), dtype=np.int64)
    keys = np.empty((STRIP, n))
    for start in range(0, last, STRIP):
        here = slice(start, start + STRIP)
        draw.random(out=keys)
        # A value and a comparison take a tenth of the time of partitioned positions.
        np.less_equal(keys, smallest(keys, size)[:, None], out=member[here])
        asked = where(keys <= smallest(keys, budget)[:, None])
        turn = np.take_along_axis(keys, asked, 1).argsort(1)
        queries[here] = np.take_along_axis(asked, turn, 1)
    following = inside == list(range(inside[0], inside[0] + len(inside)))
    rows = slice(inside[0], inside[0] + len(inside)) if following else inside  # no copy where none is needed
    return member[rows], queries[rows]


def smallest(keys: Float64[np.ndarray, "R n"], k: int) -> Float64[np.ndarray, " R"]:
    """The k-th smallest of each row of uniform keys, k from 1: only those near where it is to be expected are sorted.

    Examples
    --------
    >>> smallest(np.array([[0.2, 0.9, 0.5, 0.4], [0.99, 0.98, 0.97, 0.96]]), 2)
    array([0.4 , 0.97])
    """
    n = keys.shape[1]
    middle = k / n
    reach = 6 * (middle * (1 - middle) / n) ** 0.5 + 1 / n  # standard deviations: few rows in a billion lie beyond
    above = keys >= middle - reach
    near = above & (keys <= middle + reach)
    counts = np.count_nonzero(near, axis=1)
    ranks = k - 1 - (n - np.count_nonzero(above, axis=1))
    values, ends = keys[near], counts.cumsum()
    found = np.empty(len(keys))
    for row, (rank, count, end) in enumerate(zip(ranks.tolist(), counts.tolist(), ends.tolist(), strict=True)):
        some, at = (values[end - count : end], rank) if 0 <= rank < count else (keys[row].copy(), k - 1)
        some.partition(at)
        found[row] = some[at]
    return found


def where(member: Bool[np.ndarray, "R n"]) -> Int64[np.ndarray, "R k"]:
    """Rows of the members, rising, every subset having as many."""
    found = np.flatnonzero(member).reshape(len(member), -1)  # of the flat array: far faster than along an axis
    found -= np.arange(len(member))[:, None] * member.shape[1]
    return found


def first(order: Int64[np.ndarray, " n"], member: Bool[np.ndarray, "R n"], budget: int) -> Int64[np.ndarray, "R b"]:
    """Give the first members of each subset in an order of the whole pool.

    Sorting a subset by scores that do not depend on it is passing over what is not in it: only as much of the order is
    looked at as the slowest subset needs.
    """
    taken = min(len(order), 4 * budget)
    while True:
        here = member[:, order[:taken]]
        count = here.cumsum(1, dtype=np.int32)
        if taken == len(order) or count[:, -1].min() >= budget:
            return order[where(here & (count <= budget))]
        taken = min(len(order), 2 * taken)


def _each(sort: Sort, index: Rows, c: Array, budget: int) -> Rows:
    """The first rows of each subset, scored by itself."""
    return np.stack([rows[np.argsort(sort.of(rows, c), kind="stable")[:budget]] for rows in index])


def checked(
    errors: ArrayLike, confidence: ArrayLike, sorts: Mapping[str, Sort], features: ArrayLike | None
) -> tuple[NDArray[np.bool_], Array, Array | None]:
    """Give a pool's errors as bool, its confidences and its features, if they are what `replicate` asks for."""
    e, c = np.asarray(errors), np.asarray(confidence, dtype=np.float64)
    if e.ndim != 1 or len(e) == 0:
        raise MistrustError(f"A pool's errors have shape {e.shape}, expected (n,) of at least one instance.")
    measures.pool_sdr(e, c)  # refuses shapes that differ, errors that are none, confidences outside (0, 1]
    if RANDOM in sorts:
        raise MistrustError("A method is called 'random', which is the name of random queries: give it another.")
    for name, sort in sorts.items():
        if np.shape(sort.scores) != e.shape:
            raise MistrustError(f"The scores of '{name}' have shape {np.shape(sort.scores)}, expected {e.shape}.")
        if np.isnan(sort.scores).any():
            raise MistrustError(f"{np.isnan(sort.scores).sum()} of {len(e)} scores of '{name}' are NaN.")
    x = None if features is None else np.asarray(features, dtype=np.float64)
    if x is not None and (x.ndim != 2 or len(x) != len(e) or not np.isfinite(x).all()):
        raise MistrustError(f"Features have shape {x.shape}, expected ({len(e)}, p) of finite numbers.")
    return e.astype(bool), c, x
