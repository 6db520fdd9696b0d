"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("two-questions", (1, 1))
'Not yet. Write down how many of each kind are wrong and right, then count pairs; a tie counts half. \
Expected: two numbers in [0, 1].'
"""

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from torch import Tensor

from mistrust.comparison.experiment.parameters import Parameters
from mistrust.comparison.experiment.subjects import BLOCK, Subject
from mistrust.comparison.scorers import SCORERS
from mistrust.comparison.tables.ranking import LEAST
from mistrust.comparison.troubles import NOMINAL, TROUBLES
from mistrust.evaluation import auroc
from mistrust.exercises import Exercise, judge, near
from mistrust.networks import Record, observe
from mistrust.registry import Registry

EXERCISES: Registry[Exercise] = Registry("exercise")
RIVAL = "max_softmax"


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


def beside(yours: Callable[[Record], Float[Tensor, " n"]], parameters: Parameters) -> pd.DataFrame:
    """Set a scorer of your own beside Max Softmax on the chapter's first classifier: AUROC of both questions.

    Parameters
    ----------
    yours : from a record to scores (n,), higher is more suspicious.
    parameters : of the chapter.

    Returns
    -------
    One line per kind of bad input: AUROC of either scorer for "bad" and for "wrong"; NaN where fewer than ten inputs
    are wrong, or right, or have a right class.
    """
    one = Subject(parameters, parameters.data[0], 0)
    rival = SCORERS[RIVAL].make(one.watched)
    scorers: dict[str, Callable[[Record], Tensor]] = {"yours": yours}
    if rival is not None:
        scorers["Max Softmax"] = lambda record: rival.score(record).values
    records = {name: observe(one.classifier, one.images(name), block=BLOCK) for name in (NOMINAL, *one.troubles)}
    said = {name: {who: score(record).numpy() for who, score in scorers.items()} for name, record in records.items()}
    lines = []
    for name in one.troubles:
        line: dict[str, Any] = {"trouble": TROUBLES[name].title}
        for who in scorers:
            both = np.concatenate([said[NOMINAL][who], said[name][who]])
            line[f"{who}, bad"] = auroc(both, np.arange(len(both)) >= len(said[NOMINAL][who]))
        for who in scorers:
            wrong = ~records[name].correct.numpy()
            known = TROUBLES[name].labelled and min(wrong.sum(), (~wrong).sum()) >= LEAST
            line[f"{who}, wrong"] = auroc(said[name][who], wrong) if known else float("nan")
        lines.append(line)
    return pd.DataFrame(lines).round(3)


EXERCISES.add(
    "limit",
    Exercise(
        question="Sixty nominal images set a threshold that at most 5% of further ones should pass. Which score, "
        "counted from the largest, is the threshold, and what is the chance that a further image passes it?",
        expected='two numbers, a place, and a chance to three digits: check("limit", (place, chance))',
        check=lambda given: near(given, 60 + 1 - ceil(61 * 0.95), (60 + 1 - ceil(61 * 0.95)) / 61, tolerance=5e-4),
        numbers=2,
        slips=lambda: {
            "the place counted from the smallest": (ceil(61 * 0.95), None),
            "a share of the sixty, without the further image": (None, 3 / 60),
        },
        hint="Put the further image among the sixty: each of the 61 places is as likely as any other.",
        explanation="the third largest. The further image is equally likely to take any of the 61 places, and passes "
        "in 3 of them: 4.9%. For this very threshold the share may be larger or smaller: it scatters by about 3 "
        "points, and by about 1.5 where 200 images set it.",
    ),
)
EXERCISES.add(
    "two-questions",
    Exercise(
        question="Of 100 nominal images, 10 are misclassified; of 100 corrupted ones, 40 are. One scorer gives 1 to "
        "every corrupted image and 0 to every other; a second one gives 1 to every misclassified image and 0 to every "
        "other. What is the AUROC of the first for 'the prediction is wrong', and of the second for 'the input is "
        "bad'?",
        expected='two numbers in [0, 1]: check("two-questions", (first, second))',
        share=True,
        check=lambda given: near(given, _of_shares(40 / 50, 60 / 150), _of_shares(0.4, 0.1), tolerance=1e-3),
        numbers=2,
        slips=lambda: {
            "the AUROC of the other": (_of_shares(0.4, 0.1), _of_shares(40 / 50, 60 / 150)),
            "pairs of which a tie counts nothing": (0.8 * 0.6, 0.4 * 0.9),
            "pairs of which a tie counts whole": (1 - 0.2 * 0.4, 1 - 0.6 * 0.1),
        },
        hint="Write down how many of each kind are wrong and right, then count pairs; a tie counts half.",
        explanation="0.70 and 0.65. Each is perfect at its own question. A scorer that answers one question well need "
        "not answer the other: say which one you ask before you compare.",
    ),
)


def _of_shares(positive: float, negative: float) -> float:
    """AUROC of a score that is 1 for these shares of positives and negatives, and 0 for the others."""
    return (1 + positive - negative) / 2
