"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("bubbles-disks", (3, 2, 1))
'Not yet. The second and the third number are right. Which samples have a margin of at least the level? Of those, \
which are joined by a path that stays there? \
Every path from one disk to the other crosses the line between them: what is the best margin on it? Expected: three \
numbers, one per level.'
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.evaluation import rank_correlation
from mistrust.exercises import Exercise, judge, near
from mistrust.networks import Classifier
from mistrust.registry import Registry
from mistrust.robustness.bracket import bracketed
from mistrust.robustness.experiment.parameters import ALL, Parameters
from mistrust.robustness.experiment.parts import DDN_STEPS
from mistrust.robustness.experiment.subjects import Trained, correct, correct_by_class
from mistrust.robustness.tables import Row, estimated
from mistrust.robustness.tables.looks import looks, nearest, seen
from mistrust.robustness.tables.targets import MOST_CLASSES
from mistrust.robustness.targeted import targeted

YOURS = "yours"

EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


def race(yours: Callable[[Classifier, ImageSet], Any], parameters: Parameters, network: str = "") -> pd.DataFrame:
    """Set a cheap score of robustness of your own beside the margin, the linear estimate and DDN (table "looks").

    Parameters
    ----------
    yours : (classifier, images) -> (n,) numbers, one per image, larger for one that is harder to move. It is called
        twice, for the images of random noise and for those that are taken to other classes, all classified correctly.
    parameters : of the chapter, whose own images and first training seed are taken.
    network : the network that all are asked about; empty for the chapter's first.

    Returns
    -------
    DataFrame
        A row a score: its rank correlation over images with the breaking noise (the mean over noise seeds, the
        chapter's first variant) and with the nearest target (L-infinity; none reached counts as farthest), each with
        its 95 % interval; 1 orders the images as the search does. `n` images of the one and of the other.

    Raises
    ------
    MistrustError
        Numbers of another shape than (n,), NaN, or all alike, which order nothing; no image that is classified
        correctly.
    """
    p = parameters
    one = Trained(p, p.data, network or p.networks[0], ALL, 0)
    noisy = correct(one, p.images)
    moved = correct_by_class(one, 1 if len(one.test.classes) > MOST_CLASSES else p.per_class)
    # First of all, so that what is no score is told before any search.
    own = [_numbers(yours(one.classifier, images), len(images)) for images in (noisy, moved)]
    found = bracketed(one.classifier, noisy, variant=p.variants[0], seeds=range(p.noise_seeds), audit=0).breaking
    pairs = targeted(one.classifier, moved, rate=p.rate, steps=p.steps)
    searched = (("breaking noise", noisy, found.sigma.mean(1)), ("nearest target", moved, nearest(pairs, moved)))
    table: dict[str, dict[str, float]] = {}
    for (what, images, told), numbers in zip(searched, own, strict=True):
        mine: Row = {"method": YOURS, **estimated(rank_correlation(numbers, told.numpy()))}
        for row in (*looks(seen(one.classifier, images, DDN_STEPS), told, what), mine):
            line = table.setdefault(str(row["method"]), {})
            line[what] = row["value"]
            line |= {f"{what}, {end}": row.get(end, float("nan")) for end in ("low", "high")}
            line[f"n, {what}"] = row["n"]
    frame = pd.DataFrame(table).T.rename_axis("score").reset_index()
    return frame.round(3).astype({name: int for name in frame if str(name).startswith("n, ")})


def _numbers(given: Any, n: int) -> NDArray[np.float64]:
    detached = given.detach().cpu() if isinstance(given, Tensor) else given
    found = np.asarray(detached, dtype=np.float64)
    if found.shape != (n,):
        raise MistrustError(
            f"Your score gave numbers of shape {found.shape} for {n} images, expected ({n},): one per image, larger "
            "for one that is harder to move."
        )
    if np.isnan(found).any():
        raise MistrustError(f"{int(np.isnan(found).sum())} of {n} numbers of your score are NaN: each image needs one.")
    if n > 1 and (found == found[0]).all():
        raise MistrustError(
            f"All {n} numbers of your score are {found[0]:g}: what is the same everywhere has no order."
        )
    return found


# A linear classifier of four pixels, whose other class has logit 0: w . x - 0.6, and noise of a fixed direction.
WEIGHTS, BIAS = (2.0, -1.0, 0.5, 1.5), -0.6
NOISE, NEAR_BLACK, IMAGE = (-1.0, 0.5, 0.25, -0.5), (0.05, 0.8, 0.5, 0.9), (0.2, 0.8, 0.5, 0.7)
GREY = 255


def _logit(pixels: "NDArray[np.float64]") -> float:
    return float(np.array(WEIGHTS) @ pixels) + BIAS


@cache
def _breaks(*, clipped: bool) -> int:
    """The first whole sigma at which the logit is no longer above that of the other class."""
    for sigma in range(1, 2 * GREY + 1):
        moved = np.array(NEAR_BLACK) + sigma / GREY * np.array(NOISE)
        if _logit(moved.clip(0, 1) if clipped else moved) < 0:
            return sigma
    raise AssertionError("it never breaks")


