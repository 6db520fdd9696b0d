"""Fog, a random landscape laid over the picture, and spatter, drops of mud on the lens."""

import torch
from jaxtyping import Float, Int16
from torch import Tensor

from mistrust.inputs.corruptions.blurs import normal_blur
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within

_MUD = 63 / 255
_TOGETHER = 32  # landscapes at a time: they are large, and so stay in a processor's cache


def fog(images: Tensor, draws: Draws, *, amount: float, decay: float) -> Tensor:
    """Lay `amount` times a landscape over the picture, and bring it back to the range that it had.

    The landscape is a corner of a diamond-square map of values in [0, 1]: at 28 pixels of one of 256 x 256, and for
    other sizes of the power of two at or above nine times the longer side.
    """
    height, width = images.shape[2:]
    side = 1 << (9 * max(height, width) - 1).bit_length()
    density, falling = within("fog: amount", amount, 0), within("fog: decay", decay, 1)
    return fogged(images, plasma(draws, side, falling, height, width).to(images), density)


def plasma(draws: Draws, side: int, decay: float, height: int, width: int) -> Float[Tensor, "n 1 h w"]:
    """The upper left corner of a landscape of side x side points for each image, of values in [0, 1]."""
    noise = draws.integers(-(2**15), 2**15, (side**2 - 1,))
    return torch.cat([landscape(some, decay, height, width) for some in noise.split(_TOGETHER)])[:, None]


def fogged(
    images: Float[Tensor, "n c h w"], plasma: Float[Tensor, "n 1 h w"], amount: float
) -> Float[Tensor, "n c h w"]:
    """clip((x + amount plasma) m / (m + amount)), m the largest value of each picture."""
    if amount == 0:
        return images
    largest = images.amax((1, 2, 3), keepdim=True)
    return torch.add(images, plasma, alpha=amount).mul_(largest / (largest + amount)).clamp_(0, 1)


def landscape(noise: Int16[Tensor, "n count"], decay: float, height: int, width: int) -> Float[Tensor, "n h w"]:
    """The upper left corner of diamond-square maps, (n, h, w) float32, of which the whole map spans [0, 1].

    A map begins as one point of height 0 and goes on beyond its border as at the opposite one. At every level the
    middles of squares, and then those of the diamonds between, become the mean of their four neighbours plus noise.

    Parameters
    ----------
    noise : (n, side^2 - 1) int16, side a power of two at or above the height and width: level by level for the s x s
        points that there are, that of the squares, of the points right of old ones, and of those below old ones.
    decay : noise falls by its square from level to level. (The published code multiplies noise that spans its
        amplitude by the amplitude once more.)
    """
    n, sizes = len(noise), [1 << level for level in range((noise.shape[1] + 1).bit_length() // 2)]
    points, reach, used = torch.zeros(n, 1, 1), 2.0**-15, 0
    low = high = torch.zeros(n)
    for size in sizes:
        fresh = noise[:, used : used + 3 * size**2].view(n, 3, size, size).to(points.dtype).mul_(reach)
        along, across = points + points.roll(-1, 2), points + points.roll(-1, 1)
        squares = torch.add(fresh[:, 0], along + along.roll(-1, 1), alpha=0.25)
        right = torch.add(fresh[:, 1], along.add_(squares).add_(squares.roll(1, 1)), alpha=0.25)
        below = torch.add(fresh[:, 2], across.add_(squares).add_(squares.roll(1, 2)), alpha=0.25)
        for made in (squares, right, below):
            low, high = torch.minimum(low, made.amin((1, 2))), torch.maximum(high, made.amax((1, 2)))
        rows, columns = (size, size) if size < sizes[-1] else (-(-height // 2), -(-width // 2))  # at last the corner
        points = torch.stack([
            torch.stack([points[:, :rows, :columns], right[:, :rows, :columns]], 3).flatten(2),
            torch.stack([below[:, :rows, :columns], squares[:, :rows, :columns]], 3).flatten(2),
        ], 2).flatten(1, 2)  # fmt: skip
        reach, used = reach / decay**2, used + 3 * size**2
    span = (high - low).clamp_min(torch.finfo(points.dtype).tiny)
    return (points[:, :height, :width] - low[:, None, None]).div_(span[:, None, None])


def spatter(
    images: Tensor, draws: Draws, *, mean: float, deviation: float, blur: float, threshold: float, edge: float
) -> Tensor:
    """Cover the picture with mud where blurred normal noise of this mean and deviation is above a threshold."""
    about, spread = within("spatter: mean", mean, -10, 10), within("spatter: deviation", deviation, 1e-3)
    cut, softly = within("spatter: threshold", threshold, -10, 10), within("spatter: edge", edge, 0)
    noise = draws.normal((1, *images.shape[2:])).to(images.device).double()
    return spattered(images, noise, within("spatter: blur", blur, 0), (cut - about) / spread, softly)


def spattered(
    images: Float[Tensor, "n c h w"], noise: Float[Tensor, "n 1 h w"], blur: float, threshold: float, edge: float
) -> Float[Tensor, "n c h w"]:
    """Mix with mud, grey level 63, where it lies. Give the noise as float64, see `muddy`."""
    mask = muddy(noise, blur, threshold, edge).to(images)
    return images.lerp(torch.full_like(images, _MUD), mask).clamp_(0, 1)


def muddy(
    noise: Float[Tensor, "n 1 h w"], blur: float, threshold: float, edge: float
) -> Float[Tensor, "n 1 h w"]:  # fmt: skip
    """Where drops of mud lie: the noise blurred, cut at the threshold, its edge blurred, 0 below 0.8.

    Give the noise as float64: rounding decides about pixels of the mask.
    """
    drops = (normal_blur(noise, blur) > threshold).to(noise.dtype)
    mask = normal_blur(drops, edge)
    return mask.masked_fill_(mask < 0.8, 0)
