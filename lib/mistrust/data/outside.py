"""What is wrong with pixels that are no values in [0, 1] or no bytes, and the way out: for messages alone."""

import torch
from torch import Tensor

# By how much resizing, and rounding, takes pixels out of [0, 1] at most; a mean that was taken off does so by more.
OVERSHOOT = 0.25


def outside(images: Tensor) -> str:
    """Say how float images (n, ...) leave [0, 1], with a way out where one is plain.

    Examples
    --------
    >>> outside(torch.tensor([[0.0, 1.0], [torch.nan, 0.5]]))
    'NaN or infinite in 1 of 2 images, first in image 1: look at how it was made.'
    >>> outside(torch.tensor([[0.0, 1.0000005]]))
    '4.77e-07 above 1: images.clamp(0, 1) takes off what resizing and rounding leave.'
    >>> outside(torch.tensor([[0.0, 255.0]]))
    'Divide by 255?'
    """
    if told := slip(images):
        return told
    if float(images.min()) < 0:
        return "Were a mean and a deviation taken off? A classifier does that itself: wrap(..., mean=, std=)."
    return "Divide by 255?"


def slip(images: Tensor) -> str:
    """Say which images hold NaN, or by how little images leave [0, 1]; "" where they are of another scale.

    Examples
    --------
    >>> slip(torch.tensor([[-0.01, 1.25]]))
    '0.01 below 0 and 0.25 above 1: images.clamp(0, 1) takes off what resizing and rounding leave.'
    """
    broken = (~images.isfinite()).flatten(1).any(1)
    if bool(broken.any()):
        return (
            f"NaN or infinite in {int(broken.sum())} of {len(images)} images, first in image "
            f"{int(broken.nonzero()[0])}: look at how it was made."
        )
    low, high = (float(end) for end in images.double().aminmax())
    if low < -OVERSHOOT or high > 1 + OVERSHOOT:
        return ""
    off = [f"{-low:.3g} below 0"] * (low < 0) + [f"{high - 1:.3g} above 1"] * (high > 1)
    return f"{' and '.join(off)}: images.clamp(0, 1) takes off what resizing and rounding leave."


def as_pixels(images: Tensor) -> str:
    """Say what makes images of bytes, or of float32, of a tensor of another type.

    Examples
    --------
    >>> as_pixels(torch.tensor([[True]])), as_pixels(torch.tensor([[0, 255]])), as_pixels(torch.tensor([[0, 1]]))
    ('images.float()', 'images.to(torch.uint8)', 'images.float(), if 1 is white')
    >>> as_pixels(torch.tensor([[0, 65535]]))
    'images.float() / 65535'
    """
    if images.dtype == torch.bool:
        return "images.float()"
    if images.is_floating_point():
        most = float(images.detach().nan_to_num().max()) if images.numel() else 0.0
        return "images.to(torch.float32)" + " / 255" * (1 + OVERSHOOT < most <= 255)
    if images.is_complex():
        return "images.abs().to(torch.float32)"
    low, high = (int(end) for end in images.to(torch.int64).aminmax()) if images.numel() else (0, 255)
    if low < 0:
        return f"values from 0 on, where these reach from {low} to {high}"
    if high <= 1:
        return "images.float(), if 1 is white"
    return "images.to(torch.uint8)" if high <= 255 else f"images.float() / {65535 if high <= 65535 else high}"
