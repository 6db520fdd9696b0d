"""All perturbed versions of the test images as one network sees them: what the tables are made from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.evaluation import Estimate
from mistrust.misclassification.confusion import confusion, error_shares

Row = Mapping[str, Any]
ALL = "perturbed/all"  # the ten levels, each with a matrix of its own, and their mean
POOLED = "perturbed/pooled"  # one matrix from the inputs of all levels together


@dataclass(frozen=True)
class Sweep:
    """Inputs, one setting after the other, every setting of the same test images in the same order.

    Attributes
    ----------
    probabilities, distance : (n, k) softmax, and its distances to the centroids; float64.
    labels, base, level : (n,) true class, id of the image it was made from, level of its perturbation.
    classes : the k class names.

    Examples
    --------
    Two images at two levels; at the second the dog is taken for a cat:

    >>> from mistrust.misclassification import distances
    >>> softmax = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.8, 0.2], [0.6, 0.4]], dtype=torch.float64)
    >>> labels, base, level = torch.tensor([0, 1, 0, 1]), torch.tensor([7, 8, 7, 8]), torch.tensor([1, 1, 2, 2])
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(2)), labels, base, level, ("cat", "dog"))
    >>> [(at, (one.predicted != one.labels).tolist()) for at, one in sweep.by_level()]
    [(1, [False, False]), (2, [False, True])]
    >>> sweep.cells
    [(0, 1, 'cat>dog'), (1, 0, 'dog>cat')]
    """

    probabilities: Float[Tensor, "n k"]
    distance: Float[Tensor, "n k"]
    labels: Int[Tensor, " n"]
    base: Int[Tensor, " n"]
    level: Int[Tensor, " n"]
    classes: tuple[str, ...]

    @cached_property
    def predicted(self) -> Int[Tensor, " n"]:
        """The class with the highest softmax."""
        return self.probabilities.argmax(1)

    @cached_property
    def truth(self) -> Float[Tensor, "k k"]:
        """Of the misclassified inputs of each class, the shares taken for each other."""
        return error_shares(confusion(self.labels, self.predicted, len(self.classes)))

    @property
    def cells(self) -> list[tuple[int, int, str]]:
        """True class, other class, and the name of their cell ("4>9"), the diagonal left out."""
        return cells(self.classes)

    def of(self, chosen: Tensor) -> "Sweep":
        """Some of the inputs, by mask or by index."""
        p, distance = self.probabilities[chosen], self.distance[chosen]
        return Sweep(p, distance, self.labels[chosen], self.base[chosen], self.level[chosen], self.classes)

    def by_level(self) -> Iterator[tuple[int, "Sweep"]]:
        """Each level with its inputs, ascending."""
        for level in torch.unique(self.level).tolist():
            yield level, self.of(self.level == level)


def cells(classes: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """True class, other class, and the name of their cell, the diagonal left out."""
    return [(y, c, f"{a}>{b}") for y, a in enumerate(classes) for c, b in enumerate(classes) if y != c]


def told(found: Estimate) -> dict[str, Any]:
    """An estimate over images as part of a row."""
    return {"value": found.value, "low": found.low, "high": found.high, "over": "images", "n": found.n}
