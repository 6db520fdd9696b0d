"""Noise of the sensor as CIFAR-10-C has it: normal, shot noise of many photons, and speckles.

Colour images need thousands of numbers each, and drawing them is most of the work. So a number here is one of 65,536
that are equally likely: of a normal one the quantiles in the middle of each part, up to 4.3 deviations.
"""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from scipy.special import ndtri
from torch import Tensor

from mistrust.inputs.corruptions.noise import photons_seen
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

_BINS = 2**12  # of the interval [0, 1) from which a chance is drawn


def gaussian_noise(images: Tensor, draws: Draws, *, sigma: float) -> Tensor:
    """Add normal noise of this standard deviation to every pixel of every channel, clipped."""
    noise = normal(draws, tuple(images.shape[1:])).to(images)
    return noise.mul_(within("gaussian_noise: sigma", sigma, 0)).add_(images).clamp_(0, 1)


def speckle_noise(images: Tensor, draws: Draws, *, sigma: float) -> Tensor:
    """Multiply every pixel of every channel by 1 + sigma z, z standard normal, clipped."""
    noise = normal(draws, tuple(images.shape[1:])).to(images)
    return noise.mul_(within("speckle_noise: sigma", sigma, 0)).add_(1).mul_(images).clamp_(0, 1)


def normal(draws: Draws, shape: tuple[int, ...]) -> Float[Tensor, "n ..."]:
    """Standard normal numbers (n, *shape), each one of 65,536 quantiles."""
    parts = draws.integers(-(2**15), 2**15, shape)
    return _normals().index_select(0, parts.flatten().int().add_(2**15)).view(parts.shape)


def chances(draws: Draws, shape: tuple[int, ...]) -> Float[Tensor, "n ..."]:
    """Numbers in (0, 1), (n, *shape), each the middle of one of 65,536 parts."""
    return draws.integers(-(2**15), 2**15, shape).float().add_(2**15 + 0.5).div_(2**16)


@lru_cache(maxsize=1)
def _normals() -> Float[Tensor, " parts"]:
    return torch.from_numpy(ndtri((np.arange(2**16) + 0.5) / 2**16).astype(np.float32))


def shot_noise(images: Tensor, draws: Draws, *, photons: float) -> Tensor:
    """Count photons, `photons` of them at white: Poisson(x photons) / photons, clipped."""
    most = whole("shot_noise: photons", photons, 1)
    return photons_seen(images, chances(draws, tuple(images.shape[1:])).to(images), most).div_(most)
