"""How different images are from each other.

Several measures, since they do not agree: the mean distance of pairs tells how far apart the extremes are, the small
distances and the nearest neighbours whether images repeat, coverage whether something is missing.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist, pdist, squareform

from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate, cluster_bootstrap, percentile_interval, share

QUANTILE = 0.1
MEASURES = ("pair_distance", "pair_distance_q10", "nearest_neighbour")
# Images of which all pairs are compared: half a million pairs.
MOST = 1000


def measures(
    images: ArrayLike,
    draw: np.random.Generator,
    *,
    reference: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    neighbours: int = 5,
    resamples: int = 200,
    most: int = MOST,
) -> dict[str, Estimate]:
    """Measure the diversity of images.

    Parameters
    ----------
    images : (n, ...) pixels in [0, 1]; distances are Euclidean over all pixels.
    draw : a keyed generator (`mistrust.random.generator`), for the bootstrap and the choice of images.
    reference : (r, ...) images that could have been drawn, for "coverage"; without them it is left out.
    clusters : (n,) what is drawn as one by the bootstrap, for instance each image's decoder; each image when not given.
    neighbours : k of "coverage".
    resamples : of the bootstrap; 0 leaves out its intervals (NaN), for means over decoders.
    most : where there are more images, this many are chosen evenly at random; n says how many were measured.

    Returns
    -------
    "pair_distance": mean distance of two images. "pair_distance_q10": its 10 % quantile. "nearest_neighbour": median
    distance to the nearest other image; its interval resamples images among unchanged neighbours, and it shrinks as n
    grows, so that only equal n compare. "coverage": share of the reference that has an image within the distance to
    its own k-th neighbour in the reference (Naeem et al., 2020), with the exact interval of a share.

    Raises
    ------
    MistrustError
        Fewer than two images, numbers that are not finite, images outside [0, 1], a reference of another size or of
        at most k images.
    """
    x = _flat("images", images)
    names = np.arange(len(x)) if clusters is None else np.asarray(clusters)
    if len(x) < 2 or names.shape != (len(x),):
        raise MistrustError(f"Diversity needs two images or more and one cluster each: {len(x)} and {names.shape}.")
    if most < 2:
        raise MistrustError(f"Diversity is of two images or more, and at most {most} are to be taken.")
    if len(x) > most:
        chosen = np.sort(draw.choice(len(x), most, replace=False))
        x, names = x[chosen], names[chosen]
    found = dict(zip(MEASURES, _estimates(np.asarray(pdist(x), np.float64), names, draw, resamples), strict=True))
    if reference is not None:
        found["coverage"] = coverage(x, reference, neighbours)
    return found


def coverage(images: ArrayLike, reference: ArrayLike, neighbours: int = 5) -> Estimate:
    """Estimate the share of reference images that have one of the images near; see `measures`."""
    x, y = _flat("images", images), _flat("reference", reference)
    if x.shape[1] != y.shape[1] or neighbours % 1 or not 1 <= neighbours < len(y):
        raise MistrustError(
            f"Coverage by the {neighbours} nearest, a whole number, needs more reference images than that, as large as "
            f"the images: {len(y)} of {y.shape[1]} pixels, the images have {x.shape[1]}."
        )
    radius = np.partition(squareform(pdist(y)), neighbours, axis=1)[:, neighbours]  # place 0 is the image itself
    near = cdist(y, x).min(axis=1) <= radius
    return share(int(near.sum()), len(y))


def _estimates(
    distances: NDArray[np.float64], clusters: NDArray[np.generic], draw: np.random.Generator, resamples: int
) -> list[Estimate]:
    n = len(clusters)
    square = squareform(distances)
    np.fill_diagonal(square, np.inf)
    nearest = square.min(axis=1)
    # Sorted once, so that a resample needs no more than sums of weights.
    order, ranks = np.argsort(distances), np.argsort(nearest)
    first, second = (side[order] for side in np.triu_indices(n, 1))
    sorted_pairs, sorted_nearest = distances[order], nearest[ranks]

    def statistics(weights: NDArray[np.float64]) -> list[float]:
        """Two copies of one image make no pair: their distance says nothing about other images."""
        pairs = weights[first] * weights[second]
        return [
            float(pairs @ sorted_pairs / pairs.sum()),
            _quantile(sorted_pairs, pairs, QUANTILE),
            _quantile(sorted_nearest, weights[ranks], 0.5),
        ]

    values = statistics(np.ones(n))
    if resamples == 0 or len(np.unique(clusters)) == 1:
        return [Estimate(value, float("nan"), float("nan"), n) for value in values]
    low, high = percentile_interval(cluster_bootstrap(clusters, statistics, resamples, draw))
    return [Estimate(value, float(a), float(b), n) for value, a, b in zip(values, low, high, strict=True)]


def _quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """Give the smallest of the sorted values up to which this share of the weights lies."""
    sums = np.cumsum(weights)
    return float(values[np.searchsorted(sums, share * sums[-1])])


def _flat(what: str, images: ArrayLike) -> NDArray[np.float64]:
    x = np.asarray(images, dtype=np.float64)
    if x.ndim < 2 or not (x.min(initial=0) >= 0 and x.max(initial=0) <= 1):  # NaN compares false
        raise MistrustError(f"Diversity: {what} have shape {x.shape}, expected (n, ...) with pixels in [0, 1], no NaN.")
    return x.reshape(len(x), -1)
