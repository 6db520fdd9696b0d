"""Random directions of a boundary attack: of all frequencies, or smooth ones, of the low frequencies alone."""

from functools import lru_cache
from math import ceil, pi, sqrt

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from mistrust.search.attack import streams
from mistrust.search.attack.proposals import TINY


def directions(
    key: Int64[Tensor, " n"],
    turn: Int64[Tensor, " n"],
    shape: tuple[int, ...],
    frequencies: float,
    length: Float64[Tensor, " n"] | None = None,
) -> Float64[Tensor, "n d"]:
    """Draw a direction for each key: normal numbers for the low frequencies of an image, turned into pixels.

    A network's boundary bends less along smooth changes of an image, so that more of them are of another class
    (Guo, Frank and Weinberger, Low Frequency Adversarial Perturbation, UAI 2019, arXiv 1809.08758).

    Parameters
    ----------
    key, turn : whose numbers, and which draw of its sequence, see `streams.normal`.
    shape : of an image, (channels, height, width).
    frequencies : the share of height's and of width's that is drawn, rounded up, the rest is 0; with 1 the numbers are
        the pixels, as published.
    length : Euclidean, of each direction; as it was drawn where not given.
    """
    if frequencies == 1:
        return _sized(streams.normal(key, shape[0] * shape[1] * shape[2], turn).double(), length)
    down, across = (_waves(ceil(frequencies * size), size, key.device) for size in shape[1:])
    # The waves are orthonormal, so that the few numbers are as long as the many pixels.
    drawn = _sized(streams.normal(key, shape[0] * len(down) * len(across), turn).double(), length)
    return (down.T @ drawn.view(-1, shape[0], len(down), len(across)) @ across).flatten(1)


def _sized(drawn: Float64[Tensor, "n d"], length: Float64[Tensor, " n"] | None) -> Float64[Tensor, "n d"]:
    return drawn if length is None else drawn.mul_((length / drawn.norm(dim=1).clamp_min(TINY))[:, None])


@lru_cache(maxsize=8)
def _waves(kept: int, size: int, device: torch.device) -> Float64[Tensor, "kept size"]:
    """Give the first cosines of the orthonormal transform (DCT-II), one per row."""
    frequency = torch.arange(kept, dtype=torch.float64, device=device)[:, None]
    place = torch.arange(size, dtype=torch.float64, device=device) + 0.5
    waves = (pi / size * frequency * place).cos() * sqrt(2 / size)
    waves[0] /= sqrt(2)
    return waves
