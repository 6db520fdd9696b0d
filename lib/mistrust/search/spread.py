"""How well queries are spread over the pool, and how much of it the errors found cover.

D is the Euclidean distance between two instances' features over the largest such distance in the pool; the published
features are the first five principal components of the pixels.
"""

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers, truths
from mistrust.inputs.limits import number, within
from mistrust.search.poisson_binomial import confidences

Array = NDArray[np.float64]
ROWS = 256  # of a block of distances
LARGEST = 1e150  # of a feature: the square of a larger one overflows
NARROWEST = 1e-150  # of the range of all features: the square of a lesser one loses digits, then is 0


def diameter(features: ArrayLike) -> float:
    """Largest Euclidean distance between two instances.

    Two instances are no further apart than the sum of their distances from any third point: with the mean as that
    point and the distance of one far pair as a bar, few instances can be an end of a longer one. Exact.

    Parameters
    ----------
    features : (n, p) finite.

    Returns
    -------
    0 for one instance.

    Raises
    ------
    MistrustError
        No instances, another shape, what is no number or not finite; features so large (above 1e150), or so near to
        each other (within 1e-150, and not alike), that their squares are no float64 numbers.

    Examples
    --------
    >>> diameter([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
    5.0
    """
    x = _features(features)
    if len(x) == 1:
        return 0.0
    radius = np.sqrt(((x - x.mean(0)) ** 2).sum(1))
    order = np.argsort(-radius, kind="stable")
    far = x[order[0]]
    for _ in range(2):  # from the far end of the last pair on: a good bar in two steps
        away = ((x - far) ** 2).sum(1)
        far, bar = x[away.argmax()], np.sqrt(away.max())
    # A hair below the bar: the distances that it is compared with are rounded elsewhere.
    ends = order[radius[order] >= (bar - radius[order[0]]) * (1 - 1e-12) - 1e-300]
    return max(float(cdist(x[ends[i : i + ROWS]], x[ends]).max()) for i in range(0, len(ends), ROWS))


def spread(features: ArrayLike, order: ArrayLike, largest: float | None = None) -> Float64[np.ndarray, " b"]:
    """Mean distance of the pool's instances to the nearest query, after each query; lower is better spread.

    Paper, equation 6, over queries (not errors), as its text says.

    Parameters
    ----------
    features : (n, p) of the pool that was searched.
    order : (b,) rows of the pool, in the order of the queries.
    largest : what distances are divided by, finite and above 0; by default the pool's `diameter`, 1 where all instances
        are alike.

    Returns
    -------
    (b,) means; in [0, 1] where `largest` is the diameter.

    Raises
    ------
    MistrustError
        Features that `diameter` refuses; queries that are no row of whole numbers; a row that the pool does not have; a
        largest distance that is not above 0 and finite.

    Examples
    --------
    On a line from 0 to 10 with two instances at each end: one question leaves half of them 10 away, two cover all.

    >>> spread([[0.0], [0.0], [10.0], [10.0]], [0, 2])
    array([0.5, 0. ])
    """
    x = _features(features)
    return _nearest(x, x[_rows(order, len(x))], largest).mean(1)


def misaligned_spread(whole: ArrayLike, order: ArrayLike, largest: float | None = None) -> Float64[np.ndarray, " b"]:
    """Spread as published: the distances are those of the whole test set, the rows are those of the pool.

    The code numbers queries within the filtered pool and looks the distances up under the same numbers among all test
    instances, so that it measures instances which nobody asked about; and it gives 1 while the only query is row 0.

    Parameters
    ----------
    whole : (N, p) features of the whole test set, before any instance was left out.
    order : (b,) rows of the pool, in the order of the queries; the pool is smaller than the test set.
    largest : as `spread`, by default of the whole test set.

    Examples
    --------
    >>> whole = np.array([[0.0], [0.0], [10.0], [10.0]])
    >>> spread(whole[2:], [0, 1]), misaligned_spread(whole, [0, 1])  # the pool is the last two, which are alike
    (array([0., 0.]), array([1. , 0.5]))
    """
    x = _features(whole)
    rows = _rows(order, len(x))
    found = _nearest(x, x[rows], largest).mean(1)
    return np.where(np.cumsum(rows) == 0, 1.0, found)


