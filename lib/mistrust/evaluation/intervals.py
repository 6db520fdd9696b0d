"""Intervals: exact for a share, Student's t between models, bootstrap by base image for everything else."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Estimate:
    """A number, its 95 % interval (NaN where there is none), and how many observations it rests on."""

    value: float
    low: float
    high: float
    n: int


def share(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Estimate a share of n independent trials with its exact interval (Clopper and Pearson, 1934)."""
    if n < 1 or not 0 <= successes <= n:
        raise MistrustError(f"A share needs 0 <= successes <= n and n >= 1, got {successes} of {n}.")
    interval = stats.binomtest(int(successes), int(n)).proportion_ci(confidence, method="exact")
    return Estimate(successes / n, float(interval.low), float(interval.high), n)


def between_models(values: ArrayLike, *, scale: str = "identity", confidence: float = 0.95) -> Estimate:
    """Estimate the mean over models with Student's t interval.

    Parameters
    ----------
    values : (m,) one number a model.
    scale : "identity", or "logit" for shares: the mean and interval are taken on log(p / (1 - p)) of values kept
        within [1e-6, 1 - 1e-6], and given back as shares, so that the interval stays inside [0, 1].

    Returns
    -------
    The mean (for "logit" the plain mean of the shares, with the interval of the logit scale); one model has no
    interval.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) == 0:
        raise MistrustError(f"A mean over models needs at least one value, got shape {x.shape}.")
    if scale not in ("identity", "logit"):
        raise MistrustError(f"scale is '{scale}', expected 'identity' or 'logit'.")
    if len(x) == 1:
        return Estimate(float(x[0]), float("nan"), float("nan"), 1)
    if scale == "logit":
        kept = np.clip(x, 1e-6, 1 - 1e-6)
        low, high = _student(np.log(kept / (1 - kept)), confidence)
        return Estimate(float(x.mean()), float(1 / (1 + np.exp(-low))), float(1 / (1 + np.exp(-high))), len(x))
    low, high = _student(x, confidence)
    return Estimate(float(x.mean()), low, high, len(x))


def _student(x: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    half = float(stats.t.ppf((1 + confidence) / 2, len(x) - 1)) * float(x.std(ddof=1)) / float(np.sqrt(len(x)))
    return float(x.mean()) - half, float(x.mean()) + half


def percentile_interval(
    resampled: NDArray[np.float64], confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the central interval of resampled values (b, ...) along the first axis, NaN kept where all are NaN."""
    edges: Sequence[float] = ((1 - confidence) / 2, (1 + confidence) / 2)
    empty = np.isnan(resampled).all(axis=0)
    filled = np.where(empty, 0.0, resampled)
    low, high = np.nanquantile(filled, edges, axis=0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
