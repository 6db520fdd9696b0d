"""The MLM experiment: parameters, pieces (one per network), and the rows they yield."""

from mistrust.misclassification.experiment.logits import LOGITS, outputs
from mistrust.misclassification.experiment.over_networks import rows, together
from mistrust.misclassification.experiment.parameters import CHAPTER, Parameters, check, image_sets, inputs
from mistrust.misclassification.experiment.pieces import MAKERS, missing, piece, pieces

__all__ = [
    "CHAPTER",
    "LOGITS",
    "MAKERS",
    "Parameters",
    "check",
    "image_sets",
    "inputs",
    "missing",
    "outputs",
    "piece",
    "pieces",
    "rows",
    "together",
]
