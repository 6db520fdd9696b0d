"""Claims of the abstract and sections 1.2 and 3.2 on bubbles: parts of a class's region that do not touch.

The paper measures none. Bubbles are counted at margin 0, where the region of a class is what is classified as it
(table "regions", method ""), by network and class: training samples that no path found connects. There may be a path
that was not found, so the number is an upper bound: it refutes that there are many, and never proves it.
"""

import pandas as pd

from mistrust.publishing.claim_tests.robustness.reading import CHAPTER, level, refuting, single
from mistrust.publishing.estimates import NotRun, Reader, share
from mistrust.publishing.verdicts import Verdict, above, claim_test, counted

# "Lots": more than half as many bubbles as samples.
LOTS = 0.5
UPPER = "the number of bubbles found is an upper bound, which can refute this and not confirm it"


@claim_test("urem-small-bubbles", CHAPTER)
def small_bubbles(rows: Reader) -> Verdict:
    """Bubbles for each training sample, mean over classes, between networks."""
    found = _bubbles(rows)
    shares = (found["bubbles"] / found["samples"]).groupby(level=0).mean()
    return refuting(above(level(shares, 0.0, 1.0, scale="arcsine"), LOTS, "bubbles for each training sample"), UPPER)


@claim_test("urem-several-components", CHAPTER)
def several_components(rows: Reader) -> Verdict:
    """More than half of the classes have samples that are not all found connected; classes of a network are alike."""
    several = _bubbles(rows)["bubbles"] > 1
    found = share(several.to_list(), "classes", several.index.get_level_values(0).to_list())
    return refuting(above(found, 0.5, "more than one bubble"), UPPER)


@claim_test("urem-weak-is-best", CHAPTER)
def weak_is_best(rows: Reader) -> Verdict:
    """Refuted by counting, where every network has a class all of whose samples lie in one bubble."""
    apart = (_bubbles(rows)["bubbles"] > 1).groupby(level=0).all()
    verdict = counted(
        apart, "networks", "no class is found whole", "some class has all its training samples in one bubble"
    )
    return refuting(verdict, UPPER)


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
