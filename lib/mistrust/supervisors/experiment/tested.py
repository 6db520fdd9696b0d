"""A classifier under test: what it reads, the supervisors fitted for it, and what they say of every kind of input."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np
import torch
from torch import Tensor, nn

from mistrust import random
from mistrust.ambiguity.experiment.material import Material, material
from mistrust.data import ImageSet
from mistrust.inputs import CORRUPTIONS, fashion_mnist_c, mnist_c, perturbed
from mistrust.inputs.adversarial import FOUR, AdversarialSet, adversarial
from mistrust.inputs.corruptions import FASHION_MNIST_C, MNIST_C
from mistrust.inputs.epsilons import PUBLISHED
from mistrust.networks import Classifier, Record, initialise, observe, wrap
from mistrust.progress import bar
from mistrust.store import made, maker
from mistrust.supervisors.experiment.invalid import invalid
from mistrust.supervisors.experiment.methods import Method, methods
from mistrust.supervisors.experiment.parameters import Parameters
from mistrust.supervisors.experiment.some_of import some_of
from mistrust.supervisors.head import feature_layer
from mistrust.supervisors.needed import needed
from mistrust.supervisors.tables import NOMINAL, Scores

AMBIGUOUS, ADVERSARIAL = "ambiguous/ambiguess", "adversarial/four attacks"
CORRUPTED, INVALID = "corrupted/corruptions", "invalid/other"
SETS = (NOMINAL, AMBIGUOUS, ADVERSARIAL, CORRUPTED, INVALID)
# Inputs that have a right class, so that a prediction can be wrong.
LABELLED = (NOMINAL, ADVERSARIAL, CORRUPTED)
# From the least to the greatest of the authors' epsilons in tenths of a decade: what an image gets is at most 26 per
# cent more than it needs.
EPSILONS = tuple(float(e) for e in np.geomspace(PUBLISHED[0], PUBLISHED[-1], 38).round(6))
# Every epsilon in turn finds the first that fools. For the two that take many steps at each, that is four times as much
# work as bisection; `audit` tells what it misses.
SEARCHES = {"fgsm": "ascending", "pgd": "bisection", "bim": "bisection", "deepfool": "ascending"}
SEVERITY = "severity"  # what the scores of `UnderTest.severe` are called
# Images that are observed and scored at a time: their layers are kept for no longer.
BLOCK = 512
# Images that are scored at once: what compares each with all training rows prepares these anew for every block.
SCORED = 4096


@dataclass(frozen=True)
class UnderTest:
    """One classifier of one image set.

    Attributes
    ----------
    parameters : of the chapter.
    data, architecture : what and how.
    run : number of the classifier, from 0.
    """

    parameters: Parameters
    data: str
    architecture: str
    run: int

    def taking(self, data: str, architecture: str) -> "UnderTest":
        """Give the classifier of the same number of another image set and architecture."""
        return replace(self, data=data, architecture=architecture)

    @property
    def material(self) -> Material:
        """Images and classifiers of the AmbiGuess chapter."""
        return material(self.parameters.ambiguity, self.data)

    @cached_property
    def classifier(self) -> Classifier:
        """Trained on nominal and ambiguous images."""
        return self.material.classifier(self.architecture, "mixed", self.run)

    @cached_property
    def members(self) -> list[Classifier]:
        """What makes an ensemble of it: further classifiers, the same for all runs."""
        first = self.parameters.runs
        return self.material.classifiers(self.architecture, "mixed", range(first, first + self.parameters.members - 1))

    @cached_property
    def features(self) -> str:
        """The layer that the last linear layer reads."""
        return feature_layer(observe(self.classifier, self.material.train.take(slice(0, 2))))

    @property
    def tried(self) -> ImageSet:
        """The nominal test images that are attacked."""
        count, test = self.parameters.attacked, self.material.test
        return some_of(test, count) if count else test

    @cached_property
    def attacked(self) -> AdversarialSet:
        """Images made to fool this classifier, and what became of all that were tried."""
        some, seed = self.tried, self.parameters.seed + self.run
        spec = {
            "classifier": self.classifier.key, "data": some.checksum, "seed": seed,
            "attacks": list(FOUR), "epsilons": list(EPSILONS), "search": SEARCHES,
        }  # fmt: skip
        make = partial(adversarial, self.classifier, some, seed, epsilons=EPSILONS, search=SEARCHES)
        return AdversarialSet.of(made(ATTACKED, spec, lambda _: make().tensors()), some)

    @cached_property
    def sets(self) -> dict[str, ImageSet]:
        """The nominal test images and the four kinds of bad input."""
        return {name: self.inputs(name) for name in SETS}

    def inputs(self, name: str) -> ImageSet:
        """One of `sets`, or that of `SEVERITY`; adversarial images, which take longest, are made where asked for."""
        test = self.material.test
        give: dict[str, Callable[[], ImageSet]] = {
            NOMINAL: lambda: test,
            AMBIGUOUS: lambda: self.material.ambiguess[1].image_set(),
            ADVERSARIAL: lambda: self.attacked.images,
            CORRUPTED: lambda: self.corrupted(test),
            INVALID: lambda: invalid(self.data, test),
            SEVERITY: lambda: self.severe,
        }
        return give[name]()

    @property
    def scored_sets(self) -> tuple[str, ...]:
        """Names of all sets that it is scored on."""
        return (*SETS, SEVERITY) if self.severities else SETS

    def corrupted(self, test: ImageSet) -> ImageSet:
        """The image set's own composition of corruptions: fifteen by turns."""
        return _composed(test, self.data, self.parameters.seed)

    @property
    def severities(self) -> list[tuple[str, int]]:
        """Every corruption at every severity that is scored: by the first classifier of an image set alone."""
        p = self.parameters
        if not p.corrupted or self.run or self.architecture != p.architectures[0]:
            return []
        names = FASHION_MNIST_C if self.data == "fmnist" else MNIST_C
        return [(name, level) for name in names for level in range(1, len(CORRUPTIONS[name].levels) + 1)]

    @property
    def severe(self) -> ImageSet:
        """Some test images under each of `severities`, one after the other."""
        p, some = self.parameters, some_of(self.material.test, self.parameters.corrupted)
        images = torch.cat([perturbed(some, name, level, seed=p.seed).images for name, level in self.severities])
        labels = some.labels.repeat(len(self.severities))
        # Ids of their own: no two images of a set share one.
        return ImageSet(SEVERITY, images, labels, torch.arange(len(images)), some.classes)

    def fitted(self, chosen: Sequence[Method] | None = None) -> list[Method]:
        """Fit every line of the comparison; one pass over the training images serves all that read one layer."""
        every = methods(self.parameters, self.architecture, self.features, self.run)
        found = list(every if chosen is None else chosen)
        nominal, record = self.material.train, self._training(found)
        # Under its own name, by which the store knows what is learnt of nominal images elsewhere.
        alone = replace(record.take(torch.arange(len(nominal))), images=nominal)
        learning = [one for one in found if one.supervisor.card.learns]
        with bar(len(found), "fitting", "supervisor") as progress:
            for one in learning:
                progress.say(supervisor=one.name)
                one.supervisor.fit(record if one.mixed else alone)
                progress.update()
            # The others learn nothing but the classes. They come last: an ensemble may still be at training elsewhere.
            small = self._observed(self.material.train.take(slice(0, 2)), found)
            for one in found:
                if one not in learning:
                    one.supervisor.fit(small)
                    progress.update()
        return found

    def _training(self, chosen: Sequence[Method]) -> Record:
        """One layer each is recorded; those of Dissector are too many numbers for memory, and are streamed."""
        layers = {one.supervisor.parameters().get("layer", "") for one in chosen} - {""}
        return observe(self.classifier, self.material.mixed, layers=sorted(layers), block=BLOCK)

    def _observed(self, images: ImageSet, chosen: Sequence[Method]) -> Record:
        p = self.parameters
        asked = needed([one.supervisor for one in chosen], samples=p.samples, members=self.members)
        return observe(self.classifier, images, **asked, seed=p.seed, block=BLOCK)

    def scored(self, images: ImageSet, fitted: Sequence[Method]) -> dict[str, Tensor]:
        """Give every line's scores of some images, and the predicted classes as "predicted"; one pass, in blocks."""
        found: dict[str, list[Tensor]] = {}
        with bar(len(images), images.name, "image") as progress:
            for start in range(0, len(images), SCORED):
                record = self._observed(images.take(slice(start, start + SCORED)), fitted)
                found.setdefault("predicted", []).append(record.predicted)
                for one in fitted:
                    found.setdefault(one.name, []).append(one.supervisor.score(record))
                progress.update(len(record))
        return {name: torch.cat(parts) for name, parts in found.items()}


