"""What a stack of autoencoders is fed: images of each member's pair in its own order, its own dropout and noise.

Everything random belongs to one member: keyed by its seed, pair and epoch, and drawn in amounts that depend on its
own number of images alone, so that a member sees the same whoever stands beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.ambiguity import prior
from mistrust.ambiguity.members import Member, rows_of
from mistrust.ambiguity.stacked import Design
from mistrust.data import ImageSet
from mistrust.errors import MistrustError

# Dropout masks of one step, (rows, hidden) each; see `adversarial`. Two stand together where a layer sees prior
# samples and encoded images at once.
MASKS = 14


@dataclass(frozen=True)
class Batch:
    """One step's input of the first k members of a stack, b rows each.

    A member with fewer than b images in this step has weight 0 in the rows that are left over.

    Attributes
    ----------
    x : (k, b, D) in [0, 1].
    second : (k, b) int64, 1 where the image is of the pair's second class, else 0.
    weight : (k, b), one over the number of the member's images in this step.
    count : (k,) int64, that number.
    real : (k, b, L) samples of the prior: for each member the first half of its rows of the first class.
    real_second : (k, b) int64, their classes.
    masks : (k, 14, b, hidden) dropout's factors, or None without dropout.
    """

    x: Float[Tensor, "k b d"]
    second: Int[Tensor, "k b"]
    weight: Float[Tensor, "k b"]
    count: Int[Tensor, " k"]
    real: Float[Tensor, "k b l"]
    real_second: Int[Tensor, "k b"]
    masks: Float[Tensor, "k 14 b h"] | None


class Feed:
    """The images of a stack's members and their draws.

    Parameters
    ----------
    images : holds every class of every pair.
    members : those with the most images first (`order_by_size`), so that whoever has a batch left is in front.
    design, size : and the images a step.
    device, dtype : of what is given.
    pixels : the set's flat images on that device, (n, D), shared between stacks.
    """

    def __init__(
        self, images: ImageSet, members: Sequence[Member], design: Design, size: int, dtype: torch.dtype, pixels: Tensor
    ) -> None:
        self.members, self.design, self.size, self.dtype = members, design, size, dtype
        self.pixels, self.device = pixels, pixels.device
        self.rows = [rows_of(images, member) for member in members]
        self.counts = [len(rows) for rows in self.rows]
        if self.counts != sorted(self.counts, reverse=True):
            raise MistrustError(f"Members with {self.counts} images: those with the most come first in a stack.")
        self.labels = images.labels.to(self.device)
        self.seconds = torch.tensor([member.second for member in members], device=self.device)
        self.means = prior.means(design.latent).to(self.device, dtype)
        self.steps = ceil(self.counts[0] / size)

    def epoch(self, number: int) -> Iterator[Batch]:
        """Give the batches of one epoch, reshuffled; the last is as small as what is left."""
        generators = [self._generator(member, number) for member in self.members]
        order = self._padded(
            [
                rows[random.permutation(m.seed, f"{m.name}/order/{number}", len(rows))]
                for m, rows in zip(self.members, self.rows, strict=True)
            ]
        )
        for step in range(self.steps):
            k, b, count = self.active(step)
            rows = order[:k, step * self.size : step * self.size + b]
            masks, normal = self._draws(generators[:k], b)
            x, second = self.images(rows)
            place, count = torch.arange(b, device=self.device), count[:, None]
            real_second = (place >= count // 2).long()
            weight = (place < count).to(self.dtype) / count
            yield Batch(
                x, second, weight, count[:, 0], normal.add_(self.means[real_second]), real_second, masks
            )  # fmt: skip

    def blocks(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """All images once, in the set's order: (k, b, D) images, (k, b) whether second, (k, b) whether there."""
        order = self._padded(self.rows)
        for step in range(self.steps):
            k, b, count = self.active(step)
            x, second = self.images(order[:k, step * self.size : step * self.size + b])
            yield x, second, torch.arange(b, device=self.device) < count[:, None]

    def active(self, step: int) -> tuple[int, int, Tensor]:
        """How many members have images in this step, the rows of the fullest, and the images of each."""
        left = [min(self.size, n - step * self.size) for n in self.counts if n > step * self.size]
        return len(left), max(left), torch.tensor(left, device=self.device)

    def images(self, rows: Int[Tensor, "k b"]) -> tuple[Tensor, Tensor]:
        """Flat images of these rows in [0, 1], and whether each is of its member's second class."""
        flat = rows.flatten()
        x = self.pixels.index_select(0, flat)
        x = x.to(self.dtype).div_(255) if x.dtype == torch.uint8 else x.to(self.dtype)
        second = self.labels[flat].view(rows.shape) == self.seconds[: len(rows), None]
        return x.view(*rows.shape, -1), second.long()

    def _padded(self, rows: list[Tensor]) -> Tensor:
        return torch.nn.utils.rnn.pad_sequence([one.to(self.device) for one in rows], batch_first=True)

    def _generator(self, member: Member, epoch: int) -> torch.Generator:
        seed = random.generator(member.seed, f"{member.name}/noise", epoch).integers(2**63)
        return torch.Generator(self.device).manual_seed(int(seed))

    def _draws(self, generators: list[torch.Generator], b: int) -> tuple[Tensor | None, Tensor]:
        """Dropout's factors (k, 14, b, hidden) and standard normal numbers (k, b, L).

        Each member draws for min(batch, its images) rows, whatever b is. A mask takes 16 random bits a number: torch's
        own Bernoulli draws took as long as a third of the arithmetic.
        """
        k, hidden, share = len(generators), self.design.hidden, self.design.dropout
        most = min(self.size, self.counts[0])
        normal = torch.zeros(k, most, self.design.latent, dtype=self.dtype, device=self.device)
        bits = None
        if share:
            words = -(-MASKS * most * hidden // 4)
            bits = torch.zeros(k, words, dtype=torch.int64, device=self.device)
        for g, generator in enumerate(generators):
            own = min(self.size, self.counts[g])
            normal[g, :own].normal_(generator=generator)
            if bits is not None and own == most:
                bits[g].random_(-(2**63), None, generator=generator)
            elif bits is not None:
                fewer = torch.empty(-(-MASKS * own * hidden // 4), dtype=torch.int64, device=self.device)
                fewer.random_(-(2**63), None, generator=generator)
                spread = bits[g].view(torch.int16)[: MASKS * most * hidden].view(MASKS, most, hidden)
                spread[:, :own] = fewer.view(torch.int16)[: MASKS * own * hidden].view(MASKS, own, hidden)
        if bits is None:
            return None, normal[:, :b]
        drawn = bits.view(torch.int16)[:, : MASKS * most * hidden].view(k, MASKS, most, hidden)[:, :, :b]
        dropped = round(share * 2**16) - 2**15
        return (drawn >= dropped).to(self.dtype).mul_(1 / (1 - share)), normal[:, :b]
