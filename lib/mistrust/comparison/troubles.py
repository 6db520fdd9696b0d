"""The bad inputs: the four kinds of the first paper and the five fault categories of the third, of one image set.

A trouble takes what it is made from and gives images. Those that keep their right class can be asked both questions,
"is the input bad?" and "is the prediction wrong?"; ambiguous and new images have no right answer to be wrong about.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.inputs import fashion_mnist_c, mnist_c
from mistrust.inputs.adversarial import FOUR, AdversarialSet, adversarial
from mistrust.inputs.epsilons import GRID
from mistrust.inputs.faults import FAULTS, faulty
from mistrust.networks import Classifier
from mistrust.registry import Registry
from mistrust.store import made
from mistrust.supervisors.experiment.invalid import FIRST_ID, invalid, shaped
from mistrust.supervisors.experiment.tested import ATTACKED

NOMINAL = "nominal"
# Images of classes that the nominal set does not have, for sets whose invalid inputs are not these already.
NEW = {"mnist": "photos", "fmnist": "photos", "cifar10-jpeg": "gtsrb-thin", "cifar10": "gtsrb"}


@dataclass(frozen=True)
class Making:
    """What bad inputs are made from.

    Attributes
    ----------
    data : name of the nominal set.
    test : nominal images that neither classifier nor scorers were fitted on.
    classifier : the one that attacks fool.
    ambiguous : gives ambiguous images of the set.
    attacked : how many nominal images are attacked; 0 takes all.
    seed : of everything drawn.
    """

    data: str
    test: ImageSet
    classifier: Classifier
    ambiguous: Callable[[], ImageSet]
    attacked: int
    seed: int


@dataclass(frozen=True)
class Trouble:
    """One kind of bad input.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section.
    labelled : whether an image keeps the right class of what it was made from.
    of : whether a set has it: by its name and a nominal image set.
    make : the images; ids are those of the images that they were made from.
    fooling : whether images are chosen by being answered wrongly, so that nobody need ask whether they are.
    """

    title: str
    source: str
    labelled: bool
    of: Callable[[str, ImageSet], bool]
    make: Callable[[Making], ImageSet]
    fooling: bool = False


TROUBLES: Registry[Trouble] = Registry("kind of bad input")


def _ambiguous(how: Making) -> ImageSet:
    return how.ambiguous()


def _attacked(how: Making) -> ImageSet:
    """The nearest images that fool the classifier, by four attacks; all of them were right before."""
    some = how.test.take(slice(0, how.attacked)) if how.attacked else how.test
    spec = {
        "classifier": how.classifier.key, "data": some.checksum, "seed": how.seed,
        "attacks": list(FOUR), "epsilons": list(GRID), "search": "bisection",
    }  # fmt: skip
    tensors = made(ATTACKED, spec, lambda _: adversarial(how.classifier, some, how.seed, search="bisection").tensors())
    return AdversarialSet.of(tensors, some).images


def _corrupted(how: Making) -> ImageSet:
    return (fashion_mnist_c if how.data == "fmnist" else mnist_c)(how.test, how.seed).images


def _invalid(how: Making) -> ImageSet:
    return invalid(how.data, how.test)


def _novel(how: Making) -> ImageSet:
    """Images of classes that the network has not learnt."""
    there = load(NEW[how.data], "test")
    images = shaped(there.images, tuple(how.test.images.shape[1:]))
    labels = torch.zeros(len(images), dtype=torch.int64)
    return ImageSet(f"{there.name} for {how.data}", images, labels, there.ids + 2 * FIRST_ID, how.test.classes)


def _of_category(category: str) -> Callable[[Making], ImageSet]:
    def make(how: Making) -> ImageSet:
        return one_fault_each(how.test, category, how.classifier, how.seed)

    return make


def one_fault_each(images: ImageSet, category: str, classifier: Classifier, seed: int) -> ImageSet:
    """Make every image faulty once, by a fault and severity of the category that its id draws.

    Faults that change colours are left out for grey images; of faults that give copies, each image gives one, by id.
    """
    grey = images.images.shape[1] != 3
    ways = [
        (name, severity)
        for name, fault in FAULTS.items()
        if fault.category == category and not (grey and fault.colour)
        for severity in fault.severities or (None,)
    ]
    way = random.keyed(seed, f"comparison/{category}", images.ids, lambda g, m: g.integers(0, len(ways), m))
    pixels = torch.empty(images.images.shape, dtype=torch.uint8)
    for place, (name, severity) in enumerate(ways):
        rows = (way == place).nonzero()[:, 0]
        if not len(rows):
            continue
        some, times = images.take(rows), FAULTS[name].times
        done = faulty(some, name, severity, seed=seed, classifier=classifier).images.unflatten(0, (times, len(rows)))
        pick = random.keyed(seed, f"comparison/copy/{name}", some.ids, lambda g, m, t=times: g.integers(0, t, m))
        pixels[rows] = done[pick, torch.arange(len(rows))]
    return replace(images, name=f"{images.name}, {category}", images=pixels)


_FIRST = "Weiss and others, A Forgotten Danger in DNN Supervision Testing, 2022, section VII"
_THIRD = "Ferreira and others, Benchmarking Safety Monitors, 2021, section III-A"


def _always(data: str, images: ImageSet) -> bool:
    return True


# The autoencoders of the ambiguity chapter are for grey images.
TROUBLES.add(
    "ambiguous",
    Trouble("Ambiguous", _FIRST, False, lambda data, images: images.images.shape[1] == 1, _ambiguous),
)
TROUBLES.add("adversarial", Trouble("Adversarial, nearest", _FIRST, True, _always, _attacked, fooling=True))
TROUBLES.add("corrupted", Trouble("Corrupted", _FIRST, True, _always, _corrupted))
TROUBLES.add("invalid", Trouble("Invalid", _FIRST, False, _always, _invalid))
TROUBLES.add("novelty", Trouble("Novelty", _THIRD, False, lambda data, images: data in NEW, _novel))
TROUBLES.add("fgsm", Trouble("Adversarial, one step", _THIRD, True, _always, _of_category("adversarial")))
TROUBLES.add("anomaly", Trouble("Sensor anomaly", _THIRD, True, _always, _of_category("anomaly")))
TROUBLES.add("shift", Trouble("Shift", _THIRD, True, _always, _of_category("shift")))
TROUBLES.add("noise", Trouble("Noise", _THIRD, True, _always, _of_category("noise")))
