"""What is done to images before a classifier sees them: perturbations, corruptions, faults and attacks."""

from mistrust.inputs import mlm  # its twelve entries
from mistrust.inputs.corrupted import Corrupted, fashion_mnist_c, mnist_c
from mistrust.inputs.draws import Draws
from mistrust.inputs.faults import FAULTS, Fault, faulty
from mistrust.inputs.perturbations import (
    CORRUPTIONS,
    PERTURBATIONS,
    Continuous,
    Corruption,
    Perturbation,
    continuous,
    perturb,
    perturbed,
    to_uint8,
)

__all__ = [
    "CORRUPTIONS",
    "FAULTS",
    "PERTURBATIONS",
    "Continuous",
    "Corrupted",
    "Corruption",
    "Draws",
    "Fault",
    "Perturbation",
    "continuous",
    "fashion_mnist_c",
    "faulty",
    "mlm",
    "mnist_c",
    "perturb",
    "perturbed",
    "to_uint8",
]
