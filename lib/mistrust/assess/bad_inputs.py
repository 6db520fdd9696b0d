"""`BAD`: kinds of bad input made from a user's own images: the four of AmbiGuess's paper, and faults of a camera.

Weiss, García Gómez and Tonella (2022), section VII, test supervisors on corrupted, adversarial, ambiguous and invalid
inputs. Here each kind is made of the images under assessment, by what needs no training: ambiguous ones are two images
of two classes laid over each other (the rival that its chapter calls mixing, not AmbiGuess itself), invalid ones have
their tiles shuffled.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.rivals import mixed
from mistrust.data import ImageSet
from mistrust.inputs import FAULTS, PERTURBATIONS, faulty, perturbed
from mistrust.inputs.adversarial import adversarial
from mistrust.networks import Classifier
from mistrust.registry import Registry

TILES = 4  # shuffled tiles down and across
LEVELS = range(1, 11)


@dataclass(frozen=True)
class Bad:
    """One kind.

    Attributes
    ----------
    title : head of its column.
    about : what is done to the images, for the report.
    make : (classifier, n `numbered` images, seed) -> image set; ids tell which image each was made from, and are n or
        more where it was made from several.
    gradients : whether it needs those of the model.
    """

    title: str
    about: str
    make: Callable[[Classifier, ImageSet, int], ImageSet]
    gradients: bool = False


BAD = Registry[Bad]("kind of bad input")


def numbered(images: ImageSet) -> ImageSet:
    """The images with ids 0 to n - 1: what is drawn for an id is drawn for those before it, too.

    Of large pictures that is most of the work: ids from all over a set cost as much as the whole set.
    """
    return replace(images, ids=torch.arange(len(images)))


def corrupted(classifier: Classifier, images: ImageSet, seed: int) -> ImageSet:
    """Every image under one of the twelve perturbations at one of ten levels, both drawn."""
    names = list(PERTURBATIONS)
    which = random.permutation(seed, "assess/corruption", len(images)) % len(names)
    level = random.permutation(seed, "assess/level", len(images)) % len(LEVELS)
    made = torch.empty(images.images.shape, dtype=torch.uint8)
    for i, name in enumerate(names):
        for j, setting in enumerate(LEVELS):
            here = ((which == i) & (level == j)).nonzero()[:, 0]
            if len(here):  # numbered among their like, and a seed for each level, for they draw from the same names
                some = numbered(images.take(here))
                made[here] = perturbed(some, name, setting, seed=seed * len(LEVELS) + j).images
    return replace(images, images=made)


def broken_camera(classifier: Classifier, images: ImageSet, seed: int) -> ImageSet:
    """Every image under one of the anomalies of the safety monitors' benchmark, at its strongest."""
    names = [name for name, fault in FAULTS.items() if fault.category == "anomaly"]
    which = random.permutation(seed, "assess/anomaly", len(images)) % len(names)
    made = torch.empty(images.images.shape, dtype=torch.uint8)
    for i, name in enumerate(names):
        here = (which == i).nonzero()[:, 0]
        if len(here):
            made[here] = faulty(numbered(images.take(here)), name, FAULTS[name].levels, seed=seed).images
    return replace(images, images=made)


def attacked(classifier: Classifier, images: ImageSet, seed: int) -> ImageSet:
    """Images that fool this model, by four attacks, each at the smallest epsilon of a grid that does."""
    return adversarial(classifier, images, seed, search="bisection").images


def ambiguous(classifier: Classifier, images: ImageSet, seed: int) -> ImageSet:
    """Two images of two classes laid over each other, at shares between 0.375 and 0.625."""
    made = mixed(images, None, len(images), seed=seed).image_set()
    return replace(made, ids=len(images) + torch.arange(len(made)))


def invalid(classifier: Classifier, images: ImageSet, seed: int) -> ImageSet:
    """Every image cut into tiles, and these put together in an order that is drawn for each."""
    return images.with_images(shuffled(images.images, images.ids, seed))


def shuffled(images: Tensor, ids: Tensor, seed: int, tiles: int = TILES) -> Tensor:
    """Shuffle tiles; what is left at the right and below, where sides do not divide, stays."""
    height, width = images.shape[2] // tiles, images.shape[3] // tiles
    if height < 1 or width < 1:
        return images.flip(2)
    order = random.keyed(seed, "assess/tiles", ids, lambda g, m: g.random((m, tiles * tiles))).argsort(1)
    inner = images[:, :, : height * tiles, : width * tiles]
    parts = inner.unfold(2, height, height).unfold(3, width, width).flatten(2, 3)  # (n, c, tiles², h, w)
    index = order[:, None, :, None, None].expand_as(parts)
    moved = parts.gather(2, index).unflatten(2, (tiles, tiles)).transpose(3, 4).flatten(4, 5).flatten(2, 3)
    made = images.clone()
    made[:, :, : height * tiles, : width * tiles] = moved
    return made


BAD.add("corrupted", Bad("corrupted", "one of twelve perturbations at one of ten levels", corrupted))
BAD.add("anomaly", Bad("camera fault", "rows added, pixels stuck or shifted, at their strongest", broken_camera))
BAD.add("ambiguous", Bad("ambiguous", "two images of two classes laid over each other", ambiguous))
BAD.add("invalid", Bad("invalid", f"{TILES * TILES} tiles of the image shuffled", invalid))
BAD.add("adversarial", Bad("adversarial", "FGSM, PGD, BIM or DeepFool until it fools", attacked, gradients=True))
