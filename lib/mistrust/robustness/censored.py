"""What is said of breaking standard deviations when some images never broke: four numbers, none of which hides them.

Above the cap nothing was tried: such a value is known to be larger, no more (right-censored). The plain mean of those
that broke, which is all that the paper gives, leaves the most robust images out.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from statsmodels.duration.survfunc import SurvfuncRight
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate, cluster_bootstrap, percentile_interval


@dataclass(frozen=True)
class Censored:
    """Four summaries with 95 % intervals, resampled by image: seeds of one image are no independent observations.

    Attributes
    ----------
    median : Kaplan and Meier's: the smallest sigma that at most half survive; infinity where more survive them all.
    capped_mean : mean with the cap in place of what is larger: a lower bound of the mean.
    mean_of_broken : plain mean of those that broke; NaN where none did.
    unbroken : share of those that did not. Where it is 0 or 1, so are both ends of its interval.
    images : how many images; each estimate's n counts pairs of image and seed.
    """

    median: Estimate
    capped_mean: Estimate
    mean_of_broken: Estimate
    unbroken: Estimate
    images: int


@dataclass(frozen=True, eq=False)
class Survival:
    """Kaplan and Meier's estimate of the share of labels that survive noise.

    Attributes
    ----------
    sigma : (t,) ascending, where a label changed.
    surviving : (t,) share that survives this sigma; before the first it is 1.
    """

    sigma: NDArray[np.float64]
    surviving: NDArray[np.float64]


def censored(
    sigma: Float[Tensor, "m s"],
    broken: Bool[Tensor, "m s"],
    ids: Int[Tensor, " m"],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Censored:
    """Summarise breaking standard deviations of m images under s seeds.

    Parameters
    ----------
    sigma : where it broke, or up to where it was tried and did not.
    broken : which of the two.
    ids : of the images.
    resamples, seed : of the bootstrap by image.

    Raises
    ------
    MistrustError
        Other shapes, no image, fewer resamples than one, a sigma that is negative or not finite.
    """
    values, held = _arrays(sigma, broken)
    if tuple(ids.shape) != (len(sigma),):
        raise MistrustError(f"ids have shape {tuple(ids.shape)}, expected ({len(sigma)},): one for each row of sigma.")
    clusters = ids.cpu().numpy().repeat(sigma.shape[1])

    def statistics(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        total, fallen = weights.sum(), (weights * held).sum()
        mean = (weights * held * values).sum() / fallen if fallen else np.nan
        return np.array([_median(values, held, weights), weights @ values / total, mean, 1 - fallen / total])

    draw = random.generator(seed, "bootstrap/censored")
    resampled = cluster_bootstrap(clusters, statistics, resamples, draw)
    low, high = percentile_interval(resampled[:, 1:])
    # Order statistics: medians may be infinite, and nothing lies between a number and infinity.
    edges = np.quantile(resampled[:, 0], (0.025, 0.975), method="inverted_cdf")
    counts = [len(values), len(values), int(held.sum()), len(values)]
    ends = zip([edges[0], *low], [edges[1], *high], strict=True)
    every = zip(statistics(np.ones(len(values))), ends, counts, strict=True)
    estimates = [Estimate(float(value), float(a), float(b), n) for value, (a, b), n in every]
    return Censored(*estimates, images=len(np.unique(clusters)))


def survival(sigma: Float[Tensor, "m s"], broken: Bool[Tensor, "m s"]) -> Survival:
    """Give Kaplan and Meier's curve of breaking standard deviations; parameters and errors as for `censored`."""
    values, held = _arrays(sigma, broken)
    curve = SurvfuncRight(values, held.astype(np.float64))
    return Survival(np.asarray(curve.surv_times), np.asarray(curve.surv_prob))


def _median(values: NDArray[np.float64], held: NDArray[np.bool_], weights: NDArray[np.float64]) -> float:
    curve = SurvfuncRight(values, held.astype(np.float64), freq_weights=weights)
    # Not its own quantile(), which asks for less than half, and so hangs on the last bit where it is just half.
    below = np.flatnonzero(curve.surv_prob <= 0.5 + 1e-9)
    return float(curve.surv_times[below[0]]) if len(below) else np.inf


def _arrays(sigma: Tensor, broken: Tensor) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if sigma.ndim != 2 or sigma.shape != broken.shape or broken.dtype != torch.bool or not sigma.numel():
        raise MistrustError(
            f"sigma has shape {tuple(sigma.shape)} and broken {tuple(broken.shape)} of {broken.dtype}, expected one "
            "shape (images, seeds), with at least one image, and booleans."
        )
    values = sigma.detach().cpu().double().numpy().ravel()
    if not bool(np.isfinite(values).all()) or values.min() < 0:
        raise MistrustError(
            "sigma holds negative, infinite or NaN values, expected grey levels: where a label never changed, the "
            "last sigma that was tried, and broken False."
        )
    return values, broken.cpu().numpy().ravel()