@lru_cache(maxsize=2)
def _composed(test: ImageSet, data: str, seed: int) -> ImageSet:
    """Corrupted images, once for scores and for rows."""
    return (fashion_mnist_c if data == "fmnist" else mnist_c)(test, seed).images


def _smoke() -> dict[str, Tensor]:
    """Attack a linear network on a few drawn images; sums rounded, since machines differ in the last digits."""
    images = random.uniform(0, "smoke", torch.arange(16), (1, 4, 4))
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 2))
    initialise(network, 0)
    classifier = wrap(network, ("a", "b"))
    labels = classifier(images).argmax(1)
    some = ImageSet("smoke", images, labels, torch.arange(16), ("a", "b"))
    found = adversarial(classifier, some).tensors()
    return {name: values.double().nansum().round(decimals=3) for name, values in found.items()}


ATTACKED = maker("adversarial-sets", version=1, content="tensors", smoke=_smoke)


def scores(tensors: Mapping[str, Tensor], sets: Sequence[str], variants: bool = False) -> Iterator[Scores]:
    """Read what `all_scores` gave, set by set: the lines of the table, or with `variants` all."""
    for name in sets:
        part = {key.removeprefix(f"{name}|"): v.numpy() for key, v in tensors.items() if key.startswith(f"{name}|")}
        ids, correct, _ = part.pop("ids"), part.pop("correct").astype(bool), part.pop("predicted")
        by = {method: values.astype(np.float64) for method, values in part.items() if variants or "/" not in method}
        yield Scores(name, ids, correct, by)


def all_scores(one: UnderTest) -> dict[str, Tensor]:
    """Fit, and score every set: "SET|METHOD" -> (n,), with "SET|ids", "SET|predicted" and "SET|correct" (uint8)."""
    fitted = one.fitted()
    return joined({name: set_scores(one, name, fitted) for name in one.scored_sets})


def set_scores(one: UnderTest, name: str, fitted: Sequence[Method]) -> dict[str, Tensor]:
    """Score one set by every line that is fitted, variants where it is none of `SEVERITY`: "METHOD" -> (n,)."""
    images = one.inputs(name)
    found = one.scored(images, fitted if name != SEVERITY else [line for line in fitted if not line.variant])
    right = (found["predicted"] == images.labels) & (name in (*LABELLED, SEVERITY))
    return found | {"ids": images.ids, "correct": right.to(torch.uint8)}


def joined(by_set: Mapping[str, Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Scores of several sets under one roof, as `scores` reads them."""
    return {f"{name}|{key}": values for name, found in by_set.items() for key, values in found.items()}
