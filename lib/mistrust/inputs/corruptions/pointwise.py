"""Corruptions of single pixels and of their order: contrast, saturation, inversion, stripes, flips and turns.

Those that change no grey level but to its inverse take uint8 images as well, and give uint8.
"""

from colorsys import hsv_to_rgb

import torch
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within

# What red, green and blue weigh when a colour is turned to grey (ITU-R BT.709, as scikit-image has them).
_GREY = (0.2125, 0.7154, 0.0721)


def contrast(images: Tensor, draws: Draws, *, factor: float) -> Tensor:
    """Bring every pixel nearer to the mean of its picture's channel: (x - mean) factor + mean, clipped."""
    kept = within("contrast: factor", factor, 0)
    # Summed in float64, a mean rounds to the same float32 whatever the batch and the order of the sum.
    mean = images.mean((2, 3), keepdim=True, dtype=torch.float64).to(images.dtype)
    return (images - mean).mul_(kept).add_(mean).clamp_(0, 1)


def saturate(images: Tensor, draws: Draws, *, factor: float, shift: float) -> Tensor:
    """Stretch hue, saturation and value alike, clip(x factor + shift), and turn the colour to grey again.

    Grey has neither hue nor saturation, so these become clip(shift): a tint that is the same for all pixels, and that
    is lost with the colour but for its brightness. At the strongest level what is left is .97708 clip(20 x + .2).
    """
    stretch, added = within("saturate: factor", factor, 0), within("saturate: shift", shift, 0, 1)
    tint = sum(part * weight for part, weight in zip(hsv_to_rgb(added, added, 1.0), _GREY, strict=True))
    return (images * stretch).add_(added).clamp_(0, 1).mul_(tint)


def inverse(images: Tensor, draws: Draws) -> Tensor:
    """White for black: 1 - x."""
    return images.bitwise_not() if images.dtype == torch.uint8 else 1 - images


def stripe(images: Tensor, draws: Draws) -> Tensor:
    """Invert the left and the right quarter of the picture: at 28 pixels the columns 0 to 6 and 21 to 27."""
    quarter, made = images.shape[3] // 4, images.clone()
    for side in (slice(0, quarter), slice(images.shape[3] - quarter, None)):
        made[..., side] = inverse(images[..., side], draws)
    return made


def flip_left_right(images: Tensor, draws: Draws) -> Tensor:
    """Mirror left and right."""
    return images.flip(3)


def flip_up_down(images: Tensor, draws: Draws) -> Tensor:
    """Mirror up and down."""
    return images.flip(2)


def turn_right(images: Tensor, draws: Draws) -> Tensor:
    """Turn the picture by a quarter, clockwise; it must be square."""
    return torch.rot90(_square("turn_right", images), -1, (2, 3))


def turn_left(images: Tensor, draws: Draws) -> Tensor:
    """Turn the picture by a quarter, counter-clockwise; it must be square."""
    return torch.rot90(_square("turn_left", images), 1, (2, 3))


def _square(what: str, images: Tensor) -> Tensor:
    height, width = images.shape[2:]
    if height != width:
        raise MistrustError(
            f"{what}: images are {height}x{width}, expected as high as wide: turned by a quarter they would change "
            "their shape. Crop or pad them first."
        )
    return images
