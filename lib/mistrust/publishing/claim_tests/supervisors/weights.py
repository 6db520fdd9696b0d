"""Verdicts that do not turn on how much each architecture counts.

A number of Table II is a mean over architectures, ours over other ones than the paper's: the linear network is half of
our means and a quarter of the paper's. No interval between runs knows of that. So what a mean decides stays undecided
where one architecture alone decides it one way, and another the other way.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.reading import ARCHITECTURES, CALLED
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import DECIDED, Verdict, divided

Judge = Callable[[Reader], Verdict]


def whatever_they_weigh(judge: Judge) -> Judge:
    """The same test of a claim, undecided where architectures alone decide it both ways; the evidence names them.

    Examples
    --------
    Written between `claim_test` and the function that judges by means:

    ::

        @claim_test("ambiguess-softmax-sees-ambiguity", CHAPTER)
        @whatever_they_weigh
        def softmax_sees_ambiguity(rows: Reader) -> Verdict:
            ...
    """

    @wraps(judge)
    def judged(rows: Reader) -> Verdict:
        whole = judge(rows)
        if whole.verdict not in DECIDED:
            return whole
        alone = {name: one for name in ARCHITECTURES if (one := _alone(judge, rows, name)) is not None}
        told = ", ".join(f"{CALLED[name]} {one.verdict}" for name, one in alone.items())
        return divided(whole, list(alone.values()), f"networks alone ({told})")

    return judged


def _alone(judge: Judge, rows: Reader, network: str) -> Verdict | None:
    try:
        return judge(cast("Reader", _Of(rows, network)))
    except NotRun:
        return None


class _Of:
    """A reader that finds no rows of the other architectures; what counts in no mean stays."""

    def __init__(self, rows: Reader, network: str) -> None:
        self.rows, self.others = rows, {*ARCHITECTURES} - {network}

    @property
    def frame(self) -> pd.DataFrame:
        return self.rows.frame

    def find(self, **where: Any) -> pd.DataFrame:
        found = self.rows.find(**where)
        return found[~found["network"].isin(self.others)]
