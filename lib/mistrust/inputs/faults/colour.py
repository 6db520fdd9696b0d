"""Brightness and saturation of colours, and the grey of them.

A colour's value is its largest channel, its saturation 1 - smallest / largest, its hue what remains: where the channels
lie between the two, which both corruptions leave alone. So no hue is computed: value scales all channels, and
saturation scales how far each lies below the value.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within

# What red, green and blue weigh in a grey (ITU-R BT.601, as OpenCV has them).
GREY = (0.299, 0.587, 0.114)


def brightness(images: Tensor, draws: Draws, *, shift: float) -> Tensor:
    """Add `shift` to the value of every colour, hue and saturation kept, clipped; black becomes grey."""
    added = within("brightness: shift", shift, -1, 1)
    value, tiny = images.amax(1, keepdim=True), torch.finfo(images.dtype).tiny
    bright = (value + added).clamp_(0, 1)
    return torch.where(value > 0, images * (bright / value.clamp_min(tiny)), bright).clamp_(0, 1)


def saturate(images: Tensor, draws: Draws, *, factor: float, shift: float) -> Tensor:
    """Make the saturation s of every colour clip(s factor + shift), hue and value kept; what was grey is a red then.

    Raises
    ------
    MistrustError
        Images that have not three channels, red, green and blue.
    """
    stretch, added = within("saturate: factor", factor, 0), within("saturate: shift", shift, 0, 1)
    if images.shape[1] != 3:
        raise MistrustError(
            f"saturate: images have {images.shape[1]} channels, expected 3: without colours there is nothing to "
            "saturate. Leave this one out: FAULTS[name].colour tells."
        )
    value, low = images.amax(1, keepdim=True), images.amin(1, keepdim=True)
    depth, tiny = value - low, torch.finfo(images.dtype).tiny
    old = depth / value.clamp_min(tiny)
    wanted = (old * stretch).add_(added).clamp_(0, 1) * value
    red = torch.tensor((0.0, 1.0, 1.0), dtype=images.dtype, device=images.device).view(1, 3, 1, 1)
    below = torch.where(depth > 0, (value - images) / depth.clamp_min(tiny), red)  # 0 for the largest, 1 the smallest
    return (value - wanted * below).clamp_(0, 1)


def grey(images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 1 h w"]:
    """The grey of three channels as OpenCV weighs them; of any other number their mean."""
    if images.shape[1] != 3:
        return images.mean(1, keepdim=True)
    return torch.einsum("nchw,c->nhw", images, torch.tensor(GREY).to(images))[:, None]


def paint(colour: tuple[float, float, float], channels: int) -> Float[Tensor, "1 c 1 1"]:
    """A colour given in 0 to 255 as (1, channels, 1, 1) in [0, 1]; its grey where there are not three channels."""
    red_green_blue = torch.tensor(colour, dtype=torch.float64).view(1, 3, 1, 1) / 255
    return red_green_blue if channels == 3 else grey(red_green_blue).expand(1, channels, 1, 1)
