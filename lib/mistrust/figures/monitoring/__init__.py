"""Figures of the chapter on safety monitors: each takes rows and gives a picture or an interactive figure.

=========== =======================================================================================
framework   faults and activities in, readouts and measures out
oracle      the ten cases
faulty      one image under every fault
accuracy    the classifier under every fault
misses      what three monitors miss, fault by fault
everyone    all monitors by category
thresholds  what thresholds and slips do
impact      predictions right or wrong, accepted or rejected
difference  critical difference diagrams, from rows
reranked    the same from the paper's printed numbers, as labelled and mended
shares      which answer printed rows call positive, and which set they are of
reread      printed false-positive rates, and what they are
borne_out   whether our runs miss what re-read rows miss, as a table; borne_out_numbers: the same for sentences
explorer    one benchmark set at a time
compression how many traffic signs alarm as JPEG and as they are, as rows
novelties   what MCC of the novelty sets becomes where signs are JPEG
rated       the same for a table, with both alarm rates
repeat      AUROC of the novelty sets with signs as JPEG, and with all fitted anew, against the sets as they are;
            repeat_summary, repeat_table and repeat_words sum it up, of some monitors with FPR at 95% TPR, and in words
controls    how often images of a control alarm, one column per run
by_category means of a metric over the sets of each category, as a table
tied        in how many sets a monitor has no threshold short of alarming always
disturbed   whether a monitor sees what disturbs the classifier
accuracies  how often the classifier is right in each category
tried       the settings that the paper tried, on nominal images
tuned       the best of these, the paper's, and the classifier alone, in words
left_out    which monitors could not watch which classifier, in words
held        how near false alarms come to the rate that the rule was fitted for, in words
by_chance   how many of them sampling alone keeps from it, in words
=========== =======================================================================================
"""

from mistrust.figures.monitoring.accuracy import accuracy
from mistrust.figures.monitoring.borne_out import borne_out, borne_out_numbers
from mistrust.figures.monitoring.by_chance import by_chance
from mistrust.figures.monitoring.compression import compression, novelties, rated
from mistrust.figures.monitoring.controls import controls
from mistrust.figures.monitoring.difference import difference, reranked
from mistrust.figures.monitoring.everyone import everyone
from mistrust.figures.monitoring.explorer import explorer
from mistrust.figures.monitoring.faulty import faulty
from mistrust.figures.monitoring.framework import framework
from mistrust.figures.monitoring.held import held
from mistrust.figures.monitoring.impact import impact
from mistrust.figures.monitoring.left_out import left_out
from mistrust.figures.monitoring.misses import misses
from mistrust.figures.monitoring.oracle import oracle
from mistrust.figures.monitoring.parts import short, words
from mistrust.figures.monitoring.reasons import accuracies, by_category, disturbed, tied
from mistrust.figures.monitoring.repeat import repeat, repeat_summary, repeat_table, repeat_words
from mistrust.figures.monitoring.reread import reread
from mistrust.figures.monitoring.shares import shares
from mistrust.figures.monitoring.thresholds import thresholds
from mistrust.figures.monitoring.tried import tried, tuned

__all__ = [
    "accuracies",
    "accuracy",
    "borne_out",
    "borne_out_numbers",
    "by_category",
    "by_chance",
    "compression",
    "controls",
    "difference",
    "disturbed",
    "everyone",
    "explorer",
    "faulty",
    "framework",
    "held",
    "impact",
    "left_out",
    "misses",
    "novelties",
    "oracle",
    "rated",
    "repeat",
    "repeat_summary",
    "repeat_table",
    "repeat_words",
    "reranked",
    "reread",
    "shares",
    "short",
    "thresholds",
    "tied",
    "tried",
    "tuned",
    "words",
]
