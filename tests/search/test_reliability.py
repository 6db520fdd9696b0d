"""Reliability diagrams by hand and against a plain loop; the rule for a confidence of exactly 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from mistrust.errors import MistrustError, UnknownName
from mistrust.random import generator
from mistrust.search.reliability import EDGES, ONES, ece, reliability


def test_by_hand():
    c, right = [0.5, 0.55, 0.95, 1.0, 0.9], [1, 0, 1, 0, 1]
    found = reliability(c, right, bins=10)
    assert found.n.tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 0, 3]
    assert found.confidence[[5, 9]] == pytest.approx([0.525, 0.95])
    assert found.accuracy[[5, 9]] == pytest.approx([0.5, 2 / 3])
    assert found.gap[9] == pytest.approx(0.95 - 2 / 3)
    assert np.isnan(found.accuracy[0])
    exact = binomtest(2, 3).proportion_ci(0.95, "exact")
    assert (found.low[9], found.high[9]) == pytest.approx((exact.low, exact.high))
    assert (found.certain, found.dropped) == (1, 0)
    assert ece(c, right, bins=10) == pytest.approx((2 * 0.025 + 3 * (0.95 - 2 / 3)) / 5)


def test_the_most_certain_are_dropped_as_published():
    c, right = [0.95, 1.0, 1.0, 1.0], [1, 0, 0, 0]
    found = reliability(c, right, ones="dropped")
    assert (found.n.sum(), found.certain, found.dropped) == (1, 3, 3)
    assert ece(c, right, ones="dropped") == pytest.approx(0.05 / 4)
    assert ece(c, right) == pytest.approx(3.95 / 4 - 1 / 4)


def test_the_published_diagram_has_a_bin_fewer_from_the_least_confidence():
    found = reliability([0.6, 0.8, 0.999], [1, 1, 1], edges="published")
    assert found.edges == pytest.approx(np.linspace(0.6, 1, 15))
    assert found.n[[0, 13]].tolist() == [1, 1]


@settings(max_examples=10)
@given(seed=st.integers(0, 999), bins=st.integers(2, 20))
@pytest.mark.parametrize("edges", sorted(EDGES))
@pytest.mark.parametrize("ones", ONES)
def test_every_rule_is_a_loop_over_bins(ones, edges, seed, bins):
    draw = generator(seed, "tests/reliability")
    c = draw.uniform(0.3, 1.1, 50).clip(0.3, 1)
    right = draw.random(50) < c
    found = reliability(c, right, bins, ones, edges)
    for i, (low, high) in enumerate(zip(found.edges[:-1], found.edges[1:], strict=True)):
        last = ones == "last" and i == len(found.n) - 1
        here = (c >= low) & ((c < high) | (last & (c <= high)))
        assert found.n[i] == here.sum()
        if here.any():
            assert (found.confidence[i], found.accuracy[i]) == pytest.approx((c[here].mean(), right[here].mean()))
    assert found.n.sum() + found.dropped == 50
    assert found.dropped == (0 if ones == "last" else (c == 1).sum())


def test_fifteen_bins_unless_said():
    """Both answers lie in one bin of 15, with a mean of .7 and one right, and in two bins of 14 or of 16."""
    c, right = [0.67, 0.73], [1, 0]
    assert ece(c, right) == pytest.approx(0.2)
    assert np.count_nonzero(reliability(c, right).n) == 1
    for bins in (14, 16):
        assert ece(c, right, bins) == pytest.approx((0.33 + 0.73) / 2)


def test_calibrated_answers_have_a_small_error():
    draw = generator(0, "tests/ece")
    c = draw.uniform(0.5, 1, 50_000)
    assert ece(c, draw.random(50_000) < c) < 0.01
    assert ece(c, draw.random(50_000) < c - 0.1) == pytest.approx(0.1, abs=0.01)


def test_bad_input():
    for c, right, message in (
        ([], [], "expected"),
        ([0.5], [1, 0], r"shapes \(1,\) and \(2,\)"),
        ([1.5], [1], r"in \(0, 1\], got 1\.5"),
        ([0.5, 0.0], [1, 1], r"in \(0, 1\], got 0"),
        ([0.5], [2], "must be true or false"),
    ):
        with pytest.raises(MistrustError, match=message):
            reliability(c, right)
    with pytest.raises(MistrustError, match="bins is 0, expected a number of at least 1"):
        reliability([0.5], [1], 0)
    with pytest.raises(MistrustError, match="bins is 1, expected a number of at least 2"):
        reliability([0.5], [1], 1, edges="published")
    with pytest.raises(UnknownName, match="Did you mean 'dropped'"):
        reliability([0.5], [1], ones="drop")


@pytest.mark.parametrize("measure", [reliability, ece])
def test_what_is_no_number_is_refused(measure, no_numbers):
    with pytest.raises(MistrustError, match=r"^Confidences are .*, expected numbers"):
        measure(no_numbers, [1, 0])
    with pytest.raises(MistrustError, match=r"^Outcomes \(is the prediction right\?\) are .*, expected numbers"):
        measure([0.5, 0.6], no_numbers)
    for bins in ("5", None, [5], np.nan, np.inf, 2.5):
        with pytest.raises(MistrustError, match=r"bins is .*expected a (whole )?number"):
            measure([0.5, 0.6], [1, 0], bins)
