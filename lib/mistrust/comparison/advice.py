"""A guide that is computed: for each kind of trouble who tells it best, and who is not shown to be worse for less.

Rules, all read from rows: *best* is the largest AUROC. *Frugal* is the cheapest of those whose interval lies above
chance and that the difference to the best, network by network, does not show to be worse (`paired`). Of a
single network there are no such differences: there an interval that reaches the best one's value is enough. Cheapest is
who takes the least time, and no more than the best one, where a benchmark measured it, in whole multiples of what Max
Softmax takes: finer differences are noise. Of equal time, and where none was measured, the fewest passes beyond the
answer count, then the fewest whole megabytes, then the larger AUROC.
Where the best one's interval reaches down to 0.5, nobody tells that trouble, as far as these rows go. The best of many
looks better than it is: it was chosen on the images that it is reported on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.comparison.costs import measured
from mistrust.comparison.paired import by_chance, worse
from mistrust.comparison.tables.wrong import TOGETHER
from mistrust.comparison.troubles import NOMINAL, TROUBLES
from mistrust.evaluation import holm
from mistrust.rows import empty, select

BAD, WRONG = "is the input bad?", "is the prediction wrong?"
# Question -> table of rows that answers it.
QUESTIONS: Mapping[str, str] = {BAD: "detection", WRONG: "wrong"}
CHANCE, ALPHA = 0.5, 0.05
# Bytes in a step of what is kept. Any program that runs a network takes hundreds of them, so that less than one is room
# that everybody has: 800 bytes of centroids, or none at all, should not outweigh what a scorer tells.
STEP = 1_000_000


@dataclass(frozen=True)
class Choice:
    """A scorer with its AUROC and interval, the share of false alarms and its interval, and its cost.

    False alarms are those of nominal inputs where it is asked whether an input is bad, and those of inputs of the
    trouble that are answered correctly where it is asked whether the prediction is wrong. `n` counts what the interval
    is over: networks, or the inputs of a single one. `time` is a multiple of what Max Softmax takes for an image, NaN
    where no benchmark measured it.
    """

    scorer: str
    value: float
    low: float
    high: float
    n: int
    false_alarms: tuple[float, float, float]
    passes: float
    bytes: float
    time: float

    @property
    def multiple(self) -> float:
        """Time in whole multiples of what Max Softmax takes, at least one."""
        return max(1.0, np.floor(self.time + 0.5)) if self.time == self.time else self.time

    @property
    def megabytes(self) -> float:
        """What is kept in whole megabytes, rounded down: what is less than one costs nobody anything."""
        return self.bytes // STEP


@dataclass(frozen=True)
class Advice:
    """What to use for one trouble.

    Attributes
    ----------
    question, trouble : `BAD` or `WRONG`; an entry of `TROUBLES`, "nominal" or "together".
    best, frugal : see the module; the same where all that cost less are shown to be worse.
    as_good : the scorers that are not shown to be worse than the best, which is one of them, and to beat chance.
    behind : the scorers that are shown to be worse than the best, each by itself.
    surely : how many of these still are after Holm's correction over all pairs with the best; 0 of a single network.
    pairs : how many pairs with the best there are over networks.
    """

    question: str
    trouble: str
    best: Choice
    frugal: Choice
    as_good: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    surely: int = 0
    pairs: int = 0

    @property
    def told(self) -> bool:
        """Whether anybody tells it: whether the best one's whole interval lies above chance."""
        return self.best.low > CHANCE


def order(trouble: str) -> int:
    """Give the place of a trouble: nominal inputs first, all together last."""
    names = (NOMINAL, *TROUBLES, TOGETHER)
    return names.index(trouble) if trouble in names else len(names)


