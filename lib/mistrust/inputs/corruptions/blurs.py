"""Blurs: normal ones, through glass, and by motion."""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from mistrust.inputs import filters
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

# Rounding alone must not take a grey level away: float32 pixels of a whole level are off by 1e-5 of one.
_ROUNDING = 1e-4


@lru_cache(maxsize=256)
def normal(sigma: float, size: int) -> filters.Matrix:
    """Normal weights cut off at 4 sigma, as scipy and scikit-image do; beyond the border the edge goes on. float64."""
    reach = int(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-9)) ** 2)
    weights /= weights.sum()
    own = np.arange(size)[:, None]
    matrix = np.zeros((size, size))
    np.add.at(matrix, (own, (own + np.arange(-reach, reach + 1)).clip(0, size - 1)), weights)
    return torch.from_numpy(matrix)


def normal_blur(images: Float[Tensor, "n c h w"], sigma: float, *, isotropic: bool = True) -> Tensor:
    """Blur by normal weights of this sigma in pixels, down the columns alone or along the rows as well."""
    blurred = torch.matmul(normal(sigma, images.shape[2]).to(images), images)
    return blurred @ normal(sigma, images.shape[3]).to(images).T if isotropic else blurred


def glass_blur(images: Tensor, draws: Draws, *, sigma: float, reach: float, rounds: float, isotropic: float) -> Tensor:
    """Blur, swap pixels with near ones, and blur again.

    From the lower right to the upper left every pixel is swapped, with the chance 1/2, with one at most `reach` above
    or to the left of it and less than that below or to the right; `rounds` times over.

    The blur is vertical alone (isotropic = 0): the published code told its filter that a picture had channels, so
    that the columns were taken for them. The published sets were made that way; isotropic = 1 blurs both ways.
    """
    spread, both = within("glass_blur: sigma", sigma, 0), bool(whole("glass_blur: isotropic", isotropic, 0, 1))
    far, times = whole("glass_blur: reach", reach, 1), whole("glass_blur: rounds", rounds, 0)
    height, width = images.shape[2:]
    rows, columns = max(0, height - 2 * far), max(0, width - 2 * far)
    # In float64, since a rounding would decide about grey levels.
    levels = normal_blur(images.double(), spread, isotropic=both).mul_(255).add_(_ROUNDING).floor_()
    choices = draws.integers(0, 2 * (2 * far) ** 2, (times, rows, columns)).to(images.device)
    mixed = swapped(levels.to(images.dtype), choices, far).div_(255)
    return normal_blur(mixed, spread, isotropic=both).clamp_(0, 1)


def swapped(
    images: Float[Tensor, "n c h w"],
    choices: Int[Tensor, "n rounds rows columns"],
    reach: int,
    *,
    copies: bool = False,
) -> Float[Tensor, "n c h w"]:
    """Swap pixels with near ones, one after the other, from row h - reach and column w - reach up to reach + 1.

    Parameters
    ----------
    images : (n, c, h, w).
    choices : (n, rounds, h - 2 reach, w - 2 reach), first the lowest row, in it first the rightmost pixel: 0 to
        (2 reach)^2 - 1 for (row offset + reach) 2 reach + (column offset + reach); what is more is no swap.
    reach : offsets are -reach to reach - 1.
    copies : the pixel becomes a copy of the near one, and that stays: no swap.

    Returns
    -------
    (n, c, h, w). Swaps that cannot meet are done at once, for all images: see `_waves`.
    """
    height, width = images.shape[2:]
    order, places, sizes = _waves(*choices.shape[1:], height, width, reach)
    span, device = 2 * reach, images.device
    offsets = torch.tensor(
        [(code // span - reach) * width + code % span - reach if code < span**2 else 0 for code in range(2 * span**2)],
        device=device,
    )
    # One row per pixel, one column per image: what is swapped at once lies in whole rows.
    flat = images.reshape(-1, height * width).t().contiguous()
    codes = choices.flatten(1).to(device).repeat_interleave(images.shape[1], 0).t()[order.to(device)]
    for own, code in zip(places.to(device).split(sizes), codes.split(sizes), strict=True):
        other = offsets.index_select(0, code.reshape(-1).int()).view_as(code).add_(own[:, None])
        here, there = flat.index_select(0, own), flat.gather(0, other)
        if not copies:
            flat.scatter_(0, other, here)
        flat.index_copy_(0, own, there)
    return flat.t().reshape(images.shape)


@lru_cache(maxsize=64)
def _waves(
    rounds: int, rows: int, columns: int, height: int, width: int, reach: int
) -> tuple[Int[Tensor, " k"], Int[Tensor, " k"], list[int]]:
    """In what order swaps can be done, which pixel each has, and how many at a time.

    A swap touches pixels up to `reach` above and to the left and less than that below and to the right. Two that meet
    are less than 2 reach rows and columns apart. When every row follows 2 reach pixels behind the one below it, and
    every round 4 reach^2 pixels behind the one before, those that meet keep their order, and none is at the same time
    as another that it meets.
    """
    a_round, row, column = np.indices((rounds, rows, columns)).reshape(3, -1)
    time = 4 * reach**2 * a_round + 2 * reach * row + column
    order = time.argsort(kind="stable")
    place = (height - reach - row) * width + width - reach - column
    sizes = np.bincount(time)
    return torch.from_numpy(order), torch.from_numpy(place[order]), sizes[sizes > 0].tolist()


def motion_blur(images: Tensor, draws: Draws, *, radius: float, sigma: float) -> Tensor:
    """Blur along a line at an angle between -45 and 45 degrees, to one side."""
    far, spread = whole("motion_blur: radius", radius, 0), within("motion_blur: sigma", sigma, 1e-3)
    degrees = draws.uniform(()).double().mul_(90).sub_(45)
    return smeared(images, degrees, far, spread)


def smeared(
    images: Float[Tensor, "n c h w"], degrees: Float[Tensor, " n"], radius: int, sigma: float
) -> Float[Tensor, "n c h w"]:
    """Mean of the 2 radius + 1 pixels from each pixel along a line, nearer ones counting more; edges go on.

    Tap i lies ceil(i (cos, sin) - 1/2) pixels to the right and down and weighs exp(-i^2 / (2 sigma^2)), as
    ImageMagick's motion blur is understood to work; its program was not at hand to compare with.
    """
    n, channels, height, width = images.shape
    taps = torch.arange(2 * radius + 1, dtype=torch.float64)
    weights = torch.exp(-0.5 * (taps / sigma) ** 2)
    angle = torch.deg2rad(degrees.double().cpu())[:, None]
    right, down = (torch.ceil(taps * one - 0.5).long() for one in (angle.cos(), angle.sin()))
    left, above = (max(0, -int(offsets.min())) if n else 0 for offsets in (right, down))
    after, below = (max(0, int(offsets.max())) if n else 0 for offsets in (right, down))
    padded = functional.pad(images, (left, after, above, below), mode="replicate")
    # Rows of a shifted picture are stretches of `width` pixels; where each starts differs from image to image.
    tall, wide = padded.shape[2:]
    first = (torch.arange(n * channels).view(n, channels, 1) * tall + torch.arange(height) + above) * wide + left
    stretches = padded.reshape(-1).unfold(0, width, 1)
    result = torch.zeros_like(images)
    for step, weight in zip((down * wide + right).t(), (weights / weights.sum()).tolist(), strict=True):
        start = (first + step.view(n, 1, 1)).flatten().to(images.device)
        result.add_(stretches.index_select(0, start).view_as(images), alpha=weight)
    return result.clamp_(0, 1)
