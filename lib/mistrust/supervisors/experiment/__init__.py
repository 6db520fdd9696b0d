"""The supervisors' experiment: parameters, pieces (one per classifier), and the rows they yield."""

from mistrust.supervisors.experiment.over_runs import rows, together
from mistrust.supervisors.experiment.parameters import CHAPTER, Parameters, check, inputs
from mistrust.supervisors.experiment.pieces import MAKERS, made_from, missing, piece, pieces, preparing

# Rows of every pair of supervisors are two thirds of all; the chapter reads their means alone.
MEANS_ONLY = ("together",)

__all__ = [
    "CHAPTER",
    "MAKERS",
    "MEANS_ONLY",
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
