"""ODIN: how sure is the network of an image that was moved a step to its liking?

Liang, Li and Srikant, "Enhancing the reliability of out-of-distribution image detection in neural networks", ICLR 2018,
as a monitor of Ferreira and others, "Benchmarking safety monitors for image classifiers with machine learning", PRDC
2021 (section IV).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.attacks import Logits, ascent_direction, logits_of
from mistrust.inputs.limits import number
from mistrust.networks import Classifier, Record
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor

# Images that are moved at once, by one backward pass.
BLOCK = 256
# What ODIN's authors divide a step by: the standard deviations of red, green and blue over CIFAR-10 by which their
# inputs are divided, too, so that a pixel moves by epsilon.
SIGMA = (63.0 / 255, 62.1 / 255, 66.7 / 255)
# What the PRDC paper ran on either image set; its inputs were in [0, 1], so that pixels moved by epsilon / SIGMA.
PUBLISHED: dict[str, dict[str, Any]] = {
    "cifar10": {"temperature": 1000.0, "epsilon": 0.0014, "scale": SIGMA, "as_published": True},
    "gtsrb": {"temperature": 1000.0, "epsilon": 0.0025, "scale": SIGMA, "as_published": True},
}
# The published confidences at or below which an image alarms: lowest scores of training images, rounded.
PUBLISHED_CONFIDENCE = {"cifar10": 0.1007, "gtsrb": 0.0237}


def moved(
    logits: Logits,
    images: Float[Tensor, "n c h w"],
    predicted: Int[Tensor, " n"],
    temperature: float,
    epsilon: float,
    scale: tuple[float, ...] = (1.0,),
    as_published: bool = False,
) -> Float[Tensor, "n c h w"]:
    """Move images against the gradient of the cross-entropy of their own prediction, by one backward pass for all.

    Equation 2 of Liang et al. Nothing is clipped, there as here: what is made is no image for anyone to see.

    Parameters
    ----------
    logits : differentiable, of images in [0, 1].
    predicted : the class to please.
    epsilon : step of a pixel, in [0, 1], from 0 on.
    scale : numbers above 0 that a step is divided by: one, or one per channel.
    as_published : pixels that the network does not feel are moved downwards, as both papers' codes do; else they stay.
    """
    ascent = ascent_direction(lambda x: logits(x) / temperature, images, predicted)
    if as_published:
        ascent = torch.where(ascent == 0, 1.0, ascent)
    step = epsilon / torch.tensor(scale, dtype=torch.float64)
    return images - step.to(images).view(1, -1, 1, 1) * ascent


def doubt(logits: Float[Tensor, "n k"], temperature: float) -> Float64[Tensor, " n"]:
    """Minus the log-odds of the largest softmax p at a temperature, log((1 - p) / p), at most log(k - 1).

    It ranks as -p does, and does not collapse: at temperature 1000 softmax values differ in the fifth decimal, and at
    temperature 1 they round to 1.
    """
    scaled = logits.to(torch.float64) / temperature
    own, index = scaled.max(1, keepdim=True)
    return scaled.scatter(1, index, -torch.inf).logsumexp(1) - own[:, 0]


def doubt_of(confidence: float) -> float:
    """Give the score that belongs to a largest softmax in (0, 1): `Fixed(doubt_of(0.1007))` is a published threshold.

    The paper alarms at the confidence itself, too, `Fixed` above its score alone.

    Examples
    --------
    >>> doubt_of(0.5)
    0.0
    """
    if not 0 < number("The confidence", confidence) < 1:
        raise MistrustError(f"The confidence is {confidence}, expected a softmax value between 0 and 1 such as 0.1007.")
    return log((1 - confidence) / confidence)


@supervisor("odin")
@dataclass(eq=False)
class Odin(Supervisor):
    """How unsure the network is of an image that was moved to its liking; nothing is learnt.

    Images are in [0, 1] here and a classifier applies its own normalisation, so a pixel moves by epsilon whatever
    that is: `scale` is 1. Who normalises by sigma before, as ODIN's authors do, divides the step by sigma for the same
    effect; the PRDC paper divided without having normalised, and moved pixels four times as far (`PUBLISHED`).

    The network computes in its own type: an image's score does not depend on the others of its batch but for rounding.

    Attributes
    ----------
    temperature : that logits are divided by, above 0.
    epsilon : step of a pixel, from 0 on; 0.0014 and 0.0025 are the paper's for CIFAR-10 and GTSRB.
    scale, as_published : see `moved`.

    Raises
    ------
    MistrustError
        A parameter out of its range; a network without gradients, in training mode, or with NaN in its gradient.
    """

    card = Card(
        "ODIN", "gradient",
        "Liang, Li and Srikant, Enhancing the reliability of out-of-distribution image detection in neural networks, "
        "ICLR 2018",
        "section 3", "https://arxiv.org/abs/1706.02690", ("logits", "pixels", "network"),
        "Fitting does nothing; scoring takes two passes of the network and one back.",
        limits="Near temperature 1000 it reads little but the distance of the largest logit from their mean.",
    )  # fmt: skip
    temperature: float = 1000.0
    epsilon: float = 0.0014
    scale: tuple[float, ...] = (1.0,)
    as_published: bool = False

    def __post_init__(self) -> None:
        given: Any = self.scale
        several = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
        self.scale = tuple(given) if several else (number("ODIN's scale", given),)
        if not 0 < number("ODIN's temperature", self.temperature) < float("inf"):
            raise MistrustError(f"ODIN's temperature is {self.temperature}, expected a number above 0 such as 1000.")
        if not 0 <= number("ODIN's epsilon", self.epsilon) < float("inf"):
            raise MistrustError(f"ODIN's epsilon is {self.epsilon}, expected a number from 0 on such as 0.0014.")
        if not self.scale or not all(0 < number("ODIN's scale", one) < float("inf") for one in self.scale):
            raise MistrustError(f"ODIN's scale is {self.scale}, expected numbers above 0: one, or one per channel.")

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        return {}

    @torch.inference_mode(False)  # a gradient is needed, wherever this is called
    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        classifier, channels = record.classifier, int(record.images.images.shape[1])
        if len(self.scale) not in (1, channels):
            raise MistrustError(
                f"ODIN's scale has {len(self.scale)} numbers, these images have {channels} channels: give one number, "
                "or one per channel."
            )
        logits_of(classifier)  # refuses what has no gradient, and dropout that is on
        logits, predicted = unbounded(classifier), record.predicted
        scores = torch.empty(len(record), dtype=torch.float64)
        for rows in torch.arange(len(record)).split(BLOCK):
            images = record.images.take(rows).floats().to(classifier.device)  # copies, and so ordinary tensors
            there = predicted[rows].to(classifier.device)
            step = (self.temperature, self.epsilon, self.scale, self.as_published)
            with torch.no_grad():
                found = logits(moved(logits, images, there, *step))
            scores[rows] = doubt(found, self.temperature).cpu()
        return scores


def unbounded(classifier: Classifier) -> Logits:
    """Give the classifier as a function that takes pixels outside [0, 1], too."""

    def logits(images: Tensor) -> Tensor:
        outputs = classifier.network(classifier.scaled(images))
        if classifier.outputs == "probabilities":
            return outputs.clamp_min(torch.finfo(outputs.dtype).tiny).log()
        return outputs

    return logits
