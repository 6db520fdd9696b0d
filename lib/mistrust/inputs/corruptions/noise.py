"""Shot and impulse noise: photons counted, and pixels lost to black or white."""

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

_TOGETHER = 2**16  # pixels at a time, so that memory stays bounded


def shot_noise(images: Tensor, draws: Draws, *, photons: float) -> Tensor:
    """Count photons, `photons` of them at white: Poisson(x photons) / photons, clipped."""
    most = whole("shot_noise: photons", photons, 1)
    return counted(images, draws.uniform(tuple(images.shape[1:])).to(images), most).div_(most)


def counted(images: Float[Tensor, "*shape"], chance: Float[Tensor, "*shape"], most: int) -> Float[Tensor, "*shape"]:
    """Quantiles of Poisson(x most) at the chances in [0, 1), up to `most`; more photons are seen as white anyway.

    The smallest k with P(count <= k) > chance, found by summing probabilities in float64; black pixels count nothing
    and are left out, most of a picture of a digit.
    """
    counts, flat, sought = torch.zeros_like(images), images.reshape(-1), chance.reshape(-1)
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
    return images.masked_fill(chance < edge - 2**15, 0).masked_fill_(chance > 2**15 - 1 - edge, white)
