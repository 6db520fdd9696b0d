"""What tells the classifier of a saved monitor from others: its weights, or, of a plain function, its answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole, whole_numbers
from mistrust.networks import Classifier

IMAGES, OUTPUTS = 8, 10  # a card stays readable: so many made images, and of each answer so many numbers
CLOSE = 1e-3  # of the largest answer: what another machine or another number of threads may change


def identity(classifier: Classifier, shape: Sequence[int] = ()) -> dict[str, Any]:
    """Name, key, normalisation and outputs, and for a function without a key of its own what it answers.

    Parameters
    ----------
    shape : (channels, height, width) of images that it takes; where there is none, nothing is asked of it.

    Examples
    --------
    >>> from mistrust.networks import wrap
    >>> told = identity(wrap(lambda images: images.flatten(1)[:, :2], ["left", "right"]), (1, 2, 2))
    >>> len(told["answers"]), sorted(told)
    (8, ['answers', 'key', 'mean', 'name', 'outputs', 'std'])
    """
    found: dict[str, Any] = {
        "name": classifier.name, "key": classifier.key, "mean": list(classifier.mean), "std": list(classifier.std),
        "outputs": classifier.outputs,
    }  # fmt: skip
    if shape and not isinstance(classifier.network, nn.Module) and not classifier.named:
        found["answers"] = _answers(classifier, shape)
    return found


def as_shape(shape: Any) -> tuple[int, ...]:
    """Give the shape of one image as plain whole numbers: three, or none where nobody said.

    Raises
    ------
    MistrustError
        It is none: no numbers, other than three, or one below 1.

    Examples
    --------
    >>> as_shape(torch.zeros(3, 32, 32).shape), as_shape(())
    ((3, 32, 32), ())
    """
    sides = whole_numbers("Sides of an image's shape", shape)
    if sides.shape not in ((0,), (3,)):
        raise MistrustError(f"shape is {shape!r}, expected (channels, height, width), or () where nobody says it.")
    return tuple(whole("A side of an image's shape", int(side), 1) for side in sides)


def check_same(what: str, wanted: Sequence[dict[str, Any]], given: Sequence[dict[str, Any]], place: Path) -> None:
    """Refuse other classifiers than those that a monitor was fitted for.

    Raises
    ------
    MistrustError
        Another number of them, or one with another name, key, normalisation or other answers.
    """
    if len(wanted) == len(given) and all(map(_same, wanted, given)):
        return

    def told(identities: Sequence[dict[str, Any]]) -> str:
        return "; ".join(
            ", ".join(f"{key} {one[key]}" for key in sorted(one) if key != "answers") for one in identities
        )

    if len(wanted) == len(given) and all(map(_same, map(_without, wanted), map(_without, given))):
        names = ", ".join(one["name"] for one, other in zip(wanted, given, strict=True) if not _same(one, other))
        raise MistrustError(
            f"The monitor in {place} was fitted for another {what}: the function '{names}' gives other answers to "
            f"{IMAGES} made images than the one of that name gave then. Give the same, fit the monitor again, or say "
            "any_classifier=True: its limit may then mean nothing. If it is the same and its answers vary, wrap(..., "
            'key="...") before the monitor is fitted says what identifies it.'
        )
    raise MistrustError(
        f"The monitor in {place} was fitted for another {what}: {told(wanted) or 'none'}. Given: "
        f"{told(given) or 'none'}. Give the same (weights, name and normalisation), fit the monitor again, or say "
        "any_classifier=True: its limit may then mean nothing."
    )


def _without(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key != "answers"}


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if _without(one) != _without(other):
        return False
    first, second = (torch.tensor(told.get("answers", []), dtype=torch.float64) for told in (one, other))
    if first.numel() == 0 or first.shape != second.shape:  # nobody asked it then
        return first.numel() == 0
    return bool(((first - second).abs() <= CLOSE * first.abs().max().clamp_min(1e-12)).all())


def _answers(classifier: Classifier, shape: Sequence[int]) -> list[list[float]]:
    """What it says of images of noise, from dark to bright, which are the same everywhere; nothing where it fails."""
    try:
        with torch.no_grad():
            outputs = classifier(_made(shape))
    except MistrustError:
        return []
    return outputs[:, :OUTPUTS].double().nan_to_num().cpu().tolist()


def _made(shape: Sequence[int]) -> Tensor:
    draws = torch.from_numpy(random.generator(0, "identity/images").random((IMAGES, *shape), dtype=np.float32))
    bright = torch.linspace(0.2, 1, IMAGES).view(-1, 1, 1, 1)
    return (draws * bright * 255).round().to(torch.uint8)
