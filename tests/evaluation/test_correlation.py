import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation import clustered_rank_correlation, partial_spearman, rank_correlation, spearman

# Few values, so that ties are the rule.
tables = arrays(float, st.tuples(st.just(4), st.integers(8, 20)), elements=st.integers(0, 6).map(float))


@pytest.mark.whole
@given(tables)
def test_given_none_it_is_scipys(table):
    found = partial_spearman(table[0], table[1])
    if np.ptp(table[0]) == 0 or np.ptp(table[1]) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(stats.spearmanr(table[0], table[1]).statistic, abs=1e-12)
        assert found == pytest.approx(spearman(table[0], table[1]), abs=1e-12)


@pytest.mark.whole
@given(tables)
def test_given_others_it_is_the_correlation_of_what_statsmodels_leaves_of_the_ranks(table):
    found = partial_spearman(table[0], table[1], [table[2], table[3]])
    ranks = stats.rankdata(table, axis=1)
    left = [sm.OLS(one, sm.add_constant(ranks[2:].T, has_constant="add")).fit().resid for one in ranks[:2]]
    if min(np.linalg.norm(one) for one in left) < 1e-6:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(*left)[0, 1], abs=1e-8)


def test_given_one_by_hand():
    # Sums of squared differences 4, 8, 2: r = 1 - 6 d² / (5 (5² - 1)) = .8, .6, .9; (.8 - .54) / sqrt(.64 * .19).
    x, y, z = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [2, 1, 5, 3, 4]
    assert [spearman(x, y), spearman(x, z), spearman(y, z)] == pytest.approx([0.8, 0.6, 0.9])
    assert partial_spearman(x, y, [z]) == pytest.approx(0.26 / np.sqrt(0.64 * 0.19))


def test_depth_that_works_through_size_alone_vanishes_at_equal_size():
    draw = np.random.default_rng(0)
    size = draw.normal(size=400)
    depth, robust = size + 0.5 * draw.normal(size=400), size + 0.5 * draw.normal(size=400)
    assert rank_correlation(depth, robust).low > 0.6
    left = rank_correlation(depth, robust, [size])
    assert left.low < 0 < left.high
    assert left.value == pytest.approx(0, abs=0.1)


@pytest.mark.whole
@given(tables)
def test_laws(table):
    x, y, *others = table
    found = partial_spearman(x, y, others)
    same = dict(abs=1e-8, nan_ok=True)
    assert partial_spearman(y, x, others) == pytest.approx(found, **same)
    assert partial_spearman(-x, y, others) == pytest.approx(-found, **same)
    assert partial_spearman(np.exp(x), y**3, [others[1], -others[0]]) == pytest.approx(found, **same)
    assert np.isnan(partial_spearman(x, y, [x]))
    gaps = np.append(x, np.nan), np.append(y, 3), [np.append(one, 1) for one in others]
    assert partial_spearman(*gaps) == pytest.approx(found, **same)


@pytest.mark.whole
@given(tables, st.data())
def test_weights_count_rows(table, data):
    often = np.array(data.draw(st.lists(st.integers(0, 3), min_size=table.shape[1], max_size=table.shape[1])))
    repeated = np.repeat(table, often, axis=1)
    found = partial_spearman(table[0], table[1], [table[2]], often)
    assert found == pytest.approx(partial_spearman(*repeated[:2], [repeated[2]]), abs=1e-8, nan_ok=True)


def test_the_interval_is_bonett_and_wrights():
    # By hand: d² sums to 96, r = 1 - 576 / 1716 = .664336; atanh .800535; 1.959964 sqrt((1 + r² / 2) / 9) = .721815.
    x = np.arange(12.0)
    y = np.array([3, 0, 5, 1, 8, 2, 11, 4, 7, 6, 10, 9.0])
    found = rank_correlation(x, y)
    assert (found.value, found.n) == (pytest.approx(1 - 576 / 1716), 12)
    assert (found.low, found.high) == pytest.approx(
        (np.tanh(0.800535 - 0.721815), np.tanh(0.800535 + 0.721815)), abs=1e-5
    )
    z = np.tile([0.0, 1, 2], 4)
    partial, value = rank_correlation(x, y, [z]), partial_spearman(x, y, [z])
    half = 1.959964 * np.sqrt((1 + value**2 / 2) / 8)
    assert (partial.low, partial.high) == pytest.approx(
        (np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half))
    )


