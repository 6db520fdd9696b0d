"""How far an image is from another class: the boundary attack of the paper, and what may stand in for it."""

from mistrust.search.attack.agreement import Agreement, agreement
from mistrust.search.attack.boundary import boundary
from mistrust.search.attack.fast import deepfool
from mistrust.search.attack.found import Distances, Trace
from mistrust.search.attack.hopskip import hopskip
from mistrust.search.attack.peer import foolbox
from mistrust.search.attack.table import DISTANCES, Distance, distances

__all__ = [
    "DISTANCES",
    "Agreement",
    "Distance",
    "Distances",
    "Trace",
    "agreement",
    "boundary",
    "deepfool",
    "distances",
    "foolbox",
    "hopskip",
]
