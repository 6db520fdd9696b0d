"""Supervisors of one logit vector: energy and max logit.

A constant added to all logits, which softmax does not see, changes both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import number
from mistrust.networks import Record
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, supervisor
from mistrust.supervisors.softmax import COST, OfSoftmax

# Log sum exp of a float32 LogSoftmax is below 1e-6, of one in 16 bits below this.
ROUNDING = 1e-2


def energy(logits: Float[Tensor, "*s k"], temperature: float = 1.0) -> Float64[Tensor, "*s"]:
    """Free energy -T log sum exp(logit / T) of Liu et al. 2020, section 3: any real number.

    As T falls to zero it becomes minus the largest logit; a constant added to all logits is subtracted from it.

    Raises
    ------
    MistrustError
        A temperature that is no number above 0.
    """
    check_temperature(temperature)
    return -temperature * torch.logsumexp(logits.to(torch.float64) / temperature, -1)


def max_logit(logits: Float[Tensor, "*s k"]) -> Float64[Tensor, "*s"]:
    """Minus the largest logit: any real number."""
    return -logits.to(torch.float64).amax(-1)


def check_temperature(temperature: float) -> None:
    """Refuse a temperature that is not above zero."""
    if not 0 < number("temperature", temperature) < float("inf"):
        raise MistrustError(f"temperature is {temperature:g}, expected a number above 0; the paper takes 1.")


@supervisor("energy")
@dataclass(eq=False)
class Energy(OfSoftmax):
    """Free energy of the logits; a classifier that gives probabilities, or their logarithms, is refused.

    Attributes
    ----------
    temperature : T > 0; the paper takes 1 and finds larger ones worse.
    """

    card = Card(
        "Energy", "softmax",
        "Liu, Wang, Owens and Li, Energy-based out-of-distribution detection, NeurIPS 2020",
        "section 3", "https://arxiv.org/abs/2010.03759", ("logits",), COST,
        limits="It tells by the size of the logits, which training fixes only up to a constant.",
    )  # fmt: skip
    temperature: float = 1.0

    def __post_init__(self) -> None:
        check_temperature(self.temperature)

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        self._refuse_probabilities(record)
        if float(energy(record.logits).abs().max()) < ROUNDING:
            raise MistrustError(
                f"{self.card.title} reads how large logits are, and those of '{record.classifier.name}' are "
                "logarithms of probabilities (log sum exp is 0 of all training images), which do not tell: every score "
                "would be 0 but for rounding. Take softmax_entropy or max_softmax, or the network without LogSoftmax."
            )
        return {}

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        self._refuse_probabilities(record)
        return energy(record.logits, self.temperature)

    def _refuse_probabilities(self, record: Record) -> None:
        if record.classifier.outputs == "probabilities":
            raise MistrustError(
                f"{self.card.title} reads how large logits are, and '{record.classifier.name}' gives probabilities, "
                "which do not tell: every score would be 0 but for rounding. Take softmax_entropy or max_softmax, or "
                "a network that gives logits."
            )


@supervisor("max_logit")
@dataclass(eq=False)
class MaxLogit(OfSoftmax):
    """Minus the largest logit."""

    card = Card(
        "Max Logit", "softmax",
        "Hendrycks and others, Scaling out-of-distribution detection for real-world settings, ICML 2022",
        "section 3", "https://arxiv.org/abs/1911.11132", ("logits",), COST,
        limits="It tells by the size of the logits, which training fixes only up to a constant.",
    )  # fmt: skip

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        return max_logit(record.logits)
