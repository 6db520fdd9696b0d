"""Figures of the chapter on the search for high-confidence errors: each takes rows and gives a picture.

=============== ====================================================================================
steps           step through a search query by query; a list chooses the search
asked           the first images that searches ask about, errors framed
sheet           images with confidences for a class to choose from; `answers` says which are wrong
rank            log MAE against confidence on a grid, with F (the paper's Figure 1)
reliability     reliability diagrams before and after temperature scaling (Figure 2)
curves          SDR, mean of ratios, spread, errors or utility by query (Figures 3 to 6)
boxes           confidences of the queries as a box plot (Figure 7)
methods         errors, confidence and utility by search (Figures 5 to 7)
shown           the first errors found, and what speaks for the wrong class (Figure 8)
insight         an error, the nearest image called otherwise, a prototype (Figure 9)
explained       whether the errors found are brighter than their class
lifts           lift by mechanism, dose and critical class, with verdicts
judged          those verdicts as a table
overall         lift of every search, pooled over mechanisms
attack          what the boundary attack says twice
priced          what it and HopSkipJump cost, and whether they say the same twice, as a table
fewest_jumps    after how many jumps the second repeats as well, and in how many times fewer queries, for a sentence
replicates      how SDR scatters: between subsets, between models, by the exact interval
spread          distance to the nearest query, right and as published (Figure 3)
authors         the authors' own rows
accuracies      which accuracies the networks of a mechanism reach, for a sentence
collapsed       which of them have no pool to search
lifted_controls which controls have a lift
below_pool      where Adversarial Distance finds less than random search
tally           how many verdicts of each kind there are (`with_added`: where errors were added)
lifted_doses    how many of these are lifts, and of doses that a pooled lift is over
of_all_panels   the pooled lift of all doses and controls
by_chance       of how many pools, and how many lifts chance alone would give
nearness        AUROC of a small residual for error in every pool
turned          where it points to errors in one class and away from them in the other
pooled_doses    which doses a pooled lift is over (`unpooled`: which it leaves out)
paired          the ratio of two searches' lifts, network by network
first_answers   what the first answers of one search say, and more of them
brightest       whether errors found are brighter than all errors, in a sentence
on_rows         how many claims rows decide, by verdict (`by_reading`: how many need none)
noise_starts    in how many pools the boundary attack starts from noise
authors_lift    its SDR on the authors' own rows over their pool's
refitted        what fitting F anew on every subset changes, as a table
differing       in how many pools that is a difference, for a sentence
costs           what the searches cost beside their plain forms, as a table (`attacked`: attacks on how many images)
controls        what is found where something was planted, and where there is nothing
chance          SDR on whole pools beside its p-values, as a table
rare            how many of these are small
=============== ====================================================================================
"""

from mistrust.figures.search.asked import asked
from mistrust.figures.search.attack import attack
from mistrust.figures.search.authors import authors
from mistrust.figures.search.boxes import boxes
from mistrust.figures.search.chance import chance, rare
from mistrust.figures.search.claimed import by_reading, on_rows
from mistrust.figures.search.controls import controls
from mistrust.figures.search.costs import attacked, costs
from mistrust.figures.search.curves import curves
from mistrust.figures.search.explained import explained, shown
from mistrust.figures.search.insight import insight
from mistrust.figures.search.judged import judged
from mistrust.figures.search.lifts import lifts
from mistrust.figures.search.methods import methods
from mistrust.figures.search.nearness import nearness, turned
from mistrust.figures.search.overall import overall
from mistrust.figures.search.parts import words
from mistrust.figures.search.pooled import lifted_doses, of_all_panels, paired, pooled_doses, unpooled
from mistrust.figures.search.priced import fewest_jumps, priced
from mistrust.figures.search.rank import rank
from mistrust.figures.search.refitted import differing, refitted
from mistrust.figures.search.reliability import reliability
from mistrust.figures.search.replicates import replicates
from mistrust.figures.search.said import accuracies, authors_lift, below_pool, collapsed, lifted_controls, noise_starts
from mistrust.figures.search.sheet import answers, sheet
from mistrust.figures.search.spread import spread
from mistrust.figures.search.steps import steps
from mistrust.figures.search.tallied import by_chance, tally, with_added
from mistrust.figures.search.told import brightest, first_answers

__all__ = [
    "accuracies",
    "answers",
    "asked",
    "attack",
    "attacked",
    "authors",
    "authors_lift",
    "below_pool",
    "boxes",
    "brightest",
    "by_chance",
    "by_reading",
    "chance",
    "collapsed",
    "controls",
    "costs",
    "curves",
    "differing",
    "explained",
    "fewest_jumps",
    "first_answers",
    "insight",
    "judged",
    "lifted_controls",
    "lifted_doses",
    "lifts",
    "methods",
    "nearness",
    "noise_starts",
    "of_all_panels",
    "on_rows",
    "overall",
    "paired",
    "pooled_doses",
    "priced",
    "rank",
    "rare",
    "refitted",
    "reliability",
    "replicates",
    "sheet",
    "shown",
    "spread",
    "steps",
    "tally",
    "turned",
    "unpooled",
    "with_added",
    "words",
]
