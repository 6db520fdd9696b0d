"""What makes a monitor of little use, though nothing fails: each is told as soon as the monitor is fitted."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float64, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.networks import Record
from mistrust.supervisors.contract import Supervisor, some
from mistrust.supervisors.given_images import checksums
from mistrust.supervisors.thresholds import Threshold

MANY = 0.1  # share of nominal images that are training images: with fewer the limit is hardly another
BLOCK = 1000  # rows that are compared at once: most layers differ in the first of them


@dataclass(frozen=True, eq=False)
class Fitting:
    """How a monitor was fitted: of the supervisor `title`, with a fitted `rule`.

    Attributes
    ----------
    training, nominal : the images of supervisor and threshold.
    scores, predicted : (n,) of the nominal images.
    by_class : whether the threshold has a limit for each predicted class.
    unread : what the supervisor reads, if it was the same of all training images, else "".
    """

    title: str
    rule: Threshold
    training: ImageSet
    nominal: ImageSet
    scores: Float64[Tensor, " n"]
    predicted: Int[Tensor, " n"]
    by_class: bool
    unread: str


def doubts(of: Fitting) -> Iterator[str]:
    """Tell, one after the other, what lets a monitor alarm too often, never, or by another limit than was asked for."""
    yield from filter(None, (one(of) for one in (_infinite, _known, _alike, _few)))


def constant(supervisor: Supervisor, record: Record) -> str:
    """Name what a supervisor reads of a record ("layer 'hidden'"), if it is the same of all images; else give ""."""
    needs = supervisor.card.needs
    read = {f"layer '{name}'": values for name, values in record.activations.items()}
    if not read and "logits" in needs and not {"layer", "layers", "pixels"} & set(needs):
        read = {"the classifier": record.logits}
    if len(record) < 2 or not read or any(_differ(values) for values in read.values()):
        return ""
    return " and ".join(read)


def _differ(values: Tensor) -> bool:
    return any(not torch.equal(part, values[:1].expand_as(part)) for part in values.split(BLOCK))


def _infinite(of: Fitting) -> str:
    told = of.rule.broken_promise(of.scores)
    if not told:
        return ""
    names = tuple(of.nominal.classes[at] for at in of.predicted[of.scores == torch.inf].unique().tolist())
    return (
        f"{told}, predicted as {some(names)}. Most often {of.title} has learnt nothing "
        "to compare them with: fit it on training images that the classifier predicts as these classes too."
    )


def _known(of: Fitting) -> str:
    if of.rule.any_images:
        return ""
    # By pixels: ids are often 0, 1, 2, ... in both sets.
    known = int(torch.isin(checksums(of.nominal), checksums(of.training)).sum())
    if known < MANY * len(of.nominal):
        return ""
    return (
        f"{known} of {len(of.nominal)} nominal images are training images, pixel by pixel, and their scores are lower "
        f"than others': new images may alarm far more often than {of.rule} says. Give nominal images that neither the "
        "classifier nor the supervisor was trained on."
    )


def _alike(of: Fitting) -> str:
    if not of.unread or bool((of.scores != of.scores[0]).any()):
        return ""
    return (
        f"All {len(of.scores)} nominal scores are equal, and {of.unread} gives the same numbers for every training "
        f"image: {of.title} cannot tell images apart by it, and most likely nothing ever alarms. Take another layer "
        "(layer_names(classifier) lists them), or look at the network's weights."
    )


def _few(of: Fitting) -> str:
    classes = of.nominal.classes
    if not of.by_class or of.rule.name == "fixed":
        return ""
    few = tuple(name for at, name in enumerate(classes) if not of.rule.enough(of.scores[of.predicted == at]))
    if not few:
        return ""
    return (
        f"{len(few)} of {len(classes)} classes ({some(few)}) have no limit of their own: fewer than {of.rule.least()} "
        "nominal images are predicted as each. They share the limit of all images. Give more nominal images, or say "
        "by_class=False."
    )
