"""Blurs of CIFAR-10-C: normal, out of focus, through glass, and by zooming."""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mistrust.inputs import filters
from mistrust.inputs.corruptions.blurs import normal_blur, swapped
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within

# Rounding alone must not take a grey level away: float32 pixels of a whole level are off by 1e-5 of one.
_ROUNDING = 1e-4
_STEP = 0.01  # from one zoom factor to the next


def gaussian_blur(images: Tensor, draws: Draws, *, sigma: float) -> Tensor:
    """Blur by normal weights of this sigma in pixels, cut off at 4 sigma; beyond the border the edge goes on."""
    return normal_blur(images, within("gaussian_blur: sigma", sigma, 0)).clamp_(0, 1)


def defocus_blur(images: Tensor, draws: Draws, *, radius: float, alias: float) -> Tensor:
    """Mean over a disc of this radius in pixels, itself blurred by 3 x 3 normal weights of sigma `alias`.

    Beyond the border the picture is mirrored without repeating the edge.
    """
    reach, soft = within("defocus_blur: radius", radius, 0, 8), within("defocus_blur: alias", alias, 1e-3)
    return _summed(images, _separated(reach, soft, *images.shape[2:])).clamp_(0, 1)


def _summed(images: Float[Tensor, "n c h w"], parts: Sequence[tuple[filters.Matrix, filters.Matrix]]) -> Tensor:
    """The sum of what several separable filters give."""
    result = torch.zeros_like(images)
    for vertical, horizontal in parts:
        result += filters.filtered(images, vertical, horizontal)
    return result


def disc(radius: float, alias: float) -> NDArray[np.float64]:
    """The kernel of the defocus blur, cut to the pixels that it can reach; its weights sum to 1."""
    reach = int(radius) + 1
    places = np.arange(-reach, reach + 1)
    sharp = (places[:, None] ** 2 + places**2 <= radius**2).astype(np.float64)
    three = np.exp(-(np.arange(-1, 2) ** 2) / (2 * alias**2))
    soft = np.array([np.convolve(row, three / three.sum(), "same") for row in sharp / sharp.sum()])
    return np.array([np.convolve(column, three / three.sum(), "same") for column in soft.T]).T


@lru_cache(maxsize=64)
def _separated(radius: float, alias: float, height: int, width: int) -> list[tuple[filters.Matrix, filters.Matrix]]:
    """The kernel as a sum of separable ones, by its singular values; a disc of a few pixels has one to three."""
    down, sizes, across = np.linalg.svd(disc(radius, alias))
    return [
        (filters.correlation(down[:, i] * sizes[i], height), filters.correlation(across[i], width))
        for i in range(len(sizes))
        if sizes[i] > 1e-9 * sizes[0]
    ]


def glass_blur(images: Tensor, draws: Draws, *, sigma: float, reach: float, rounds: float, copies: float) -> Tensor:
    """Blur, move near pixels into the place of others, and blur again.

    From the lower right to the upper left every pixel meets one at most `reach` above or to the left of it and less
    than that below or to the right; `rounds` times over. Between the blurs pixels are whole grey levels.

    With copies = 1 the pixel becomes a copy of the other, which stays: the published code exchanges two views of one
    array of colours, of which the second then reads what was just written. CIFAR-10-C and the benchmark sets were
    made that way, so its levels say so; copies = 0 exchanges the two, as was meant.
    """
    spread = within("glass_blur: sigma", sigma, 0)
    far, times = whole("glass_blur: reach", reach, 1), whole("glass_blur: rounds", rounds, 0)
    twice = bool(whole("glass_blur: copies", copies, 0, 1))
    rows, columns = (max(0, size - 2 * far) for size in images.shape[2:])
    # In float64, since a rounding would decide about grey levels.
    levels = normal_blur(images.double(), spread).mul_(255).add_(_ROUNDING).floor_()
    choices = draws.integers(0, (2 * far) ** 2, (times, rows, columns)).to(images.device)
    mixed = swapped(levels.to(images.dtype), choices, far, copies=twice).div_(255)
    return normal_blur(mixed, spread).clamp_(0, 1)


def zoom_blur(images: Tensor, draws: Draws, *, end: float) -> Tensor:
    """Mean of the picture and of what zooming shows of it by the factors 1, 1.01, ... below `end`.

    Factors are those of numpy.arange(1, end, 0.01), whose rounding takes 1.06 and 1.11 in: the weakest two severities
    of CIFAR-10-C have 7 and 12 factors, not 6 and 11.
    """
    last = within("zoom_blur: end", end, 1 + _STEP, 4)
    return _summed(images, _zooming(last, *images.shape[2:])).clamp_(0, 1)


@lru_cache(maxsize=64)
def _zooming(end: float, height: int, width: int) -> list[tuple[filters.Matrix, filters.Matrix]]:
    """The mean of all zooms, 13 filters in place of 27: many factors read the same pixels in other shares."""
    factors = [1, *np.arange(1, end, _STEP).tolist()]  # the picture itself, as if not zoomed, and all factors
    down, across = (np.stack([zoomed(f, size).numpy().ravel() for f in factors], 1) for size in (height, width))
    (tall, left), (wide, right) = np.linalg.qr(down), np.linalg.qr(across)
    # Small pictures have fewer pixels than there are factors, and one side fewer than the other.
    first, sizes, second = np.linalg.svd(left @ right.T / len(factors), full_matrices=False)
    return [
        (torch.from_numpy((tall @ u * s).reshape(height, height)), torch.from_numpy((wide @ v).reshape(width, width)))
        for u, s, v in zip(first.T, sizes, second, strict=True)
        if s > 1e-9 * sizes[0]
    ]


@lru_cache(maxsize=1024)
def zoomed(factor: float, size: int) -> filters.Matrix:
    """The (size, size) matrix that shows the middle of a row `factor` times as large, between pixels linearly. float64.

    The middle ceil(size / factor) pixels are stretched over round(factor times that), first onto first and last onto
    last, and of these the middle `size` are kept, as scipy.ndimage.zoom and the published code do.
    """
    cut = ceil(size / factor)
    tall = max(round(cut * factor), size)
    places = (np.arange(size) + (tall - size) // 2) * ((cut - 1) / max(tall - 1, 1))
    first = np.minimum(places.astype(np.int64), max(cut - 2, 0))
    share = places - first
    matrix, own, top = np.zeros((size, size)), np.arange(size), (size - cut) // 2
    matrix[own, top + first] += 1 - share
    matrix[own, np.minimum(top + first + 1, size - 1)] += share
    return torch.from_numpy(matrix)
