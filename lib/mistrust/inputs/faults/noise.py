"""Noise of the sensor as CIFAR-10-C has it: normal, shot noise of many photons, and speckles.

Colour images need thousands of numbers each, and drawing them is most of the work. So a number here is one of 65,536
that are equally likely: of a normal one the quantiles in the middle of each part, up to 4.3 deviations.
"""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Float64, Int16, UInt8
from scipy.special import ndtri, pdtr
from torch import Tensor

from mistrust.inputs.corruptions.noise import counted
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
    """Count photons, `photons` of them at white: Poisson(x photons) / photons, clipped.

    The same counts as `corruptions.noise.counted` gives. That sums probabilities for each pixel, which
    is slow for hundreds of photons; pictures made of whole grey levels are looked up in a table here.
    """
    most = whole("shot_noise: photons", photons, 1, 2**15 - 1)
    chance = chances(draws, tuple(images.shape[1:])).to(images)
    levels = (images * 255).round_()
    if not torch.equal(levels / 255, images):
        return counted(images, chance, most).div_(most)
    return _looked_up(levels.to(torch.uint8), chance, most).to(images).div_(most)


def _looked_up(levels: UInt8[Tensor, "*shape"], chance: Float[Tensor, "*shape"], most: int) -> Int16[Tensor, "*shape"]:
    """Quantiles of Poisson(level / 255 most), at most `most`: by the bin of the chance, exactly where it is mixed."""
    table, below = (one.to(levels.device) for one in _quantiles(most))
    level, sought = levels.flatten().int(), chance.flatten()
    counts = table.index_select(0, level * _BINS + (sought * _BINS).int())
    open_ = (counts < 0).nonzero()[:, 0]
    count = counts[open_] = -1 - counts[open_]
    rows, wanted = level[open_].long(), sought[open_].double()
    while len(open_):
        more = ((count < most) & (below[rows, count.clamp_max(most - 1).long()] <= wanted)).nonzero()[:, 0]
        open_, rows, wanted = open_[more], rows[more], wanted[more]
        count = counts[open_] = count[more] + 1
    return counts.view(levels.shape)


@lru_cache(maxsize=8)
def _quantiles(most: int) -> tuple[Int16[Tensor, " entries"], Float64[Tensor, "256 most"]]:
    """The quantile of each level at the lower end of each bin, -1 - it where the bin holds more; and P(count <= k)."""
    rates = torch.arange(256).float().div_(255).double().mul_(most).numpy()
    below = pdtr(np.arange(most)[None, :], rates[:, None])
    ends = np.arange(_BINS + 1) / _BINS
    ends[0] = 0.5 / 2**16  # the least chance there is: from 0 on, the search would be long
    first = np.stack([np.searchsorted(row, ends[:-1], side="right") for row in below])
    last = np.stack([np.searchsorted(row, ends[1:], side="left") for row in below])
    table = np.where(first == last, first, -1 - first).astype(np.int16).ravel()
    return torch.from_numpy(table), torch.from_numpy(below)
