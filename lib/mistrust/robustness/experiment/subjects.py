"""What is measured: a network with its training seed and variant, or one of torchvision's for ImageNet."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import torch

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.data.available import availability
from mistrust.data.loading import entry
from mistrust.networks import ARCHITECTURES, Classifier, Recipe, observe, trained
from mistrust.networks.architectures.families.family import RECIPE
from mistrust.networks.devices import device as find_device
from mistrust.networks.training import network_spec
from mistrust.networks.weights_files import weights_file
from mistrust.robustness.experiment.parameters import ALL, FRACTION, HALF, Parameters

IMAGENET_SET, IMAGENET_WHOLE = "imagenet_sample", "imagenet"
RANDOM = "random"


class Blocks(NamedTuple):
    """How many images go through a network at once: what is found does not depend on it, memory does.

    Attributes
    ----------
    passes, gradients : of forward passes alone, and where gradients keep every layer's output (of ResNet-152 a quarter
        of a gigabyte an image).
    """

    passes: int
    gradients: int


SMALL, LARGE = Blocks(512, 256), Blocks(64, 16)


@dataclass(frozen=True)
class Trained:
    """One of our own networks.

    Attributes
    ----------
    data, network, condition, run : image set, architecture, training variant, training seed counted from 0.
    """

    parameters: Parameters
    data: str
    network: str
    condition: str
    run: int
    blocks: ClassVar[Blocks] = SMALL

    @property
    def representative(self) -> bool:
        """Whether it is measured more closely."""
        return self.network in self.parameters.representatives

    @property
    def seed(self) -> int:
        """Of initial weights, and of the order of images."""
        return self.parameters.seed + self.run

    @cached_property
    def train(self) -> ImageSet:
        """What the network is trained on."""
        p = self.parameters
        count = p.train_images if self.data == p.data else p.also_images
        return _part(self.data, "train", self.condition, count, p.class_share)

    @cached_property
    def test(self) -> ImageSet:
        """Test images of the classes that it knows, in an order drawn once for all networks."""
        whole = _part(self.data, "test", self.condition, 0, self.parameters.class_share)
        return whole.take(random.permutation(self.parameters.seed, f"robustness/test/{self.data}", len(whole)))

    @cached_property
    def test_of_fraction(self) -> ImageSet:
        """The test images of the variant that knows a fraction of the classes, in that one's order."""
        return replace(replace(self, condition=FRACTION).test, classes=self.test.classes)

    @cached_property
    def recipe(self) -> Recipe:
        """One for all networks, so that they differ in nothing else."""
        return replace(RECIPE, epochs=self.parameters.epochs) if self.parameters.epochs else RECIPE

    @cached_property
    def classifier(self) -> Classifier:
        """The network, from the store where it was trained."""
        return trained(self.network, self.train, self.recipe, self.seed)

    def spec(self) -> Mapping[str, Any]:
        """What it is made from."""
        return network_spec(self.network, self.train, self.recipe, self.seed) | {
            "test": load(self.data, "test").checksum, "order": self.parameters.seed, "condition": self.condition,
            "title": ARCHITECTURES[self.network].title,
        }  # fmt: skip


@dataclass(frozen=True)
class Traced:
    """A class of one of our own networks, whose region is traced.

    Attributes
    ----------
    subject : the network. The small ones on the chapter's own images: on others exact segments take hours.
    label : the class.
    """

    subject: Trained
    label: int

    def spec(self) -> Mapping[str, Any]:
        """What it is made from."""
        return {**self.subject.spec(), "class": self.label}


