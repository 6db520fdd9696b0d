"""Perturbations that change each pixel by itself: brightness and contrast.

The paper writes its formulas for images x in [-1, 1]; ours lie in [0, 1] and are (x + 1) / 2, so that a step of the
paper is half a step here and its zero is our 0.5.
"""

import torch
from torch import Tensor

from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within


def brightness(images: Tensor, draws: Draws, *, shift: float) -> Tensor:
    """Add `shift` to every pixel, clipped; the paper's b on images in [-1, 1] is twice this shift."""
    return (images + within("brightness: shift", shift, -1, 1)).clamp_(0, 1)


def contrast(images: Tensor, draws: Draws, *, factor: float) -> Tensor:
    """Stretch every image about its mean by `factor` and put the mean at mid-grey, clipped.

    The paper's clip((x - mean) (1 + c)) with factor = 1 + c: the mean is not added back, so that factor 1 is no
    identity. The mean is over all pixels and channels of an image.
    """
    stretch = within("contrast: factor", factor, 0)
    # Summed in float64, a mean rounds to the same float32 whatever the batch and the order of the sum.
    mean = images.mean((1, 2, 3), keepdim=True, dtype=torch.float64).to(images.dtype)
    return (images - mean).mul_(stretch).add_(0.5).clamp_(0, 1)


def flattened(images: Tensor, draws: Draws, *, inverse: float) -> Tensor:
    """Contrast by the inverse of its factor, which grows with the harm: 1 / (1 + c)."""
    return contrast(images, draws, factor=1 / within("contrast: inverse", inverse, 1e-3))
