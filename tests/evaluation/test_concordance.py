from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation import concordance, kendall_w, permutation_p

tables = arrays(float, st.tuples(st.integers(2, 5), st.integers(3, 6)), elements=st.integers(0, 4).map(float))


def test_by_hand():
    # Rank sums 4 6 8 12, mean 7.5, S = 35; W = 12 * 35 / (3² * (4³ - 4)).
    assert kendall_w([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]]) == pytest.approx(12 * 35 / (9 * 60))


@pytest.mark.whole
@given(tables)
def test_it_is_friedmans_statistic_on_another_scale(table):
    # W = χ² / (m (n - 1)), ties corrected alike; scipy has Friedman's.
    with np.errstate(invalid="ignore", divide="ignore"):
        m, n = table.shape
        expected = stats.friedmanchisquare(*table.T).statistic / (m * (n - 1))
    assert kendall_w(table) == pytest.approx(expected, nan_ok=True)


@pytest.mark.whole
@given(tables)
def test_laws(table):
    found = kendall_w(table)
    assert np.isnan(found) or -1e-12 <= found <= 1 + 1e-12
    assert kendall_w(np.exp(table) * np.arange(1, len(table) + 1)[:, None]) == pytest.approx(found, nan_ok=True)
    assert kendall_w(table[::-1, ::-1]) == pytest.approx(found, nan_ok=True)
    assert kendall_w(-table) == pytest.approx(found, nan_ok=True)
    same = np.tile(table[:1], (3, 1))
    assert kendall_w(same) == pytest.approx(1 if np.ptp(table[0]) else np.nan, nan_ok=True)


def test_two_judges_give_spearmans_correlation():
    draw = np.random.default_rng(0)
    a, b = draw.random(9), draw.random(9)
    assert kendall_w([a, b]) == pytest.approx((1 + stats.spearmanr(a, b).statistic) / 2)


def test_chance_alone_gives_one_over_the_judges():
    # Exactly, over all orders of two judges and three items; nearly, over drawn ones.
    every = [kendall_w([[1, 2, 3], order]) for order in permutations([1, 2, 3])]
    assert np.mean(every) == pytest.approx(1 / 2)
    found = concordance(np.random.default_rng(1).random((10, 90)), 500, np.random.default_rng(2))
    assert found.chance == pytest.approx(1 / 10, abs=0.003)
    assert (found.judges, found.items, found.draws) == (10, 90, 500)
    assert 0.05 < found.w < 0.15


def test_p_is_the_exact_chance_where_that_is_known():
    # Of six orders of three items one agrees wholly, W = 1; W >= 3/4 is reached by three of them.
    draw = np.random.default_rng
    assert concordance([[1, 2, 3], [1, 2, 3]], 5999, draw(0)).p == pytest.approx(1 / 6, abs=0.02)
    assert concordance([[1, 2, 3], [1, 3, 2]], 5999, draw(0)).p == pytest.approx(3 / 6, abs=0.02)


def test_p_under_chance_is_uniform():
    draw = np.random.default_rng(3)
    p = [concordance(draw.random((4, 8)), 99, draw).p for _ in range(200)]
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_within_groups_items_change_places_in_their_group_only():
    # Judges agree on which group is high and on nothing else: over all items W is large, within groups it is not.
    draw = np.random.default_rng(4)
    table = draw.random((8, 20)) + np.repeat([0, 5], 10)
    groups = np.repeat(["low", "high"], 10)
    assert concordance(table, 99, draw).w > 0.7
    within = concordance(table, 99, draw, within=groups)
    assert within.w == pytest.approx(np.mean([kendall_w(table[:, :10]), kendall_w(table[:, 10:])]))
    assert within.w < 0.35
    assert within.chance == pytest.approx(1 / 8, abs=0.02)
    # A group that no judge orders, or of one item, tells nothing.
    flat = np.concatenate([table, np.zeros((8, 3)), table[:, :1]], axis=1)
    more = concordance(flat, 99, draw, within=[*groups, "flat", "flat", "flat", "one"])
    assert more.w == pytest.approx(within.w)


def test_a_group_of_two_counts_and_one_draw_is_enough():
    # By hand: both judges order the pair alike, W = 1; they turn the three round, rank sums are equal, W = 0.
    table = [[1, 2, 1, 2, 3], [1, 2, 3, 2, 1]]
    found = concordance(table, 1, np.random.default_rng(0), within=[0, 0, 1, 1, 1])
    assert found.w == pytest.approx(1 / 2)
    assert found.p in (0.5, 1)  # (b + 1) / 2


def test_what_no_judge_orders_is_undefined():
    found = concordance(np.zeros((3, 4)), 9, np.random.default_rng(0))
    assert np.isnan([found.w, found.p, found.chance]).all()


def test_the_counting_rule():
    assert permutation_p(3, [1, 2, 3, 4]) == (2 + 1) / (4 + 1)
    assert permutation_p(9, [1, 2, 3]) == 1 / 4  # never 0
    assert permutation_p(0.1 + 0.2, [0.3]) == 1  # equal but for rounding
    assert permutation_p(1e6 * (0.1 + 0.2), [1e6 * 0.3]) == 1  # which grows with the size of the numbers


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kendall_w([[1, 2, 3]]), r"got shape \(1, 3\)"),
        (lambda: kendall_w([[1], [2]]), r"got shape \(2, 1\)"),
        (lambda: kendall_w([1, 2]), r"got shape \(2,\)"),
        (lambda: kendall_w([[1, 2], [np.nan, 1]]), "no place for NaN"),
        (lambda: concordance([[1, 2], [1, 2]], 0, np.random.default_rng(0)), "at least one draw, got 0"),
        (lambda: concordance([[1, 2], [1, 2]], -1, np.random.default_rng(0)), "at least one draw, got -1"),
        (lambda: concordance([[1, 2], [1, 2]], "x", np.random.default_rng(0)), "draws is 'x', expected a whole number"),
        (
            lambda: concordance([[1, 2], [1, 2]], 2.5, np.random.default_rng(0)),
            r"draws is 2\.5, expected a whole",
        ),
        (lambda: concordance([[1, 2], [1, 2]], 9, np.random.default_rng(0), within=[1]), "a group an item"),
        (lambda: permutation_p(1, []), "got none"),
        (lambda: permutation_p(np.nan, [1]), "no place for NaN"),
        (lambda: permutation_p(1, [1, np.nan]), "no place for NaN"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()


@pytest.mark.parametrize("observed", ["3", None, [1, 2], 1j, {}, 10**400])
def test_an_observed_statistic_that_is_no_number(observed):
    with pytest.raises(MistrustError, match=r"observed statistic|no place for NaN"):
        permutation_p(observed, [1, 2, 3])