@dataclass(frozen=True)
class Downloaded:
    """One of the paper's own networks, with torchvision's weights, or with random ones to try the code."""

    parameters: Parameters
    network: str
    data: str = IMAGENET_SET
    run: int = 0
    representative: bool = False
    blocks: ClassVar[Blocks] = LARGE

    @property
    def at_hand(self) -> bool:
        """Whether there are weights to be read."""
        given = self.parameters.imagenet_weights
        return given == RANDOM or (Path(given).expanduser() if given else weights_file(self.network)).is_file()

    @property
    def condition(self) -> str:
        """Rows of random weights say so, and count as no result."""
        return "random weights" if self.parameters.imagenet_weights == RANDOM else ALL

    @cached_property
    def test(self) -> ImageSet:
        """Images at the size that the network takes; random weights get none right, so their answers are the labels."""
        from mistrust.networks.imagenet import imagenet_images

        whole = load(self.data, "test")
        order = random.permutation(self.parameters.seed, f"robustness/test/{self.data}", len(whole))
        found = imagenet_images(whole.take(order[: 4 * self.parameters.imagenet_images]), self.network)
        if self.parameters.imagenet_weights != RANDOM:
            return found
        return replace(found, labels=observe(self.classifier, found).logits.argmax(1).cpu())

    @property
    def train(self) -> ImageSet:
        """The same: training images of ImageNet are not at hand, and no part asks for them."""
        return self.test

    @cached_property
    def classifier(self) -> Classifier:
        """The network, where our own are computed as well."""
        from mistrust.networks.imagenet import imagenet_classifier

        classes, given = load(self.data, "test").classes, self.parameters.imagenet_weights or None
        return imagenet_classifier(self.network, classes, weights=given, device=str(find_device(None)))

    @cached_property
    def weights(self) -> str:
        """What identifies the weights: read once, for it is a hash of up to half a gigabyte."""
        return self.classifier.key

    def spec(self) -> Mapping[str, Any]:
        """What it is made from."""
        return {
            "network": self.network, "weights": self.weights, "data": load(self.data, "test").checksum,
            "condition": self.condition, "order": self.parameters.seed,
        }  # fmt: skip


Subject = Trained | Downloaded


def classes_of(data: str) -> tuple[str, ...]:
    """Names of an image set's classes, read from its images only where the table of sets does not have them."""
    return entry(data).classes or load(data, "train").classes


def imagenet_set() -> str:
    """The user's own folder of ImageNet's validation images where there is one, else the sample of 50."""
    return IMAGENET_WHOLE if availability(IMAGENET_WHOLE).found else IMAGENET_SET


def correct(subject: Subject, count: int, images: ImageSet | None = None) -> ImageSet:
    """The first `count` images that the network gets right, or all of them; None takes the test images."""
    images = images or subject.test
    return images.take(_right(subject, images)[:count])


def correct_by_class(subject: Subject, count: int, sources: int = 0, images: ImageSet | None = None) -> ImageSet:
    """Of the first `sources` classes (0: all) the first `count` images that the network gets right, by class."""
    images = images or subject.test
    right = _right(subject, images)
    labels = images.labels[right]
    classes = len(images.classes)
    chosen = [right[labels == label][:count] for label in range(min(sources or classes, classes))]
    return images.take(torch.cat(chosen))


@lru_cache(maxsize=4)
def _right(subject: Subject, images: ImageSet) -> torch.Tensor:
    record = observe(subject.classifier, images)
    return (record.logits.argmax(1).cpu() == images.labels).nonzero()[:, 0]


def known_classes(classes: tuple[str, ...], share: float) -> int:
    """How many classes a share of them is, at least two."""
    return max(2, round(share * len(classes)))


@lru_cache(maxsize=6)
def _part(data: str, split: str, condition: str, count: int, share: float) -> ImageSet:
    whole = load(data, split)
    if count and split == "train":
        whole = whole.take(random.permutation(0, f"robustness/train/{data}", len(whole))[:count].sort().values)
    if condition == HALF and split == "train":
        kept = [(whole.labels == label).nonzero()[:, 0] for label in range(len(whole.classes))]
        whole = whole.take(torch.cat([rows[: (len(rows) + 1) // 2] for rows in kept]).sort().values)
    if condition == FRACTION:
        first = known_classes(whole.classes, share)
        some = whole.take(whole.labels < first)
        return replace(some, classes=whole.classes[:first])
    return whole
