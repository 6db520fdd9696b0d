"""Figures of the AmbiGuess chapter: each takes rows and gives a picture, but for some that say so.

============= ======================================================================================
idea          the idea in a picture
interpolation from one class to the other, step by step (the paper's Figure 4)
plane         the latent plane of a pair, image by image
convergence   how fast and how small autoencoders of two classes are, and of all
label_rules   what the rule of the labels does to a probability
cells         where on the plane each way to draw takes its points from
reach         images far from the clusters
diversity     how diverse the images are by the way to draw
acceptance    which autoencoders pass the two gates
longer        what three times the training did for pairs without one: words, no picture
natural       test images that are ambiguous by nature (Figure 1)
vae_plane     the plane of a plain autoencoder of all classes (Figure 3)
examples      good and bad samples (Figure 5)
performance   what classifiers make of the sets (Table I)
averaged      Table I with other architectures in its mean: rows, no picture
expected      what was expected of Table I, met or missed, and why: a table, no picture
missed        how many lines of that table each column misses: words, no picture
oddness       ambiguous, or only odd
calibration   stated against observed probabilities
dots          dot plots, which several of these are made of
============= ======================================================================================
"""

from mistrust.figures.ambiguity.acceptance import acceptance
from mistrust.figures.ambiguity.averaged import averaged
from mistrust.figures.ambiguity.calibration import calibration
from mistrust.figures.ambiguity.cells import cells
from mistrust.figures.ambiguity.convergence import convergence
from mistrust.figures.ambiguity.diversity import diversity
from mistrust.figures.ambiguity.examples import examples
from mistrust.figures.ambiguity.expected import expected, missed
from mistrust.figures.ambiguity.idea import idea
from mistrust.figures.ambiguity.interpolation import interpolation
from mistrust.figures.ambiguity.label_rules import label_rules
from mistrust.figures.ambiguity.longer import longer
from mistrust.figures.ambiguity.natural import natural
from mistrust.figures.ambiguity.oddness import oddness
from mistrust.figures.ambiguity.parts import words
from mistrust.figures.ambiguity.performance import performance
from mistrust.figures.ambiguity.plane import plane
from mistrust.figures.ambiguity.reach import reach
from mistrust.figures.ambiguity.vae_plane import vae_plane

__all__ = [
    "acceptance",
    "averaged",
    "calibration",
    "cells",
    "convergence",
    "diversity",
    "examples",
    "expected",
    "idea",
    "interpolation",
    "label_rules",
    "longer",
    "missed",
    "natural",
    "oddness",
    "performance",
    "plane",
    "reach",
    "vae_plane",
    "words",
]
