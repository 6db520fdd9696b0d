"""Claims of section IV-D-1 on how the monitors rank over all benchmark sets (Figure 3).

Ranks are those of the mean correlation over runs. Their intervals draw whole faults, all severities on both image sets
together: sets of one fault are no independent witnesses, as the paper's Friedman test takes them to be.
"""

from itertools import combinations

import numpy as np

from mistrust.publishing.claim_tests.monitoring.reading import (
    AS_PUBLISHED,
    CHAPTER,
    NAMES,
    NETWORK,
    THREE,
    called,
    published,
    runs,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader
from mistrust.publishing.verdicts import Verdict, above, claim_test, every, within

# Over the benchmark sets of both image sets. All that is said here reports the paper's run.
WHERE = {"table": "ranks", "data": "all", "network": NETWORK, "condition": f"three monitors {AS_PUBLISHED}"}


@claim_test("farm-odin-ranks-first", CHAPTER)
def odin_ranks_first(rows: Reader) -> Verdict:
    """As published: each of the other two has a larger mean rank; 1 is the best."""
    parts = []
    for name in ("alooc", "oob"):
        found = _difference(rows, name, "odin")
        parts.append(above(found, 0.0, f"mean rank, {NAMES[name]} minus ODIN, as published"))
    return every(parts)


@claim_test("farm-no-difference", CHAPTER)
def no_difference(rows: Reader) -> Verdict:
    """As published: no two ranks differ by Nemenyi's critical difference, the least that the paper's test sees.

    That a test finds nothing would be no proof; so the whole interval of each difference has to be smaller.
    """
    row = rows.find(**WHERE, method="", at="", metric="critical difference")
    if row.empty:
        raise NotRun("the critical difference of ranks over all benchmark sets")
    bound = float(row["value"].iloc[0])
    parts = []
    for first, second in combinations(THREE, 2):
        found = _difference(rows, first, second)
        text = f"mean rank, {NAMES[first]} minus {NAMES[second]}, as published"
        parts.append(within(found, -bound, bound, text))
    return every(parts)


def _difference(rows: Reader, first: str, second: str) -> Estimate:
    """Difference of two mean ranks with its interval over faults; one network's say nothing of another's."""
    found = rows.find(**WHERE, at=f"{published(first)} - {published(second)}", metric="rank difference")
    if found.empty:
        both = f"{called(published(first))} and {called(published(second))}"
        raise NotRun(f"mean ranks of {both} over the benchmark sets of both image sets")
    value, low, high = (float(found[name].iloc[0]) for name in ("value", "low", "high"))
    return Estimate(value, low, high) if runs(rows) > 1 else Estimate(value, -np.inf, np.inf)
