"""The experiment on the search for high-confidence errors: parameters, pieces (one per model), and their rows."""

from mistrust.search.experiment.checks import check
from mistrust.search.experiment.coherence import contradictions
from mistrust.search.experiment.over_models import rows, together
from mistrust.search.experiment.parameters import CHAPTER, Parameters, inputs, left_out
from mistrust.search.experiment.pieces import MAKERS, made_from, missing, piece, pieces, preparing

__all__ = [
    "CHAPTER",
    "MAKERS",
    "Parameters",
    "check",
    "contradictions",
    "inputs",
    "left_out",
    "made_from",
    "missing",
    "piece",
    "pieces",
    "preparing",
    "rows",
    "together",
]
