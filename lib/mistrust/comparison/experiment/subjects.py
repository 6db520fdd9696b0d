"""A classifier under comparison: its images, what it is watched with, and every kind of bad input."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from mistrust import random
from mistrust.ambiguity.experiment.material import material
from mistrust.comparison.experiment.parameters import Parameters
from mistrust.comparison.scorers import SCORERS, Watched
from mistrust.comparison.troubles import NOMINAL, TROUBLES, Making
from mistrust.data import ImageSet, load
from mistrust.networks import ARCHITECTURES, Classifier, observe, trained
from mistrust.networks.training import network_spec
from mistrust.supervisors.head import feature_layer

BLOCK = 512


@dataclass(frozen=True)
class Subject:
    """One classifier of one image set.

    Attributes
    ----------
    parameters : of the chapter.
    data : the image set.
    run : number of the classifier, from 0.
    """

    parameters: Parameters
    data: str
    run: int

    @property
    def architecture(self) -> str:
        """Name of the classifier's architecture."""
        return self.parameters.architecture(self.data)

    @property
    def seed(self) -> int:
        """Of its initial weights, of the order of images, and of what is drawn for it."""
        return self.parameters.seed + self.run

    @cached_property
    def train(self) -> ImageSet:
        """What classifier and scorers learn from: nominal images alone."""
        whole, count = load(self.data, "train"), self.parameters.trained_on
        return whole.take(slice(0, count)) if count else whole

    def _parted(self) -> tuple[ImageSet, ImageSet]:
        """Test images for limits, and those that everything is tested with: other ones for every run."""
        whole = load(self.data, "test")
        order = random.permutation(self.seed, "comparison/calibration", len(whole))
        count = round(self.parameters.calibration * len(whole))
        return whole.take(order[:count]), whole.take(order[count:])

    @cached_property
    def held(self) -> ImageSet:
        """Nominal images that set limits, trends and centroids; in a drawn order."""
        return self._parted()[0]

    @cached_property
    def test(self) -> ImageSet:
        """Nominal test images in a drawn order, as many as are asked for."""
        found = self._parted()[1]
        return found.take(slice(0, self.parameters.images)) if self.parameters.images else found

    @cached_property
    def classifier(self) -> Classifier:
        """The network, from the store where it was trained."""
        return self._trained(self.run)

    @cached_property
    def members(self) -> list[Classifier]:
        """What makes an ensemble of it: further classifiers, the same for all runs."""
        return [self._trained(self.parameters.runs + number) for number in range(self.parameters.members - 1)]

    def _trained(self, number: int) -> Classifier:
        p = self.parameters
        return trained(self.architecture, self.train, p.recipe(self.data), p.seed + number)

    @property
    def ensemble(self) -> bool:
        """Whether any scorer reads the members."""
        return any(SCORERS[name].family == "ensemble" for name in self.scorers)

    @property
    def scorers(self) -> tuple[str, ...]:
        """Names of all that are compared."""
        return self.parameters.scorers or tuple(SCORERS)

    @cached_property
    def watched(self) -> Watched:
        """What scorers learn from: one pass over the training images serves all that read one layer."""
        p, entry = self.parameters, ARCHITECTURES[self.architecture]
        features = feature_layer(observe(self.classifier, self.train.take(slice(0, 2))))
        layers = list(dict.fromkeys((entry.surprise, features)))
        held = observe(self.classifier, self.held, block=BLOCK)
        return Watched(
            self.classifier,
            train=observe(self.classifier, self.train, layers=layers, block=BLOCK),
            held=held,
            sample=held.take(torch.arange(min(p.searched, len(held)))),
            members=self.members if self.ensemble else (),
            hidden=entry.surprise,
            features=features,
            layers=entry.dissector,
            settings={
                "all": {"samples": p.samples},
                "alooc": {"epochs": p.alooc_epochs},
                "autoencoder": {"epochs": p.vae_epochs},
                "dissector": {"epochs": p.dissector_epochs},
                "breaking_noise": {"seeds": p.noise_seeds},
            },
            seed=self.seed,
        )

    @property
    def troubles(self) -> list[str]:
        """Kinds of bad input that the set has."""
        asked = self.parameters.troubles or tuple(TROUBLES)
        return [name for name in asked if TROUBLES[name].of(self.data, self.test)]

    def images(self, name: str) -> ImageSet:
        """Nominal test images, or one kind of bad ones; as many as are asked for, in a drawn order."""
        p = self.parameters
        if name == NOMINAL:
            return self.test
        how = Making(self.data, self.test, self.classifier, self._ambiguous, p.attacked, self.seed)
        found = TROUBLES[name].make(how)
        order = random.permutation(self.seed, f"comparison/order/{name}", len(found))
        return found.take(order[: p.images] if p.images else order)

    def _ambiguous(self) -> ImageSet:
        return material(self.parameters.ambiguity, self.data).ambiguess[1].image_set()

    def spec(self) -> Mapping[str, Any]:
        """What it is made from."""
        own = network_spec(self.architecture, self.train, self.parameters.recipe(self.data), self.seed)
        return {**own, "test": load(self.data, "test").checksum, "run": self.run}
