"""The experiment across papers: parameters, pieces (one per classifier), and the rows they yield."""

from mistrust.comparison.experiment.over_models import rows, together
from mistrust.comparison.experiment.parameters import CHAPTER, Parameters, check, inputs
from mistrust.comparison.experiment.pieces import MAKERS, made_from, missing, piece, pieces, preparing

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
