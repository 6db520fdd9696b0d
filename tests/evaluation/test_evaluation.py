import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from mistrust.errors import MistrustError
from mistrust.evaluation import between_models, percentile_interval, share, spearman


@given(st.integers(1, 500), st.data())
def test_share_is_clopper_and_pearson(n, data):
    k = data.draw(st.integers(0, n))
    found = share(k, n)
    low, high = proportion_confint(k, n, method="beta")  # statsmodels, an independent implementation
    assert (found.value, found.n) == (k / n, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


def test_share_refuses_impossible_counts():
    with pytest.raises(MistrustError, match="got 3 of 2"):
        share(3, 2)


def test_between_models_is_student_t():
    # By hand: mean 2, sd 1, n 3, t(.975, 2) = 4.302653.
    found = between_models([1, 2, 3])
    assert (found.value, found.low, found.high) == pytest.approx((2, 2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    one = between_models([0.5])
    assert one.n == 1
    assert np.isnan(one.low)


def test_between_models_on_the_logit_scale_stays_a_share():
    values = [0.999, 0.97, 1.0]
    found = between_models(values, scale="logit")
    assert found.value == pytest.approx(np.mean(values))
    assert 0 < found.low < found.value
    assert found.value < found.high < 1


def test_between_models_on_fishers_scale_is_the_textbooks():
    # By hand: z = atanh(.5, .7, .6) = .549306, .867301, .693147; mean .703251, sd .159236, t(.975, 2) = 4.302653.
    found = between_models([0.5, 0.7, 0.6], scale="fisher")
    half = 4.302653 * 0.159236 / 3**0.5
    assert (found.low, found.high) == pytest.approx((np.tanh(0.703251 - half), np.tanh(0.703251 + half)), abs=1e-5)
    assert between_models([-0.99, 1.0], scale="fisher").low >= -1


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.sampled_from(["logit", "arcsine"]))
def test_intervals_of_shares_are_shares(values, scale):
    found = between_models(values, scale=scale)
    assert 0 <= found.low <= found.high <= 1


@given(st.lists(st.integers(0, 50), min_size=2, max_size=8))
def test_intervals_of_counts_are_not_negative(values):
    # By hand: 4, 9, 16 have roots 2, 3, 4: 3 +- t(.975, 2) / sqrt(3).
    half = 4.302653 / 3**0.5
    assert between_models([4, 9, 16], scale="root").high == pytest.approx((3 + half) ** 2, abs=1e-3)
    assert between_models(values, scale="root").low >= 0


@pytest.mark.parametrize("bad", [[], [[1.0]]])
def test_between_models_refuses_what_is_no_list(bad):
    with pytest.raises(MistrustError, match="at least one value"):
        between_models(bad)


def test_between_models_refuses_an_unknown_scale():
    with pytest.raises(MistrustError, match="scale is 'log'"):
        between_models([1.0, 2.0], scale="log")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_spearman_is_scipys(pairs):
    a, b = np.array(pairs, dtype=float).T
    expected = stats.spearmanr(a, b).statistic if a.std() and b.std() else np.nan
    assert spearman(a, b) == pytest.approx(expected, nan_ok=True, abs=1e-9)


def test_spearman_leaves_out_nan_and_refuses_unequal_lengths():
    assert spearman([1, 2, 3, np.nan], [2, 4, 9, 1]) == pytest.approx(1)
    with pytest.raises(MistrustError, match="equal length"):
        spearman([1, 2], [1, 2, 3])


def test_percentiles_keep_what_was_never_defined():
    low, high = percentile_interval(np.array([[1.0, np.nan]] * 50 + [[2.0, np.nan]] * 50))
    assert (low[0], high[0]) == (1.0, 2.0)
    assert np.isnan([low[1], high[1]]).all()