EXERCISES.add(
    "breaking-linear",
    Exercise(
        question="A classifier of four pixels x says 1 where 2·x1 - x2 + x3/2 + 3·x4/2 - 0.6 > 0. To the image (0.05, "
        "0.8, 0.5, 0.9) the fixed noise (-1, 0.5, 0.25, -0.5) times sigma/255 is added. From what whole sigma on does "
        "the label change, without clipping, and with pixels clipped to [0, 1]?",
        expected='two numbers, sigmas in grey levels: check("breaking-linear", (unclipped, clipped))',
        check=lambda given: near(given, _breaks(clipped=False), _breaks(clipped=True), tolerance=0),
        numbers=2,
        slips=lambda: {
            "the last whole sigma that changes nothing": (_breaks(clipped=False) - 1, _breaks(clipped=True) - 1),
            "where the sum is 0, which is no whole sigma": (GREY * 0.3 / 3.125, GREY * 0.2 / 1.125),
        },
        hint="By how much does one grey level of sigma change the sum? Which pixel reaches an end of [0, 1] first, at "
        "which sigma, and what does the sum lose there?",
        explanation="the sum starts at 0.3 and falls by 3.125 sigma/255: it is 0 at 24.48, so the answer is 25. With "
        "clipping, the first pixel is black from 12.75 on, and the other three move the sum by only 1.125 sigma/255: "
        "it is 0 at 45.33, so the answer is 46. Clipping takes noise away, and a breaking sigma with clipping is "
        "only what was drawn: it overstates what was done to the pixels.",
    ),
)
EXERCISES.add(
    "distance-linear",
    Exercise(
        question="The same classifier, with logit 0 for its other class, and the image (0.2, 0.8, 0.5, 0.7): how "
        "large, in grey levels, must the largest change of a pixel be at least to reach the boundary, and is there an "
        "image in [0, 1] that gets a probability of 0.9 for the other class (1 for yes, 0 for no)?",
        expected="two numbers, grey levels to one decimal and then 1 or 0: "
        'check("distance-linear", (distance, reachable))',
        check=lambda given: near(
            given, GREY * _logit(np.array(IMAGE)) / float(np.abs(WEIGHTS).sum()), 0, tolerance=0.01
        ),
        numbers=2,
        slips=lambda: {
            "the Euclidean distance": (GREY * _logit(np.array(IMAGE)) / float(np.linalg.norm(WEIGHTS)), None),
            "a change of pixels between 0 and 1": (_logit(np.array(IMAGE)) / float(np.abs(WEIGHTS).sum()), None),
        },
        hint="Move every pixel by the same amount, each in the direction that lowers the sum. For the second part set "
        "every pixel to its worst end: what logit is left, and what logit would a probability of 0.9 need?",
        explanation="the sum is 0.3, and one step of all pixels lowers it by 2 + 1 + 0.5 + 1.5 = 5 times the step: "
        "0.3/5·255 = 15.30. The worst image, (0, 1, 0, 0), has a logit of -1.6 and so a probability of 0.83 for the "
        "other class, and 0.9 would need -2.2. Such a target fails whatever the search does: it is kept as a failure, "
        "not as a large distance.",
    ),
)
EXERCISES.add(
    "bubbles-disks",
    Exercise(
        question="A class has the margin max(1 - ||x - c||) with c = (-2, 0) and (2, 0): two disks. How many "
        "connected parts of {margin >= level} hold one or more of its samples (-2, 0), (2, 0) and (-2.5, 0) at the "
        "levels 0.75, 0.25 and -1?",
        expected='three numbers, one per level: check("bubbles-disks", (high, middle, low))',
        check=lambda given: near(given, 2, 2, 1, tolerance=0),
        numbers=3,
        hint="Which samples have a margin of at least the level? Of those, which are joined by a path that stays "
        "there? Every path from one disk to the other crosses the line between them: what is the best margin on it?",
        explanation="at 0.75 the third sample is not born yet (its margin is 0.5), and the other two lie apart. At "
        "0.25 it lies in the left disk, so again two. On x1 = 0 the margin is -1 at best, at the origin: from there "
        "down all are one. Without a level, the question of how many bubbles there are has no answer.",
    ),
)
EXERCISES.add(
    "percent",
    Exercise(
        question="Table 1 prints 3.6 grey levels beside 1.6% for InceptionV3, both rounded to one decimal: of which "
        "whole numbers can the one be the other, from the smallest to the largest?",
        expected='two numbers, whole ones: check("percent", (smallest, largest))',
        check=lambda given: near(given, math.ceil(100 * 3.55 / 1.65), math.floor(100 * 3.65 / 1.55), tolerance=0),
        numbers=2,
        slips=lambda: {
            "3.6 taken as exact": (math.ceil(100 * 3.6 / 1.65), math.floor(100 * 3.6 / 1.55)),
            "both taken as exact": (225, 225),
        },
        hint="Between which two values did each number lie before it was rounded? Which ends give the smallest whole, "
        "and which the largest?",
        explanation="3.55 is 1.65% of 215.2, and 3.65 is 1.55% of 235.5: so from 216 to 235. No reading of the pixel "
        "range gives that; of 255, which the caption names, 3.6 is 1.4%. Of the other seven percentages, six can be "
        "percentages of 256, three of 255, and one (53.2) of neither.",
    ),
)
