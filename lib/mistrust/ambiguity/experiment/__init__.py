"""The AmbiGuess experiment: parameters, pieces (several an image set), and the rows they yield."""

from mistrust.ambiguity.experiment.over_networks import rows, together
from mistrust.ambiguity.experiment.parameters import CHAPTER, Parameters, check, inputs
from mistrust.ambiguity.experiment.pieces import MAKERS, made_from, missing, piece, pieces, preparing

__all__ = [
    "CHAPTER",
    "MAKERS",
    "Parameters",
    "check",
    "inputs",
    "made_from",
    "missing",
    "piece",
    "pieces",
    "preparing",
    "rows",
    "together",
]
