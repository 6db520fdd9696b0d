"""What a stack of classes is fed: images of each class in its own order, clean and noisy.

Everything random belongs to a class, by its name, and to an image, by its id: a class sees the same whoever is trained
beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from mistrust import random
from mistrust.data import ImageSet
from mistrust.supervisors.alooc.layout import laid_out
from mistrust.supervisors.alooc.recipe import AloocRecipe


@dataclass(frozen=True)
class Batch:
    """One step's images of the first k classes of a stack, n each.

    Attributes
    ----------
    clean, noisy : (n, k channels, h, w) in [0, 1].
    share : (n, k) one over the number of the class's images in this step, 0 in the rows that are left over.
    whole : whether no row is left over.
    """

    clean: Float[Tensor, "n kc h w"]
    noisy: Float[Tensor, "n kc h w"]
    share: Float[Tensor, "n k"]
    whole: bool

    @property
    def count(self) -> int:
        """Classes, k."""
        return self.share.shape[1]


def member(name: str) -> str:
    """What a class's draws are keyed by."""
    return f"alooc/{name}"


class Feed:
    """Images of some classes, those with the most images first, so that whoever has a batch left is in front.

    Parameters
    ----------
    images : a training set.
    classes : positions of the classes, each with an image.
    """

    def __init__(
        self,
        images: ImageSet,
        classes: Sequence[int],
        recipe: AloocRecipe,
        seed: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        rows = {c: (images.labels == c).nonzero()[:, 0] for c in classes}
        self.classes = sorted(classes, key=lambda c: (-len(rows[c]), c))
        self.counts = [len(rows[c]) for c in self.classes]
        self.size, self.seed, self.dtype = recipe.batch, seed, dtype
        self.names = [member(images.classes[c]) for c in self.classes]
        self.device = device or torch.device("cpu")
        # Ordered by id: nothing hangs on the order of the images.
        chosen = torch.cat([rows[c][images.ids[rows[c]].argsort(stable=True)] for c in self.classes])
        pixels = images.images[chosen]
        floats = pixels.to(dtype) / 255 if pixels.dtype == torch.uint8 else pixels.to(dtype)
        drawn = random.normal(seed, "alooc/noise", images.ids[chosen], tuple(pixels.shape[1:]))
        self.noisy = (floats + recipe.noise * drawn.to(dtype)).clamp_(0, 1).to(self.device)
        self.clean = floats.to(self.device)
        ends = torch.tensor(self.counts).cumsum(0).tolist()
        self.rows = [torch.arange(end - count, end) for count, end in zip(self.counts, ends, strict=True)]
        self.steps = ceil(self.counts[0] / self.size)

    def epoch(self, number: int) -> Iterator[Batch]:
        """Give the batches of an epoch, reshuffled; a class's last is as small as what it has left."""
        orders = [
            rows[random.permutation(self.seed, f"{name}/order/{number}", len(rows))]
            for name, rows in zip(self.names, self.rows, strict=True)
        ]
        yield from self._batches(orders)

    def blocks(self) -> Iterator[Batch]:
        """All images once, by id."""
        yield from self._batches(self.rows)

    def _batches(self, rows: list[Int[Tensor, " m"]]) -> Iterator[Batch]:
        order = pad_sequence(rows)
        for start in range(0, self.counts[0], self.size):
            left = torch.tensor([min(self.size, count - start) for count in self.counts if count > start])
            here = order[start : start + int(left[0]), : len(left)]
            there = torch.arange(len(here))[:, None] < left
            flat, share = here.to(self.device), (there.to(self.dtype) / left).to(self.device)
            clean, noisy = (laid_out(pixels[flat].flatten(1, 2)) for pixels in (self.clean, self.noisy))
            yield Batch(clean, noisy, share, bool(there.all()))
