"""Claims of the abstract and sections 1.2 and 3.2 on bubbles: parts of a class's region that do not touch.

The paper measures none. Bubbles are counted at margin 0, where the region of a class is what is classified as it
(table "regions", method ""), by network and class: training samples that no path found connects. There may be a path
that was not found, so the number is an upper bound: it refutes that there are many, and never proves it.

One rule for all three claims (`_counted`): a class is *connected* where one bubble holds all of its samples; classes of
a network are alike, so that a network, whatever its classes and seeds, says once whether it is as the paper says. If no
network is, the claim is refuted; if all are, an upper bound leaves it open, and so do networks that differ.
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.robustness.reading import CHAPTER, refuting, single
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, claim_test, counted

# "Lots" of bubbles: more than half as many as samples. "Several parts": in more than half of the classes.
LOTS, MOST = 0.5, 0.5
UPPER = "the number of bubbles found is an upper bound, which can refute this and not confirm it"


@claim_test("urem-small-bubbles", CHAPTER)
def small_bubbles(rows: Reader) -> Verdict:
    """Refuted by counting, where no network has, as a mean over its classes, lots of bubbles for its samples."""
    found = _bubbles(rows)
    shares = _by_network(found["bubbles"] / found["samples"])
    told = f"{number(shares.max())} bubbles for each training sample at most"
    return _counted(shares > LOTS, "there are lots of bubbles", "there are few bubbles", told)


@claim_test("urem-several-components", CHAPTER)
def several_components(rows: Reader) -> Verdict:
    """Refuted by counting, where in no network more than half of the classes are not found connected."""
    shares = _by_network(_bubbles(rows)["bubbles"] > 1)
    told = f"{number(100 * shares.max())} % of a network's classes are not found connected at most"
    return _counted(shares > MOST, "most classes lie in several bubbles", "most classes are found connected", told)


@claim_test("urem-weak-is-best", CHAPTER)
def weak_is_best(rows: Reader) -> Verdict:
    """Refuted by counting, where every network has a class that is found connected."""
    shares = _by_network(_bubbles(rows)["bubbles"] > 1)
    told = f"{number(100 * shares.max())} % of a network's classes are not found connected at most"
    return _counted(shares == 1, "no class is found connected", "some class is found connected", told)


def _by_network(found: pd.Series) -> pd.Series:
    """One number per network, the mean over its classes and seeds."""
    return found.groupby(level="network").mean()


def _counted(found: "pd.Series[bool]", yes: str, no: str, told: str) -> Verdict:
    """The rule of this module; `found`: whether each network is as the paper says."""
    verdict = counted(found, "networks", yes, no)
    return refuting(replace(verdict, evidence=f"{verdict.evidence}; {told}"), UPPER)


def _bubbles(rows: Reader) -> pd.DataFrame:
    """Columns `bubbles`, `samples`, one line per network, seed and class with two samples or more."""
    what = "bubbles and training samples at margin 0, by network and class"
    found = single(rows, what, table="regions", method="", level=0.0, metric=["bubbles", "samples"])
    wide = found.pivot(index=["network", "seed", "at"], columns="metric", values="value")
    wide = wide.reindex(columns=["bubbles", "samples"]).dropna()
    wide = wide[wide["samples"] > 1]
    if wide.empty:
        raise NotRun(what)
    return wide
