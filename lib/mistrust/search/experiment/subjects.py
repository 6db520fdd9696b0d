"""What is measured: a model of one mechanism and dose, and its pools with their distances."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.networks import NETWORK, Recipe
from mistrust.search.attack import distances
from mistrust.search.attack.found import Distances, named, numbered
from mistrust.search.experiment.conditions import condition
from mistrust.search.experiment.parameters import Parameters, present
from mistrust.search.mechanisms import MECHANISMS, Panel, Sizes, panel, panel_spec
from mistrust.search.mechanisms.table import recipe_of
from mistrust.search.tables.hunted import Hunted, hunted
from mistrust.search.tables.searches import Setting
from mistrust.store import Scratch, made, maker


@dataclass(frozen=True)
class Subject:
    """A model.

    Attributes
    ----------
    mechanism, dose, run : entry of `MECHANISMS`, one of its doses, and the number of the model, counted from 0.
    """

    parameters: Parameters
    mechanism: str
    dose: str
    run: int

    @property
    def condition(self) -> str:
        """As rows have it."""
        return condition(self.mechanism, self.dose)

    @property
    def network(self) -> str:
        """Architecture."""
        return self.parameters.architecture or MECHANISMS[self.mechanism].architecture

    @property
    def seed(self) -> int:
        """Of images, first weights and all draws of the model's searches."""
        return self.parameters.seed + self.run

    @property
    def own(self) -> dict[str, Any]:
        """In place of the mechanism's own."""
        p, base = self.parameters, MECHANISMS[self.mechanism]
        sizes = Sizes(
            p.train_images or base.sizes.train,
            p.validation_images or base.sizes.validation,
            p.test_images or base.sizes.test,
        )
        # A mechanism's recipe is for its own network: another network comes with what its authors trained it by.
        usual: Recipe = base.recipe if self.network == base.architecture else recipe_of(self.network)
        recipe = replace(usual, epochs=p.epochs) if p.epochs else usual
        return {"sizes": sizes, "recipe": recipe, "architecture": p.architecture or None}

    @cached_property
    def panel(self) -> Panel:
        """The network (from the store where it was trained), its temperature and its test images."""
        return panel(self.mechanism, self.dose, self.seed, **self.own)

    @property
    def data(self) -> str:
        """The image set's name in rows; no network is needed to tell it."""
        return str(self.spec()["network"]["data"]["name"])

    @property
    def setting(self) -> Setting:
        """How its pools are searched."""
        p = self.parameters
        return Setting(
            p.methods, p.replicates, p.few, p.budget, p.variance, p.fraction, p.refit, p.reclustered, self.seed
        )

    def pools(self) -> Iterator[Hunted]:
        """Its pools, either class critical in turn; one without any instance or distance is left out."""
        for at in self.panel.classes:
            one = pool_of(self, at)
            if one is not None:
                yield one

    def spec(self) -> Mapping[str, Any]:
        """What it is made from."""
        return _spec(self)


@lru_cache(maxsize=256)
def _spec(one: Subject) -> Mapping[str, Any]:
    # Images are drawn for it, which takes a while: once for all parts.
    made_from = panel_spec(one.mechanism, one.dose, one.seed, **one.own)
    return {**made_from, "mechanism": one.mechanism, "dose": one.dose, "seed": one.seed}


@lru_cache(maxsize=5)  # models of one condition, which are asked about each other's images
def panel_of(subject: Subject) -> Panel:
    """A model's panel, whoever asks for it."""
    return subject.panel


@lru_cache(maxsize=8)
def pool_of(subject: Subject, at: str) -> Hunted | None:
    """A pool with its distances: of a large one as many instances as the cap allows, drawn."""
    p, found = subject.parameters, subject.panel
    size = len(found.rows(at))
    if not size:
        return None
    rows = drawn(size, p.pool_cap, subject.seed, at)
    images = found.images(at).take(rows)
    given: dict[str, Any] = {"steps": p.distance_steps} if p.distance_steps else {}
    spec = {
        "subject": dict(subject.spec()), "at": at, "images": images.checksum, "distance": p.distance, "steps": given,
        "seed": subject.seed, "versions": {NETWORK.kind: NETWORK.version},
    }  # fmt: skip

    def make(_: Scratch) -> dict[str, Tensor]:
        apart = nearest(subject, images)
        return {"mae": apart.mae.double(), "start": numbered(apart.start)}

    apart = made(DISTANCES, spec, make)
    return hunted(
        at, found.pool(at).take(rows), found.truth(at)[rows], found.features, apart["mae"].numpy(),
        named(apart["start"]), size=size, fraction=p.fraction,
    )  # fmt: skip


def nearest(subject: Subject, images: ImageSet) -> Distances:
    """Find images that the network calls otherwise, by the chapter's distance."""
    p, found = subject.parameters, subject.panel
    steps: dict[str, Any] = {"steps": p.distance_steps} if p.distance_steps else {}
    return distances(found.classifier, images, p.distance, donors=found.parts.test, seed=subject.seed, **steps)


def _smoke() -> dict[str, Tensor]:
    """What a line through the middle of small images is away from them; rounded, since machines differ."""
    pixels = random.uniform(0, "smoke/search-distances", torch.arange(6), (1, 4, 4))
    weights = torch.linspace(-1, 1, 16).double()

    def labels(images: Tensor) -> Tensor:
        return ((images.double().flatten(1) - 0.5) @ weights > 0).long()

    found = distances(labels, pixels.float(), "boundary", seed=0, steps=40)
    return {"mae": found.mae.double().round(decimals=3)}


DISTANCES = maker("search-distances", version=1, content="tensors", smoke=_smoke)


def drawn(size: int, most: int, seed: int, name: str) -> NDArray[np.int64]:
    """Rows of a pool, rising: all, or `most` of them drawn without replacement."""
    order: NDArray[np.int64] = random.permutation(seed, f"search/pool/{name}", size).numpy()
    return np.sort(order[:most])


def images_of(subject: Subject, one: Hunted) -> ImageSet:
    """Images of a pool, in its order."""
    test = subject.panel.parts.test
    place = {id: row for row, id in enumerate(test.ids.tolist())}
    return test.take([place[id] for id in one.pool.ids.tolist()])


def subjects(parameters: Parameters) -> Iterator[Subject]:
    """All models; those of one mechanism and number stand beside each other."""
    for mechanism in present(parameters):
        numbers = {dose: parameters.models_of(mechanism, dose) for dose in parameters.doses_of(mechanism)}
        for run in range(max(numbers.values())):
            for dose in (dose for dose, number in numbers.items() if run < number):
                yield Subject(parameters, mechanism, dose, run)