def advise(rows: pd.DataFrame, data: str, benchmark: pd.DataFrame | None = None) -> list[Advice]:
    """Give the advice of one image set, question by question, trouble by trouble.

    Parameters
    ----------
    rows : of the chapter; means over classifiers are those without a seed.
    benchmark : rows of `benchmarks/comparison.py`, of this image set or of what stands in for it (`costs`); None where
        it was not run.
    """
    held = select(rows, data=data)
    multiples = measured(empty() if benchmark is None else benchmark, "ratio", data)["value"]
    return [one for question in QUESTIONS for one in _of(held, question, multiples)]


def networks(rows: pd.DataFrame, data: str) -> int:
    """Count the networks of an image set that are compared; further ones of an ensemble are none of them."""
    return int(select(rows, data=data, table="detection")["seed"].nunique())


def _of(whole: pd.DataFrame, question: str, times: "pd.Series[float]") -> Iterator[Advice]:
    held = whole[whole["seed"].isna()]
    found = select(held, table=QUESTIONS[question], metric="auroc")
    single = select(whole, table=QUESTIONS[question], metric="auroc")
    single = single[single["seed"].notna()]
    costs = {
        metric: select(held, table="cost", metric=metric).set_index("method")["value"] for metric in ("passes", "bytes")
    }
    for trouble in sorted(found["condition"].unique(), key=order):
        here = found[found["condition"] == trouble]
        alarms = _false_alarms(held, question, trouble)
        choices = [
            Choice(
                name, value, low, high, int(n), alarms.get(str(name), (float("nan"),) * 3),
                float(costs["passes"].get(name, float("nan"))), float(costs["bytes"].get(name, float("nan"))),
                float(times.get(name, float("nan"))),
            )
            for name, value, low, high, n in here[["method", "value", "low", "high", "n"]].itertuples(index=False)
        ]  # fmt: skip
        best = max(choices, key=lambda one: (one.value, -one.passes, one.scorer))
        each = single[single["condition"] == trouble].pivot(index="method", columns="seed", values="value")
        others = [one for one in choices if one is not best]
        behind = [one for one in others if _worse(one, best, each)]
        as_good = [one for one in choices if one is best or (one.low > CHANCE and one not in behind)]
        chances = [by_chance(*both) for one in others if (both := _both(one, best, each)).shape[1] > 1]
        yield Advice(
            question, trouble, best, _cheapest(as_good, best), _names(as_good), _names(behind),
            sum(chance < ALPHA for chance in holm(chances)), len(chances),
        )  # fmt: skip


def _false_alarms(held: pd.DataFrame, question: str, trouble: str) -> dict[str, tuple[float, float, float]]:
    """Share and interval of each scorer's alarms that the question calls false."""
    metric, condition = ("alarms", NOMINAL) if question == BAD else ("false alarms", trouble)
    found = select(held, table=QUESTIONS[question], metric=metric, condition=condition)
    lines = found[["method", "value", "low", "high"]].itertuples(index=False, name=None)
    return {str(name): (value, low, high) for name, value, low, high in lines}


def _worse(one: Choice, best: Choice, each: pd.DataFrame) -> bool:
    """Tell whether a scorer is worse than the best: (scorers, networks) AUROC of each network decides."""
    both = _both(one, best, each)
    return worse(*both) if both.shape[1] > 1 else one.high < best.value


def _both(one: Choice, best: Choice, each: pd.DataFrame) -> NDArray[np.float64]:
    """AUROC (2, networks) of the best and of another, in the networks that both have."""
    return each.reindex([best.scorer, one.scorer]).dropna(axis=1).to_numpy(dtype=np.float64)


def _names(choices: Sequence[Choice]) -> tuple[str, ...]:
    return tuple(one.scorer for one in choices)


def _cheapest(choices: Sequence[Choice], best: Choice) -> Choice:
    timed = all(one.time == one.time for one in choices)
    return min(
        (one for one in choices if not timed or one.time <= best.time),
        key=lambda one: (one.multiple if timed else 0.0, one.passes, one.megabytes, -one.value, one.scorer),
    )
