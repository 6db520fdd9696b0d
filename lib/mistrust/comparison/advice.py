"""A guide that is computed: for each kind of trouble who tells it best, and who does as well for less.

Rules, all read from rows: *best* is the largest AUROC. *Frugal* is the one of fewest passes beyond the answer, then of
fewest bytes, among those whose interval reaches the best one's value and lies above chance. Where the best one's
interval reaches down to 0.5, nobody tells that trouble, as far as these rows go. The best of many looks better than it
is: it was chosen on the images that it is reported on.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from mistrust.comparison.tables.wrong import TOGETHER
from mistrust.comparison.troubles import NOMINAL, TROUBLES
from mistrust.rows import select

BAD, WRONG = "is the input bad?", "is the prediction wrong?"
# Question -> table of rows that answers it.
QUESTIONS: Mapping[str, str] = {BAD: "detection", WRONG: "wrong"}
CHANCE = 0.5


@dataclass(frozen=True)
class Choice:
    """A scorer with its AUROC and interval, the share of nominal inputs that alarm and its interval, and its cost.

    `n` counts what the interval is over: networks, or the inputs of a single one.
    """

    scorer: str
    value: float
    low: float
    high: float
    n: int
    false_alarms: tuple[float, float, float]
    passes: float
    bytes: float


@dataclass(frozen=True)
class Advice:
    """What to use for one trouble.

    Attributes
    ----------
    question, trouble : `BAD` or `WRONG`; an entry of `TROUBLES`, "nominal" or "together".
    best, frugal : see the module; the same where nobody does as well for less.
    """

    question: str
    trouble: str
    best: Choice
    frugal: Choice

    @property
    def told(self) -> bool:
        """Whether anybody tells it: whether the best one's whole interval lies above chance."""
        return self.best.low > CHANCE


def order(trouble: str) -> int:
    """Give the place of a trouble: nominal inputs first, all together last."""
    names = (NOMINAL, *TROUBLES, TOGETHER)
    return names.index(trouble) if trouble in names else len(names)


def advise(rows: pd.DataFrame, data: str) -> list[Advice]:
    """Give the advice of one image set, question by question, trouble by trouble.

    Parameters
    ----------
    rows : of the chapter; means over classifiers are read, those without a seed.
    """
    held = select(rows, data=data)
    held = held[held["seed"].isna()]
    return [one for question in QUESTIONS for one in _of(held, question)]


def _of(held: pd.DataFrame, question: str) -> Iterator[Advice]:
    found = select(held, table=QUESTIONS[question], metric="auroc")
    costs = {
        metric: select(held, table="cost", metric=metric).set_index("method")["value"] for metric in ("passes", "bytes")
    }
    alarmed = select(held, table="detection", metric="alarms", condition=NOMINAL)
    alarms = {str(name): (value, low, high) for name, value, low, high in
              alarmed[["method", "value", "low", "high"]].itertuples(index=False)}  # fmt: skip
    for trouble in sorted(found["condition"].unique(), key=order):
        here = found[found["condition"] == trouble]
        choices = [
            Choice(
                name, value, low, high, int(n), alarms.get(str(name), (float("nan"),) * 3),
                float(costs["passes"].get(name, float("nan"))), float(costs["bytes"].get(name, float("nan"))),
            )
            for name, value, low, high, n in here[["method", "value", "low", "high", "n"]].itertuples(index=False)
        ]  # fmt: skip
        best = max(choices, key=lambda one: (one.value, -one.passes, one.scorer))
        # An interval that reaches from chance to the best says that nothing is known, not that it is as good.
        as_good = [one for one in choices if one is best or (one.high >= best.value and one.low > CHANCE)]
        frugal = min(as_good, key=lambda one: (one.passes, one.bytes, -one.value, one.scorer))
        yield Advice(question, trouble, best, frugal)
