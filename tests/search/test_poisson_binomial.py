"""The Poisson-binomial distribution against all outcomes, the binomial of scipy, and what an interval must cover."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from mistrust.errors import MistrustError
from mistrust.random import generator
from mistrust.search.poisson_binomial import chances, p_value, p_values, poisson_binomial, rate_interval, sdr_interval

LISTS = st.lists(st.just(0.0) | st.floats(1e-12, 1), min_size=1, max_size=6)


@given(LISTS)
def test_it_sums_all_outcomes(p):
    expected = np.zeros(len(p) + 1)
    for outcome in product((0, 1), repeat=len(p)):
        expected[sum(outcome)] += np.prod([q if one else 1 - q for q, one in zip(p, outcome, strict=True)])
    assert poisson_binomial(p) == pytest.approx(expected, abs=1e-12)


def test_equal_chances_are_the_binomial_also_in_the_far_tail():
    found = poisson_binomial(np.full(60, 0.03))
    assert found == pytest.approx(binom.pmf(np.arange(61), 60, 0.03), rel=1e-9)
    assert p_value(50, np.full(60, 0.03)) == pytest.approx(binom.sf(49, 60, 0.03), rel=1e-9)


def test_equal_chances_have_clopper_and_pearsons_interval():
    for k in range(11):
        low, high = rate_interval(k, np.full(10, 0.2))
        exact = binomtest(k, 10).proportion_ci(0.95, "exact")
        assert low == pytest.approx(exact.low / 0.2, rel=1e-9)
        assert high == (np.inf if k == 10 else pytest.approx(exact.high / 0.2, rel=1e-9))


@settings(max_examples=25)
@given(LISTS, st.integers(0, 6))
def test_both_ends_leave_a_tail_of_the_level(p, k):
    k = min(k, len(p))
    low, high = rate_interval(k, p, 0.9)
    p = np.array(p)
    if 0 < low < np.inf:
        assert p_value(k, np.minimum(1, low * p)) == pytest.approx(0.05, rel=1e-6)
    if high < np.inf:
        assert 1 - p_value(k + 1, np.append(np.minimum(1, high * p), 0)) == pytest.approx(0.05, rel=1e-6)
    assert low <= high


def test_many_at_once_are_one_by_one_and_zeros_change_nothing():
    draw = generator(0, "tests/poisson binomial")
    p = draw.uniform(0, 0.4, (4, 7))
    k = np.array([0, 2, 5, 7])
    low, high = rate_interval(k, p)
    for i in range(4):
        one = rate_interval(k[i], p[i])
        assert (low[i], high[i]) == pytest.approx([float(end) for end in one], rel=1e-10)
        assert p_value(k, p)[i] == pytest.approx(p_value(k[i], p[i]))
        assert p_value(2, p)[i] == pytest.approx(p_value(2, p[i]))
    padded = np.concatenate([p, np.zeros((4, 3))], 1)
    assert p_value(k, padded) == pytest.approx(p_value(k, p))
    assert rate_interval(k[:3], padded[:3])[0] == pytest.approx(low[:3], rel=1e-10)


def test_ends_without_a_number():
    assert rate_interval(0, [0.1, 0.2])[0] == 0
    assert rate_interval(2, [0.1, 0.2])[1] == np.inf
    assert rate_interval(1, [0.0, 0.2]) == (pytest.approx(0.125), np.inf)  # rho 0.2 = .025
    assert rate_interval(1, [0.0, 0.0]) == (np.inf, np.inf)
    assert rate_interval(0, [0.0, 0.0]) == (0, np.inf)


def test_chances_however_small_have_an_interval():
    """One query: P(K >= 1) = rho p is .025. Two: 1 - (1 - rho p)^2 is .025, and (rho p)^2 is .975."""
    assert rate_interval(1, [1e-5]) == (pytest.approx(2500), np.inf)
    low, high = rate_interval(1, [1e-5, 1e-5])
    assert (low, high) == pytest.approx(((1 - np.sqrt(0.975)) * 1e5, np.sqrt(0.975) * 1e5))


def test_the_interval_of_sdr_is_what_the_ends_of_the_factor_find():
    """Two queries of which the likelier is certain at the upper end: k = 1 of (.5, .1), expected .6.

    Lower: 1 - (1 - .5 rho)(1 - .1 rho) = .025 gives rho = 6 - sqrt(35.5), and .6 rho / .6 of it. Upper: at rho = 9.75
    the first is certain and the other is one with a chance of .975, so that 1.975 are found.
    """
    lower = 6 - np.sqrt(35.5)
    assert rate_interval(1, [0.5, 0.1]) == (pytest.approx(lower), pytest.approx(9.75))
    assert sdr_interval(1, [0.5, 0.1]) == (pytest.approx(lower), pytest.approx(1.975 / 0.6))
    assert sdr_interval(1, [0.5, 0.1], 0.9)[1] == pytest.approx(1.95 / 0.6)
    low, high = sdr_interval([[0, 2], [0, 2]], [[[0.5, 0.1]], [[0.5, 0.25]]])  # any axes; nothing but errors is two
    assert low[:, 0].tolist() == [0, 0]
    assert high == pytest.approx(np.array([[high[0, 0], 2 / 0.6], [high[1, 0], 2 / 0.75]]))
    assert high[0, 0] == pytest.approx(min(1, (6 - np.sqrt(36 - 19.5)) * 0.5) / 0.6 + (6 - np.sqrt(16.5)) * 0.1 / 0.6)


def test_the_interval_of_sdr_where_little_or_nothing_is_expected():
    assert sdr_interval(2, [0.5, 0.0]) == (np.inf, np.inf)  # no factor explains two errors of one
    assert sdr_interval(1, [0.5, 0.0]) == (pytest.approx(0.05), 2)  # rho .5 = .025; one error of .5 expected
    assert sdr_interval(0, [0.0, 0.0]) == (np.inf, np.inf)
    assert sdr_interval(1, [0.5, 1e-301]) == (pytest.approx(0.05), 2)  # as good as none


def test_beginnings_by_hand():
    """After two: .5 * .2. After three: that, or one of the first two and the third, (.5 * .8 + .5 * .2) * .1."""
    assert p_values([1, 2, 2], [0.5, 0.2, 0.1]) == pytest.approx([0.5, 0.1, 0.15])
    assert p_values([0, 0, 1], [0.5, 0.2, 0.1]) == pytest.approx([1, 1, 1 - 0.5 * 0.8 * 0.9])
    for counts in ([2, 2], [0, 3], [-1, 0], [0, 0.5], [1], [[0, 1]]):
        with pytest.raises(MistrustError, match=r"whole numbers from 0 to 1, 2, \.\.\., 2, got"):
            p_values(counts, [0.5, 0.2])


def test_no_chance_is_above_one_by_rounding():
    """All outcomes of two such chances sum up to 1 + 2e-16."""
    assert poisson_binomial([0.1, 0.6]).sum() > 1
    assert p_value(0, [0.1, 0.6]) == 1
    assert p_values([0, 0], [0.1, 0.6]).tolist() == [1, 1]


def test_the_interval_covers_at_least_as_often_as_it_says():
    """Facts, section 6: 99.3 % of 400 at 20 queries."""
    draw = generator(0, "tests/coverage")
    p = draw.uniform(0, 0.35, 20)
    counts = (draw.random((2000, 20)) < p).sum(1)
    low, high = rate_interval(np.arange(21), p)
    assert ((low <= 1) & (high >= 1))[counts].mean() >= 0.95


def test_chances():
    assert chances([0.9, 0.7, 1.0], 2.98) == pytest.approx([0.298, 0.894, 0])
    assert chances([0.5], 3) == 1
    assert [float(chances([0.5], one)[0]) for one in (0, 0.5)] == [0, 0.25]
    assert chances([0.9]) == pytest.approx([0.1])  # confidences are believed
    with pytest.raises(MistrustError, match=r"in \(0, 1\], got 0"):
        chances([0.5, 0.0])
    with pytest.raises(MistrustError, match="multiplier of the error rate is inf"):
        chances([0.5], np.inf)
    with pytest.raises(MistrustError, match=r"in \(0, 1\], got 1\.5"):
        chances([0.5, 1.5])
    with pytest.raises(MistrustError, match="multiplier of the error rate is -1"):
        chances([0.5], -1)


@pytest.mark.parametrize(
    ("count", "p", "message"),
    [
        (3, [0.1, 0.2], "from 0 to the 2 queries, got 3"),
        (-1, [0.1], "from 0 to the 1 queries"),
        (0.5, [0.1], "whole numbers"),
        (0, [1.1], r"in \[0, 1\], got 1\.1"),
        (0, [np.nan], r"in \[0, 1\], got nan"),
        (0, 0.5, "no axis of queries"),
    ],
)
def test_bad_input(count, p, message):
    for function in (p_value, rate_interval):
        with pytest.raises(MistrustError, match=message):
            function(count, p)
    for level in (95, 1.5, 1, 0):
        with pytest.raises(MistrustError, match=f"level is {level}"):
            rate_interval(0, [0.1], level)
