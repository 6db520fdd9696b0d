"""Figures of the chapter on robustness (UREM): each takes rows, or arrays, and gives a picture.

============== =====================================================================================
story          bubbles of one image, several networks over each other (the paper's Figure 6)
spokes         one bubble to explore: the image that was found at each spoke, and what was changed
breaking       breaking noise by network, with the share never broken (Table 1)
survival       labels that survive noise, family by family
noise          fixed or fresh noise, clipped or not (`ratios` of two, as numbers)
rates          what the learning rate does to the targeted distance
matrices       perturbation matrices, failures hatched (Figures 8 to 10)
variance       where the spread of distances comes from
layers         noise at single layers of one network, each named
layer_curves   noise at single layers, several networks side by side (Figure 7)
pair           an image, and the same with the noise that breaks it (Figure 4)
variants       trained on all, half of the samples, a fraction of the classes (Tables 2 and 3)
depth_and_size depth and parameters against accuracy and robustness
one_step       more layers, or more channels, in one family (`steps_of`, as numbers)
levels         how many bubbles as the margin rises (`looked_at`: of how many segments, in words)
worlds         known regions in the plane
segment        the margin along a segment, exact and on a grid
looks          cheap looks beside the searches
relations      rank correlations between networks
costs          what the searches cost, as a table
audit          where bisection and stepping agree, as a table (`audited`, `audited_every`, `missed` in words)
image_sets     the families on several image sets, as a table
beside         Tables 1 to 3, family by family: the paper, our full run, this run
averages       breaking noise averaged in several ways, and what was censored, as a table
reread         the paper's printed numbers, read again, as tables
============== =====================================================================================
"""

from mistrust.figures.robustness import reread
from mistrust.figures.robustness.audit import audit, audited, audited_every, missed
from mistrust.figures.robustness.averages import averages
from mistrust.figures.robustness.beside import beside
from mistrust.figures.robustness.breaking import breaking
from mistrust.figures.robustness.costs import costs
from mistrust.figures.robustness.depth_and_size import depth_and_size
from mistrust.figures.robustness.image_sets import image_sets
from mistrust.figures.robustness.layer_curves import layer_curves
from mistrust.figures.robustness.layers import layers
from mistrust.figures.robustness.levels import levels, looked_at
from mistrust.figures.robustness.looks import looks
from mistrust.figures.robustness.matrices import matrices
from mistrust.figures.robustness.noise import noise, ratios
from mistrust.figures.robustness.one_step import one_step, steps_of
from mistrust.figures.robustness.pair import pair
from mistrust.figures.robustness.parts import words
from mistrust.figures.robustness.rates import rates
from mistrust.figures.robustness.relations import relations
from mistrust.figures.robustness.segment import Along, segment
from mistrust.figures.robustness.spokes import spokes
from mistrust.figures.robustness.story import story
from mistrust.figures.robustness.survival import survival
from mistrust.figures.robustness.variance import variance
from mistrust.figures.robustness.variants import variants
from mistrust.figures.robustness.worlds import worlds

__all__ = [
    "Along",
    "audit",
    "audited",
    "audited_every",
    "averages",
    "beside",
    "breaking",
    "costs",
    "depth_and_size",
    "image_sets",
    "layer_curves",
    "layers",
    "levels",
    "looked_at",
    "looks",
    "matrices",
    "missed",
    "noise",
    "one_step",
    "pair",
    "rates",
    "ratios",
    "relations",
    "reread",
    "segment",
    "spokes",
    "steps_of",
    "story",
    "survival",
    "variance",
    "variants",
    "words",
    "worlds",
]
