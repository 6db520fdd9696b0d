"""Supervisors of many passes with dropout on (MC-Dropout): four of the paper's sixteen.

They read `record.samples`, which `observe(classifier, images, samples=S)` keeps; the paper takes S = 100.
"""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.networks import Record
from mistrust.supervisors import quantifiers
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, supervisor
from mistrust.supervisors.softmax import OfSoftmax

DROPOUT = "Gal and Ghahramani, Dropout as a Bayesian approximation, ICML 2016"
THESIS = "Gal, Uncertainty in deep learning, thesis, Cambridge 2016"
LINK = "https://arxiv.org/abs/1506.02142"
COST = (
    "Nothing to fit; S passes an image of what follows the first dropout layer (S = 100 in the paper), and 4 S k bytes "
    "of the record."
)
LIMITS = (
    "Only what follows the first dropout layer varies, and functional.dropout, which is no layer, does not; all "
    "samples can be sure of what none has seen."
)


class OfSamples(OfSoftmax):
    """A function of the softmax of samples; nothing is learnt."""

    quantifier: ClassVar[quantifiers.Quantifier]
    part: ClassVar[str] = "samples"
    least: ClassVar[int] = 1

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        logits = record.need(self.part)
        if len(logits) < self.least:
            more = {"samples": "samples=32", "members": "members=[second, third]"}[self.part]
            raise MistrustError(
                f"{self.card.title} tells how much {self.part} differ, and this record holds {len(logits)}: every "
                f"score would be 0. Record at least {self.least} with observe(classifier, images, {more})."
            )
        return quantifiers.of_logits(type(self).quantifier, logits)


@supervisor("mc_variation_ratio")
@dataclass(eq=False)
class McVariationRatio(OfSamples):
    """Share of samples that vote against the most voted class."""

    card = Card(
        "MC-Dropout: variation ratio", "sampling", f"{DROPOUT}; the ratio by Freeman 1965, from {THESIS}",
        "thesis, section 3.3.1", LINK, ("samples",), COST,
        limits="With S samples it has at most S values, so that many images tie.",
    )  # fmt: skip
    quantifier = quantifiers.variation_ratio
    least = 2


@supervisor("mc_mean_softmax")
@dataclass(eq=False)
class McMeanSoftmax(OfSamples):
    """Minus the largest entry of the samples' mean softmax."""

    card = Card(
        "MC-Dropout: mean softmax", "sampling", DROPOUT, "section 4", LINK, ("samples",), COST, limits=LIMITS
    )  # fmt: skip
    quantifier = quantifiers.mean_softmax


@supervisor("mc_predictive_entropy")
@dataclass(eq=False)
class McPredictiveEntropy(OfSamples):
    """Entropy of the samples' mean softmax, in bits."""

    card = Card(
        "MC-Dropout: predictive entropy", "sampling", f"{DROPOUT}; the entropy from {THESIS}",
        "thesis, section 3.3.1", LINK, ("samples",), COST, limits=LIMITS,
    )  # fmt: skip
    quantifier = quantifiers.predictive_entropy


@supervisor("mc_mutual_information")
@dataclass(eq=False)
class McMutualInformation(OfSamples):
    """Entropy of the samples' mean softmax less their mean entropy, in bits."""

    card = Card(
        "MC-Dropout: mutual information", "sampling",
        f"{DROPOUT}; the information by Houlsby and others, Bayesian active learning for classification, 2011, as in "
        f"{THESIS}",
        "thesis, section 3.3.1", LINK, ("samples",), COST,
        limits="Sees less of doubt that all samples share, such as that of a truly ambiguous image.",
    )  # fmt: skip
    quantifier = quantifiers.mutual_information
    least = 2
