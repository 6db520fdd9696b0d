"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("quantile-zero", 0.5)
'Not yet. It looks like the median. Sort the distances of a class: which one does the paper keep, and what share of \
them lies below it? Expected: one number in [0, 1].'
"""

import math
from typing import Any

from mistrust.exercises import Exercise, judge, near
from mistrust.registry import Registry

CLASSES = 10  # of the paper's digits

EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


EXERCISES.add(
    "quantile-zero",
    Exercise(
        question="Which quantile q of a class's distances gives the paper's matrix?",
        expected='one number in [0, 1]: check("quantile-zero", q)',
        share=True,
        check=lambda given: near(given, 0, tolerance=0),
        numbers=1,
        slips=lambda: {"the largest distance": (1,), "the median": (0.5,)},
        hint="Sort the distances of a class: which one does the paper keep, and what share of them lies below it?",
        explanation="the paper keeps the smallest distance (eq. 3), and no distance lies below it: the minimum is the "
        "quantile 0. So one image alone decides each cell.",
    ),
)
EXERCISES.add(
    "unsure",
    Exercise(
        question="A softmax is 0.1 for each of ten classes: how far is it from a one-hot centroid, and what is each "
        "likelihood of its row?",
        expected='two numbers, distance and likelihood, to three digits: check("unsure", (distance, likelihood))',
        # One coordinate is off by 0.9 and nine by 0.1; the diagonal is left out, so nine equal cells share the row.
        check=lambda given: near(given, math.sqrt(0.9**2 + (CLASSES - 1) * 0.1**2), 1 / (CLASSES - 1), tolerance=1e-3),
        numbers=2,
        slips=lambda: {
            "the sum of squares": (0.9**2 + (CLASSES - 1) * 0.1**2, None),
            "a row that counts its diagonal": (None, 1 / CLASSES),
            "the sum of differences": (0.9 + (CLASSES - 1) * 0.1, None),
        },
        hint="Write down the difference in each of the ten coordinates. Then count the cells that share the row: "
        "nothing is misclassified on the diagonal.",
        explanation="one coordinate differs by 0.9 and nine by 0.1, so every distance is √0.9 = 0.948683; nine cells "
        "are equal and the diagonal is left out, so each is 1/9.",
    ),
)
EXERCISES.add(
    "t1",
    Exercise(
        question="An input of class y has at least as much softmax on another class as on y: how near can it come to "
        "the one-hot centroid of y?",
        expected='one number, the smallest distance, to three digits: check("t1", distance)',
        check=lambda given: near(given, math.sqrt(0.5), tolerance=1e-3),
        numbers=1,
        slips=lambda: {"the square of the distance, or one coordinate's share": (0.5,), "corner to corner": (2**0.5,)},
        hint="Put as much softmax on y as the condition allows. Where must all the rest go?",
        explanation="nearest is one half on y and one half on the other class, at √(1/4 + 1/4) = 1/√2 = 0.7071. Real "
        "centroids lie a little inside the corner, so T1 is about 0.7 in every network, and tells us nothing about "
        "any of them.",
    ),
)
