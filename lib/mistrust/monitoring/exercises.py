"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("two-oracles", (1.0, 1.0))
"Not yet. The second number is right. The first looks like the other oracle's number. Count TP, FP, FN and TN \
twice: with the faulty images as positives, then with the wrong predictions. Expected: two numbers in [-1, 1], to \
three digits."
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.exercises import Exercise, judge, near
from mistrust.monitoring.experiment import Parameters
from mistrust.monitoring.experiment.methods import THREE
from mistrust.monitoring.experiment.pieces import readouts
from mistrust.monitoring.experiment.system import CALIBRATE, NOMINAL, System
from mistrust.monitoring.measures import measured
from mistrust.monitoring.oracle import outcomes
from mistrust.monitoring.readouts import Readout, readout
from mistrust.registry import Registry
from mistrust.supervisors import Quantile

PRECISION, FALSE_POSITIVES, RECALL = 0.16, 0.93, 0.71  # of fog 5 on GTSRB, by ALOOC, as printed (Table IV)
COUNTS = (12_630, 51_839)  # of its nominal and its foggy images
BASE, MEAN = 0.5, 0.1  # of rebuilding errors in nats: near the published class means, 0.56 to 0.64 on CIFAR-10

YOURS = "yours"

EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


def beside(yours: Callable[[Readout, Readout], Tensor], parameters: Parameters) -> pd.DataFrame:
    """Let the oracle judge a monitor of your own beside the paper's three, over all benchmark sets.

    Parameters
    ----------
    yours : (images, calibration) -> (n,) scores of the n images, higher is more suspicious. Both are readouts of the
        chapter's first classifier, `calibration` those of the nominal images that set thresholds. It may read
        `predicted` and `scores`, by monitor; labels and kinds are blanked, for no monitor has them.
    parameters : of the chapter.

    Returns
    -------
    DataFrame
        One row per monitor, each with the threshold that lets the same share of the calibration images alarm: the share
        of false alarms on nominal images; and means over benchmark sets of the share of faulty or new images that are
        missed, and of Matthews' correlation by the specific oracle and by the overall one.

    Raises
    ------
    MistrustError
        Scores of another shape than (n,), or NaN.
    """
    one = System(parameters, parameters.data[0], parameters.architectures[0], 0)
    tensors = readouts(one)
    calibrate, usual = readout(tensors, CALIBRATE), readout(tensors, NOMINAL)

    def given(images: Readout) -> Tensor:
        found = torch.as_tensor(yours(_blind(images), _blind(calibrate)))
        if tuple(found.shape) != (len(images),):
            raise MistrustError(
                f"Your monitor gave scores of shape {tuple(found.shape)} for {len(images)} images, expected "
                f"({len(images)},): one per image, higher is more suspicious."
            )
        return found

    def score(name: str, images: Readout) -> Tensor:
        return given(images) if name == YOURS else images.scores[name]

    rows = []
    for name in (*THREE, YOURS):
        rule = Quantile(parameters.false_alarms).fit(score(name, calibrate))
        alarm = rule.alarms(score(name, usual))
        found: list[tuple[float, float, float]] = []
        for entry in one.material.entries:
            bad = readout(tensors, entry.name)
            whole, said = usual.beside(bad), torch.cat([alarm, rule.alarms(score(name, bad))])
            by = [measured(outcomes(positive, said)) for positive in (whole.ood, whole.wrong())]
            found.append((float(by[0]["fnr"]), float(by[0]["mcc"]), float(by[1]["mcc"])))
        missed, specific, overall = torch.tensor(found, dtype=torch.float64).mean(0).tolist()
        rows.append(
            {"monitor": name, "false alarms": float(alarm.double().mean()), "missed": missed,
             "MCC, specific": specific, "MCC, overall": overall}
        )  # fmt: skip
    return pd.DataFrame(rows).round(3)


def _blind(one: Readout) -> Readout:
    """The same images without what tells nominal ones from others: labels, kinds, ids."""
    n = len(one)
    return replace(
        one, labels=torch.full((n,), -1), kind=torch.zeros(n, dtype=torch.int64),
        shared=torch.zeros(n, dtype=torch.bool), ids=torch.arange(n),
    )  # fmt: skip


