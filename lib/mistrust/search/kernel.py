"""How alike two instances are, and how much of the pool the errors found so far cover.

Bansal and Weld (2018): an error covers the instances near it, cover(x) = max over found errors q of K[x, q] with
K = exp(-D^2 / variance), D being the Euclidean distance over the largest one in the pool; the utility is
U = sum over x of c_x cover(x). The same sum with 1 - D in place of K is what facility location asks for.

A search wants the instance that would add most if it turned out to be an error. What an instance would add falls with
every error that is found, and never rises: what was once measured stays an upper bound. So `Coverage` measures anew
only what is asked for (`mistrust.search.methods.lazily`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Float64, Int64
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mistrust.inputs.limits import within
from mistrust.search.spread import diameter

Floats = NDArray[np.float64]
VARIANCE = 0.001
# Entries of a similarity matrix that is kept (288 MB); a larger one is made anew, block by block, where it is read.
KEPT = 36_000_000
# Entries of a block of rows: what a core's cache holds.
BLOCK = 65_536
# A cover that rises by less changes no sum of covers beyond its rounding.
NOTHING = 1e-18
# Within `shared()`: what was measured of features, by the array that holds them and by the similarity.
_MEASURED: ContextVar[dict[tuple[int, Any], "Similarity"] | None] = ContextVar("measured", default=None)


@contextmanager
def shared() -> Iterator[None]:
    """Within it, searches of one pool share their similarities, which are most of what it takes to begin one.

    Features are the same where the array is: a pool's cannot be written to, and `Pool.with_` hands them on. What is
    shared lives until the block ends.
    """
    token = _MEASURED.set({})
    try:
        yield
    finally:
        _MEASURED.reset(token)


def _blocks(n: int, columns: int) -> Iterator[slice]:
    step = max(1, BLOCK // columns)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Similarity:
    """A symmetric matrix (n, n) in [0, 1], kept whole where it is small and made by blocks of rows where it is not.

    Attributes
    ----------
    features : (n, p).
    of : from squared distances over the largest one squared, in [0, 1], to similarities, in place; 1 at distance 0.
    largest : the distance that is divided by: between the two that are furthest apart, 1 where all are alike.
    matrix : (n, n), or None where it is too large to be kept.
    """

    features: Floats
    of: Callable[[Floats], Floats]
    largest: float
    matrix: Floats | None

    @classmethod
    def make(cls, features: Float64[np.ndarray, "n p"], of: Callable[[Floats], Floats], kept: int = KEPT) -> Self:
        """Measure all distances; `kept` is the number of entries up to which the matrix is stored."""
        known = _MEASURED.get()
        if known is None or features.flags.writeable or kept != KEPT:
            return cls._measured(features, of, kept)
        place = (id(features), of)  # what is known holds the features, so that no other array has their number
        if place not in known:
            known[place] = cls._measured(features, of, kept)
        return known[place]  # type: ignore[return-value]

    @classmethod
    def _measured(cls, features: Floats, of: Callable[[Floats], Floats], kept: int) -> Self:
        n = len(features)
        largest = diameter(features) or 1.0
        if n * n > kept:
            return cls(features, of, largest, None)
        matrix = np.empty((n, n))
        for rows in _blocks(n, n):
            matrix[rows, rows.start :] = _scaled(features[rows], features[rows.start :], largest, of)
            matrix[rows.start :, rows] = matrix[rows, rows.start :].T
        return cls(features, of, largest, matrix)

    def __len__(self) -> int:
        return len(self.features)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it changes

    def rows(self, rows: NDArray[np.int64] | slice) -> Float64[np.ndarray, "m n"]:
        """Give the similarities of some instances to all."""
        if self.matrix is not None:
            return self.matrix[rows]
        return _scaled(self.features[rows], self.features, self.largest, self.of)


def _scaled(some: Floats, features: Floats, largest: float, of: Callable[[Floats], Floats]) -> Floats:
    squared: Floats = np.asarray(cdist(some, features, "sqeuclidean"), dtype=np.float64)
    squared /= largest**2
    return of(squared)


@dataclass(frozen=True)
class Gaussian:
    """exp(-D^2 / variance): how alike two instances are to Bansal and Weld's search."""

    variance: float = VARIANCE

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", within("variance", self.variance, np.finfo(np.float64).tiny))

    def __call__(self, squared: Floats) -> Floats:
        """From squared distances in [0, 1] to similarities in [0, 1], in place."""
        squared /= -self.variance
        return np.exp(squared, out=squared)


def closeness(squared: Floats) -> Floats:
    """1 - D: how alike two instances are to facility location. From squared distances in [0, 1], in place."""
    np.sqrt(squared, out=squared)
    return np.subtract(1.0, squared, out=squared)


class Coverage:
    """What found errors cover, and what each instance would add.

    Parameters
    ----------
    similarity : between instances.
    weights : (n,) of the instances in the sum, not negative.

    Attributes
    ----------
    cover : (n,) the largest similarity to an error found so far, 0 before the first.
    bound : (n,) at least what sum(weights * cover) would rise by if that instance were an error.
    exact : (n,) where the bound is that rise itself.
    """

    def __init__(self, similarity: Similarity, weights: Float64[np.ndarray, " n"]) -> None:
        self.similarity = similarity
        self.weights = weights
        n = len(similarity)
        self.cover = np.zeros(n)
        self.bound = np.zeros(n)
        self.exact = np.ones(n, dtype=bool)
        for rows in _blocks(n, n):
            self.bound += weights[rows] @ similarity.rows(rows)

    def __deepcopy__(self, memo: object) -> Self:
        other = copy(self)  # what is changed in place is copied
        other.bound, other.exact = self.bound.copy(), self.exact.copy()
        return other

    @property
    def utility(self) -> float:
        """sum(weights * cover)."""
        return float(self.weights @ self.cover)

    def add(self, row: int) -> None:
        """Count the instance of that row among the found errors."""
        new = np.maximum(self.cover, self.similarity.rows(np.array([row]))[0])
        if (new - self.cover > NOTHING).any():
            self.exact[:] = False
        self.cover = new

    def measure(self, rows: Int64[np.ndarray, " m"]) -> None:
        """Make the bounds of these rows exact: (m,) rows, each once, 0 to n - 1."""
        n, utility = len(self.cover), self.utility
        for block in _blocks(len(rows), n):
            each = rows[block]
            after = self.similarity.rows(each)  # a copy; the matrix is symmetric
            np.maximum(after, self.cover, out=after)
            self.bound[each] = after @ self.weights - utility
        self.exact[rows] = True
