"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("votes", 0.5)
'Not yet. Take the nominal inputs of each score in turn: which bad ones lie above, and which tie? \
Expected: one number in [0, 1].'
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from mistrust.evaluation import auroc
from mistrust.exercises import Exercise, judge, near
from mistrust.networks import ARCHITECTURES
from mistrust.registry import Registry
from mistrust.supervisors.contract import Supervisor, check_supervisor, make_supervisor
from mistrust.supervisors.experiment import Parameters
from mistrust.supervisors.experiment.methods import Method
from mistrust.supervisors.experiment.tested import UnderTest
from mistrust.supervisors.tables import NOMINAL

EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


def beside(yours: Supervisor, parameters: Parameters) -> pd.DataFrame:
    """Set a supervisor of your own beside Max Softmax: AUROC on each kind of bad input, as in the chapter's table.

    Parameters
    ----------
    yours : unfitted; it is fitted here, on the training images of the chapter's first classifier. Where it reads layers
        and does not say which, a copy reads what the last linear layer gets, or, of several, those of Dissector.
    parameters : of the chapter.

    Raises
    ------
    MistrustError
        What is no supervisor: its class, say, or its name. Nothing is trained for it.
    """
    check_supervisor(yours)
    one = UnderTest(parameters, parameters.data[0], parameters.architectures[0], 0)
    yours = _told(yours, one)
    lines = one.fitted([Method("Max Softmax", make_supervisor("max_softmax")), Method("yours", yours)])
    scores = {name: one.scored(images, lines) for name, images in one.sets.items()}
    usual = scores.pop(NOMINAL)
    found = {}
    for name, own in scores.items():
        bad = [0] * len(usual["yours"]) + [1] * len(own["yours"])
        found[name.partition("/")[0]] = {line.name: auroc([*usual[line.name], *own[line.name]], bad) for line in lines}
    return pd.DataFrame(found).round(3).rename_axis("supervisor").reset_index()


def _told(yours: Supervisor, one: UnderTest) -> Supervisor:
    """The supervisor, or a copy with the layers that the chapter has others of its kind read."""
    given = yours.parameters()
    if not given.get("layer", "one"):
        return replace(yours, layer=one.features)  # type: ignore[type-var, call-arg]
    if not given.get("layers", "some"):
        return replace(yours, layers=ARCHITECTURES[one.architecture].dissector)  # type: ignore[type-var, call-arg]
    return yours


def _bits(*p: float) -> float:
    return -sum(one * math.log2(one) for one in p if one)


def _slips_of_doubt() -> Mapping[str, tuple[float]]:
    first, second = (0.5, 0.5), (0.6, 0.2, 0.2)
    more = _bits(*second) - _bits(*first)
    return {
        "the entropy of the second alone": (_bits(*second),),
        "the difference in nats: bits take logarithms to base 2": (more * math.log(2),),
        "the difference of DeepGini": (sum(p * p for p in first) - sum(p * p for p in second),),
    }


# Shares of the nominal and of the bad inputs, by score.
USUAL, BAD = {0.0: 0.9, 0.5: 0.1, 1.0: 0.0}, {0.0: 0.4, 0.5: 0.4, 1.0: 0.2}


def _pairs(tie: float, *scores: float) -> float:
    """Share of the pairs with a nominal input of these scores in which the bad one lies above; a tie counts `tie`."""
    return sum(
        USUAL[low] * share * (1.0 if high > low else tie)
        for low in scores
        for high, share in BAD.items()
        if high >= low
    )


def _slips_of_votes() -> Mapping[str, tuple[float]]:
    won, level = _pairs(0, *USUAL), _pairs(1, *USUAL)
    return {
        "the AUROC where a tie counts nothing": (won,),
        "the AUROC where a tie counts as much as one that lies above": (level,),
        "the nominal inputs with score 0 alone, as if they were all": (_pairs(0.5, 0.0) / USUAL[0.0],),
        "the nominal inputs with score 0 alone: add the others": (_pairs(0.5, 0.0),),
        "the mean of both shares that one threshold gets right, not all pairs": ((USUAL[0.0] + 1 - BAD[0.0]) / 2,),
    }


def _slips_of_surprise() -> Mapping[str, tuple[float]]:
    here, near, far, other = (1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 3.0)
    return {
        "the DSA with the second distance measured from the input": (math.dist(here, near) / math.dist(here, other),),
        "the first distance from one A and the second from the other": (math.dist(here, near) / math.dist(far, other),),
        "the first distance alone": (math.dist(here, near),),
    }


EXERCISES.add(
    "doubt",
    Exercise(
        question="The softmax of one input is (0.5, 0.5, 0), of another (0.6, 0.2, 0.2): by how many bits does the "
        "entropy of the second exceed that of the first?",
        expected='one number, in bits, to three digits: check("doubt", bits)',
        check=lambda given: near(given, _bits(0.6, 0.2, 0.2) - _bits(0.5, 0.5), tolerance=1e-3),
        numbers=1,
        slips=_slips_of_doubt,
        hint="What is the entropy of a fair coin? Then sum -p log2 p over the three classes, and "
        "take the first from the second.",
        explanation="1.371 bits against 1: entropy finds the second more suspicious, and so does DeepGini (0.56 "
        "against 0.5). Max Softmax (0.6 against 0.5) and the lead of the first class (0.4 against 0) find the first "
        "more suspicious. Scores of the same softmax mostly agree, but not always.",
    ),
)
EXERCISES.add(
    "votes",
    Exercise(
        question="A supervisor gives only the scores 0, 0.5 and 1: to 90%, 10% and 0% of the nominal inputs, and to "
        "40%, 40% and 20% of the bad ones. What is its AUROC?",
        expected='one number in [0, 1]: check("votes", auroc)',
        share=True,
        check=lambda given: near(given, _pairs(0.5, *USUAL), tolerance=1e-3),
        numbers=1,
        slips=_slips_of_votes,
        hint="Take the nominal inputs of each score in turn: which bad ones lie above, and which tie?",
        explanation="of the pairs with a nominal 0, 60% of the bad inputs lie above and 40% tie, which counts half: "
        "0.8; with a nominal 0.5 it is 0.4. Together 0.9 x 0.8 + 0.1 x 0.4 = 0.76. Votes of MC-Dropout have many "
        "ties, which cost it here.",
    ),
)
EXERCISES.add(
    "surprise",
    Exercise(
        question="Training inputs that were predicted as A lie at (0, 0) and (1, 0), and one that was predicted as B "
        "at (0, 3). An input at (1, 1) is predicted as A: what is its distance-based surprise (DSA)?",
        expected='one number, to three digits: check("surprise", dsa)',
        check=lambda given: near(given, 1 / math.sqrt(10), tolerance=1e-3),
        numbers=1,
        slips=_slips_of_surprise,
        hint="Find the nearest training input with the same prediction. From where is the second distance measured?",
        explanation="the nearest A is (1, 0), at distance 1. From there, not from the input, the nearest B is at "
        "distance sqrt(10): 0.316. Measured from the input it would be 0.447.",
    ),
)
