"""Fault templates: rules that make images out-of-distribution, for any image set.

Ferreira, Guiochet, Arlat and Waeselynck, "Benchmarking Safety Monitors for Image Classifiers with Machine Learning",
PRDC 2021, section III-A: twenty ways to make a picture faulty, by category. `faulty` applies one to an image set.
"""

from mistrust.inputs.faults import table  # its twenty entries
from mistrust.inputs.faults.copies import copied, origin
from mistrust.inputs.faults.fault import CATEGORIES, FAULTS, Fault, faulty

__all__ = ["CATEGORIES", "FAULTS", "Fault", "copied", "faulty", "origin", "table"]
