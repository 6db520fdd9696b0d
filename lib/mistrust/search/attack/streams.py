"""Random numbers of single queries: keyed by seed, name, image id, step and direction, drawn for many images at once.

`mistrust.random` draws blocks of 256 neighbouring ids. Here a few images of a large set each stand at a step of their
own, so each has its own 64-bit key, and its numbers are those of the SplitMix64 generator started from it (Steele, Lea
and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014), which gives any place of its sequence at once:
all images in the same tensor operations, on the device where they are. An image's numbers do not depend on who else
is in the batch.
"""

from functools import lru_cache
from math import log, pi

import torch
from jaxtyping import Float32, Int64
from torch import Tensor

from mistrust import random

# SplitMix64's constants as signed numbers: torch's int64 wraps round as unsigned ones do.
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15 - 2**64, 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64
LOW = 0xFFFFFFFF
AT_ONCE = 1 << 14  # 64-bit words that a CPU works on together: they stay in its cache


def keys(seed: int, name: str, ids: Int64[Tensor, " n"]) -> Int64[Tensor, " n"]:
    """One key an image id: where its own sequence for (seed, name) starts."""
    start = int(random.generator(seed, name).integers(-(2**63), 2**63 - 1, dtype="int64"))
    return mixed(mixed(ids + GOLDEN).bitwise_xor_(start))


def mixed(words: Int64[Tensor, "*shape"]) -> Int64[Tensor, "*shape"]:
    """SplitMix64's finaliser, a bijection of 64-bit words, in place."""
    for shift, factor in ((30, FIRST), (27, SECOND), (31, 1)):
        # Torch shifts signs in from the left; the mask takes them away.
        words ^= (words >> shift).bitwise_and_(2 ** (64 - shift) - 1)
        if factor != 1:
            words *= factor
    return words


def words(key: Int64[Tensor, " n"], count: int, turn: Int64[Tensor, " n"] | int = 0) -> Int64[Tensor, "n count"]:
    """Give SplitMix64's outputs from each key: `count` of them, after those of the `turn` draws before."""
    begin = key + torch.as_tensor(turn, device=key.device) * _wrapped(count * GOLDEN)
    return mixed(begin[:, None] + _places(count, key.device))


def _wrapped(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


@lru_cache(maxsize=8)
def _places(count: int, device: torch.device) -> Tensor:
    return torch.arange(1, count + 1, device=device) * GOLDEN


def uniform(
    key: Int64[Tensor, " n"], count: int, turn: Int64[Tensor, " n"] | int = 0
) -> Float32[Tensor, "n count"]:  # fmt: skip
    """`count` numbers uniform in [0, 1) for each key, multiples of 2^-24: draw number `turn` of its sequence."""
    return words(key, count, turn).bitwise_right_shift_(40).bitwise_and_(2**24 - 1).to(torch.float32).mul_(2.0**-24)


def normal(key: Int64[Tensor, " n"], count: int, turn: Int64[Tensor, " n"]) -> Float32[Tensor, "n count"]:
    """`count` standard normal numbers for each key, by Box and Muller's pairs: draw number `turn` of its sequence."""
    half = (count + 1) // 2
    result = torch.empty(len(key), 2 * half, device=key.device)
    rows = max(1, AT_ONCE // half) if key.device.type == "cpu" else len(key)
    whole = key, turn, result
    # Few images take a step within a millisecond, of which splitting would be a tenth.
    for some, place, out in zip(*(one.split(rows) for one in whole), strict=True) if len(key) > rows else (whole,):
        both = words(some, half, place)
        # The half keeps the logarithm off minus infinity: sizes reach 6.8.
        radius = (both >> 32).bitwise_and_(LOW).to(torch.float32).add_(0.5).log_().sub_(32 * log(2)).mul_(-2)
        # Rounding may leave the largest words a hair above 0.
        radius = radius.clamp_min_(0).sqrt_()
        angle = both.bitwise_and_(LOW).to(torch.float32).mul_(2 * pi * 2.0**-32)
        torch.mul(radius, angle.cos(), out=out[:, :half])
        torch.mul(radius, angle.sin_(), out=out[:, half:])
    return result[:, :count]
