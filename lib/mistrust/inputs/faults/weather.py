"""Snow and fog as CIFAR-10-C makes them."""

import torch
from torch import Tensor

from mistrust.inputs import filters
from mistrust.inputs.corruptions.blurs import smeared
from mistrust.inputs.corruptions.weather import fogged, plasma
from mistrust.inputs.draws import Draws
from mistrust.inputs.faults.blurs import zoomed
from mistrust.inputs.faults.colour import grey
from mistrust.inputs.limits import whole, within


def snow(
    images: Tensor,
    draws: Draws,
    *,
    mean: float,
    deviation: float,
    zoom: float,
    threshold: float,
    radius: float,
    sigma: float,
    keep: float,
    scale: float,
) -> Tensor:
    """Lay falling flakes over the picture, and make it paler.

    Flakes are normal noise of this mean and deviation, shown `zoom` times as large, black below the threshold, stored
    as grey levels, and blurred along a line that falls at 45 to 135 degrees (`smeared`; the published code calls
    ImageMagick). They are added twice, once turned upside down. Of the picture `keep` stays, the rest becomes as
    white as its grey tells: max(x, 1.5 grey + 0.5).

    `scale` is 1. As published by the benchmark it is 255: its code took the division of the picture by 255 away, as
    was right, and that of the flakes as well, so that any flake is white.
    """
    about, spread = within("snow: mean", mean, -10, 10), within("snow: deviation", deviation, 1e-3)
    larger, cut = within("snow: zoom", zoom, 1, 16), within("snow: threshold", threshold, 0, 1)
    far, blur = whole("snow: radius", radius, 0), within("snow: sigma", sigma, 1e-3)
    kept, strength = within("snow: keep", keep, 0, 1), within("snow: scale", scale, 0, 255)
    height, width = images.shape[2:]
    # In float64, since a rounding would decide about grey levels.
    noise = draws.normal((1, height, width)).to(images.device).double().mul_(spread).add_(about)
    flakes = filters.filtered(noise, zoomed(larger, height), zoomed(larger, width))
    levels = flakes.masked_fill_(flakes < cut, 0).clamp_(0, 1).mul_(255).floor_()
    degrees = draws.uniform((), "angle").double().mul_(90).sub_(135)
    fallen = smeared(levels.div_(255), degrees, far, blur).mul_(255).round_().div_(255).to(images)
    pale = torch.maximum(images, grey(images).mul_(1.5).add_(0.5))
    snowy = (fallen + fallen.flip((2, 3))).mul_(strength)
    return pale.mul_(1 - kept).add_(images, alpha=kept).add_(snowy).clamp_(0, 1)


def fog(images: Tensor, draws: Draws, *, amount: float, decay: float) -> Tensor:
    """Lay `amount` times a landscape over the picture, and bring it back to the range that it had.

    The landscape is a diamond-square map of the first power of two at or above the longer side, of values in [0, 1],
    or its corner. MNIST-C takes a corner of a map eight times as large, and so has smoother fog.
    """
    density, falling = within("fog: amount", amount, 0), within("fog: decay", decay, 1)
    height, width = images.shape[2:]
    side = 1 << max(1, (max(height, width) - 1).bit_length())
    return fogged(images, plasma(draws, side, falling, height, width).to(images), density)