def _share() -> float:
    """The share of the positives: precision gives their odds, true positives being recall of them."""
    odds = PRECISION / (1 - PRECISION) * FALSE_POSITIVES / RECALL
    return odds / (1 + odds)


def _mcc(tp: int, fp: int, fn: int, tn: int) -> float:
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


EXERCISES.add(
    "reread",
    Exercise(
        question="A row prints precision 0.16, false-positive rate 0.93 and recall 0.71 for a set with 12,630 nominal "
        "and 51,839 foggy images: what share of the images is positive by these three numbers, and are the positives "
        "the nominal images (1) or the foggy ones (0)?",
        expected='two numbers, a share in [0, 1] to two digits and then 1 or 0: check("reread", (share, nominal))',
        share=True,
        check=lambda given: near(given, _share(), 1, tolerance=1e-3),
        numbers=2,
        slips=lambda: {
            "the share of nominal images in the set, which no printed number says": (COUNTS[0] / sum(COUNTS), None),
            "the share of foggy images in the set": (COUNTS[1] / sum(COUNTS), None),
        },
        hint="Of n images a share p is positive: write true and false positives in terms of recall and false-positive "
        "rate. What does the precision say about their ratio? Then compare p with the share of the nominal images.",
        explanation="precision/(1 - precision) = recall·p/(false-positive rate·(1 - p)), so p/(1 - p) = 0.2495 and "
        "p = 0.200. Nominal images are 0.196 of the set, foggy ones 0.804: nominal images were the positives. So 0.93 "
        "is the share of foggy images that are missed, and 0.29 = 1 - 0.71 that of false alarms.",
    ),
)
EXERCISES.add(
    "class-mean",
    Exercise(
        question="The rebuilding errors of a class's nominal images are 0.5 plus an exponential law of mean 0.1, and "
        "an image alarms if its error exceeds their mean: what share of nominal images alarms, and above what error "
        "do only 5% of them lie?",
        expected='two numbers, a share and an error, to three digits: check("class-mean", (share, error))',
        check=lambda given: near(given, math.exp(-1), BASE - MEAN * math.log(0.05), tolerance=1e-3),
        numbers=2,
        slips=lambda: {
            "what a symmetric law gives, or the mean": (0.5, BASE + MEAN),
            "the exponential part alone": (None, -MEAN * math.log(0.05)),
            "the share below the mean": (1 - math.exp(-1), None),
        },
        hint="How likely is it that an exponential law exceeds t times its mean? Take t = 1, then solve for t.",
        explanation="exp(-1) = 0.368 of them lie above the mean of 0.6, whatever the two constants are; 5% lie above "
        "0.5 - 0.1·ln 0.05 = 0.800. A symmetric law has 0.5 above its mean. With a threshold at the mean, every "
        "second or third nominal image thus alarms by construction, which is no fault of the monitor.",
    ),
)
EXERCISES.add(
    "two-oracles",
    Exercise(
        question="A monitor alarms exactly where the classifier is wrong, on 10 of 100 nominal images and on 40 of "
        "their 100 foggy copies: what is its Matthews correlation by the specific oracle, and what is it by the "
        "overall one?",
        expected='two numbers in [-1, 1], to three digits: check("two-oracles", (specific, overall))',
        check=lambda given: near(given, _mcc(40, 10, 60, 90), _mcc(50, 0, 0, 150), tolerance=1e-3),
        numbers=2,
        slips=lambda: {
            "the other oracle's number": (1, _mcc(40, 10, 60, 90)),
            "an accuracy: the share of right alarms and silences": ((40 + 90) / 200, None),
        },
        hint="Count TP, FP, FN and TN twice: with the faulty images as positives, then with the wrong predictions.",
        explanation="by the specific oracle TP 40, FP 10, FN 60, TN 90 give 0.346; by the overall one every alarm is "
        "right and none is missing, which gives 1. What is best for the system is mediocre as a detector of fog, and "
        "a perfect detector of fog would reject the 60 foggy images that the classifier gets right.",
    ),
)
