"""Canny's edges: thin white lines where the picture changes most, black elsewhere."""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mistrust.inputs import filters
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within

# Slopes that differ by less are equal: rounding must not decide whether a pixel is as steep as the next.
_EQUAL = 1e-9


def canny_edges(images: Tensor, draws: Draws) -> Tensor:
    """White where Canny's detector sees an edge, black elsewhere; as published with sigma 1, thresholds 0.1 and 0.2."""
    return canny(images).to(images.dtype)


def canny(
    images: Float[Tensor, "n c h w"], sigma: float = 1.0, low: float = 0.1, high: float = 0.2
) -> Bool[Tensor, "n c h w"]:
    """Find edges as Canny (1986) does, in the details as scikit-image.

    The picture is smoothed by normal weights, those outside left out, and differentiated by Sobel's operator, whose
    weights are not normalised. A pixel counts when it is at least as steep as the picture is one step up and down the
    slope, interpolated between the two neighbours that the slope points between. An edge is every such pixel that is
    as steep as `high`, with all that touch it, also by a corner and by way of others, and are as steep as `low`.
    Pixels at the border are none.

    Parameters
    ----------
    images : (n, c, h, w) in [0, 1]; each channel by itself.
    sigma : of the smoothing, in pixels.
    low, high : of the slope, low <= high.
    """
    spread = within("canny: sigma", sigma, 1e-3)
    pixels = images.double()
    smooth, slope = (
        tuple(_derivative(spread, size, order) for size in pixels.shape[2:]) for order in (0, 1)
    )  # fmt: skip
    down = filters.filtered(pixels, slope[0], smooth[1])
    right = filters.filtered(pixels, smooth[0], slope[1])
    steep = torch.hypot(down, right)
    kept = torch.zeros_like(images, dtype=torch.bool)
    kept[..., 1:-1, 1:-1] = _ridges(down[..., 1:-1, 1:-1], right[..., 1:-1, 1:-1], steep)
    weak = kept & (steep >= within("canny: low", low, 0) - _EQUAL)
    return connected(weak & (steep >= within("canny: high", high, low) - _EQUAL), weak)


def _ridges(
    down: Float[Tensor, "n c i j"], right: Float[Tensor, "n c i j"], steep: Float[Tensor, "n c h w"]
) -> Bool[Tensor, "n c i j"]:
    """Whether inner pixels are as steep as what lies before and behind them along the slope."""
    above, same, below = (slice(start, start + down.shape[2]) for start in range(3))
    left, own, after = (slice(start, start + down.shape[3]) for start in range(3))
    along = down.abs() >= right.abs()  # the slope runs rather down than right
    falling = down * right >= 0  # ... and to the lower right rather than to the upper right
    one, other = down.abs(), right.abs()
    share = torch.minimum(one, other) / torch.maximum(one, other).clamp_min(_EQUAL)
    lower_left, upper_right = steep[..., below, left], steep[..., above, after]
    there = torch.where(along, steep[..., below, own], steep[..., same, after])
    corner = torch.where(falling, steep[..., below, after], torch.where(along, lower_left, upper_right))
    back = torch.where(along, steep[..., above, own], steep[..., same, left])
    opposite = torch.where(falling, steep[..., above, left], torch.where(along, upper_right, lower_left))
    least = torch.maximum(there.lerp_(corner, share), back.lerp_(opposite, share))
    return least <= steep[..., same, own] + _EQUAL


def connected(seeds: Bool[Tensor, "n c h w"], within_: Bool[Tensor, "n c h w"]) -> Bool[Tensor, "n c h w"]:
    """Grow the seeds to all that they touch, over sides and corners, and that lies within the mask."""
    grown = seeds
    while True:
        wide = grown.clone()
        wide[..., 1:] |= grown[..., :-1]
        wide[..., :-1] |= grown[..., 1:]
        high = wide.clone()
        high[..., 1:, :] |= wide[..., :-1, :]
        high[..., :-1, :] |= wide[..., 1:, :]
        high &= within_
        if torch.equal(high, grown):
            return grown
        grown = high


@lru_cache(maxsize=64)
def _derivative(sigma: float, size: int, order: int) -> filters.Matrix:
    """Smoothing by normal weights, then one axis of Sobel's operator: (1, 2, 1), or (-1, 0, 1) for order 1. float64."""
    reach = int(4 * sigma + 0.5)
    apart = np.arange(size) - np.arange(size)[:, None]
    smooth = np.where(abs(apart) <= reach, np.exp(-0.5 * (apart / sigma) ** 2), 0)
    smooth /= smooth.sum(1, keepdims=True)  # nothing beyond the border
    before, after = smooth[[0, *range(size - 1)]], smooth[[*range(1, size), size - 1]]
    return torch.from_numpy(after - before if order else before + 2 * smooth + after)
