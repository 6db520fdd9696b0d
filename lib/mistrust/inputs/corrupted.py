"""The two published corrupted test sets, composed anew: every test image once, under one of fifteen corruptions."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import check_known
from mistrust.inputs.corruptions import FASHION_MNIST_C, MNIST_C
from mistrust.inputs.limits import check_set
from mistrust.inputs.perturbations import CORRUPTIONS, perturbed


@dataclass(frozen=True, eq=False)
class Corrupted:
    """A set of which each image is corrupted in one of several ways.

    Attributes
    ----------
    images : the corrupted images, uint8, in the order and with the ids and labels of those they were made from.
    corruption : (n,) position in `names` of each image's corruption.
    names : the corruptions, see `mistrust list corruptions`.

    Examples
    --------
    >>> from mistrust.data import load
    >>> corrupted = mnist_c(load("mnist5k", "test").take(slice(0, 30)))
    >>> foggy = corrupted.under("mnistc/fog")
    >>> len(corrupted.names), len(corrupted.images), len(foggy)
    (15, 30, 2)
    >>> bool(torch.isin(foggy.ids, corrupted.images.ids).all())
    True
    """

    images: ImageSet
    corruption: Int64[Tensor, " n"]
    names: tuple[str, ...]

    def under(self, name: str) -> ImageSet:
        """The images under one of the corruptions; an unknown name is an error that tells the nearest."""
        check_known("corruption in this set", name, self.names)
        return self.images.take(self.corruption == self.names.index(name))


def mnist_c(images: ImageSet, seed: int = 0) -> Corrupted:
    """Corrupt every image once as MNIST-C does, the fifteen corruptions in parts of (nearly) one size.

    Of 10,000 images fourteen corruptions get 667 and the last gets 662, as in the set that AmbiGuess was evaluated on
    (Weiss and Tonella). Which images are whose is drawn: the published parts are stretches of a shuffled file, and in
    MNIST's own order the later test images are easier. The severity is that of the published set.

    Parameters
    ----------
    images : (n, ...), meant for MNIST's test images.
    seed : of the division and of the corruptions.

    Examples
    --------
    >>> from mistrust.data import load
    >>> corrupted = mnist_c(load("mnist5k", "test").take(slice(0, 30)))
    >>> corrupted.corruption.bincount()  # two images for each of the fifteen
    tensor([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    """
    check_set("mnist_c", images)
    place = torch.empty(len(images), dtype=torch.int64)
    place[random.permutation(seed, "mnistc/division", len(images))] = torch.arange(len(images))
    return _composed(images, _parts(len(images), len(MNIST_C))[place], MNIST_C, seed)


def fashion_mnist_c(images: ImageSet, seed: int = 0) -> Corrupted:
    """Corrupt every image once as Fashion-MNIST-C does: each draws one of the fifteen corruptions, by its id.

    The severity is the fixed default of the published set's code. (Its README speaks of random ones.)

    Parameters
    ----------
    images : (n, ...), meant for Fashion-MNIST's test images.
    seed : of the choice and of the corruptions.

    Examples
    --------
    Which corruption an image gets belongs to its id, so a part of the set is corrupted as the whole is:

    >>> from mistrust.data import load
    >>> images = load("mnist5k", "test").take(slice(0, 20))
    >>> whole, part = fashion_mnist_c(images), fashion_mnist_c(images.take(slice(5, 20)))
    >>> torch.equal(whole.images.images[5:], part.images.images)
    True
    """
    check_set("fashion_mnist_c", images)

    def draw(generator: np.random.Generator, m: int) -> np.ndarray:
        return generator.integers(0, len(FASHION_MNIST_C), m)

    return _composed(images, random.keyed(seed, "fmnistc/choice", images.ids, draw), FASHION_MNIST_C, seed)


def _parts(n: int, parts: int) -> Int64[Tensor, " n"]:
    """Which part each of n rows belongs to: parts of ceil(n / parts) rows, the last one shorter.

    Where that leaves a part empty, as of few rows, parts are equal to within one row.
    """
    size, rows = -(-n // parts), torch.arange(n)
    return rows // size if size * (parts - 1) < n else rows * parts // max(n, 1)


def _composed(images: ImageSet, corruption: Int64[Tensor, " n"], names: tuple[str, ...], seed: int) -> Corrupted:
    made = torch.empty(images.images.shape, dtype=torch.uint8)
    for position, name in enumerate(names):
        here = corruption == position
        made[here] = perturbed(images.take(here), name, CORRUPTIONS[name].severity, seed=seed).images
    return Corrupted(replace(images, name=f"{images.name}-c", images=made), corruption, names)
