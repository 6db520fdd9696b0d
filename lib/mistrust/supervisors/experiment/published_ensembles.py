"""What a slip of the published ensembles changes: those of one network on Fashion-MNIST are of another kind.

The authors' code trains the members for the fully connected network on Fashion-MNIST with the recipe of MNIST's
convolutional one: they have never seen an item of clothing.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.networks import observe
from mistrust.supervisors import SUPERVISORS, make_supervisor
from mistrust.supervisors.experiment.parameters import Parameters
from mistrust.supervisors.experiment.tested import BLOCK, UnderTest, scores
from mistrust.supervisors.tables import Row, Scores
from mistrust.supervisors.tables.detection import detection

AFFECTED, TAKEN = ("fmnist", "ambiguess-fc"), ("mnist", "ambiguess-conv")
SUFFIX = "as published"


def affected(parameters: Parameters, data: str) -> bool:
    """Whether the slip can be made: its network and image set, and the members that it takes, are all there."""
    (_, network), (other, taken) = AFFECTED, TAKEN
    here = data == AFFECTED[0] and other in parameters.data and {network, taken} <= {*parameters.architectures}
    return here and any(_reads_members(name) for name in parameters.compared)


def _reads_members(name: str) -> bool:
    return "members" in SUPERVISORS[name].card.needs


def as_published(one: UnderTest, tensors: dict[str, Tensor]) -> Iterator[Row]:
    """Rows of the ensembles' supervisors as variants: with the slip where it was made, else as they are."""
    names = [name for name in one.parameters.compared if _reads_members(name)]
    nominal, *kinds = (part.of(names) for part in scores(tensors, list(one.sets)))
    if (one.data, one.architecture) == AFFECTED:
        wrong = one.taking(*TAKEN)
        nominal, *kinds = (_scored(wrong, part, one.sets[part.name], names) for part in (nominal, *kinds))
    for kind in kinds:
        yield from detection(_renamed(nominal), _renamed(kind), 0, one.parameters.seed, table="variants")


def _renamed(part: Scores) -> Scores:
    return replace(part, by={f"{name}/{SUFFIX}": values for name, values in part.by.items()})


def _scored(wrong: UnderTest, part: Scores, images: ImageSet, names: list[str]) -> Scores:
    """Score images by the wrong ensemble: the first of its networks, and its further members."""
    made = {name: make_supervisor(name) for name in names}
    # Clothes shown to networks of digits: no label is read, but the names of the classes have to be theirs.
    shown = ImageSet(images.name, images.images, images.labels, images.ids, wrong.classifier.classes)
    found: dict[str, list[Tensor]] = {name: [] for name in names}
    for start in range(0, len(images), BLOCK):
        record = observe(wrong.classifier, shown.take(slice(start, start + BLOCK)), members=wrong.members)
        for name, supervisor in made.items():
            fitted = supervisor if supervisor.fitted is not None else supervisor.fit(record)
            found[name].append(fitted.score(record))
    return replace(part, by={name: torch.cat(values).numpy().astype(np.float64) for name, values in found.items()})
