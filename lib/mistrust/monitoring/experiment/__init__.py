"""The experiment on safety monitors: parameters, pieces (one per classifier), and the rows they yield."""

from mistrust.monitoring.experiment.checks import check
from mistrust.monitoring.experiment.material import inputs
from mistrust.monitoring.experiment.over_runs import rows
from mistrust.monitoring.experiment.parameters import CHAPTER, Parameters
from mistrust.monitoring.experiment.pieces import MAKERS, missing, piece, pieces, preparing

__all__ = ["CHAPTER", "MAKERS", "Parameters", "check", "inputs", "missing", "piece", "pieces", "preparing", "rows"]
