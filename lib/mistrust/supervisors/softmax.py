"""Supervisors of one softmax vector: four of the paper's sixteen."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import torch
from jaxtyping import Float64
from torch import Tensor

from mistrust.networks import Record
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor


def max_softmax(p: Float64[Tensor, "*s k"]) -> Float64[Tensor, "*s"]:
    """Minus the largest probability, in [-1, -1/k]."""
    return -p.amax(-1)


def prediction_confidence(p: Float64[Tensor, "*s k"]) -> Float64[Tensor, "*s"]:
    """Minus the lead of the first class over the second, in [-1, 0]."""
    best = p.topk(2, -1).values
    return best[..., 1] - best[..., 0]


def gini(p: Float64[Tensor, "*s k"]) -> Float64[Tensor, "*s"]:
    """Chance that two draws from p differ, 1 - sum p^2, in [0, 1 - 1/k]."""
    return 1 - p.square().sum(-1)


def entropy(p: Float64[Tensor, "*s k"]) -> Float64[Tensor, "*s"]:
    """Entropy in bits, in [0, log2 k]."""
    return -torch.special.xlogy(p, p).sum(-1) / log(2)


class OfSoftmax(Supervisor):
    """A function of the softmax; nothing is learnt."""

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        return {}


COST = "Nothing to fit; microseconds an image, no memory."
SURE = "A network may be sure of what it has never seen."
TIES = (
    "Of a very sure network softmax values round to 1, and images tie that differ: Softmax Entropy keeps their order, "
    "and so do logits divided by a temperature."
)


@supervisor("max_softmax")
@dataclass(eq=False)
class MaxSoftmax(OfSoftmax):
    """Minus the largest softmax value."""

    card = Card(
        "Max Softmax", "softmax",
        "Hendrycks and Gimpel, A baseline for detecting misclassified and out-of-distribution examples, ICLR 2017",
        "section 2", "https://arxiv.org/abs/1610.02136", ("logits",), COST,
        limits=f"{SURE} {TIES}",
    )  # fmt: skip

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        return max_softmax(record.probabilities)


@supervisor("prediction_confidence_score")
@dataclass(eq=False)
class PredictionConfidenceScore(OfSoftmax):
    """Minus the difference of the two largest softmax values."""

    card = Card(
        "Prediction Confidence Score", "softmax",
        "Zhang and others, Towards characterizing adversarial defects of deep learning software from the lens of "
        "uncertainty, ICSE 2020",
        "section 3.2", "https://arxiv.org/abs/2004.11573", ("logits",), COST,
        limits=f"{SURE} {TIES}",
    )  # fmt: skip

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        return prediction_confidence(record.probabilities)


@supervisor("deep_gini")
@dataclass(eq=False)
class DeepGini(OfSoftmax):
    """Gini impurity of the softmax."""

    card = Card(
        "DeepGini", "softmax",
        "Feng and others, DeepGini: prioritizing massive tests to enhance the robustness of deep neural networks, "
        "ISSTA 2020",
        "section 3", "https://arxiv.org/abs/1903.00661", ("logits",), COST,
        limits=f"{SURE} {TIES}",
    )  # fmt: skip

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        return gini(record.probabilities)


@supervisor("softmax_entropy")
@dataclass(eq=False)
class SoftmaxEntropy(OfSoftmax):
    """Entropy of the softmax, in bits."""

    card = Card(
        "Softmax Entropy", "softmax",
        "Weiss and Tonella, Fail-safe execution of deep learning based systems through uncertainty monitoring, "
        "ICST 2021",
        "section III", "https://arxiv.org/abs/2102.00902", ("logits",), COST,
        limits=SURE,
    )  # fmt: skip

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        return entropy(record.probabilities)
