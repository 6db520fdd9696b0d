"""What is done to images before a classifier sees them: perturbations, later corruptions, faults and attacks."""

from mistrust.inputs.perturbations import PERTURBATIONS, Draws, Perturbation, perturb, perturbed, to_uint8

__all__ = ["PERTURBATIONS", "Draws", "Perturbation", "perturb", "perturbed", "to_uint8"]
