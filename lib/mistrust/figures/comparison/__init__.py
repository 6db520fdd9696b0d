"""Figures and sentences of the chapter across papers: each takes rows.

========= ==========================================================================
inputs    a few inputs of every kind
scores    every scorer against every kind of trouble, AUROC of either question
alarms    what passes one threshold
cost      passes, memory and time beside the mean AUROC
agreement do scorers put the same images in the same order?
cells     which class is taken for which, by five readings
guide     what to use when
guided    the same as a table
front     the front page's picture: the best at each trouble, and what became of the papers
told      sentences that follow from rows
asked     and those on which inputs, classifiers and scorers they rest on
========= ==========================================================================
"""

from mistrust.comparison.advice import BAD, WRONG
from mistrust.figures.comparison import asked, told
from mistrust.figures.comparison.agreement import agreement
from mistrust.figures.comparison.cells import cells
from mistrust.figures.comparison.cost import cost
from mistrust.figures.comparison.front import front
from mistrust.figures.comparison.guide import guide, guided
from mistrust.figures.comparison.inputs import inputs
from mistrust.figures.comparison.parts import data_in, short, words
from mistrust.figures.comparison.scores import alarms, scores

__all__ = [
    "BAD",
    "WRONG",
    "agreement",
    "alarms",
    "asked",
    "cells",
    "cost",
    "data_in",
    "front",
    "guide",
    "guided",
    "inputs",
    "scores",
    "short",
    "told",
    "words",
]
