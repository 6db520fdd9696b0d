"""What is done to images before a classifier sees them: perturbations, later corruptions, faults and attacks."""

from mistrust.inputs import mlm  # its twelve entries
from mistrust.inputs.draws import Draws
from mistrust.inputs.perturbations import (
    PERTURBATIONS,
    Continuous,
    Perturbation,
    continuous,
    perturb,
    perturbed,
    to_uint8,
)

__all__ = [
    "PERTURBATIONS",
    "Continuous",
    "Draws",
    "Perturbation",
    "continuous",
    "mlm",
    "perturb",
    "perturbed",
    "to_uint8",
]
