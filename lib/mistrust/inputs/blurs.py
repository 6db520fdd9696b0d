"""Perturbations by linear filters: defocus, motion and zoom blur, pixelation."""

import torch
from torch import Tensor

from mistrust.inputs import filters
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

# Below this range an image of means is constant, and what differs in it is rounding. One grey level of one pixel in
# a cell of 32 x 32 still is 4e-6.
_CONSTANT = 1e-6


def defocus_blur(images: Tensor, draws: Draws, *, size: float, amount: float) -> Tensor:
    """Blend with the mean of size x size pixels: clip(amount * blurred + (1 - amount) * image).

    An amount above 1 extrapolates, as two of the paper's levels do; amount 0 and size 1 are identities.
    """
    k, a = whole("defocus_blur: size", size, 1), within("defocus_blur: amount", amount, 0)
    if k == 1 or a == 0:
        return images
    blurred = filters.filtered(images, filters.box(k, images.shape[2]), filters.box(k, images.shape[3]))
    return images.lerp(blurred, a).clamp_(0, 1)


def centred_blur(images: Tensor, draws: Draws, *, length: float) -> Tensor:
    """Mean over a centred square window of real side `length`; 1 is the identity."""
    side = within("defocus_blur: length", length, 1)
    if side == 1:
        return images
    vertical, horizontal = (filters.centred(side, size) for size in images.shape[2:])
    return filters.filtered(images, vertical, horizontal).clamp_(0, 1)


def motion_blur(images: Tensor, draws: Draws, *, size: float) -> Tensor:
    """Mean of `size` pixels above and below; for an even size the picture also moves right by a pixel, as the
    paper's kernel has it (column (k - 1) // 2 under an anchor of k // 2). Size 1 is the identity.
    """
    k = whole("motion_blur: size", size, 1)
    if k == 1:
        return images
    horizontal = filters.moved(k // 2 - (k - 1) // 2, images.shape[3])
    return filters.filtered(images, filters.box(k, images.shape[2]), horizontal).clamp_(0, 1)


def centred_motion(images: Tensor, draws: Draws, *, length: float) -> Tensor:
    """Mean over a centred vertical window of real `length`; 1 is the identity."""
    reach = within("motion_blur: length", length, 1)
    if reach == 1:
        return images
    return torch.matmul(filters.centred(reach, images.shape[2]).to(images), images).clamp_(0, 1)


def pixelation(images: Tensor, draws: Draws, *, factor: float) -> Tensor:
    """Resize each side to int(side // factor) pixels and back, then stretch every image to the whole of [0, 1].

    Means over areas on the way down, the nearest pixel on the way back; a factor below 1 enlarges first. Factor 1
    still stretches. A constant image, which cannot be stretched, stays as it is; what becomes constant stays at its
    mean.
    """
    by = within("pixelation: factor", factor, 1e-3)
    vertical, horizontal = (filters.pixels(max(int(size // by), 1), size) for size in images.shape[2:])
    coarse = filters.filtered(images, vertical, horizontal)
    low, high = coarse.amin((1, 2, 3), keepdim=True), coarse.amax((1, 2, 3), keepdim=True)
    flat = high - low <= _CONSTANT
    if not flat.any():
        return coarse.sub_(low).div_(high - low).clamp_(0, 1)
    constant = images.amin((1, 2, 3), keepdim=True) == images.amax((1, 2, 3), keepdim=True)
    stretched = ((coarse - low) / (high - low).masked_fill(flat, 1)).clamp_(0, 1)
    return torch.where(constant, images, torch.where(flat, coarse.clamp_(0, 1), stretched))


def pixelation_share(images: Tensor, draws: Draws, *, share: float, factor: float) -> Tensor:
    """Blend with the pixelated image, which counts by `share`: 0 is the identity, 1 all of it."""
    return images.lerp(pixelation(images, draws, factor=factor), within("pixelation: share", share, 0, 1))


def zoom_blur(images: Tensor, draws: Draws, *, size: float) -> Tensor:
    """Mean of size x size pixels with weights that fall from row to row, (h/2 - row); not a zoom, whatever its name.

    At 28 pixels these are the paper's weights (14 - row), nearly a box. Size 1 is the identity.
    """
    k = whole("zoom_blur: size", size, 1)
    if k == 1:
        return images
    return filters.filtered(images, filters.ramp(k, images.shape[2]), filters.box(k, images.shape[3])).clamp_(0, 1)


def zoom_blur_share(images: Tensor, draws: Draws, *, share: float, size: float) -> Tensor:
    """Blend with the blurred image, which counts by `share`: 0 is the identity, 1 all of it."""
    return images.lerp(zoom_blur(images, draws, size=size), within("zoom_blur: share", share, 0, 1))
