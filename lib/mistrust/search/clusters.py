"""Clusters of a pool as the published searches make them: K-means on confidence, then on features within each.

As in the AFRL code's `kmeans_both`, read there and written anew. How many clusters there are is decided by an elbow of
the error sum of squares over k = 2 .. 5; the code takes the k after which the drops shrink *least*, the opposite of an
elbow. That is the option elbow="published". Either way only 3 or 4 come out.
"""

import warnings
from functools import lru_cache

import numpy as np
from jaxtyping import Float64, Int64
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from mistrust.errors import check_known
from mistrust.evaluation.given import numbers
from mistrust.inputs.limits import whole
from mistrust.search.pool import Pool

ELBOWS = ("sharpest", "published")
LARGEST = 5
LAST_SEED = 2**32 - 1  # that K-means takes
Labels = NDArray[np.int64]


def clustered(pool: Pool, seed: int = 0, elbow: str = "sharpest") -> Int64[np.ndarray, " n"]:
    """The pool's own clusters numbered 0 .. k-1 in ascending order, or those of `kmeans_both`.

    Raises
    ------
    MistrustError
        An unknown elbow, whether or not it is of use; neither clusters nor features; what `kmeans_both` refuses.
    """
    if pool.clusters is not None:
        check_known("elbow", elbow, ELBOWS)
        return np.unique(pool.clusters, return_inverse=True)[1].astype(np.int64)
    features = pool.need("features", "A search by clusters (the pool has none of its own)")
    return kmeans_both(pool.confidence, features, seed=seed, elbow=elbow)


def kmeans_both(
    confidence: Float64[np.ndarray, " n"],
    features: Float64[np.ndarray, "n p"],
    *,
    largest: int = LARGEST,
    seed: int = 0,
    elbow: str = "sharpest",
) -> Int64[np.ndarray, " n"]:
    """Cluster on confidence, and each cluster on features.

    Parameters
    ----------
    confidence, features : (n,) in (0, 1], and (n, p).
    largest : up to how many clusters are tried, at least 4.
    seed : of K-means' starting points, 0 to 2**32 - 1.
    elbow : "sharpest", or "published": the wrong way round, as coded.

    Returns
    -------
    (n,) 0 .. k-1: ascending by the mean confidence of the first step; within it by the first member's row.

    Raises
    ------
    MistrustError
        What is no numbers; an unknown elbow, a seed that K-means does not take, fewer than 4 clusters to try, and what
        `Pool` refuses.

    Examples
    --------
    >>> confidence, features = np.array([0.9, 0.91, 0.7, 0.71]), np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> sorted(set(kmeans_both(confidence, features).tolist()))
    [0, 1, 2, 3]
    """
    confidence = numbers("Confidences", confidence)
    pool = Pool(np.arange(confidence.size), confidence, features=features)  # one check for all of them
    confidence, features = pool.confidence, pool.need("features", "Clustering")
    labels = np.zeros(len(confidence), dtype=np.int64)
    outer = clustering(confidence[:, None], largest=largest, seed=seed, elbow=elbow)
    order = np.argsort([confidence[outer == one].mean() for one in range(outer.max() + 1)], kind="stable")
    start = 0
    for one in order:
        inside = np.flatnonzero(outer == one)
        labels[inside] = start + clustering(features[inside], largest=largest, seed=seed, elbow=elbow)
        start = labels[inside].max() + 1
    return labels


def clustering(
    points: Float64[np.ndarray, "n p"], *, largest: int = LARGEST, seed: int = 0, elbow: str = "sharpest"
) -> Int64[np.ndarray, " n"]:
    """K-means with the number of clusters that the elbow says: (n,) 0 .. k-1 in order of their first members.

    Points too few or too much alike for an elbow (fewer than four that differ) are a cluster each.
    """
    check_known("elbow", elbow, ELBOWS)
    seed = whole("seed", seed, 0, LAST_SEED)
    most = min(whole("largest", largest, 4), len(np.unique(points, axis=0)))
    tried = _tried(np.ascontiguousarray(points, dtype=np.float64).tobytes(), points.shape, most, seed)
    k = elbow_of(np.array([inertia for inertia, _ in tried.values()]), elbow) if most >= 4 else most
    _, first, labels = np.unique(tried[k][1], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[labels].astype(np.int64)


def elbow_of(sse: Float64[np.ndarray, " m"], elbow: str = "sharpest") -> int:
    """The number of clusters at the elbow of the error sums of squares for k = 2, 3, ..., of which m are given.

    At k the drop to k + 1 is compared with the drop from k - 1: the ratio is small where more clusters stop to help.
    """
    drops = -np.diff(sse)
    ratios = np.divide(drops[1:], drops[:-1], out=np.full(len(drops) - 1, np.inf), where=drops[:-1] > 0)
    if elbow == "published":
        return int(np.argmax(ratios)) + 3
    return int(np.argmin(ratios)) + 3


@lru_cache(maxsize=64)
def _tried(points: bytes, shape: tuple[int, int], most: int, seed: int) -> dict[int, tuple[float, Labels]]:
    """Inertia and labels of every number of clusters; both elbows look at them, and every table of a pool again."""
    every = np.frombuffer(points).reshape(shape)
    fitted = {k: _fitted(every, k, seed) for k in range(min(2, most), most + 1)}
    return {k: (float(one.inertia_), np.asarray(one.labels_, dtype=np.int64)) for k, one in fitted.items()}


def _fitted(points: Float64[np.ndarray, "n p"], k: int, seed: int) -> KMeans:
    with warnings.catch_warnings():
        # Duplicates may leave a cluster empty: it is not counted below.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(n_clusters=k, n_init=10, random_state=seed).fit(points)
