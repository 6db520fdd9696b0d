"""Claims of section VI-A (Figures 5 to 7) on the utilities of earlier works, errors found and confidence of queries.

Read: `searches`, metrics "utility" (Bansal and Weld's), "errors", "confidence", "sdr", "sure errors", at 50 queries.
"""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from mistrust.publishing.claim_tests.search.panels import Panels, agreeing, paired, read
from mistrust.publishing.claim_tests.search.reading import (
    AD,
    BANDIT,
    CHAPTER,
    COVERAGE,
    FIFTY,
    LOW,
    NAMES,
    NEAR,
    RANDOM,
    each,
    gap,
    rate,
)
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, above, claim_test, every, within

# "Similar confidence levels": within 5 points, a seventh of what a pool spans.
SIMILAR = 0.05
# "Competitive": not a fifth less.
COMPETITIVE = 0.8


@claim_test("adversarial-distance-coverage-useful", CHAPTER)
def coverage_useful(rows: Reader) -> Verdict:
    """Bansal and Weld's utility of their own search, against Adversarial Distance and random search."""
    found = _read(rows, ["utility"], [COVERAGE, AD, RANDOM])
    return every(each((AD, RANDOM), lambda other: _more(found, "utility", COVERAGE, other)))


@claim_test("adversarial-distance-utility-cheap", CHAPTER)
def utility_cheap(rows: Reader) -> Verdict:
    """More utility and more errors than Adversarial Distance, but fewer of high confidence."""
    found = _read(rows, ["utility", "errors", "sure errors"], [COVERAGE, AD])
    cases = [("utility", COVERAGE, AD), ("errors", COVERAGE, AD), ("sure errors", AD, COVERAGE)]
    return every(each(cases, lambda case: _more(found, *case)))


@claim_test("adversarial-distance-low-confidence-useful", CHAPTER)
def low_confidence_useful(rows: Reader) -> Verdict:
    """Bansal and Weld's utility of lowest confidence, against random search."""
    return _more(_read(rows, ["utility"], [LOW, RANDOM]), "utility", LOW, RANDOM)


@claim_test("adversarial-distance-less-useful", CHAPTER)
def less_useful(rows: Reader) -> Verdict:
    """Less of that utility than Bansal and Weld's search, and fewer errors."""
    metrics = ["utility", "errors"]
    found = _read(rows, metrics, [COVERAGE, AD])
    return every(each(metrics, lambda metric: _more(found, metric, COVERAGE, AD)))


@claim_test("adversarial-distance-coverage-like-random", CHAPTER)
def coverage_like_random(rows: Reader) -> Verdict:
    """SDR of Bansal and Weld's search over that of random search, by model."""
    first, second = _pair(_read(rows, ["sdr"], [COVERAGE, RANDOM]), "sdr", COVERAGE, RANDOM)
    return within(rate(first / second), *NEAR, f"SDR over that of random search, {NAMES[COVERAGE]} at 50 queries")


@claim_test("adversarial-distance-most-errors", CHAPTER)
def most_errors(rows: Reader) -> Verdict:
    """Lowest confidence and Bansal and Weld's search, each against each of the others."""
    most, others = (LOW, COVERAGE), (AD, BANDIT, RANDOM)
    found = _read(rows, ["errors"], [*most, *others])
    return every(each(list(product(most, others)), lambda pair: _more(found, "errors", *pair)))


@claim_test("adversarial-distance-lower-confidence", CHAPTER)
def lower_confidence(rows: Reader) -> Verdict:
    """Mean confidence of the queries of both, less than random search's."""
    found = _read(rows, ["confidence"], [RANDOM, LOW, COVERAGE])
    return every(each((LOW, COVERAGE), lambda one: _more(found, "confidence", RANDOM, one)))


@claim_test("adversarial-distance-alike-confidence", CHAPTER)
def alike_confidence(rows: Reader) -> Verdict:
    """Mean confidence of queries, Adversarial Distance minus random search."""
    first, second = _pair(_read(rows, ["confidence"], [AD, RANDOM]), "confidence", AD, RANDOM)
    text = f"mean confidence of queries, {NAMES[AD]} minus {NAMES[RANDOM]}"
    return within(gap(first - second), -SIMILAR, SIMILAR, text)


@claim_test("adversarial-distance-more-than-random", CHAPTER)
def more_than_random(rows: Reader) -> Verdict:
    """Number of errors at 50 queries."""
    return _more(_read(rows, ["errors"], [AD, RANDOM]), "errors", AD, RANDOM)


@claim_test("adversarial-distance-bandit-competitive", CHAPTER)
def bandit_competitive(rows: Reader) -> Verdict:
    """Lakkaraju's search: not a fifth less utility than Bansal and Weld's, with fewer errors."""
    found = _read(rows, ["utility", "errors"], [BANDIT, COVERAGE])
    own, other = _pair(found, "utility", BANDIT, COVERAGE)
    text = f"Bansal and Weld's utility over that of their own search, {NAMES[BANDIT]}"
    return every([above(rate(own / other), COMPETITIVE, text), _more(found, "errors", COVERAGE, BANDIT)])


def _read(rows: Reader, metrics: Sequence[str], methods: Sequence[str]) -> Panels:
    return read(rows, "searches", metrics, methods, [FIFTY])


def _pair(found: Panels, metric: str, one: str, other: str) -> "tuple[pd.Series[float], pd.Series[float]]":
    return paired(found.of(metric, one, FIFTY), found.of(metric, other, FIFTY))


def _more(found: Panels, metric: str, one: str, other: str) -> Verdict:
    values = [found.of(metric, method, FIFTY) for method in (one, other)]
    first, second = paired(*values)
    what = {"sure errors": "errors above 90 % confidence", "utility": "Bansal and Weld's utility"}.get(metric, metric)
    text = f"{what} at 50 queries, {NAMES[one]} minus {NAMES[other]}"
    return agreeing(above(gap(first - second), 0.0, text), values[0] - values[1])
