"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("ceiling", 0.75)
'Not yet. If you know the gap, which class do you predict, and how often are you right? Then average over all gaps. \
Expected: one number in [0, 1], to four digits.'
"""

import math
from typing import Any

from mistrust.exercises import Exercise, judge, near
from mistrust.registry import Registry

DELTA_MAX = 0.25  # of the paper's test sets (section V-C)
LOGITS = (6.0, 4.0)
CENTRE = 3.0  # of the first coordinate of both clusters, up to its sign (section V-B1)

EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _both_labels() -> tuple[float, float]:
    """The first class's probability by softmax of the logits, and by their sigmoids divided by the sum."""
    first, second = (_sigmoid(logit) for logit in LOGITS)
    return _sigmoid(LOGITS[0] - LOGITS[1]), first / (first + second)


EXERCISES.add(
    "ceiling",
    Exercise(
        question="Every image has a label with two classes, and |p1 - p2| is spread evenly from 0 to 0.25: what is "
        "the best top-1 accuracy that any classifier can be expected to reach?",
        expected='one number in [0, 1], to four digits: check("ceiling", accuracy)',
        share=True,
        # The larger of p1 and p2 is (1 + gap) / 2, and the mean gap is DELTA_MAX / 2.
        check=lambda given: near(given, (1 + DELTA_MAX / 2) / 2),
        numbers=1,
        slips=lambda: {
            "the accuracy at the largest gap, or one that adds a gap whole": ((1 + DELTA_MAX) / 2,),
            "the mean gap alone": (DELTA_MAX / 2,),
            "a guess between two classes": (0.5,),
        },
        hint="If you know the gap, which class do you predict, and how often are you right? Then average over all "
        "gaps.",
        explanation="the best prediction is the likelier class, correct with probability (1 + gap)/2; the mean gap is "
        "0.125, so the mean is 0.5625. A top-1 accuracy of 0.533 is 95% of that: it says more about the labels than "
        "about the classifier, and two sets can be compared only with their ceilings beside them.",
    ),
)
EXERCISES.add(
    "two-labels",
    Exercise(
        question="The discriminator's logits of a point are 6 for the first class and 4 for the second: what is the "
        "probability of the first class by softmax, and what is it by normalising the two outputs?",
        expected="two numbers in [0, 1], by softmax and by normalised outputs, to three digits: "
        'check("two-labels", (softmax, normalised))',
        share=True,
        check=lambda given: near(given, *_both_labels(), tolerance=1e-3),
        numbers=2,
        slips=lambda: {
            "the other rule's number": _both_labels()[::-1],
            "the share of the logits themselves": (LOGITS[0] / sum(LOGITS),) * 2,
            "one sigmoid, divided by nothing": (_sigmoid(LOGITS[0]),) * 2,
        },
        hint="A softmax sees only the difference of the two logits. An output is the sigmoid of one logit: how large "
        "is it for each of them, and what is its share of the sum?",
        explanation="softmax gives 1/(1 + exp(-2)) = 0.881; the outputs are 0.998 and 0.982, nearly the same, so "
        "their shares are 0.504 and 0.496. One rule drops the image (a gap of 0.76), the other labels it as ambiguous "
        "as can be. Where both logits are very negative, a sigmoid is about an exponential and the two rules agree.",
    ),
)
EXERCISES.add(
    "band",
    Exercise(
        question="Codes of the two classes follow normal laws around (-3, 0) and (3, 0), with the identity as "
        "covariance and equally many of each: up to what distance from the line z0 = 0 is |p1 - p2| at most 0.25?",
        expected='one number, a distance in latent units, to three digits: check("band", distance)',
        # p1 = sigmoid(-2 CENTRE z0), so the gap is tanh(CENTRE |z0|).
        check=lambda given: near(given, math.atanh(DELTA_MAX) / CENTRE, tolerance=1e-3),
        numbers=1,
        slips=lambda: {
            "both sides together, or too flat a log of the ratio": (2 * math.atanh(DELTA_MAX) / CENTRE,),
            "a gap that grows in proportion to the distance": (DELTA_MAX / CENTRE,),
        },
        hint="Divide the two densities: what is left of z1, and how does the logarithm depend on z0? Bayes' theorem "
        "then gives p1 as a sigmoid.",
        explanation="the log of the ratio is -6·z0, so p1 = sigmoid(-6·z0), the gap is tanh(3·|z0|), and |z0| = "
        "artanh(0.25)/3 = 0.0851: a band of 0.17, between clusters that are 6 apart. The discriminator, which saw "
        "hardly any points there, calls a far wider band ambiguous.",
    ),
)
