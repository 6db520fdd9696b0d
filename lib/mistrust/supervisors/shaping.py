"""ReAct and ASH: change the features before the last linear layer, then take the energy of the logits they give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import number
from mistrust.supervisors.blocks import blocks
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, supervisor
from mistrust.supervisors.head import Head, OfHead
from mistrust.supervisors.logits import check_temperature, energy
from mistrust.supervisors.quantile import pooled_quantile


def react(features: Float[Tensor, "n d"], threshold: float) -> Float[Tensor, "n d"]:
    """Features cut off at `threshold`: min(x, c) of Sun et al. 2021, section 3."""
    return features.clamp_max(threshold)


def prune(features: Float[Tensor, "n d"], quantile: float) -> Float[Tensor, "n d"]:
    """ASH-P of Djurisic et al. 2023: each row's largest numbers stay, the rest become 0.

    As in the authors' code d - round(quantile d) numbers stay, at least one. Those equal to the smallest that stays do
    too, where the code lets the order of sorting decide.
    """
    d = features.shape[1]
    kept = max(d - round(quantile * d), 1)
    smallest = features.topk(kept, 1).values[:, -1:]
    return torch.where(features >= smallest, features, 0.0)


def binarise(features: Float[Tensor, "n d"], quantile: float) -> Float[Tensor, "n d"]:
    """ASH-B: what is not 0 after pruning becomes one number, so that the row keeps the sum it had before pruning.

    Where ReLU leaves fewer numbers above 0 than are kept, the authors' code (and pytorch-ood 0.4.0) spreads the sum
    over zeros as well, and which ones is left to the order of sorting; here they stay 0.
    """
    stay = prune(features, quantile) != 0
    return torch.where(stay, features.sum(1, keepdim=True) / stay.sum(1, keepdim=True).clamp_min(1), 0.0)


def scale(features: Float[Tensor, "n d"], quantile: float) -> Float[Tensor, "n d"]:
    """ASH-S: what stays after pruning times exp(sum before / sum after); a row of zeros stays one."""
    pruned = prune(features, quantile)
    before, after = features.sum(1, keepdim=True), pruned.sum(1, keepdim=True)
    return pruned * torch.where(after > 0, before / torch.where(after > 0, after, 1.0), 0.0).exp()


# Variants of ASH: the paper's algorithms 1, 2 and 3.
ASH: dict[str, Callable[[Tensor, float], Tensor]] = {"p": prune, "b": binarise, "s": scale}


def _energy(features: Tensor, head: Head, temperature: float, shape: Callable[[Tensor], Tensor]) -> Tensor:
    return torch.cat([
        energy(head.logits(shape(features[rows].to(torch.float64))), temperature) for rows in blocks(len(features))
    ])  # fmt: skip


@supervisor("react")
@dataclass(eq=False)
class React(OfHead):
    """Energy after features are cut off at a quantile of the training features.

    Attributes
    ----------
    layer : the layer before the last linear one.
    quantile : in [0, 1], of the training images' features, all units together; the paper takes 0.9.
    temperature : of the energy.
    """

    card = Card(
        "ReAct", "softmax",
        "Sun, Guo and Li, ReAct: out-of-distribution detection with rectified activations, NeurIPS 2021",
        "section 3", "https://arxiv.org/abs/2111.12797", ("logits", "layer"),
        "Fitting counts all training features three times; an image costs one more pass of the last layer.",
        fits=("network",),
        limits="Needs a network that ends in a linear layer, and inputs that excite some units too much.",
    )  # fmt: skip
    layer: str = ""
    quantile: float = 0.9
    temperature: float = 1.0

    def __post_init__(self) -> None:
        check_temperature(self.temperature)
        if not 0 <= number("quantile", self.quantile) <= 1:
            raise MistrustError(f"quantile is {self.quantile:g}, expected a number in [0, 1]; the paper takes 0.9.")

    def _learn(self, features: Tensor, head: Head, layer: str) -> Mapping[str, Tensor]:
        return {"threshold": torch.tensor(pooled_quantile(features, self.quantile), dtype=torch.float64)}

    def _suspicion(self, features: Tensor, head: Head, learnt: Fitted) -> Tensor:
        threshold = float(learnt.state["threshold"])
        return _energy(features, head, self.temperature, lambda part: react(part, threshold))


@supervisor("ash")
@dataclass(eq=False)
class Ash(OfHead):
    """Energy after all but an image's own largest features are taken away.

    Attributes
    ----------
    layer : the layer before the last linear one.
    variant : "s" (scale what stays), "b" (one number for all that stays) or "p" (only prune).
    quantile : in [0, 1), share of an image's features that goes; 0.9 is the authors' choice for "s" on ImageNet.
    temperature : of the energy.
    """

    card = Card(
        "ASH", "softmax",
        "Djurisic, Bozanic, Ashok and Liu, Extremely simple activation shaping for out-of-distribution detection, "
        "ICLR 2023",
        "algorithms 1 to 3", "https://arxiv.org/abs/2209.09858", ("logits", "layer"),
        "Nothing to fit beyond the last layer's weights; an image costs a partial sort and one more pass of it.",
        fits=("network",),
        limits="Needs a network that ends in a linear layer; variants b and s need features that are not negative.",
    )  # fmt: skip
    layer: str = ""
    variant: str = "s"
    quantile: float = 0.9
    temperature: float = 1.0

    def __post_init__(self) -> None:
        check_temperature(self.temperature)
        check_known("variant of ASH", self.variant, ASH)
        if not 0 <= number("quantile", self.quantile) < 1:
            raise MistrustError(f"quantile is {self.quantile:g}, expected a number in [0, 1), so that something stays.")

    def _learn(self, features: Tensor, head: Head, layer: str) -> Mapping[str, Tensor]:
        self._check_signs(features, layer)
        return {}

    def _suspicion(self, features: Tensor, head: Head, learnt: Fitted) -> Tensor:
        self._check_signs(features, learnt.layers[0])
        return _energy(features, head, self.temperature, lambda part: ASH[self.variant](part, self.quantile))

    def _check_signs(self, features: Tensor, layer: str) -> None:
        """Sums before and after pruning tell nothing where numbers cancel."""
        if self.variant != "p" and features.numel() and float(features.min()) < 0:
            raise MistrustError(
                f"ASH-{self.variant.upper()} compares sums of features that are not negative, as ReLU gives them; "
                f"layer '{layer}' goes down to {float(features.min()):.4g}. Take variant=\"p\", or a network with a "
                "ReLU before its last layer."
            )
