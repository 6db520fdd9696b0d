"""Shot and impulse noise: photons counted, and pixels lost to black or white."""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Float32, Float64, Int16, UInt8
from scipy.special import pdtr
from torch import Tensor

from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

_TOGETHER = 2**16  # pixels at a time, so that memory stays bounded
_BINS = 2**12  # of the interval [0, 1) from which a chance is drawn
_MOST = 2**15 - 1  # photons that a table of int16 holds
_LEAST = 2.0**-25  # below every chance but 0: draws are whole multiples of 2^-24


def shot_noise(images: Tensor, draws: Draws, *, photons: float) -> Tensor:
    """Count photons, `photons` of them at white: Poisson(x photons) / photons, clipped."""
    most = whole("shot_noise: photons", photons, 1)
    return photons_seen(images, draws.uniform(tuple(images.shape[1:])).to(images), most).div_(most)


def photons_seen(
    images: Float[Tensor, "*shape"], chance: Float[Tensor, "*shape"], most: int
) -> Float[Tensor, "*shape"]:
    """Quantiles of Poisson(x most) at the chances in [0, 1), up to `most`; more photons are seen as white anyway.

    Pictures made of whole grey levels are looked up in a table; others are `counted`, pixel by pixel: the same numbers.
    """
    levels = (images * 255).round_()
    if most > _MOST or not torch.equal(levels / 255, images):
        return counted(images, chance, most)
    return _looked_up(levels.to(torch.uint8), chance, most).to(images)


def counted(images: Float[Tensor, "*shape"], chance: Float[Tensor, "*shape"], most: int) -> Float[Tensor, "*shape"]:
    """`photons_seen` by summing probabilities, which is slow for many photons.

    The smallest k with P(count <= k) > chance, found by summing probabilities in float64; black pixels count nothing
    and are left out, most of a picture of a digit.
    """
    counts = torch.zeros_like(images, memory_format=torch.contiguous_format)
    flat, sought = images.reshape(-1), chance.reshape(-1)
    for lit in flat.nonzero()[:, 0].split(_TOGETHER):
        rate, rest = flat.index_select(0, lit).double().mul_(most), sought.index_select(0, lit).double()
        term = torch.exp(-rate)  # P(count = k), first for k = 0
        found, more = torch.zeros_like(rate), torch.empty_like(rate)
        for k in range(1, most + 1):
            rest -= term
            found += torch.ge(rest, 0, out=more)
            term.mul_(rate).div_(k)
        counts.view(-1)[lit] = found.to(counts.dtype)
    return counts


def impulse_noise(images: Tensor, draws: Draws, *, share: float) -> Tensor:
    """Make every pixel of every channel black or white, each with the chance share / 2; uint8 stays uint8."""
    half = within("impulse_noise: share", share, 0, 1) / 2
    chance = draws.integers(-(2**15), 2**15, tuple(images.shape[1:])).to(images.device)
    edge, white = round(half * 2**16), 255 if images.dtype == torch.uint8 else 1
    seen, lost = chance >= edge - 2**15, chance > 2**15 - 1 - edge
    # Filling by masks takes twice as long.
    return torch.maximum(images * seen.to(images.dtype), lost.to(images.dtype).mul_(white))


def _looked_up(levels: UInt8[Tensor, "*shape"], chance: Float[Tensor, "*shape"], most: int) -> Int16[Tensor, "*shape"]:
    """Quantiles of Poisson(level / 255 most), at most `most`: by the bin of the chance, and exactly within it."""
    table, edges, below = (one.to(levels.device) for one in _quantiles(most))
    level, sought = levels.flatten().int(), chance.flatten()
    places = (sought * _BINS).int().add_(level, alpha=_BINS)
    counts = table.index_select(0, places).add_(sought >= edges.index_select(0, places))
    counts.masked_fill_(sought < _LEAST, 0)  # a chance of 0
    open_ = (counts < 0).nonzero()[:, 0]
    count = counts[open_] = -1 - counts[open_]
    rows, wanted = level[open_].long(), sought[open_].double()
    while len(open_):
        more = ((count < most) & (below[rows, count.clamp_max(most - 1).long()] <= wanted)).nonzero()[:, 0]
        open_, rows, wanted = open_[more], rows[more], wanted[more]
        count = counts[open_] = count[more] + 1
    return counts.view(levels.shape)


@lru_cache(maxsize=8)
def _quantiles(
    most: int,
) -> tuple[Int16[Tensor, " entries"], Float32[Tensor, " entries"], Float64[Tensor, "256 most"]]:
    """The quantile of each level at the lower end of each bin, -1 - it where the bin holds more than two; from which
    chance on a bin of two has the second, else infinity; and P(count <= k).
    """
    rates = torch.arange(256).float().div_(255).double().mul_(most).numpy()
    below = pdtr(np.arange(most)[None, :], rates[:, None])
    ends = np.arange(_BINS + 1) / _BINS
    ends[0] = _LEAST  # from 0 on, the search would be long
    first = np.stack([np.searchsorted(row, ends[:-1], side="right") for row in below])
    last = np.stack([np.searchsorted(row, ends[1:], side="left") for row in below])
    table = np.where(last - first < 2, first, -1 - first).astype(np.int16).ravel()
    step = np.take_along_axis(below, first.clip(max=most - 1), 1)
    single = step.astype(np.float32)
    single = np.where(single < step, np.nextafter(single, np.float32(np.inf)), single)  # the least that is not below
    edges = np.where(last - first == 1, single, np.float32(np.inf)).ravel()
    return torch.from_numpy(table), torch.from_numpy(edges), torch.from_numpy(below)
