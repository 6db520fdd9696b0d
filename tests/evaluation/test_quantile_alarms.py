"""Alarms by a limit that is a quantile: the law's known values, draws of one's own, and what is refused."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from mistrust.errors import MistrustError
from mistrust.evaluation.quantile_alarms import alarm_law, at_least, chance_off


def test_the_law_by_hand():
    """The limit is the largest of 19. Of 2 others both exceed it where they are the two largest of 21: 1 / C(21, 2)."""
    law = alarm_law(0.05, 19, 2)
    assert law.pmf(2) == pytest.approx(1 / comb(21, 2))
    # Exactly one: either of two is the largest of 20 (2 / 20), less twice that both exceed it.
    assert law.pmf(1) == pytest.approx(2 / 20 - 2 / comb(21, 2))


def test_a_rank_that_is_whole_but_for_rounding_is_whole():
    """100 * (1 - 0.45) is 55.00000000000001: another image is above the 55th of 99 in 45 cases of 100."""
    assert float(alarm_law(0.45, 99, 1).pmf(1)) == pytest.approx(0.45)
    with pytest.raises(MistrustError, match=r"expected at least 48 and 1"):  # 1 / (1 / 49) - 1 is 48.00000000000001
        alarm_law(1 / 49, 47, 1)


@given(st.integers(19, 3000), st.integers(1, 3000), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_mean_is_the_promise_of_the_rule(fitted, tried, rate):
    mean = float(alarm_law(rate, fitted, tried).mean()) / tried
    assert rate - 1 / (fitted + 1) - 1e-9 <= mean <= rate + 1e-9


def test_draws_of_limits_and_images_agree():
    draw = np.random.default_rng(0)
    limits = np.sort(draw.random((20_000, 100)), axis=1)[:, 90]  # the 91st, ceil(101 * 0.9)
    rates = draw.binomial(150, 1 - limits) / 150
    for within in (0.02, 0.05):
        off = float((np.abs(rates - 0.1) > within + 1e-9).mean())
        assert chance_off(0.1, within, 100, 150) == pytest.approx(off, abs=0.012)
    means = rates[:19_998].reshape(-1, 3).mean(1)
    off = float((np.abs(means - 0.1) > 0.03 + 1e-9).mean())
    assert chance_off(0.1, 0.03, 100, 150, runs=3) == pytest.approx(off, abs=0.02)


def test_a_known_limit_leaves_the_binomial_law():
    """With very many images for the limit its share is the rate."""
    tail = 1 - special.bdtr(60, 1000, 0.05) + special.bdtr(39, 1000, 0.05)
    assert chance_off(0.05, 0.01, 10**8, 1000) == pytest.approx(float(tail), abs=1e-4)


def test_more_images_and_more_runs_are_off_more_seldom():
    off = [chance_off(0.05, 0.01, fitted, tried) for fitted, tried in ((200, 300), (2000, 300), (2000, 3000))]
    assert off[0] > off[1] > off[2] > chance_off(0.05, 0.01, 2000, 3000, runs=3) > 0
    assert chance_off(0.05, 1.0, 200, 300) == pytest.approx(0, abs=1e-9)
    # A rate at the edge is not off: 4 and 6 of 100 are within 0.01 of 0.05.
    law = alarm_law(0.05, 99, 100)
    assert chance_off(0.05, 0.01, 99, 100) == pytest.approx(1 - float(law.pmf([4, 5, 6]).sum()))


def test_at_least_so_many_of_events():
    assert at_least([], 0) == 1
    assert at_least([0.2], 2) == 0
    assert at_least([0.2, 0.3], -1) == 1
    assert at_least([0.5] * 4, 3) == pytest.approx(5 / 16)
    assert at_least([0.1, 0.2, 0.3], 1) == pytest.approx(1 - 0.9 * 0.8 * 0.7)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rate": 0.0}, "rate of alarms is 0.0, expected a share between 0 and 1"),
        ({"rate": 1.0}, "rate of alarms is 1.0"),
        ({"fitted": 18}, "18 images set the limit for a rate of 0.05 and 30 try it, expected at least 19 and 1"),
        ({"tried": 0}, "100 images set .* 0 try it"),
        ({"within": -0.1}, "Off by more than -0.1 over 1 runs, expected at least 0"),
        ({"runs": 0}, "over 0 runs"),
    ],
)
def test_numbers_out_of_range_are_refused(given, message):
    with pytest.raises(MistrustError, match=message):
        chance_off(**{"rate": 0.05, "within": 0.01, "fitted": 100, "tried": 30} | given)


@pytest.mark.parametrize("name", ["rate", "within", "fitted", "tried", "runs"])
@pytest.mark.parametrize("value", ["0.5", None, [1, 2], 1j, np.nan, np.inf, 2.5])
def test_what_is_no_number_of_use_is_refused(name, value):
    if (name, value) in (("within", np.inf), ("within", 2.5)):
        return  # nothing is so far off
    with pytest.raises(MistrustError, match=f"{value!r}".replace("[", "\\[").replace("]", "\\]")):
        chance_off(**{"rate": 0.05, "within": 0.01, "fitted": 100, "tried": 30, "runs": 2} | {name: value})


@pytest.mark.parametrize("chances", ["abc", [1.1], [np.nan], [[0.5]], 0.5, [0.5j]])
def test_chances_that_are_none(chances):
    with pytest.raises(MistrustError, match=r"Chances are .*expected"):
        at_least(chances, 1)
    with pytest.raises(MistrustError, match="number of events is '1', expected a whole number"):
        at_least([0.5], "1")
