from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mistrust.errors import MistrustError
from mistrust.evaluation import best_area, counted_area, ordered, risk_coverage

outcomes = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3)), min_size=1, max_size=40)


def test_by_hand():
    # Least suspicious first: right, wrong, right, wrong.
    found = risk_coverage([0.3, 0.1, 0.9, 0.2], [False, False, True, True])
    assert found.coverage.tolist() == [0.25, 0.5, 0.75, 1]
    assert found.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert [found.at(c) for c in (0.01, 0.25, 0.26, 0.75, 1.0)] == pytest.approx([0, 0, 1 / 2, 1 / 3, 1 / 2])


def test_a_coverage_of_a_whole_number_answers_that_many():
    """0.55 * 100 is 55.00000000000001: the 56th, the first that is wrong, is not answered."""
    found = risk_coverage(range(100), np.arange(100) >= 55)
    assert [found.at(one) for one in (0.55, 0.551)] == [0, pytest.approx(1 / 56)]


def test_ties_are_the_mean_over_all_orders():
    scores, wrong = np.array([1, 2, 2, 2, 3]), np.array([0, 1, 0, 0, 1])
    each = []
    for order in permutations([1, 2, 3]):
        in_order = wrong[[0, *order, 4]]
        each.append(np.cumsum(in_order) / np.arange(1, 6))
    assert risk_coverage(scores, wrong).risk == pytest.approx(np.mean(each, axis=0))


@pytest.mark.whole
@given(outcomes)
def test_the_curve_ends_at_the_plain_error_and_lies_above_the_oracles(rows):
    scores, wrong, _ = (np.array(column) for column in zip(*rows, strict=True))
    found = risk_coverage(scores, wrong)
    assert found.risk[-1] == pytest.approx(wrong.mean())
    assert found.risk.min() >= -1e-12
    assert found.risk.max() <= 1 + 1e-12
    assert found.area >= best_area(int(wrong.sum()), len(wrong)) - 1e-12
    assert risk_coverage(wrong, wrong).area == pytest.approx(best_area(int(wrong.sum()), len(wrong)))
    # A score that says nothing leaves the plain error at every coverage.
    assert risk_coverage(np.zeros(len(wrong)), wrong).risk == pytest.approx(np.full(len(wrong), wrong.mean()))


@pytest.mark.whole
@given(outcomes)
def test_the_counted_area_is_that_of_the_inputs_repeated(rows):
    scores, wrong, weights = (np.array(column) for column in zip(*rows, strict=True))
    sorted_once = ordered(scores, wrong)
    assert counted_area(sorted_once.counted()) == pytest.approx(risk_coverage(scores, wrong).area)
    if weights.any():
        again = risk_coverage(np.repeat(scores, weights), np.repeat(wrong, weights)).area
        assert counted_area(sorted_once.counted(weights)) == pytest.approx(again)


def test_the_area_keeps_its_digits_for_many_inputs():
    draw = np.random.default_rng(0)
    scores, wrong = draw.random(300_000), draw.random(300_000) < 0.001
    found = counted_area(ordered(scores, wrong).counted())
    assert found == pytest.approx(risk_coverage(scores, wrong).area, rel=1e-9)


def test_bad_input():
    with pytest.raises(MistrustError, match="The coverage is 0, expected a number above 0"):
        risk_coverage([1, 2], [0, 1]).at(0)
    with pytest.raises(MistrustError, match=r"The coverage is 1\.2"):
        risk_coverage([1, 2], [0, 1]).at(1.2)
    # In all, up to an error, up to behind it: one of the three is no whole number.
    for weights in ([1, 1, 0.5], [0.5, 0.5, 1], [1, 0.5, 0.5]):
        with pytest.raises(MistrustError, match="whole numbers"):
            counted_area(ordered([1, 2, 3], [0, 1, 0]).counted(weights))
    with pytest.raises(MistrustError, match="got 3 of 2"):
        best_area(3, 2)
    with pytest.raises(MistrustError, match="The coverage is 'x', expected a number above 0"):
        risk_coverage([1, 2], [0, 1]).at("x")
    for errors, n, told in (("a", 10, "errors is 'a'"), (2.5, 10, r"errors is 2\.5"), (2, None, "predictions is None")):
        with pytest.raises(MistrustError, match=f"{told}, expected a whole number"):
            best_area(errors, n)
