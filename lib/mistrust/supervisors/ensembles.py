"""Supervisors of several networks trained alike from different seeds (deep ensembles): three of the paper's sixteen.

They read `record.members`, which `observe(first, images, members=[second, third])` keeps; the first is a member too.
The paper takes 20 members, all newly trained, with dropout off.
"""

from dataclasses import dataclass

from mistrust.supervisors import quantifiers
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import supervisor
from mistrust.supervisors.sampling import OfSamples

ENSEMBLES = (
    "Lakshminarayanan, Pritzel and Blundell, Simple and scalable predictive uncertainty estimation using deep "
    "ensembles, NeurIPS 2017"
)
LINK = "https://arxiv.org/abs/1612.01474"
COST = "Nothing to fit, but M networks to train; M passes an image, and M networks in memory."
LIMITS = "Members trained on the same images can be wrong together."


class OfMembers(OfSamples):
    """A function of the softmax of members; nothing is learnt."""

    part = "members"
    least = 2


@supervisor("ensemble_mean_softmax")
@dataclass(eq=False)
class EnsembleMeanSoftmax(OfMembers):
    """Minus the largest entry of the members' mean softmax."""

    card = Card(
        "Ensemble: mean softmax", "ensemble", ENSEMBLES, "section 2.4", LINK, ("members",), COST, limits=LIMITS
    )  # fmt: skip
    quantifier = quantifiers.mean_softmax


@supervisor("ensemble_predictive_entropy")
@dataclass(eq=False)
class EnsemblePredictiveEntropy(OfMembers):
    """Entropy of the members' mean softmax, in bits."""

    card = Card(
        "Ensemble: predictive entropy", "ensemble", ENSEMBLES, "sections 2.4 and 3.5", LINK, ("members",), COST,
        limits=LIMITS,
    )  # fmt: skip
    quantifier = quantifiers.predictive_entropy


@supervisor("ensemble_mutual_information")
@dataclass(eq=False)
class EnsembleMutualInformation(OfMembers):
    """Entropy of the members' mean softmax less their mean entropy, in bits."""

    card = Card(
        "Ensemble: mutual information", "ensemble",
        f"{ENSEMBLES}; the information by Houlsby and others, Bayesian active learning for classification, 2011",
        "Houlsby and others, section 2", LINK, ("members",), COST,
        limits="Sees less of doubt that all members share, such as that of a truly ambiguous image.",
    )  # fmt: skip
    quantifier = quantifiers.mutual_information
