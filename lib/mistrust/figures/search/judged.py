"""Lift and verdicts of a search as a table to be read."""

from math import isfinite

import pandas as pd

from mistrust.figures.search.parts import told
from mistrust.figures.written import interval
from mistrust.search.lift import NONE

FEWER = "finds fewer"


def judged(found: pd.DataFrame) -> pd.DataFrame:
    """Put what `mistrust.search.verdicts.verdicts` gives into words: one line per condition, critical class and level.

    Returns
    -------
    Columns "condition", "critical class", "queries", "networks", "lift" with its interval, "smallest to be shown" (and
    "one search each", if networks differed by the chance of single searches alone), "gates missed" and "verdict", text.

    Examples
    --------
    >>> found = {"condition": "biased/25", "at": "cat", "level": 50, "models": 5, "lift": 1.8, "low": 1.4, "high": 2.3}
    >>> found |= {"smallest": 1.3, "at best": 1.2, "missed": "", "verdict": "lift"}
    >>> line = judged(pd.DataFrame([found])).iloc[0]
    >>> line["condition"], line["lift"], line["gates missed"], line["verdict"]
    ('Biased training, 25% of cats missing', '1.80 (1.40 to 2.30)', 'none', 'lift')
    >>> held = found | {"missed": "a gate", "without": "lift without them: 1.70"}
    >>> judged(pd.DataFrame([held])).iloc[0]["gates missed"]
    'a gate; lift without them: 1.70'
    """
    lines = [
        {
            "condition": told(one["condition"]),
            "critical class": one["at"],
            "queries": f"{one['level']:g}",
            "networks": f"{one['models']:g}",
            "lift": interval(one["lift"], one["low"], one["high"], _number),
            "smallest to be shown": _number(one["smallest"]),
            "one search each": _number(one["at best"]),
            "gates missed": "; ".join(filter(None, [one["missed"], one.get("without", "")])) or "none",
            "verdict": verdict_in_words(one["verdict"], one["high"]),
        }
        for one in found.to_dict("records")
    ]
    return pd.DataFrame(lines)


def verdict_in_words(verdict: str, high: float) -> str:
    """Write a verdict; "no lift: finds fewer" where the whole interval is below 1, which does harm.

    Examples
    --------
    >>> verdict_in_words("no lift", 0.8), verdict_in_words("no lift", 1.1), verdict_in_words("no verdict: gates", 0.8)
    ('no lift: finds fewer', 'no lift', 'no verdict')
    """
    word = verdict.partition(":")[0]
    return f"{word}: {FEWER}" if word == NONE and high < 1 else word


def _number(value: float) -> str:
    if not isfinite(value):
        return "not known"
    return f"{value:.2f}" if value < 100 else "100 or more"
