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

RIGHT, PUBLISHED = "three monitors", f"three monitors {AS_PUBLISHED}"
BOTH = "all"  # the image set of ranks over the benchmark sets of both


@claim_test("farm-odin-ranks-first", CHAPTER)
def odin_ranks_first(rows: Reader) -> Verdict:
    """As published: each of the other two has a larger mean rank; 1 is the best."""
    parts = []
    for name in ("alooc", "oob"):
        found = _difference(rows, PUBLISHED, published(name), published("odin"))
        parts.append(above(found, 0.0, f"mean rank, {NAMES[name]} minus ODIN, as published"))
    return every(parts)


@claim_test("farm-no-difference", CHAPTER)
def no_difference(rows: Reader) -> Verdict:
    """As right: no two ranks differ by as much as Nemenyi's critical difference, the least that the paper's test sees.

    That a test finds nothing would be no proof; so the whole interval of each difference has to be smaller.
    """
    row = rows.find(**_where(RIGHT), method="", at="", metric="critical difference")
    if row.empty:
        raise NotRun("the critical difference of ranks over all benchmark sets")
    bound = float(row["value"].iloc[0])
    parts = []
    for first, second in combinations(THREE, 2):
        found = _difference(rows, RIGHT, first, second)
        parts.append(within(found, -bound, bound, f"mean rank, {NAMES[first]} minus {NAMES[second]}"))
    return every(parts)


def _difference(rows: Reader, group: str, first: str, second: str) -> Estimate:
    """Difference of two mean ranks with its interval over faults; one network's say nothing of another's."""
    found = rows.find(**_where(group), at=f"{first} - {second}", metric="rank difference")
    if found.empty:
        raise NotRun(f"mean ranks of {called(first)} and {called(second)} over the benchmark sets of both image sets")
    value, low, high = (float(found[name].iloc[0]) for name in ("value", "low", "high"))
    return Estimate(value, low, high) if runs(rows) > 1 else Estimate(value, -np.inf, np.inf)


def _where(group: str) -> dict[str, str]:
    return {"table": "ranks", "data": BOTH, "network": NETWORK, "condition": group}
