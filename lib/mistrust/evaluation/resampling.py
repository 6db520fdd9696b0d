"""The bootstrap by clusters: all inputs made from one image are drawn together (Davison and Hinkley, 1997, 3.8)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.given import clusters_of, times


def cluster_bootstrap(
    clusters: ArrayLike,
    statistics: Callable[[NDArray[np.float64]], ArrayLike],
    resamples: int,
    draw: np.random.Generator,
) -> NDArray[np.float64]:
    """Values of statistics on resampled inputs, one resample in memory at a time.

    Parameters
    ----------
    clusters : (n,) id of the image that each input was made from.
    statistics : from weights (n,), how often each input was drawn (a whole number), to any number of values. Two
        methods are compared by pairs where one call gives both, or their difference: they meet the same resample.
    resamples : how many.
    draw : a keyed generator (`mistrust.random.generator`).

    Returns
    -------
    (resamples, ...) values; `percentile_interval` gives their interval.

    Raises
    ------
    MistrustError
        No inputs; clusters that are no row of ids; fewer resamples than one, or no whole number of
        them; what is no function.

    Examples
    --------
    Images 0 and 1 in two versions each. A resample draws whole images, so that no mean of two can be but these:

    >>> from mistrust import random
    >>> values, image = np.array([0.0, 0.0, 1.0, 1.0]), [0, 0, 1, 1]
    >>> means = cluster_bootstrap(image, lambda w: w @ values / w.sum(), 200, random.generator(0, "example"))
    >>> np.unique(means)
    array([0. , 0.5, 1. ])
    """
    drawn = times(resamples)
    if not callable(statistics):
        raise MistrustError(f"statistics is {statistics!r}, expected a function of weights (n,).")
    row = clusters_of(clusters)
    if row.ndim != 1:
        raise MistrustError(f"Clusters have shape {row.shape}, expected (n,), one id for each input.")
    ids, position = np.unique(row, return_inverse=True)
    if len(ids) == 0:
        raise MistrustError("A bootstrap needs at least one input, got none.")
    chances = np.full(len(ids), 1 / len(ids))
    return np.array(
        [statistics(draw.multinomial(len(ids), chances).astype(np.float64)[position]) for _ in range(drawn)],
        dtype=np.float64,
    )
