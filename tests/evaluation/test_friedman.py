"""Ranks over data sets: a worked table, scipy's Friedman test, statsmodels' and Demšar's tables of q."""

import warnings

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.evaluation import average_ranks, cliques, critical_difference, friedman, rank_differences

# Worked by hand: four sets, three methods, ties within two sets.
WORKED = [[0.5, 0.2, 0.1], [0.4, 0.4, 0.0], [0.3, 0.1, 0.2], [0.6, 0.5, 0.5]]


def test_ties_share_the_mean_of_their_ranks():
    ranks = [[1, 2, 3], [1.5, 1.5, 3], [1, 3, 2], [1, 2.5, 2.5]]
    assert average_ranks(WORKED).tolist() == ranks
    assert average_ranks(-np.array(WORKED), higher_is_better=False).tolist() == ranks


def test_the_worked_tests():
    found = friedman(WORKED)
    assert found.ranks.tolist() == [1.125, 2.25, 2.625]
    assert (found.sets, found.methods, found.tied) == (4, 3, 0.875)
    assert (found.statistic, found.p) == pytest.approx((5.571429, 0.061685), abs=1e-6)
    assert (found.f, found.f_p) == pytest.approx((6.882353, 0.027976), abs=1e-6)
    plain = friedman(WORKED, ties=False)
    assert (plain.statistic, plain.f, plain.f_p) == pytest.approx((4.875, 4.68, 0.0596), abs=1e-4)


@pytest.mark.whole
@given(arrays.arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(3, 5)), elements=st.integers(0, 4)))
def test_chi_squared_is_scipys(table):
    found = friedman(table)
    if found.tied == 0:  # scipy divides by zero here
        assert np.isnan([found.statistic, found.p, found.f, found.f_p]).all()
        return
    expected = stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)


def test_iman_and_davenport_is_the_analysis_of_variance_of_ranks():
    # Their F is that of a two-way analysis of variance of the ranks, ties or not.
    table = np.random.default_rng(0).integers(0, 6, (9, 4))
    ranks = average_ranks(table)
    n, k = ranks.shape
    between = n * ((ranks.mean(0) - ranks.mean()) ** 2).sum()
    within = ((ranks - ranks.mean()) ** 2).sum() - between
    assert friedman(table).f == pytest.approx(between / (k - 1) / (within / ((n - 1) * (k - 1))))


def test_sets_that_all_agree_leave_nothing_to_chance():
    found = friedman([[3, 2, 1]] * 5)
    assert found.statistic == pytest.approx(10)  # n (k - 1), its largest value
    assert np.isinf(found.f)
    assert found.f_p == 0


def test_renaming_methods_renames_ranks_alone():
    table = np.random.default_rng(1).random((8, 4))
    one, other = friedman(table), friedman(table[:, [2, 0, 3, 1]])
    assert other.ranks.tolist() == one.ranks[[2, 0, 3, 1]].tolist()
    assert other.statistic == pytest.approx(one.statistic)


def test_where_lower_is_better_the_lowest_has_rank_one():
    lower, scores = {"higher_is_better": False}, np.array(WORKED)
    expected, found, other = friedman(scores), friedman(-scores, **lower), friedman(-scores)
    assert found.ranks.tolist() == expected.ranks.tolist()
    assert other.ranks == pytest.approx(scores.shape[1] + 1 - expected.ranks)
    apart, turned = (
        rank_differences(*given, 20, np.random.default_rng(0), **more).value
        for given, more in (((scores, range(4)), {}), ((-scores, range(4)), lower))
    )
    assert apart.tolist() == turned.tolist()
    assert apart.any()


def test_sets_with_nan_are_left_out_and_that_is_said():
    holed = np.array([*WORKED, [0.1, np.nan, 0.2]])
    with pytest.warns(MistrustWarning, match="1 of 5 data sets hold NaN and are left out"):
        ranks = average_ranks(holed)
    assert np.isnan(ranks[4]).all()
    with pytest.warns(MistrustWarning):
        assert friedman(holed).statistic == friedman(WORKED).statistic
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        friedman(WORKED)


def test_the_critical_difference_is_the_tables():
    # Demšar (2006), table 5(a): q of .05 and .10 for 2 to 10 methods.
    q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    q10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for alpha, table in ((0.05, q05), (0.1, q10)):
        for k, q in zip(range(2, 11), table, strict=True):
            assert critical_difference(k, 50, alpha) == pytest.approx(q * np.sqrt(k * (k + 1) / 300), rel=5e-4)
    assert critical_difference(3, 4) == pytest.approx(1.657247, abs=1e-6)
    assert critical_difference(3, 79) == pytest.approx(0.372910, abs=1e-6)  # q = 3.314493 / sqrt(2)
    assert critical_difference(3, 79, 0.1) == pytest.approx(0.3265, abs=5e-5)


