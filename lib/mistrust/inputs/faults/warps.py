"""Pictures as seen on a moved rubber sheet, and turned."""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from scipy.special import cosdg, sindg
from torch import Tensor
from torch.nn import functional

from mistrust.errors import MistrustError
from mistrust.inputs import filters
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within


def elastic_transform(images: Tensor, draws: Draws, *, alpha: float, sigma: float, affine: float) -> Tensor:
    """Move three points of the picture, and it with them, then every pixel by smooth noise.

    Parameters are shares of the shorter side. The points, a third of the side apart about the middle, are moved by up
    to `affine` along each axis. Pixels are read up to `alpha` away, along each axis by noise uniform in [-1, 1],
    smoothed by normal weights of `sigma` cut off at 3 sigma. Both times between pixels linearly; beyond the border the
    picture is mirrored. (OpenCV, with which the published code moves the points, rounds places to 1/32 pixel.)
    """
    height, width = images.shape[2:]
    side = min(height, width)
    if side < 3:
        raise MistrustError(f"elastic_transform: images are {height}x{width}, expected at least 3x3.")
    far = within("elastic_transform: alpha", alpha, 0, 1) * side
    smooth = within("elastic_transform: sigma", sigma, 0, 1) * side
    reach = within("elastic_transform: affine", affine, 0, 0.16) * side  # beyond half a third points could meet
    shifts = draws.uniform((3, 2), "points").double().mul_(2).sub_(1).mul_(reach)
    moved = _read(images, *sheared(shifts, height, width), edge=False)
    if far == 0:
        return moved.clamp_(0, 1)
    noise = draws.uniform((2, height, width), "pixels").to(images.device).double().mul_(2).sub_(1)
    steps = filters.filtered(noise, _smooth(smooth, height), _smooth(smooth, width)).mul_(far)
    rows, columns = (torch.arange(size, dtype=torch.float64, device=images.device) for size in (height, width))
    return _read(moved, steps[:, 0].add_(columns), steps[:, 1].add_(rows[:, None]), edge=True).clamp_(0, 1)


def sheared(
    shifts: Float64[Tensor, "n 3 2"], height: int, width: int
) -> tuple[Float64[Tensor, "n h w"], Float64[Tensor, "n h w"]]:
    """At which x and y each pixel is read, when three points (x, y) are moved by `shifts` and all else with them."""
    middle, third = torch.tensor([height // 2, width // 2]).double(), min(height, width) // 3
    points = torch.stack([middle + third, middle + torch.tensor([third, -third]), middle - third])
    ones = torch.ones(len(shifts), 3, 1, dtype=torch.float64)
    back = torch.linalg.solve(torch.cat([points + shifts, ones], 2), points.expand(len(shifts), 3, 2))  # (n, 3, 2)
    y, x = torch.meshgrid(torch.arange(height).double(), torch.arange(width).double(), indexing="ij")
    pixels = torch.stack([x, y, torch.ones_like(x)]).view(3, -1)
    right, down = back.transpose(1, 2).matmul(pixels).view(-1, 2, height, width).unbind(1)
    return right, down


def _read(
    images: Float[Tensor, "n c h w"], x: Float64[Tensor, "n h w"], y: Float64[Tensor, "n h w"], *, edge: bool
) -> Tensor:
    """Read at places in pixels, linearly; mirrored beyond the border, its pixels repeated (`edge`) or not."""
    scaled = [
        (one.mul(2).add_(1).div_(size) if edge else one.mul(2).div_(size - 1)).sub_(1).to(images)
        for one, size in ((x, images.shape[3]), (y, images.shape[2]))
    ]
    return functional.grid_sample(
        images, torch.stack(scaled, -1), mode="bilinear", padding_mode="reflection", align_corners=not edge
    )


@lru_cache(maxsize=64)
def _smooth(sigma: float, size: int) -> filters.Matrix:
    """Normal weights cut off at 3 sigma; beyond the border the picture is mirrored, its edge repeated. float64."""
    reach = int(3 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-9)) ** 2)
    own = np.arange(size)[:, None]
    read = (own + np.arange(-reach, reach + 1)) % (2 * size)
    matrix = np.zeros((size, size))
    np.add.at(matrix, (own, np.minimum(read, 2 * size - 1 - read)), weights / weights.sum())
    return torch.from_numpy(matrix)


