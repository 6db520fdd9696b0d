"""Weights on disk as safetensors, with what is needed to build the network again.

All metadata stands under one key: with two or more, safetensors writes them in random order and equal weights would
give different files.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.architectures import ARCHITECTURES
from mistrust.networks.checks import check_classifier, check_set, is_whole
from mistrust.networks.classifier import Classifier
from mistrust.networks.devices import device as find_device


@dataclass(frozen=True)
class Plan:
    """What a network of the table is built from.

    Attributes
    ----------
    architecture : an entry of `ARCHITECTURES`.
    shape : (channels, height, width) of the images.
    classes : names of the classes, in the order of the logits.

    Raises
    ------
    MistrustError
        An architecture that is in no table, a shape that is no three whole numbers from 1 on, classes that are no
        names.

    Examples
    --------
    >>> plan = Plan("mlm-cnn", (1, 28, 28), ("even", "odd"))
    >>> network = plan.build()
    >>> initialise(network, seed=0)
    >>> classifier = plan.classifier(network.state_dict(), key="untrained, seed 0")
    >>> classifier(torch.zeros(3, 1, 28, 28)).shape
    torch.Size([3, 2])
    """

    architecture: str
    shape: tuple[int, int, int]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        ARCHITECTURES[self.architecture]  # an unknown name fails here, before anything is loaded
        shape = tuple(self.shape) if isinstance(self.shape, Iterable) else ()
        if len(shape) != 3 or not all(is_whole(one, 1) for one in shape):
            raise MistrustError(
                f"shape is {self.shape!r}, expected (channels, height, width) of the images, such as (1, 28, 28)."
            )
        names = self.classes if isinstance(self.classes, Iterable) and not isinstance(self.classes, str) else [None]
        if not all(isinstance(one, str) for one in names):
            raise MistrustError(f"classes are {self.classes!r}, expected their names, such as ('cat', 'dog').")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "classes", tuple(names))

    def build(self) -> torch.nn.Module:
        """Build the network, weights not yet set.

        Its convolutions lie channels last: the same numbers up to rounding, and on a CPU about three times as fast.
        What torch draws for its layers, and `initialise` or a file writes over, is drawn from a copy of torch's own
        generator.
        """
        channels, height, width = self.shape
        with torch.random.fork_rng(devices=[]):
            network = ARCHITECTURES[self.architecture].build(channels, (height, width), len(self.classes))
        return network.to(memory_format=torch.channels_last)

    def check(self, images: ImageSet) -> None:
        """Refuse images that the network is not built for.

        Raises
        ------
        MistrustError
            Images that are no `ImageSet`; another shape or other classes; no images at all.
        """
        check_set(images)
        shape, classes = tuple(images.images.shape[1:]), images.classes
        if shape != tuple(self.shape) or classes != tuple(self.classes):
            raise MistrustError(
                f"The plan is for images of shape {tuple(self.shape)} and {_told(self.classes)}, those of "
                f"'{images.name}' have shape {shape} and {_told(classes)}. Take Plan('{self.architecture}', {shape}, "
                "images.classes)."
            )
        if not len(images):
            raise MistrustError(f"'{images.name}' has no images to train on.")

    def classifier(self, weights: dict[str, Tensor], key: str, device: str = "cpu") -> Classifier:
        """Build the classifier that has these weights, in evaluation mode.

        Raises
        ------
        MistrustError
            Weights that are not those of this network; a device that is not there.
        """
        try:
            network = self._with(weights)
        except (TypeError, RuntimeError) as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise MistrustError(
                f"The weights are not those of a '{self.architecture}' for {self.shape} and {len(self.classes)} "
                f"classes: {reason}. Take what `train` gives, or a network's state_dict()."
            ) from error
        return self._around(network, key, device)

    def _with(self, weights: dict[str, Tensor]) -> torch.nn.Module:
        network = self.build()
        network.load_state_dict(weights)
        return network

    def _around(self, network: torch.nn.Module, key: str, device: str) -> Classifier:
        entry, where = ARCHITECTURES[self.architecture], find_device(device)
        network.to(where).eval()
        return Classifier(network, self.classes, self.architecture, key, (entry.mean,), (entry.std,), "logits", where)


def _place(path: object) -> Path:
    if not isinstance(path, (str, PathLike)):
        raise MistrustError(f"path is {path!r}, expected where the file lies: a text or a pathlib.Path.")
    return Path(path)


def _told(classes: tuple[str, ...]) -> str:
    return f"{len(classes)} classes ({', '.join(classes[:3])}{', ...' if len(classes) > 3 else ''})"


def save(plan: Plan, classifier: Classifier, path: str | Path) -> None:
    """Write a trained network of the table to one safetensors file; folders on its way are made.

    Raises
    ------
    MistrustError
        A plan, a classifier or a path that is none; a classifier that wraps a plain callable.

    Examples
    --------
    >>> from pathlib import Path
    >>> plan = Plan("mlm-cnn", (1, 8, 8), ("even", "odd"))
    >>> save(plan, plan.classifier(plan.build().state_dict(), key="untrained"), Path("nets/mine.safetensors"))
    >>> load(Path("nets/mine.safetensors")).key
    'untrained'
    """
    if not isinstance(plan, Plan):
        raise MistrustError(f"The plan is {plan!r}, expected a Plan(architecture, shape, classes).")
    check_classifier(classifier)
    place = _place(path)
    about = {"architecture": plan.architecture, "shape": plan.shape, "classes": plan.classes, "key": classifier.key}
    weights = {name: values.detach().cpu().contiguous() for name, values in classifier.module.state_dict().items()}
    place.parent.mkdir(parents=True, exist_ok=True)
    save_file(weights, place, metadata={"mistrust": json.dumps(about, sort_keys=True)})


def load(path: str | Path, device: str = "cpu") -> Classifier:
    """Read a network written by `save`.

    Raises
    ------
    MistrustError
        A path that is none; a file that is missing, cut short, damaged, or was not written by `save`; a device that is
        not there.

    Examples
    --------
    >>> from pathlib import Path
    >>> plan = Plan("mlm-cnn", (1, 28, 28), ("even", "odd"))
    >>> classifier = plan.classifier(plan.build().state_dict(), key="untrained")
    >>> save(plan, classifier, Path("network.safetensors"))
    >>> again, images = load(Path("network.safetensors")), torch.rand(2, 1, 28, 28)
    >>> again.classes, torch.equal(again(images), classifier(images))
    (('even', 'odd'), True)
    """
    place = _place(path)
    try:
        with safe_open(place, framework="pt") as file:
            said = (file.metadata() or {}).get("mistrust")
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except (OSError, SafetensorError) as error:
        raise MistrustError(f"{place} cannot be read as weights: {error}. Train the network again.") from error
    if said is None:
        raise MistrustError(
            f"{place} does not say which architecture it belongs to. Load it with torch yourself and use wrap(...)."
        )
    try:
        about = json.loads(said)
        plan, key = Plan(about["architecture"], tuple(about["shape"]), tuple(about["classes"])), about["key"]
        network = plan._with(weights)
    except (ValueError, KeyError, TypeError, RuntimeError) as error:
        reason = f"it lacks {error}" if type(error) is KeyError else " ".join(str(error).split()).rstrip(".")
        raise MistrustError(
            f"{place} is damaged, or its weights are not those of the network that it describes: {reason}. Train the "
            "network again, or load the weights with torch yourself and use wrap(...)."
        ) from error
    return plan._around(network, key, device)