def test_cliques_are_the_bars_of_the_diagram():
    ranks = [3.0, 1.0, 1.8, 2.4]
    assert cliques(ranks, 0.5) == []
    assert cliques(ranks, 1.0) == [(1, 2), (2, 3), (3, 0)]
    assert cliques(ranks, 1.3) == [(1, 2), (2, 3, 0)]
    assert cliques(ranks, 5.0) == [(1, 2, 3, 0)]
    # A difference as large as the critical one is a difference (Demšar, 3.2.2).
    assert cliques([1.0, 2.0], 1.0) == []


def test_differences_of_ranks_and_their_clusters():
    draw = np.random.default_rng
    alone = rank_differences(WORKED, range(4), 400, draw(0))
    assert alone.value.tolist() == [[0, -1.125, -1.5], [1.125, 0, -0.375], [1.5, 0.375, 0]]
    assert (alone.low <= alone.value).all()
    assert (alone.value <= alone.high).all()
    assert np.allclose(alone.low, -alone.high.T)
    # Each set four times, as four severities of one fault: no more is known than of one each, unless one pretends.
    again = np.repeat(WORKED, 4, axis=0)
    faults = np.repeat(["snow", "fog", "noise", "blur"], 4)
    honest, pretended = (rank_differences(again, names, 400, draw(0)) for names in (faults, range(16)))
    assert (honest.sets, honest.clusters) == (16, 4)
    widths = [float((one.high - one.low)[0, 1]) for one in (alone, honest, pretended)]
    assert widths[1] == pytest.approx(widths[0], abs=0.3)
    assert widths[2] < 0.7 * widths[1]


def test_two_clusters_are_enough_for_differences_of_ranks():
    found = rank_differences(WORKED, [1, 1, 2, 2], 9, np.random.default_rng(0))
    assert (found.sets, found.clusters) == (4, 2)


def test_differences_leave_out_what_has_no_rank():
    with pytest.warns(MistrustWarning):
        found = rank_differences([*WORKED, [np.nan, 1, 2]], [1, 2, 3, 4, 5], 20, np.random.default_rng(0))
    assert (found.sets, found.clusters) == (4, 4)
    assert found.value[0, 1] == -1.125


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_ranks([[1], [2]]), r"at least two methods, got shape \(2, 1\)"),
        (lambda: average_ranks([1, 2]), r"got shape \(2,\)"),
        (lambda: average_ranks([[1, 2]]), "got 1 of 1"),
        (lambda: friedman([[1, 2], [np.nan, 1]]), "at least two data sets with a score of every method, got 1 of 2"),
        (lambda: critical_difference(1, 9), "got 1 and 9"),
        (lambda: critical_difference(3, 1), "got 3 and 1"),
        (lambda: critical_difference(3, 9, 1.0), r"alpha is 1\.0"),
        (lambda: critical_difference(3, 9, "x"), "alpha is 'x'"),
        (lambda: critical_difference("a", 3), "methods is 'a', expected a whole number"),
        (lambda: critical_difference(np.nan, 3), "methods is nan, expected a whole number"),
        (lambda: critical_difference(3, np.nan), "data sets is nan, expected a whole number"),
        (lambda: rank_differences(WORKED, [1, 2], 9, np.random.default_rng(0)), "length 2, expected 4"),
        (lambda: rank_differences(WORKED, [1] * 4, 9, np.random.default_rng(0)), "of one cluster"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()


@pytest.mark.parametrize("seed", range(6))
def test_nemenyi_is_that_of_scikit_posthocs(seed):
    """Its p-values say which methods differ, our critical difference says the same, and groups are what it leaves."""
    draw = np.random.default_rng(seed)
    table = draw.normal(size=(20, 6)) + draw.normal(size=6)
    p = scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    means = average_ranks(table).mean(0)
    for alpha in (0.01, 0.05, 0.2):
        difference = critical_difference(6, 20, alpha)
        differ = np.abs(means[:, None] - means[None, :]) > difference
        assert np.array_equal(differ, p < alpha)
        assert 0 < differ.sum() < 30 or alpha != 0.05
        for group in cliques(means, difference):
            inside = np.ix_(group, group)
            assert (p[inside] >= alpha).all()
            others = [one for one in range(6) if one not in group]
            assert all((p[one, list(group)] < alpha).any() for one in others)  # none could be added
