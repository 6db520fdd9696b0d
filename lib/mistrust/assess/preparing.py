"""From what was asked to a `Subject`: reads model and images, and looks at both before anything long is begun."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from mistrust.assess.abilities import Abilities, abilities
from mistrust.assess.asked import Asked
from mistrust.assess.images import Named, Wanted, class_file, read_images
from mistrust.assess.kept import Kept
from mistrust.assess.models import examine, read_model
from mistrust.assess.models.scaling import SCALINGS, told_of_guessing, told_of_order
from mistrust.assess.outputs import FEATURES, Given, read_outputs
from mistrust.assess.plan import Sizes, sizes
from mistrust.assess.subject import Subject
from mistrust.errors import MistrustError

NOTHING = Sizes(0, 0, 0, 0, 0)
NO_MODEL = "what a model said was given (--outputs), not the model"


@dataclass(frozen=True)
class Prepared:
    """What parts read, and what the report says of where it came from.

    Attributes
    ----------
    subject : for the parts.
    notices : what was found on the way, in sentences.
    about : model, images and training images, for the report's foot and `report.json`.
    """

    subject: Subject
    notices: tuple[str, ...]
    about: Mapping[str, Any]


def prepare(asked: Asked) -> Prepared:
    """Read and examine everything.

    Raises
    ------
    MistrustError
        What the readers and `examine` refuse; training images of other sizes or classes.
    """
    classes = class_file(asked.classes) if asked.classes else ()
    return _from_outputs(asked, classes) if asked.outputs else _from_model(asked, classes)


def _from_model(asked: Asked, classes: tuple[str, ...]) -> Prepared:
    loaded = read_model(asked.model, trust=asked.trust)
    wanted = Wanted(classes, asked.size, asked.channels, asked.limit, asked.seed)
    images = read_images(asked.images, wanted)
    train = _train(asked, wanted, images)
    scaling = asked.scaling or SCALINGS[0]
    found = examine(loaded, images.images, scaling, given=asked.scaling is not None, force=asked.force)
    able = abilities(
        found.classifier, images.images, outputs=found.outputs, train=train is not None, no_layers=loaded.no_layers,
        no_gradients=loaded.no_gradients, layer=asked.layer,
    )  # fmt: skip
    about = {"model": found.classifier.key, "images": images.images.checksum, "seed": asked.seed,
             "train": train.images.checksum if train else None}  # fmt: skip
    # What a piece reads of the model alone does not change with --minutes: only what its own spec names does.
    kept = Kept(about)
    chosen = sizes(found.classifier, images.images, asked.minutes, kept)
    subject = Subject(
        found.classifier, images.images, images.names, train.images if train else None, able, chosen, asked.seed,
        asked.budget, kept, {},
    )  # fmt: skip
    told: dict[str, Any] = {
        "model": {
            "named": asked.model, "kind": loaded.kind, "file_sha256": loaded.checksum, "key": found.classifier.key,
            "outputs": found.outputs, "mean": list(scaling.mean), "std": list(scaling.std), "layer": able.layer,
        },
        "images": _about(images), "train": _about(train) if train else None, "classes": list(images.images.classes),
    }  # fmt: skip
    seen = _shared(asked, images, train) if train else ()
    of_train = (*train.notices, *_absent(train)) if train else ()
    return Prepared(subject, (*found.notices, *images.notices, *of_train, *seen), told)


def _train(asked: Asked, wanted: Wanted, images: Named) -> Named | None:
    if not asked.train:
        return None
    train = read_images(
        asked.train, Wanted(images.images.classes, asked.size, wanted.channels or images.images.images.shape[1],
                            asked.limit, asked.seed, "--classes" if asked.classes else "--images"), "train",
        images.found,
    )  # fmt: skip
    if train.images.images.shape[1:] != images.images.images.shape[1:]:
        shapes = [tuple(one.images.images.shape[1:]) for one in (images, train)]
        raise MistrustError(
            f"Images of {asked.images} have shape {shapes[0]} (channels, height, width), those of {asked.train} "
            f"{shapes[1]}: name the model's size by --size HEIGHTxWIDTH, and all are resized."
        )
    return train


def _absent(train: Named) -> tuple[str, ...]:
    """Say which classes have no training image: what learns a class from its images does not know them."""
    known = set(train.images.labels.tolist())
    absent = [repr(name) for place, name in enumerate(train.images.classes) if place not in known]
    if not absent:
        return ()
    shown = ", ".join(absent[:5]) + (f" and {len(absent) - 5} more" if len(absent) > 5 else "")
    return (
        f"The training images have none of {shown}: a supervisor that learns from each class's training images takes "
        "every image of such a class for strange.",
    )


def _shared(asked: Asked, images: Named, train: Named) -> tuple[str, ...]:
    """Say how many images are among the training images, pixel by pixel.

    Raises
    ------
    MistrustError
        All of them are: nothing could be learned from how the model does on what it was trained on.
    """
    learned = {one.numpy().tobytes() for one in train.images.images}
    count = sum(one.numpy().tobytes() in learned for one in images.images.images)
    if count == len(images.images):
        raise MistrustError(
            f"Every image of {asked.images} is among the training images of {asked.train}: name images by --images "
            "that the model was not trained on, or leave --train out."
        )
    if not count:
        return ()
    return (
        f"{count} of {len(images.images)} images are among the training images, too: what the report says of them is "
        "too good to be true elsewhere. Leave them out of --images.",
    )


def _about(named: Named) -> dict[str, Any]:
    _, channels, height, width = named.images.images.shape
    return {
        "name": named.images.name, "layout": named.layout, "found": named.found, "read": len(named.images),
        "channels": channels, "height": height, "width": width, "checksum": named.images.checksum,
    }  # fmt: skip


def _from_outputs(asked: Asked, classes: tuple[str, ...]) -> Prepared:
    images = read_outputs(asked.outputs, classes)
    given = {"images": images.record}
    train: Given | None = None
    if asked.train_outputs:
        train = read_outputs(asked.train_outputs, images.record.classifier.classes, len(images.names))
        if train.record.activations.keys() != images.record.activations.keys():
            raise MistrustError(f"Of {asked.outputs} and {asked.train_outputs} only one has features: both, or none.")
        _refuse_the_same(asked, images, train)
        given["train"] = train.record
    subject = Subject(
        images.record.classifier, images.record.images, images.names, train.record.images if train else None,
        _without_model(images, train), NOTHING, asked.seed, asked.budget,
        Kept({"outputs": images.checksum, "train": train.checksum if train else None, "seed": asked.seed}), given,
    )  # fmt: skip
    labels, predicted = images.record.images.labels, images.record.logits.argmax(1)
    taken = f"The file holds {images.outputs} where logits are wanted: their logarithm is taken."
    notices = tuple(filter(None, (
        taken if images.outputs == "probabilities" else "",
        told_of_order(labels, predicted, subject.classes) or told_of_guessing(labels, predicted),
    )))  # fmt: skip
    about = {
        "model": {"named": asked.outputs, "kind": "outputs from a file", "file_sha256": images.checksum,
                  "key": images.checksum, "outputs": images.outputs, "layer": subject.abilities.layer},
        "images": {"name": images.record.images.name, "layout": "outputs", "found": len(images.names),
                   "read": len(images.names), "checksum": images.record.images.checksum},
        "train": {"name": train.record.images.name, "layout": "outputs", "found": len(train.names),
                  "read": len(train.names), "checksum": train.checksum} if train else None,
        "classes": list(images.record.classifier.classes),
    }  # fmt: skip
    return Prepared(subject, notices, about)


def _refuse_the_same(asked: Asked, images: Given, train: Given) -> None:
    """Refuse outputs that are all among those of the training images: nothing could be learned from them."""

    def rows(one: Given) -> list[bytes]:
        held = torch.cat([one.record.logits, *(values.flatten(1) for values in one.record.activations.values())], 1)
        return [row.numpy().tobytes() for row in held.contiguous()]

    learned = set(rows(train))
    # Without features whole rows may be alike by chance: those of a model that is always sure are.
    if images.checksum == train.checksum or (train.record.activations and learned.issuperset(rows(images))):
        raise MistrustError(
            f"All that {asked.outputs} holds is in {asked.train_outputs}, too: name outputs for images that the model "
            "was not trained on, or leave --train-outputs out."
        )


def _without_model(images: Given, train: Given | None) -> Abilities:
    features = bool(images.record.activations)
    lacks = dict.fromkeys(("model", "gradients", "dropout", "head"), NO_MODEL)
    lacks |= {"members": "one model was given", "training": "images were not given"}
    if not features:
        lacks["layer"] = "the file holds no features"
    if train is None:
        lacks["train"] = "no file was named by --train-outputs"
    if images.outputs != "logits":
        lacks["scale"] = f"the file holds {images.outputs}"
    return Abilities(lacks, FEATURES if features else "")
