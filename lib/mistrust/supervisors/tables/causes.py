"""Why a supervisor does not what was expected of it: scores that follow from others, and how many of them tie.

What follows from scores is a line of the table "variants": votes whose ties another score breaks, and the mean entropy
of samples, which is predictive entropy less mutual information. So each can be set beside the score that it explains.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import share
from mistrust.supervisors.tables import Row, Scores

VOTES = "mc_variation_ratio"
# Votes of at most 1000 samples lie at least a thousandth apart; a mean softmax, in [-1, 0], moves them by less.
_LESS = 1e-6

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Following:
    """A score that follows from two others.

    Attributes
    ----------
    first, second : whose scores it is made from.
    make : gives it.
    """

    first: str
    second: str
    make: Callable[[Numbers, Numbers], Numbers]


def broken_ties(votes: Numbers, mean_softmax: Numbers) -> Numbers:
    """Votes, and where they are equal minus the largest mean softmax; both (n,), in the order of the two together.

    Parameters
    ----------
    votes : variation ratios of at most 1000 samples.
    mean_softmax : in [-1, 0].

    Examples
    --------
    >>> broken_ties(np.array([0.0, 0.0, 0.5]), np.array([-1.0, -0.7, -0.9])).argsort().tolist()
    [0, 1, 2]
    """
    return votes + _LESS * (mean_softmax + 1)


# Variant in rows -> what it follows from. The mean entropy is what mutual information takes off predictive entropy.
FOLLOWING: Mapping[str, Following] = {
    f"{VOTES}/ties broken by mean softmax": Following(VOTES, "mc_mean_softmax", broken_ties),
    "mc_mutual_information/mean entropy": Following(
        "mc_predictive_entropy", "mc_mutual_information", np.subtract
    ),
    "ensemble_mutual_information/mean entropy": Following(
        "ensemble_predictive_entropy", "ensemble_mutual_information", np.subtract
    ),
}  # fmt: skip


def following(part: Scores) -> Scores:
    """Give the scores of `FOLLOWING` that can be made of these, and no other."""
    return replace(
        part,
        by={
            name: one.make(part.by[one.first], part.by[one.second])
            for name, one in FOLLOWING.items()
            if {one.first, one.second} <= part.by.keys()
        },
    )


def ties(parts: Sequence[Scores]) -> Iterator[Row]:
    """Rows of the table "causes": of each set of inputs the share whose votes tie at one value, its most frequent one.

    That value may differ between sets: of nominal inputs it is mostly "all passes agree", of others perhaps not.
    """
    for part in parts:
        if VOTES in part.by and len(part):
            _, counts = np.unique(part.by[VOTES], return_counts=True)
            row = {"table": "causes", "condition": part.name, "method": VOTES, "metric": "share tied"}
            found = share(int(counts.max()), len(part))
            yield {**row, "value": found.value, "low": found.low, "high": found.high, "over": "images", "n": len(part)}
