"""`Draws`: the random numbers of one use of a perturbation, keyed by image id."""

from dataclasses import dataclass
from math import prod

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mistrust import random


@dataclass(frozen=True)
class Draws:
    """The random numbers of one use of a perturbation: those of the images' ids, and of nothing else.

    Examples
    --------
    An image's draws are its own, whatever batch it comes in:

    >>> all_three = Draws(seed=0, name="noise", ids=torch.tensor([5, 6, 7])).normal((2,))
    >>> alone = Draws(seed=0, name="noise", ids=torch.tensor([7])).normal((2,))
    >>> torch.equal(all_three[2], alone[0])
    True
    >>> Draws(seed=0, name="holes", ids=torch.tensor([7])).chosen(3, (4, 4)).sum()  # three of sixteen places
    tensor(3)
    """

    seed: int
    name: str
    ids: Int[Tensor, " n"]

    def normal(self, shape: tuple[int, ...], part: str = "z") -> Float[Tensor, "n ..."]:
        """Draw standard normal numbers (n, *shape); draws of another `part` are independent."""
        return random.normal(self.seed, f"{self.name}/{part}", self.ids, shape)

    def uniform(self, shape: tuple[int, ...], part: str = "u") -> Float[Tensor, "n ..."]:
        """Draw numbers uniform in [0, 1), (n, *shape)."""
        return random.uniform(self.seed, f"{self.name}/{part}", self.ids, shape)

    def integers(self, low: int, high: int, shape: tuple[int, ...], part: str = "i") -> Int[Tensor, "n ..."]:
        """Draw whole numbers low to high - 1, (n, *shape): int16 where the range allows it, int64 otherwise."""
        kind = np.int16 if low >= -(2**15) and high <= 2**15 else np.int64

        def draw(generator: np.random.Generator, m: int) -> NDArray[np.integer]:
            if (low, high) == (-(2**15), 2**15):
                return sixteen_bits(generator, (m, *shape))
            return generator.integers(low, high, (m, *shape), dtype=kind)

        return random.keyed(self.seed, f"{self.name}/{part}", self.ids, draw, one_by_one=True)

    def chosen(self, count: int, shape: tuple[int, ...], part: str = "chosen") -> Bool[Tensor, "n ..."]:
        """Choose exactly `count` places of `shape` for each image, without replacement: True there, (n, *shape).

        A larger count keeps the places of a smaller one. Every place draws a whole number, the lowest `count` are
        taken; the number's last bits are the place itself, so that no two are equal and the count is exact.
        """
        places = prod(shape)
        if count <= 0:
            return torch.zeros((len(self.ids), *shape), dtype=torch.bool)
        if count >= places:
            return torch.ones((len(self.ids), *shape), dtype=torch.bool)
        kind = np.uint32 if places <= 2**16 else np.uint64  # 16 random bits and more remain
        own = kind(2 ** (places - 1).bit_length() - 1)

        def draw(generator: np.random.Generator, m: int) -> NDArray[np.unsignedinteger]:
            return generator.integers(0, np.iinfo(kind).max, (m, places), dtype=kind, endpoint=True)

        def lowest(numbers: NDArray[np.unsignedinteger]) -> Tensor:
            numbers &= ~own
            numbers |= np.arange(places, dtype=kind)
            last = np.partition(numbers, count - 1, axis=1)[:, count - 1 : count]
            return torch.from_numpy(numbers <= last)

        # Partitions take longer than draws: they are made of what was asked for, not of whole blocks of ids. One block
        # after the other, for numbers take many times the memory of what they choose.
        found = torch.empty(len(self.ids), places, dtype=torch.bool)
        blocks = self.ids // random.BLOCK
        for block in blocks.unique():
            rows = (blocks == block).nonzero()[:, 0]
            numbers = random.keyed(self.seed, f"{self.name}/{part}", self.ids[rows], draw, one_by_one=True)
            found[rows] = lowest(numbers.numpy())
        return found.view(-1, *shape)


def sixteen_bits(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.int16]:
    """What generator.integers(-(2**15), 2**15, shape, dtype=int16) gives first, in half the time: its raw bits."""
    count = prod(shape)
    words = generator.bit_generator.random_raw(-(-count // 4)).astype("<u8", copy=False).view("<u2")
    return np.bitwise_xor(words[:count], np.uint16(2**15)).view(np.int16).reshape(shape)
