"""Figures of the MLM chapter: each takes rows and gives a picture.

=========== =====================================================================================
idea        the idea in a picture
sheet       one image under every perturbation
accuracy    how far accuracy falls, by level: panels, and a heat map (the paper's Figures 5 and 7)
clean       what goes wrong on clean images (Figure 1)
clusters    images that are classified correctly and clustered wrongly (Figures 3 and 4)
spoilt      one image spoilt step by step (Figure 6)
matrices    the matrix by every rule (Figure 2)
explorer    the matrix of one network, cell by cell
judged      how well the rules predict confusion, and what more images do
abstention  risk against coverage
calibration accuracy by levels that were calibrated
=========== =====================================================================================
"""

from mistrust.figures.misclassification.abstention import abstention
from mistrust.figures.misclassification.accuracy import accuracy_by_level, accuracy_heat_map
from mistrust.figures.misclassification.calibration import calibration
from mistrust.figures.misclassification.cells import matrix, same_tops
from mistrust.figures.misclassification.clean import misses
from mistrust.figures.misclassification.clusters import has_misclustered, misclustered
from mistrust.figures.misclassification.explorer import explorer
from mistrust.figures.misclassification.idea import idea
from mistrust.figures.misclassification.judged import agreement, growth
from mistrust.figures.misclassification.matrices import matrices, rules
from mistrust.figures.misclassification.parts import words
from mistrust.figures.misclassification.sheet import sheet
from mistrust.figures.misclassification.spoilt import spoilt_digit

__all__ = [
    "abstention",
    "accuracy_by_level",
    "accuracy_heat_map",
    "agreement",
    "calibration",
    "explorer",
    "growth",
    "has_misclustered",
    "idea",
    "matrices",
    "matrix",
    "misclustered",
    "misses",
    "rules",
    "same_tops",
    "sheet",
    "spoilt_digit",
    "words",
]
