"""Are the stated probabilities right? They are set against those of a judge: clean classifiers, or a known world.

Both are probabilities of the first of an image's two classes. A stated 0.6 is right where the judge's mean is 0.6, and
says something about single images where the judge's rises with it.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float, Float64, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from mistrust.ambiguity.performance import array, distributions
from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate, cluster_bootstrap, percentile_interval, share, spearman
from mistrust.inputs.limits import whole

# From here to 1 minus this an image is between the classes.
BETWEEN = 0.2
# What two sums that should be equal may differ by.
ROUNDING = 1e-9


def bins(stated: ArrayLike, judged: ArrayLike, count: int = 10) -> list[tuple[int, float, float, int]]:
    """Sort images by what is stated of them into bins of equal width, for a calibration curve.

    Parameters
    ----------
    stated, judged : (n,) in [0, 1], probabilities of the first class.
    count : bins of [0, 1]; each holds its lower end, the last one 1 as well.

    Returns
    -------
    For each bin that holds an image, in ascending order: its number from 1, the mean stated and judged probability of
    its images, and how many these are.

    Raises
    ------
    MistrustError
        No image, unequal lengths, numbers outside [0, 1], no bin.
    """
    p, q = _both(stated, judged)
    count = whole("count", count, 1)
    # Through ROUNDING, so that 0.29 falls into the 30th of 100 bins, although 0.29 * 100 is less than 29.
    place = np.minimum(np.floor(p * count + ROUNDING).astype(np.int64), count - 1)
    return [
        (int(b) + 1, float(p[place == b].mean()), float(q[place == b].mean()), int((place == b).sum()))
        for b in np.unique(place)
    ]


def agreement(
    stated: ArrayLike,
    judged: ArrayLike,
    draw: np.random.Generator,
    *,
    resamples: int = 200,
    clusters: ArrayLike | None = None,
) -> dict[str, Estimate]:
    """Measure how well what is stated agrees with what is judged.

    Parameters
    ----------
    stated, judged : (n,) in [0, 1], probabilities of the first class.
    draw : a keyed generator (`mistrust.random.generator`), for the bootstrap.
    resamples : of the bootstrap; 0 leaves out its intervals (NaN).
    clusters : (n,) what is drawn as one, for instance each image's decoder; each image when not given. A single
        cluster has no intervals.

    Returns
    -------
    - "absolute error": mean of |stated - judged|, in [0, 1].
    - "spearman": rank correlation; left out where one side is constant or there are fewer than three images.
    - "slope": of the least-squares line of judged on stated; 1 where the judge follows, 0 where it does not move, and
      left out where what is stated is constant.
    - "share between": share of images that the judge sees between the classes, from 0.2 to 0.8; its interval is exact
      where no clusters are given.

    Raises
    ------
    MistrustError
        As `bins`; clusters of another length.
    """
    p, q = _both(stated, judged)
    n = len(p)
    names = np.arange(n) if clusters is None else np.asarray(clusters)
    if names.shape != (n,):
        raise MistrustError(f"clusters have shape {names.shape}, expected ({n},): one per image.")
    statistics: dict[str, Callable[[NDArray[np.int64]], float]] = {
        "absolute error": lambda at: float(np.abs(p[at] - q[at]).mean()),
        "spearman": lambda at: spearman(p[at], q[at]),
        "slope": lambda at: _slope(p[at], q[at]),
        "share between": lambda at: float(between(q[at]).mean()),
    }
    values = {name: one(np.arange(n)) for name, one in statistics.items()}
    values = {name: value for name, value in values.items() if not np.isnan(value)}
    low = high = np.full(len(values), np.nan)
    if resamples > 0 and len(np.unique(names)) > 1:

        def resampled(weights: NDArray[np.float64]) -> list[float]:
            at = np.repeat(np.arange(n), weights.astype(np.int64))
            return [statistics[name](at) for name in values]

        low, high = percentile_interval(cluster_bootstrap(names, resampled, resamples, draw))
    found = {
        name: Estimate(value, float(a), float(b), n)
        for (name, value), a, b in zip(values.items(), low, high, strict=True)
    }
    if clusters is None:
        found["share between"] = share(int(between(q).sum()), n)
    return found


def between(p: ArrayLike) -> Bool[np.ndarray, " n"]:
    """Tell which images lie between the classes: p of the first class from 0.2 to 0.8, ends included."""
    return np.abs(np.asarray(p, dtype=np.float64) - 0.5) <= 0.5 - BETWEEN + ROUNDING


def on_pair(
    softmax: Float[Tensor, "n k"], pairs: Int[Tensor, "n 2"]
) -> tuple[Float64[np.ndarray, " n"], Float64[np.ndarray, " n"]]:
    """Read from probabilities of all classes what they say of each image's two.

    Parameters
    ----------
    softmax : (n, k) probabilities, rows sum to 1.
    pairs : (n, 2) positions of two different classes.

    Returns
    -------
    first : (n,) the first class's part of the two; 0.5 where both are exactly 0.
    share : (n,) what the two have together, in [0, 1].

    Raises
    ------
    MistrustError
        Rows that are no probabilities, unequal lengths, pairs of other than two different classes.
    """
    p, two = distributions("A judge's outputs", softmax), array(pairs)
    if p.ndim != 2 or two.shape != (len(p), 2) or two.dtype.kind not in "iu":
        raise MistrustError(
            f"A judge's outputs have shape {p.shape} and pairs {two.shape} ({two.dtype}): expected (n, k), and (n, 2) "
            "positions of classes."
        )
    if ((two < 0) | (two >= p.shape[1])).any() or (two[:, 0] == two[:, 1]).any():
        raise MistrustError(f"Every pair must be two different ones of the {p.shape[1]} classes, from 0.")
    held = np.take_along_axis(p, two.astype(np.int64), axis=1)
    together = held.sum(axis=1)
    first = np.divide(held[:, 0], together, out=np.full(len(p), 0.5), where=together > 0)
    return first, np.minimum(together, 1.0)


def _slope(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    around = p - p.mean()
    # A constant's own mean may differ from it by rounding.
    return float(around @ q / (around @ around)) if np.ptp(p) > 0 else float("nan")


def _both(stated: ArrayLike, judged: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p, q = (array(given).astype(np.float64) for given in (stated, judged))
    if p.ndim != 1 or p.shape != q.shape or len(p) == 0:
        raise MistrustError(
            f"Stated and judged probabilities have shapes {p.shape} and {q.shape}, expected (n,) of both and one image "
            "at least."
        )
    for what, one in (("Stated", p), ("Judged", q)):
        if not ((one >= -ROUNDING) & (one <= 1 + ROUNDING)).all():  # NaN compares false
            raise MistrustError(
                f"{what} probabilities lie between {one.min()} and {one.max()}, expected [0, 1] and no NaN: those of "
                "the first class."
            )
    return np.clip(p, 0, 1), np.clip(q, 0, 1)
