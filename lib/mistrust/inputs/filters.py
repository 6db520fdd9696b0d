"""Separable linear filters as two matrices that include the borders: a batch is filtered as A_v X A_h^T.

Filters are correlations, as OpenCV's filter2D computes them: row i of a matrix holds the weights with which output i
reads the inputs; a kernel of size k starts k // 2 before its pixel, so an even one reaches further back than forth;
beyond the border the picture is mirrored without repeating the edge (reflect-101).
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

Matrix = Float[Tensor, "size size"]


def filtered(
    images: Float[Tensor, "n c h w"], vertical: Float[Tensor, "h h"], horizontal: Float[Tensor, "w w"]
) -> Float[Tensor, "n c h w"]:
    """Give A_v X A_h^T for every channel of every image: columns by `vertical`, rows by `horizontal`."""
    return torch.matmul(vertical.to(images), images @ horizontal.to(images).T)


def correlation(weights: Sequence[float] | np.ndarray, size: int, start: int | None = None) -> Matrix:
    """Make the (size, size) float32 matrix of a kernel whose first weight lies `start` pixels from its own pixel.

    Without `start` the kernel is anchored as in OpenCV, at len(weights) // 2.
    """
    values = np.asarray(weights, dtype=np.float64)
    first = -(len(values) // 2) if start is None else start
    own = np.arange(size)[:, None]
    read = _mirrored(own + first + np.arange(len(values)), size)
    matrix = np.zeros((size, size))
    np.add.at(matrix, (np.broadcast_to(own, read.shape), read), np.broadcast_to(values, read.shape))
    return torch.from_numpy(matrix.astype(np.float32))


def _mirrored(index: np.ndarray, size: int) -> np.ndarray:
    """Reflect positions into 0 .. size - 1, edge not repeated, however far outside they lie."""
    if size == 1:
        return np.zeros_like(index)
    period = 2 * (size - 1)
    inside = index % period
    return np.minimum(inside, period - inside)


@lru_cache(maxsize=4096)
def box(k: int, size: int) -> Matrix:
    """Mean of k pixels."""
    return correlation(np.full(k, 1 / k), size)


@lru_cache(maxsize=4096)
def centred(length: float, size: int) -> Matrix:
    """Mean over a window of real length, centred on its pixel: weights clamp(length/2 - |i| + 1/2, 0, 1), normalised.

    For an odd whole length it is the box; for an even one it has half weights at both ends.
    """
    reach = max(ceil(length / 2 + 0.5) - 1, 0)
    weights = np.clip(length / 2 - np.abs(np.arange(-reach, reach + 1)) + 0.5, 0, 1)
    return correlation(weights / weights.sum(), size)


@lru_cache(maxsize=4096)
def gaussian(k: int, sigma: float, size: int) -> Matrix:
    """Normal weights exp(-i^2 / (2 sigma^2)) on an odd number k of pixels, normalised."""
    weights = np.exp(-((np.arange(k) - k // 2) ** 2) / (2 * sigma**2))
    return correlation(weights / weights.sum(), size)


@lru_cache(maxsize=4096)
def moved(pixels: int, size: int) -> Matrix:
    """Give the picture moved forth by whole pixels, mirrored where it has left."""
    return correlation([1.0], size, start=-pixels)


@lru_cache(maxsize=4096)
def ramp(k: int, size: int) -> Matrix:
    """Weights that fall linearly along the kernel, size/2 - i for i = 0 .. k - 1, normalised; none is negative."""
    weights = np.maximum(size / 2 - np.arange(k), 0)
    return correlation(weights / weights.sum(), size)


@lru_cache(maxsize=4096)
def pixels(n: int, size: int) -> Matrix:
    """Resize to n pixels as OpenCV's area interpolation does, and back to `size` by the nearest, in one matrix."""
    down = _shrunk(n, size) if n <= size else _enlarged(n, size)
    return torch.from_numpy(down[np.arange(size) * n // size].astype(np.float32))


def _shrunk(n: int, size: int) -> np.ndarray:
    """(n, size): the mean over each of n equal cells, pixels that a border cuts counted by their share."""
    edges = np.arange(n + 1)[:, None] * size / n
    before = np.clip(edges - np.arange(size), 0, 1)  # how much of each pixel lies before each edge
    return np.diff(before, axis=0) * n / size


def _enlarged(n: int, size: int) -> np.ndarray:
    """(n, size) with n > size: OpenCV interpolates linearly, but only where an output pixel covers two inputs."""
    out = np.arange(n)
    first = out * size // n
    share = np.maximum(0.0, (out + 1) - (first + 1) * n / size)
    matrix = np.zeros((n, size))
    np.add.at(matrix, (out, first), 1 - share)
    np.add.at(matrix, (out, np.minimum(first + 1, size - 1)), share)
    return matrix
