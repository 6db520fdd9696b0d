"""Perturbations that the paper names for the weather: fog, frost and snow.

There is no texture in them: fog is a radial glow, frost patchy noise, snow clusters of white pixels. Their draws are
one per pixel, shared by the channels.
"""

from functools import lru_cache
from math import erf, sqrt

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.inputs import filters
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

_STEP = 0.5  # one step of the paper's scale of [-1, 1]
_ICY = 0.5 * (1 + erf(0.1 / sqrt(2)))  # the chance that a standard normal number lies below 0.1


def fog(images: Tensor, draws: Draws, *, density: float) -> Tensor:
    """Blend with a noisy glow about the middle of the image: (1 - l) x + l m on the paper's scale.

    The glow m = clamp(exp(-d^2 / l^2) + 0.1 z, 0, 1) has its middle at half the height and width and is as wide as
    the density l; d is the distance from there in half sides. On [-1, 1] a glow of 0 is mid-grey. Density 0 is the
    identity (by definition: the formula has no value there).
    """
    share = within("fog: density", density, 0, 1)
    if share == 0:
        return images
    height, width = images.shape[2:]
    glow = draws.normal((1, height, width)).to(images)
    glow = glow.mul_(0.1).add_(_glow(share, height, width).to(images)).clamp_(0, 1)
    veil = glow.add_(1).mul_(share * _STEP)
    return torch.add(veil, images, alpha=1 - share).clamp_(0, 1)


@lru_cache(maxsize=256)
def _glow(width_: float, height: int, width: int) -> Float[Tensor, "h w"]:
    """Give exp(-d^2 / width_^2), d in half sides from the pixel (height/2, width/2)."""
    v = (np.arange(height)[:, None] - height / 2) / (height / 2)
    u = (np.arange(width)[None, :] - width / 2) / (width / 2)
    return torch.from_numpy(np.exp(-(u**2 + v**2) / width_**2).astype(np.float32))


def frost(images: Tensor, draws: Draws, *, strength: float) -> Tensor:
    """Add normal noise, 0.1 `strength` on the paper's scale, in patches; clipped.

    The patches are where m < 0: m is +1 where a normal number is at least 0.1 and -1 elsewhere, plus 0.1 z2, clipped
    to [-1, 1] and smoothed by 5 x 5 normal weights of sigma 1. Strength 0 is the identity.
    """
    force = within("frost: strength", strength, 0)
    if force == 0:
        return images
    shape = (1, *images.shape[2:])
    # One uniform number says whether a normal one is at least 0.1, at a third of the price.
    sign = (draws.uniform(shape, "patches") >= _ICY).to(images).mul_(2).sub_(1)
    mask = draws.normal(shape, "texture").to(images).mul_(0.1).add_(sign).clamp_(-1, 1)
    vertical, horizontal = (filters.gaussian(5, 1.0, size) for size in images.shape[2:])
    icy = filters.filtered(mask, vertical, horizontal) < 0
    noise = draws.normal(shape, "noise").to(images).mul_(icy)
    return torch.add(images, noise, alpha=0.1 * _STEP * force).clamp_(0, 1)


def snow(images: Tensor, draws: Draws, *, share: float, size: float, step: float = _STEP) -> Tensor:
    """Add `step` at pixels that are set, and whose size x size neighbours are all set; clipped.

    Every pixel is set with the chance `share`; at the border the picture is mirrored. Share 0 is the identity.
    """
    chance, k = within("snow: share", share, 0, 1), whole("snow: size", size, 1)
    if chance == 0:
        return images
    set_ = (draws.uniform((1, *images.shape[2:])) < chance).to(images)
    # Means of ones and zeros: a window is full where its mean is above 1 - 1/(2 k^2).
    vertical, horizontal = (filters.box(k, extent) for extent in images.shape[2:])
    full = filters.filtered(set_, vertical, horizontal) > 1 - 0.5 / k**2
    return full.to(images).mul_(within("snow: step", step, 0, 1)).add(images).clamp_(0, 1)


def snowfall(images: Tensor, draws: Draws, *, amount: float, most: float, size: float) -> Tensor:
    """Snow that anything gives way to: `amount` is the share of set pixels up to `most`; what is above goes into the
    step. With all pixels set the paper's snow would be mere brightness, which many networks stand.
    """
    total = within("snow: amount", amount, 0, most + 1 - _STEP)
    return snow(images, draws, share=min(total, most), size=size, step=_STEP + max(total - most, 0))
