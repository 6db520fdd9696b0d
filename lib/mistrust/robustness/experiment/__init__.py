"""The experiment on robustness estimation: parameters, pieces (one per network), and the rows they yield."""

from mistrust.robustness.experiment.checks import check
from mistrust.robustness.experiment.over_networks import rows, together
from mistrust.robustness.experiment.parameters import CHAPTER, Parameters, inputs
from mistrust.robustness.experiment.pieces import MAKERS, left_out, missing, piece, pieces

__all__ = [
    "CHAPTER",
    "MAKERS",
    "Parameters",
    "check",
    "inputs",
    "left_out",
    "missing",
    "piece",
    "pieces",
    "rows",
    "together",
]
