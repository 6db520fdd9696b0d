"""ALOOC: how badly does a refiner, trained on the predicted class against a discriminator, rebuild the image?"""

from mistrust.supervisors.alooc.networks import Design
from mistrust.supervisors.alooc.recipe import OPTIMISERS, AloocRecipe
from mistrust.supervisors.alooc.supervisor import Alooc, rebuilding_entropy, swapped_entropy
from mistrust.supervisors.alooc.training import ALOOC, train, trained_refiners

__all__ = [
    "ALOOC",
    "OPTIMISERS",
    "Alooc",
    "AloocRecipe",
    "Design",
    "rebuilding_entropy",
    "swapped_entropy",
    "train",
    "trained_refiners",
]
