"""Figures of the supervisors' chapter: each takes rows and gives a picture or an interactive figure.

================ ==========================================================================
inputs           a few inputs of every kind
seen             how supervisors see a world of two pixels
rebuilt          how the autoencoder sees inputs: each beside its reconstruction
limits           a table of when supervisors cannot tell
detection        every supervisor on every kind of bad input (Table II)
printed          the paper's numbers beside ours, and printed_told, how near they come, in a sentence
measures         a table of other measures of the same
expected         a table of what was expected of the full run, and whether it came so
causes           a table of what explains some of it, and causes_told, the same in sentences
audited          how often bisection missed an earlier epsilon, in a sentence
evaded           how many mistakes get past a supervisor that its attacker knows
nominal_only     what supervisors have that are fitted on nominal images alone, in a sentence
stability        a table of standard deviations between runs, and too_small, by how much few runs understate them;
                 autoencoders_told, what follows from one autoencoder for all runs or one for each (one_autoencoder)
falls            rows of what supervisors lose from one image set to another
spread           where scores of each kind lie, supervisor by supervisor
mistaken         the inputs that each supervisor gets most wrong
trust            is the prediction wrong?
wrong            a table of the same, classifier by classifier
together         two supervisors as one
best_worst       which has the best worst case, fitted on nominal images alone, in a sentence
severity         the stronger a corruption
cost             time against detection
costs            a table of time, memory and detection
growth           a table of time, or of memory, by training rows
subsampling      a table of AUROC by the share of training rows kept
bars             a table of bars for speed beside dnn-tip, and bars_met, how many are met
speed            a table of how fast the rest is, and corruption_speed of every corruption
epochs           a table of AUROC by passes over the training images
cards            a table of all supervisors
one_set          the image sets whose rows a figure of a single one may show
said             a table of sentences that the paper's own table does not bear out
================ ==========================================================================
"""

from mistrust.figures.supervisors.apart import autoencoders_told, nominal_only, one_autoencoder
from mistrust.figures.supervisors.audit import audited
from mistrust.figures.supervisors.bars import bars, bars_met, fit_share
from mistrust.figures.supervisors.cards import cards
from mistrust.figures.supervisors.causes import causes, causes_told
from mistrust.figures.supervisors.cost import cost, costs, rows_behind, timed_with
from mistrust.figures.supervisors.detection import detection
from mistrust.figures.supervisors.epochs import epochs, fewer
from mistrust.figures.supervisors.evaded import evaded
from mistrust.figures.supervisors.expected import expected
from mistrust.figures.supervisors.falls import falls
from mistrust.figures.supervisors.growth import growth, growth_told, practical
from mistrust.figures.supervisors.inputs import inputs
from mistrust.figures.supervisors.limits import limits
from mistrust.figures.supervisors.measures import measures
from mistrust.figures.supervisors.mistaken import mistaken
from mistrust.figures.supervisors.parts import LETTERS, one_set, reach, short, words
from mistrust.figures.supervisors.printed import printed, printed_told
from mistrust.figures.supervisors.rebuilt import rebuilt
from mistrust.figures.supervisors.said import said
from mistrust.figures.supervisors.seen import seen
from mistrust.figures.supervisors.severity import severity
from mistrust.figures.supervisors.speed import corruption_speed, corruptions_told, ensembles_told, speed
from mistrust.figures.supervisors.spread import spread
from mistrust.figures.supervisors.stability import stability, too_small
from mistrust.figures.supervisors.subsampling import fewer_rows, subsampling
from mistrust.figures.supervisors.together import together
from mistrust.figures.supervisors.trust import trust
from mistrust.figures.supervisors.worst import best_worst
from mistrust.figures.supervisors.wrong import wrong

__all__ = [
    "LETTERS",
    "audited",
    "autoencoders_told",
    "bars",
    "bars_met",
    "best_worst",
    "cards",
    "causes",
    "causes_told",
    "corruption_speed",
    "corruptions_told",
    "cost",
    "costs",
    "detection",
    "ensembles_told",
    "epochs",
    "evaded",
    "expected",
    "falls",
    "fewer",
    "fewer_rows",
    "fit_share",
    "growth",
    "growth_told",
    "inputs",
    "limits",
    "measures",
    "mistaken",
    "nominal_only",
    "one_autoencoder",
    "one_set",
    "practical",
    "printed",
    "printed_told",
    "reach",
    "rebuilt",
    "rows_behind",
    "said",
    "seen",
    "severity",
    "short",
    "speed",
    "spread",
    "stability",
    "subsampling",
    "timed_with",
    "together",
    "too_small",
    "trust",
    "words",
    "wrong",
]
