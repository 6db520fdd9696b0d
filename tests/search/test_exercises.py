"""The right answers to the exercises, computed in another way; and an order of one's own in the race."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.search.exercises import LEVELS, RIVALS, check, race, won
from mistrust.search.methods import SEARCHES
from mistrust.search.residual import residual


def right(name, answer):
    return check(name, answer).startswith("Right")


def test_every_outcome_counted_gives_the_answer_of_sdr():
    found = Fraction(2) / sum(1 - Fraction(c) for c in ("0.9", "0.7", "0.95", "0.85"))
    # Half, confidence, share of errors; then whether the one query errs.
    groups = [(Fraction("0.98"), Fraction("0.06")), (Fraction("0.8"), Fraction("0.2"))]
    outcomes = [(Fraction(1, 2) * (p if wrong else 1 - p), wrong, 1 - c) for c, p in groups for wrong in (False, True)]
    ratios = sum(weight * wrong / expected for weight, wrong, expected in outcomes)
    means = sum(weight * wrong for weight, wrong, _ in outcomes) / sum(weight * e for weight, _, e in outcomes)
    assert right("sdr", [float(found), float(ratios), float(means)])
    assert not right("sdr", [float(found), float(means), float(ratios)])
    assert ratios > means


def test_every_outcome_counted_gives_the_answer_of_by_chance():
    def three_or_more(*chances):
        return sum(
            np.prod([p if wrong else 1 - p for p, wrong in zip(chances, outcome, strict=True)])
            for outcome in product((0, 1), repeat=len(chances))
            if sum(outcome) >= 3
        )

    by_confidence, against_the_pool = three_or_more(0.05, 0.1, 0.15, 0.2, 0.3), three_or_more(0.1, 0.2, 0.3, 0.4, 0.6)
    assert right("by-chance", (by_confidence, against_the_pool))
    assert not right("by-chance", (stats.poisson.sf(2, 0.8), stats.poisson.sf(2, 1.6)))
    assert not right("by-chance", (stats.binom.sf(2, 5, 0.16), stats.binom.sf(2, 5, 0.32)))


def test_scipys_t_interval_gives_the_answer_of_two_lifts():
    lifts = np.array([1.42, 1.02, 1.28, 1.09, 1.23])
    logs = np.log(lifts)
    low, high = np.exp(stats.ttest_1samp(logs, 0).confidence_interval(0.95))
    assert right("two-lifts", (low, high, 2))
    assert right("two-lifts", (round(low, 2), round(high, 2), 2))
    assert not right("two-lifts", (low, high, 1))
    normal = np.exp(logs.mean() + np.array([-1.96, 1.96]) * stats.sem(logs))
    raw = stats.ttest_1samp(lifts, 0).confidence_interval(0.95)
    for ends in (normal, raw):
        assert not right("two-lifts", (*ends, 2))


def by_residual(confidence, distance, features):
    return np.argsort(residual(distance, confidence), kind="stable")


def by_confidence(confidence, distance, features):
    return np.argsort(confidence, kind="stable")[: max(LEVELS)]


@pytest.mark.parametrize(("yours", "method"), [(by_residual, RIVALS[0]), (by_confidence, RIVALS[1])])
def test_the_order_of_a_search_gets_what_that_search_gets(yours, method):
    table = race(yours).set_index("search")
    assert table.index.tolist() == ["yours", *(SEARCHES[name].title for name in RIVALS), "whole pool"]
    assert table.loc["yours"].tolist() == table.loc[SEARCHES[method].title].tolist()


@pytest.mark.whole
def test_a_row_of_the_race_is_errors_over_what_is_expected():
    seen = {}

    def yours(confidence, distance, features):
        seen.update(c=confidence.copy(), d=distance.copy(), x=features.copy())
        confidence[:], distance[:] = 0.5, 1.0  # one's own copies: nothing else may change by it
        return np.arange(100)

    table = race(yours, seed=3).set_index("search")
    own = table.loc["whole pool", "SDR at 50"]
    assert own == pytest.approx(table.loc["whole pool", "errors"] / (1 - seen["c"]).sum(), abs=5e-4)
    assert own > 1.2  # so that a ratio above 1 is not enough
    line, expected = table.loc["yours"], (1 - seen["c"][:50]).sum()
    assert line["lift"] == pytest.approx(line["errors"] / line["expected"], abs=1e-3)
    assert line["SDR at 50"] == pytest.approx(line["errors"] / expected, abs=5e-4)
    assert line["lift"] == pytest.approx(line["SDR at 50"] / own, abs=2e-3)
    assert line["low"] < line["lift"] < line["high"]
    again = race(by_residual, seed=3).set_index("search").drop(index="yours")
    assert again.equals(table.drop(index="yours"))
    assert not again.equals(race(by_residual, seed=4).set_index("search").drop(index="yours"))


@pytest.mark.whole
def test_searches_differ_in_the_race_as_they_were_made_to():
    """Over pools: nothing by chance or by confidence, something by the distance, more by what lies far out."""

    def far_out(confidence, distance, features):
        return np.argsort(-np.abs(features - np.median(features, 0)).max(1))

    tables = [race(far_out, seed).set_index("search")["lift"] for seed in range(8)]
    mean = sum(tables) / len(tables)
    assert mean["Random"] == pytest.approx(1, abs=0.2)
    assert mean["Low confidence"] == pytest.approx(1, abs=0.1)
    assert mean["Adversarial Distance"] > 1.3
    assert mean["yours"] > 1.4


@pytest.mark.whole
def test_the_verdict_is_the_intervals():
    found = race(by_residual)
    assert found.set_index("search").loc["yours", "low"] > 1
    assert won(found).startswith("Right: yours finds 25 errors in 50 queries, 1.80 times as many [1.34, 2.23] ")
    assert won(found).endswith("Of the others Adversarial Distance has most, 1.80: a tie. Now try another seed.")
    assert won(found.assign(lift=found["lift"].where(found["search"] != "yours", 1.9))).count("1.80: you win") == 1
    assert won(race(lambda c, d, x: np.argsort(d))).endswith("has most, 1.80: it wins this race. Now try another seed.")
    said = won(race(by_confidence))
    assert said.startswith("Not yet. Chance alone may do that (yours finds 29 errors")
    assert said.endswith("what the confidence does not say.")
    backwards = won(race(lambda c, d, x: by_residual(c, d, x)[::-1]))
    assert backwards.startswith("Not yet. Your order avoids errors")
    surest = won(race(lambda c, d, x: np.argsort(-c)))
    assert surest.startswith("Not yet. Too few errors are expected to decide anything: 0.0")
    assert surest.endswith("sort the other way round?")
    for one in (won(found), said, backwards, surest):
        assert one == " ".join(one.split())


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (lambda c: "low", r"Your search gave str, expected positions in order: np\.argsort"),
        (lambda c: None, r"Your search gave numbers of shape \(\), expected at least 50 positions"),
        (lambda c: np.arange(49), r"shape \(49,\), expected at least 50 positions"),
        (lambda c: np.ones((60, 2)), r"shape \(60, 2\), expected at least 50 positions"),
        (lambda c: c, r"0\.\d+ is no position among 1500 instances.*np\.argsort makes an order"),
        (lambda c: np.arange(1, 1501), r"1500 is no position among 1500 instances, expected whole numbers from 0 to"),
        (lambda c: np.arange(60) - 1, r"-1 is no position among 1500 instances"),
        (lambda c: np.full(60, np.nan), r"nan is no position among 1500 instances"),
        (lambda c: np.arange(60) // 2, r"Position 0 stands 2 times in your order, expected each at most once"),
    ],
)
def test_orders_that_are_none_are_refused(order, said):
    with pytest.raises(MistrustError, match=said):
        race(lambda confidence, distance, features: order(confidence))