def test_it_covers_what_it_says():
    # Two normal variables of correlation rho have Spearman's 6 / pi asin(rho / 2) (Pearson 1907).
    draw, rho, n = np.random.default_rng(1), 0.6, 15
    truth, hits = 6 / np.pi * np.arcsin(rho / 2), 0
    for _ in range(400):
        x = draw.normal(size=n)
        found = rank_correlation(x, rho * x + np.sqrt(1 - rho**2) * draw.normal(size=n))
        hits += found.low <= truth <= found.high
    assert 0.91 < hits / 400 < 0.985


def test_perfect_order_of_a_few_networks_is_no_certainty():
    # 4 networks: r = 1, taken at 1 - 6/60 = .9; atanh 1.472219 - 1.959964 sqrt(1.405) = -.850985.
    four, many = rank_correlation([1, 2, 3, 4], [5, 6, 7, 8]), rank_correlation(np.arange(30), -np.arange(30))
    assert (four.value, four.high) == (pytest.approx(1), pytest.approx(1))
    assert four.low == pytest.approx(np.tanh(-0.850985), abs=1e-5)
    assert many.value == pytest.approx(-1)
    assert many.low == pytest.approx(-1)
    assert -1 < many.high < -0.98


def test_few_rows_have_no_interval():
    for x, given_ in (([1, 2, 3], []), ([1, 2, 4, 3], [[1, 2, 2, 1]])):
        found = rank_correlation(x, np.arange(len(x)), given_)
        assert np.isnan([found.low, found.high]).all()
        assert found.n == len(x)
        assert not np.isnan(found.value)
    assert np.isnan(partial_spearman([1, 2, 3], [1, 3, 2], [[1, 2, 2]]))


def test_copies_of_a_cluster_add_nothing_to_its_certainty():
    # Twelve architectures, three seeds each that differ little: the interval is that of 12, not of 36.
    draw = np.random.default_rng(2)
    depth = draw.permutation(12).astype(float)
    robust = depth + draw.normal(scale=5, size=12)
    one = clustered_rank_correlation(depth, robust, np.arange(12), 600, np.random.default_rng(3))
    repeated = [np.repeat(v, 3) for v in (depth, robust, np.arange(12))]
    three = clustered_rank_correlation(*repeated, 600, np.random.default_rng(3))
    assert (one.n, three.n) == (12, 12)
    assert (three.value, three.low, three.high) == pytest.approx((one.value, one.low, one.high), abs=1e-6)
    assert three.high - three.low > 1.5 * (rank_correlation(*repeated[:2]).high - rank_correlation(*repeated[:2]).low)


def test_a_cluster_without_a_whole_row_is_none():
    """It is neither counted nor drawn: the estimate is that of the others."""
    draw = np.random.default_rng(6)
    x, y, z, of = *draw.normal(size=(3, 24)), np.repeat(np.arange(8), 3)
    x[of == 2], y[of == 5], z[of == 6], y[0] = np.nan, np.nan, np.nan, np.nan
    whole = ~np.isnan([x, y, z]).any(0)
    found, others = (
        clustered_rank_correlation(x[rows], y[rows], of[rows], 200, np.random.default_rng(7), [z[rows]])
        for rows in (slice(None), whole)
    )
    assert found == others
    assert found.n == 5
    nothing = clustered_rank_correlation(np.full(3, np.nan), [1, 2, 3], [1, 2, 3], 9, np.random.default_rng(0))
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()
    assert nothing.n == 0


def test_the_bootstrap_agrees_with_bonett_and_wright_where_rows_are_independent():
    draw = np.random.default_rng(4)
    x, z = draw.normal(size=(2, 120))
    y = x + z + draw.normal(size=120)
    drawn = clustered_rank_correlation(x, y, np.arange(120), 500, np.random.default_rng(5), [z])
    exact = rank_correlation(x, y, [z])
    assert drawn.value == exact.value
    assert (drawn.low, drawn.high) == pytest.approx((exact.low, exact.high), abs=0.06)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: partial_spearman([1, 2, 3], [1, 2]), "equal length, got 3, 2, 3"),
        (lambda: partial_spearman([1, 2, 3], [1, 2, 3], [[1]]), "equal length, got 3, 3, 1, 3"),
        (lambda: partial_spearman([1, 2, 3], [1, 2, 3], weights=[1, 0.5, 1]), "Weights must be whole numbers"),
        (lambda: partial_spearman([1, 2, 3], [1, 2, 3], weights=[1, -1, 1]), "Weights must be whole numbers"),
        (
            lambda: clustered_rank_correlation([1, 2], [1, 2], [1], 9, np.random.default_rng(0)),
            "got 1 clusters of 2, 2 numbers",
        ),
        (
            lambda: clustered_rank_correlation([1, 2], [1, 2], [1, 2], 0, np.random.default_rng(0)),
            "at least one resample, got 0",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