def rotated(images: Tensor, draws: Draws, *, angle: float, background: float) -> Tensor:
    """Turn the picture by `angle` degrees, counter-clockwise where positive, in its own frame, clipped to [0, 1].

    `background` is what comes in from outside, 0. The benchmark's code has -0.5, for pictures in [-0.5, 0.5]; its own
    lie in [0, 1]. Clipped, that is 0: see `turned` for what the code gives.
    """
    degrees = within("rotated: angle", angle, -180, 180)
    return turned(images, degrees, within("rotated: background", background, -1, 1)).clamp_(0, 1)


def turned(images: Float[Tensor, "n c h w"], degrees: float, background: float = 0.0) -> Float[Tensor, "n c h w"]:
    """Turn by a cubic spline, as scipy.ndimage.rotate does with reshape=False; not clipped: edges overshoot."""
    height, width = images.shape[2:]
    places, weights, outside = (one.to(images.device) for one in _table(degrees, height, width))
    # One column per image: what a pixel reads lies together for all images.
    spline = filters.filtered(images, _prefilter(height), _prefilter(width)).reshape(-1, height * width).T.contiguous()
    shares, read = weights.to(images.dtype)[:, :, None], torch.empty_like(spline)
    result = (outside.to(images.dtype) * background)[:, None].expand_as(spline).clone()
    for place, share in zip(places, shares, strict=True):
        result.addcmul_(torch.index_select(spline, 0, place, out=read), share)
    return result.T.reshape(images.shape)


@lru_cache(maxsize=64)
def _prefilter(size: int) -> filters.Matrix:
    """From pixels to the coefficients of the cubic spline through them, mirrored, the edge not repeated. float64."""
    through = np.zeros((size, size))
    own = np.arange(size)
    for step, weight in ((-1, 1 / 6), (0, 2 / 3), (1, 1 / 6)):
        np.add.at(through, (own, _mirrored(own + step, size)), weight)
    return torch.from_numpy(np.linalg.inv(through))


@lru_cache(maxsize=64)
def _table(
    degrees: float, height: int, width: int
) -> tuple[Int64[Tensor, "16 p"], Float64[Tensor, "16 p"], Float64[Tensor, " p"]]:
    """The 16 coefficients that each pixel of the result reads, their weights, and whether it lies outside."""
    rows, columns = np.mgrid[:height, :width].reshape(2, -1).astype(np.float64)
    v, u, c, s = (height - 1) / 2, (width - 1) / 2, cosdg(degrees), sindg(degrees)
    y, x = c * (rows - v) + s * (columns - u) + v, -s * (rows - v) + c * (columns - u) + u
    inside = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
    places: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for down, share in zip(range(-1, 3), _cubic(y), strict=True):
        row = _mirrored(np.floor(y).astype(np.int64) + down, height)
        for right, part in zip(range(-1, 3), _cubic(x), strict=True):
            places.append(row * width + _mirrored(np.floor(x).astype(np.int64) + right, width))
            weights.append(share * part * inside)
    made = np.stack(places), np.stack(weights), (~inside).astype(np.float64)
    return torch.from_numpy(made[0]), torch.from_numpy(made[1]), torch.from_numpy(made[2])


def _cubic(place: np.ndarray) -> tuple[np.ndarray, ...]:
    """Weights of the four coefficients about a place: the cubic B-spline."""
    t = place - np.floor(place)
    return (1 - t) ** 3 / 6, (4 - 6 * t**2 + 3 * t**3) / 6, (1 + 3 * t + 3 * t**2 - 3 * t**3) / 6, t**3 / 6


def _mirrored(index: np.ndarray, size: int) -> np.ndarray:
    """Reflect positions into 0 .. size - 1, edge not repeated, however far outside they lie."""
    inside = index % max(2 * (size - 1), 1)
    return np.minimum(inside, max(2 * (size - 1), 1) - inside) if size > 1 else np.zeros_like(index)