def utility(
    confidence: ArrayLike,
    features: ArrayLike,
    order: ArrayLike,
    errors: ArrayLike,
    variance: float,
    largest: float | None = None,
) -> Float64[np.ndarray, " b"]:
    """Bansal and Weld's utility after each query: sum over the pool of confidence times cover.

    cover(x) = max over the errors found of exp(-D[x, q]^2 / variance), 0 before the first (paper, equation 1; Bansal
    and Weld, 2018).

    Parameters
    ----------
    confidence : (n,) of the pool, in (0, 1].
    features : (n, p) of the pool.
    order : (b,) rows of the pool, in the order of the queries.
    errors : (b,) whether each query was an error, in the same order.
    variance : above 0; the notebooks have 0.001.
    largest : as `spread`.

    Returns
    -------
    (b,) utilities from 0 on, never falling.

    Raises
    ------
    MistrustError
        What `spread` refuses; lengths that differ; confidences that are no numbers in (0, 1]; errors other than 0 and
        1; a variance that is not above 0.

    Examples
    --------
    The first question was no error and is worth nothing. The second was: it covers itself and its twin,
    not the others.

    >>> utility([0.9, 0.8, 0.7, 0.7], [[0.0], [0.0], [1.0], [1.0]], [2, 0], [0, 1], 0.001).round(3)
    array([0. , 1.7])
    """
    x, c = _features(features), confidences(confidence)
    rows, wrong = _rows(order, len(x)), truths("Errors", errors)
    if c.shape != (len(x),) or wrong.shape != rows.shape:
        raise MistrustError(
            f"Confidences have shape {c.shape} and errors {wrong.shape}, expected {(len(x),)}, one per instance of the "
            f"pool, and {rows.shape}, one per query."
        )
    variance = within("variance", variance, np.finfo(np.float64).tiny)
    found = np.zeros(len(rows))
    if wrong.any():
        near = _nearest(x, x[rows[wrong]], largest)
        after = np.exp(-(near**2) / variance) @ c  # the nearest error covers most
        known = np.cumsum(wrong)
        found = np.where(known > 0, after[np.maximum(known - 1, 0)], 0.0)
    return found


def _nearest(x: Array, queries: Array, largest: float | None) -> Array:
    """(b, n) distance of each instance to the nearest of the first 1 to b queries, over the largest."""
    if largest is None:
        largest = diameter(x) or 1.0
    if not 0 < number("The largest distance", largest) < np.inf:
        raise MistrustError(f"The largest distance is {largest!r}, expected a number above 0.")
    near: Array = np.asarray(cdist(queries, x), dtype=np.float64)
    np.minimum.accumulate(near, axis=0, out=near)
    near /= largest
    return near


def _features(features: ArrayLike) -> Array:
    x = numbers("Features", features)
    if x.ndim != 2 or len(x) == 0:
        raise MistrustError(f"Features have shape {x.shape}, expected (n, p) of at least one instance.")
    if not np.isfinite(x).all():
        raise MistrustError(
            f"{np.sum(~np.isfinite(x).all(1))} of {len(x)} instances have features that are not finite."
        )
    if x.size and np.abs(x).max() > LARGEST:
        raise MistrustError(f"Features reach {np.abs(x).max():g}: their squares are no float64 numbers. Rescale them.")
    if 0 < (widest := np.ptp(x, axis=0).max(initial=0.0)) < NARROWEST:
        raise MistrustError(
            f"Features differ by {widest:g} at most: the squares of that are no float64 numbers. Rescale them."
        )
    return x


def _rows(order: ArrayLike, n: int) -> NDArray[np.int64]:
    _ = numbers("Queries", order)  # which refuses what numpy makes no array of
    rows = np.asarray(order)
    if rows.ndim != 1 or not np.issubdtype(rows.dtype, np.integer):
        raise MistrustError(f"Queries have shape {rows.shape} and type {rows.dtype}, expected whole numbers (b,).")
    if ((rows < 0) | (rows >= n)).any():
        raise MistrustError(f"Queries must be rows 0 to {n - 1}, got {rows[(rows < 0) | (rows >= n)][0]}.")
    return rows.astype(np.int64)
