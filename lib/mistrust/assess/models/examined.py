"""`examine`: what a model that is not known does with a few images, before anything is computed from it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mistrust.assess.models.loaded import Loaded, Plain, Sized, in_short
from mistrust.assess.models.outputs import TWO_COLUMNS, kind_of
from mistrust.assess.models.scaling import (
    Scaling,
    better_order,
    better_scaling,
    in_order,
    told_of_guessing,
    told_of_order,
)
from mistrust.assess.models.training_mode import check_steady, told_apart
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import Classifier, wrap

FEW = 16  # images of the first passes
OF_SHAPE = ("shape", "size", "channel", "dimension", "broadcast", "features")  # words of errors that a size sets right
LOOKED = 256  # images of those that judge outputs, scaling and the order of classes


@dataclass(frozen=True, eq=False)
class Examined:
    """A model that stood the examination.

    Attributes
    ----------
    classifier : wrapped, with its scaling; its key tells model, scaling and kind of outputs.
    outputs : "logits", "probabilities" or "log-probabilities".
    notices : what was found, in sentences.

    Examples
    --------
    >>> from mistrust.assess import SCALINGS
    >>> from mistrust.data import load
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10), torch.nn.Softmax(1))
    >>> loaded = Loaded(network, kind="torch module", name="mine", checksum="0" * 20)
    >>> found = examine(loaded, load("digits", "test"), SCALINGS[0], given=True)
    >>> found.outputs, found.notices[0].partition(" (")[0]
    ('probabilities', 'The model gives probabilities where logits are wanted')
    """

    classifier: Classifier
    outputs: str
    notices: tuple[str, ...]


def examine(loaded: Loaded, images: ImageSet, scaling: Scaling, *, given: bool, force: bool = False) -> Examined:
    """Look at a model's answers to some images, and wrap it.

    Parameters
    ----------
    images : labelled ones, at least one; those of several classes tell more.
    scaling : what the model sees of images in [0, 1].
    given : whether the user named it; one that was not named is refused where another fits far better.
    force : go on with it all the same.

    Raises
    ------
    MistrustError
        The model fails on these images, or gives another number of outputs than there are classes, or one; NaN;
        answers that differ from pass to pass or hang on the other images of a batch, as in training mode; the same
        answer to every image; a scaling that is far from right.

    Examples
    --------
    >>> from mistrust.assess import SCALINGS
    >>> from mistrust.data import load
    >>> digits = load("digits", "test")
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 9))
    >>> loaded = Loaded(network, kind="torch module", name="mine", checksum="0" * 20)
    >>> examine(loaded, digits, SCALINGS[0], given=True)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The model 'mine' knows 9 classes, and the images have 10 (by --classes, ...
    """
    some = _spread(images)
    pixels = some.floats()
    _check_channels(scaling, images)
    mean, std = (torch.tensor(values).view(1, -1, 1, 1) for values in (scaling.mean, scaling.std))
    seen = (pixels - mean) / std
    network = _taking(loaded, seen[:FEW], images)
    with torch.no_grad():
        check_steady(network, seen[:FEW], loaded.name)
        outputs = torch.cat([network(part).detach().cpu() for part in seen.split(64)]).float()
    if not bool(torch.isfinite(outputs).all()):
        raise MistrustError(
            f"The model '{loaded.name}' gives NaN or infinite outputs. It sees numbers from {float(seen.min()):.3g} "
            f"to {float(seen.max()):.3g}: check its weights, and --mean and --std."
        )
    if len(outputs) > 1 and float((outputs - outputs[:1]).abs().max()) <= 1e-6 * float(outputs.abs().max()):
        raise MistrustError(
            f"The model '{loaded.name}' gives the same answer to all of {len(outputs)} images. It sees numbers from "
            f"{float(seen.min()):.3g} to {float(seen.max()):.3g}: if it expects others, say so by --mean and --std."
        )
    notices = [*loaded.notices, *told_apart(loaded, seen, outputs)]
    kind, predicted = kind_of(outputs), outputs.argmax(1)
    notices += [TOLD[kind]] if kind in TOLD else []
    found = better_scaling(network, pixels, some.labels, scaling)
    if found:
        told = _told_of_scaling(some, predicted, scaling, *found)
        if not given and not force:
            raise MistrustError(f"Wrong input range? {told} Name the scaling that it was trained with.")
        notices.append(f"{told} Is the scaling right?")
    elif said := told_of_order(some.labels, predicted, images.classes) or told_of_guessing(some.labels, predicted):
        notices.append(said)
    classifier = wrap(
        network, images.classes, name=loaded.name, mean=scaling.mean, std=scaling.std,
        outputs="probabilities" if kind == "probabilities" else "logits", key=_key(loaded, scaling, kind, outputs),
    )  # fmt: skip
    return Examined(classifier, kind, tuple(notices))


def _check_channels(scaling: Scaling, images: ImageSet) -> None:
    """Refuse three numbers for images of one channel, which torch would make three of."""
    channels = images.images.shape[1]
    for name, values in (("--mean", scaling.mean), ("--std", scaling.std)):
        if len(values) not in (1, channels):
            raise MistrustError(
                f"{name} has {len(values)} numbers, and the images have {channels} channel{'s' * (channels > 1)}. Give "
                "one number, or one per channel; if the model wants colour, --channels 3 makes it of grey images."
            )


def _told_of_scaling(some: ImageSet, predicted: Tensor, given: Scaling, way: Scaling, then: Tensor) -> str:
    """Say how often the model is right as it is, and how often with another scaling and, if need be, another order."""
    own, best = (float((found == some.labels).double().mean()) for found in (predicted, then))
    order = better_order(some.labels, then, some.classes)
    told = f"with {way.title} ({way.options})"
    if order:
        names, _, best = order
        told += f" and its outputs in the order {in_order(names)} (--classes)"
    elif best <= own:  # too few images to say in which
        return (
            f"The model's answers go with the classes of the images far better {told} than as they are scaled now "
            f"({given.options}), if its outputs stand in another order than the names (--classes)."
        )
    return (
        f"The model is right for {own:.0%} of {len(predicted)} images as they are scaled now ({given.options}), and "
        f"for {best:.0%} {told}."
    )


def _spread(images: ImageSet) -> ImageSet:
    """Some images from all over the set, which may be in the order of its classes."""
    count = min(LOOKED, len(images))
    return images.take(torch.linspace(0, len(images) - 1, count).round().long())


def _taking(loaded: Loaded, seen: Tensor, images: ImageSet) -> Callable[[Tensor], Tensor]:
    """The model as something that takes any number of images and gives one tensor (n, k)."""
    network: Callable[[Tensor], Tensor] = Sized(loaded.network, loaded.batch) if loaded.batch else loaded.network
    try:
        with torch.no_grad():
            outputs = network(seen)
    except MistrustError:
        raise
    except Exception as error:  # whatever somebody's model raises
        raise _failed(loaded, error, images) from error
    if not isinstance(outputs, Tensor):
        if not isinstance(network, nn.Module):
            raise MistrustError(f"The model '{loaded.name}' gives a {type(outputs).__name__}, expected a tensor.")
        network = Plain(network).eval()
        with torch.no_grad():
            outputs = network(seen)
    k, n = len(images.classes), len(seen)
    if outputs.ndim == 1 and bool((outputs.float() == outputs.float().round()).all()):
        raise MistrustError(
            f"The model '{loaded.name}' gives one number per image (shape {tuple(outputs.shape)}): labels, it seems. "
            f"Expected shape ({n}, {k}), a logit or probability for each class: predict_proba, say, not predict."
        )
    if tuple(outputs.shape) != (n, k):
        raise _other_shape(loaded, outputs, images, n)
    return network


def _failed(loaded: Loaded, error: Exception, images: ImageSet) -> MistrustError:
    _, channels, height, width = images.images.shape
    told = in_short(error)
    form = f"{height}x{width} pixels of {channels} channel{'s' if channels > 1 else ''}"
    way_out = f"They are {form}, of type torch.float32, scaled by --mean and --std."
    if any(word in told.lower() for word in OF_SHAPE):
        way_out = (
            f"They are {form}: if it wants another size, name it by --size HEIGHTxWIDTH; if grey or colour, by "
            "--channels 1 or 3."
        )
    return MistrustError(f"The model '{loaded.name}' fails on these images ({told}). {way_out}")


def _other_shape(loaded: Loaded, outputs: Tensor, images: ImageSet, n: int) -> MistrustError:
    k = len(images.classes)
    shown = ", ".join(images.classes[:8]) + (", ..." if k > 8 else "")
    if tuple(outputs.shape) in ((n,), (n, 1)):
        speaks = f", if it speaks for '{images.classes[1]}'" if k == 2 else ""
        return MistrustError(
            f"The model '{loaded.name}' gives one number per image (shape {tuple(outputs.shape)}), as a two-class "
            f"model's, expected ({n}, {k}): one for each of the classes {shown}. Call it from a function that gives "
            f"{TWO_COLUMNS}{speaks}, and name that: --model FILE.py:NAME."
        )
    if outputs.ndim == 2 and len(outputs) == n:
        m = outputs.shape[1]
        return MistrustError(
            f"The model '{loaded.name}' knows {m} classes, and the images have {k} (by --classes, or else by their "
            f"folders): {shown}. Name all {m} of the "
            "model, in its order, in a file with one name per line: --classes FILE. The images may be of some of them."
        )
    return MistrustError(
        f"The model '{loaded.name}' gives outputs of shape {tuple(outputs.shape)} for {n} images, expected ({n}, "
        f"{k}): one number for each of the classes {shown}."
    )


# What is said of outputs that are no logits.
TOLD = {
    "probabilities": (
        "The model gives probabilities where logits are wanted (no number is negative and every row sums to 1): their "
        "logarithm is taken. What needs the scale of the logits is left out."
    ),
    "log-probabilities": (
        "The model gives logarithms of probabilities (log-softmax), which do as logits. What needs the scale of "
        "the logits is left out."
    ),
}


def _key(loaded: Loaded, scaling: Scaling, kind: str, outputs: Tensor) -> str:
    """Tells model, scaling and outputs: the file, and the answers, for what a callable calls is in no file."""
    answers = (outputs.double() / max(float(outputs.abs().max()), 1e-12) * 1e4).round().to(torch.int32)
    hash = hashlib.sha256(answers.numpy().tobytes())
    for part in (loaded.kind, loaded.checksum, kind, repr(scaling.mean), repr(scaling.std)):
        hash.update(b"\0" + part.encode())
    return hash.hexdigest()[:20]
