"""Shear, scale, rotation and translation: pictures looked up where a linear map about their middle points to.

Every pixel of the result reads the picture at A (x, y) + t, between pixels linearly and outside of the picture as
black; t leaves the middle, ((w - 1) / 2, (h - 1) / 2), in place. Directions are drawn for each image, and there are
two of them, so a batch is warped by one table of positions and weights a direction.
"""

from collections.abc import Callable
from functools import lru_cache
from math import cos, pi, sin

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

# Rows of the inverse map: x' = a x + b y, y' = c x + d y.
Map = tuple[tuple[float, float], tuple[float, float]]


def sheared(angle: float) -> Map:
    """The inverse map of a shear, as scikit-image has it: the y axis leans by `angle`, its length kept."""
    return (1.0, -sin(angle)), (0.0, cos(angle))


def scaled(factor: float) -> Map:
    """The inverse map of a scaling to `factor` times the size."""
    return (1 / factor, 0.0), (0.0, 1 / factor)


def rotated(angle: float) -> Map:
    """The inverse map of a rotation, `angle` in radians; y points down, so a positive one looks counter-clockwise."""
    return (cos(angle), -sin(angle)), (sin(angle), cos(angle))


def shear(images: Tensor, draws: Draws, *, amount: float) -> Tensor:
    """Shear by an angle of `amount` radians, to either side."""
    angle = within("shear: amount", amount, 0, pi / 2)
    return _either(images, draws, lambda sign: sheared(sign * angle))


def scale(images: Tensor, draws: Draws, *, factor: float) -> Tensor:
    """Shrink the picture to `factor` times its size, black around it."""
    return warped(images, scaled(within("scale: factor", factor, 1e-2)))


def rotate(images: Tensor, draws: Draws, *, angle: float) -> Tensor:
    """Rotate by `angle` radians, in either direction."""
    turn = within("rotate: angle", angle, 0, pi)
    return _either(images, draws, lambda sign: rotated(sign * turn))


def translate(images: Tensor, draws: Draws, *, pixels: float) -> Tensor:
    """Move the picture by whole `pixels` along both axes, each in either direction; what comes in is black."""
    step = whole("translate: pixels", pixels, 0)
    return moved(images, draws.integers(0, 2, (2,)).mul_(2).sub_(1).mul_(step))


def moved(images: Float[Tensor, "n c h w"], steps: Int[Tensor, "n 2"]) -> Float[Tensor, "n c h w"]:
    """Read every image `steps` = (x, y) whole pixels further right and down, outside of it black."""
    result = torch.zeros_like(images)
    height, width = images.shape[2:]
    for dx, dy in torch.unique(steps, dim=0).tolist():
        here = ((steps[:, 0] == dx) & (steps[:, 1] == dy)).nonzero()[:, 0].to(images.device)
        (top, bottom), (left, right) = _kept(dy, height), _kept(dx, width)
        read = images[:, :, top + dy : bottom + dy, left + dx : right + dx].index_select(0, here)
        result[:, :, top:bottom, left:right].index_copy_(0, here, read)
    return result


def _kept(step: int, size: int) -> tuple[int, int]:
    """First and last but one position whose source, `step` further, lies in the picture."""
    return min(max(0, -step), size), max(0, min(size, size - step))


def warped(images: Float[Tensor, "n c h w"], inverse: Map) -> Float[Tensor, "n c h w"]:
    """Read every image where the inverse map about its middle points to: bilinear, black outside."""
    height, width = images.shape[2:]
    places, weights = (table.to(images.device) for table in _table(inverse, height, width))
    flat, shares = images.reshape(-1, height * width), weights.to(images.dtype)
    result, read = torch.zeros_like(flat), torch.empty_like(flat)
    for place, share in zip(places, shares, strict=True):
        result.addcmul_(torch.index_select(flat, 1, place, out=read), share)
    return result.view_as(images).clamp_(0, 1)


@lru_cache(maxsize=256)
def _table(inverse: Map, height: int, width: int) -> tuple[Int[Tensor, "4 p"], Float[Tensor, "4 p"]]:
    """The four pixels that each pixel of the result reads, and their weights; those outside weigh nothing."""
    rows, columns = np.mgrid[:height, :width].astype(np.float64)
    (a, b), (c, d) = inverse
    u, v = (width - 1) / 2, (height - 1) / 2
    x, y = a * (columns - u) + b * (rows - v) + u, c * (columns - u) + d * (rows - v) + v
    # What differs from a whole pixel by rounding alone is one.
    x, y = (np.where(abs(one - one.round()) < 1e-9, one.round(), one) for one in (x, y))
    left, top = np.floor(x), np.floor(y)
    places: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for right in (0, 1):
        for below in (0, 1):
            column, row = left + right, top + below
            share = (x - left if right else 1 - (x - left)) * (y - top if below else 1 - (y - top))
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            places.append(row.clip(0, height - 1) * width + column.clip(0, width - 1))
            weights.append(share * inside)
    made = np.stack(places).reshape(4, -1).astype(np.int64), np.stack(weights).reshape(4, -1)
    return torch.from_numpy(made[0]), torch.from_numpy(made[1])


def _either(images: Tensor, draws: Draws, inverse: Callable[[int], Map]) -> Tensor:
    """Warp each image by the map of the direction that is drawn for it."""
    result, forth = torch.empty_like(images), draws.integers(0, 2, ()).bool().to(images.device)
    for sign, chosen in ((1, forth), (-1, ~forth)):
        here = chosen.nonzero()[:, 0]
        result.index_copy_(0, here, warped(images.index_select(0, here), inverse(sign)))
    return result
