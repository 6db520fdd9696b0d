"""Figures of the supervisors' chapter: each takes rows and gives a picture or an interactive figure.

========= ==========================================================================
inputs    a few inputs of every kind
seen      how supervisors see a world of two pixels
rebuilt   how the autoencoder sees inputs: each beside its reconstruction
detection every supervisor on every kind of bad input (Table II)
spread    where scores of each kind lie, supervisor by supervisor
mistaken  the inputs that each supervisor gets most wrong
trust     is the prediction wrong?
together  two supervisors as one
severity  the stronger a corruption
cost      time against detection
costs     a table of time, memory and detection
growth    a table of time and memory by training rows
epochs    a table of AUROC by passes over the training images
cards     a table of all supervisors
said      a table of sentences that the paper's own table does not bear out
front     the front page's picture: the best of each kind, and where it fails
========= ==========================================================================
"""

from mistrust.figures.supervisors.cards import cards
from mistrust.figures.supervisors.cost import cost, costs
from mistrust.figures.supervisors.detection import detection
from mistrust.figures.supervisors.epochs import epochs, fewer
from mistrust.figures.supervisors.front import front
from mistrust.figures.supervisors.growth import growth
from mistrust.figures.supervisors.inputs import inputs
from mistrust.figures.supervisors.mistaken import mistaken
from mistrust.figures.supervisors.parts import LETTERS, short, words
from mistrust.figures.supervisors.rebuilt import rebuilt
from mistrust.figures.supervisors.said import said
from mistrust.figures.supervisors.seen import seen
from mistrust.figures.supervisors.severity import severity
from mistrust.figures.supervisors.spread import spread
from mistrust.figures.supervisors.together import together
from mistrust.figures.supervisors.trust import trust

__all__ = [
    "LETTERS",
    "cards",
    "cost",
    "costs",
    "detection",
    "epochs",
    "fewer",
    "front",
    "growth",
    "inputs",
    "mistaken",
    "rebuilt",
    "said",
    "seen",
    "severity",
    "short",
    "spread",
    "together",
    "trust",
    "words",
]
