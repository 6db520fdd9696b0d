"""Claims of section V-B (Figure 3; VII) on spread: how far the images of the pool are from the nearest query.

Read: `searches`, metrics "spread" and "misaligned spread", at 50 queries; `curves`, metric "spread". The published code
looks distances of the whole test set up by places in the filtered pool: with such numbers any search looks like random
search. Judged by distances of the right images; the other is told beside it. Smaller is better covered.
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.search.panels import Panels, by_mechanism, by_model, paired, read
from mistrust.publishing.claim_tests.search.reading import (
    AD,
    CHAPTER,
    FIFTY,
    NAMES,
    RANDOM,
    RIVALS,
    TENTH,
    each,
    gap,
    rate,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, divided, every, within

METHODS = (AD, *(one for one in RIVALS if one != RANDOM))


@claim_test("adversarial-distance-spread-alike", CHAPTER)
def spread_alike(rows: Reader) -> Verdict:
    """Each method's spread over random search's, within a tenth."""
    found = read(rows, "searches", ["spread", "misaligned spread"], [*METHODS, RANDOM], [FIFTY])

    def judge(method: str) -> Verdict:
        return within(_ratio(found, method), *TENTH, f"spread over that of random search, {NAMES[method]}")

    return _beside(found, every(each(METHODS, judge)))


@claim_test("adversarial-distance-throughout", CHAPTER)
def throughout(rows: Reader) -> Verdict:
    """Adversarial Distance, at most a tenth worse than random search."""
    found = read(rows, "searches", ["spread"], [AD, RANDOM], [FIFTY])
    ratio, text = _ratios(found, AD), f"spread over that of random search, {NAMES[AD]}"

    def judge(some: "pd.Series[float]") -> Verdict:
        return below(rate(by_model(some)), TENTH[1], text)

    return divided(judge(ratio), by_mechanism(ratio, judge), "mechanisms")


@claim_test("adversarial-distance-spread-improves", CHAPTER)
def spread_improves(rows: Reader) -> Verdict:
    """Reads `curves`: at 10 queries minus at 50, each method. With more queries the nearest is never farther."""
    levels = (10.0, FIFTY)
    found = read(rows, "curves", ["spread"], [*METHODS, RANDOM], levels)

    def judge(method: str) -> Verdict:
        few, many = paired(*(found.of("spread", method, level) for level in levels))
        return above(gap(few - many), 0.0, f"spread at 10 queries minus at 50, {NAMES[method]}")

    return every(each((*METHODS, RANDOM), judge))


def _ratio(found: Panels, method: str, metric: str = "spread") -> Estimate:
    return rate(by_model(_ratios(found, method, metric)))


def _ratios(found: Panels, method: str, metric: str = "spread") -> "pd.Series[float]":
    own, other = (found.of(metric, name, FIFTY) for name in (method, RANDOM))
    return (own / other).dropna()


def _beside(found: Panels, verdict: Verdict) -> Verdict:
    """The same as the published code has it, for what it is worth."""
    try:
        ratios = [_ratio(found, method, "misaligned spread").value for method in METHODS]
    except NotRun:
        return verdict
    told = f"misaligned, as published, these ratios are {number(min(ratios))} to {number(max(ratios))}"
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")
