import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.proportion import proportion_confint

from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate, between_models, clustered_share, holm, percentile_interval, share, spearman
from mistrust.evaluation.intervals import SCALES


@pytest.mark.whole
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
    with pytest.raises(MistrustError, match=r"whole numbers, got 2\.5 of 5"):
        share(2.5, 5)
    with pytest.raises(MistrustError, match=r"confidence_level is 1\.5"):
        share(2, 5, 1.5)


@pytest.mark.whole
@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_a_share_of_trials_that_are_clusters_of_their_own_is_a_share(hits):
    plain, found = share(sum(hits), len(hits)), clustered_share(hits, np.arange(len(hits)))
    assert (found.value, found.n) == (plain.value, plain.n)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=1e-8)


@pytest.mark.whole
@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(2, 5))
def test_saying_each_trial_again_tells_nothing_new(hits, times):
    once, again = share(sum(hits), len(hits)), clustered_share(hits * times, [*range(len(hits))] * times)
    assert again.low <= once.low + 1e-9
    assert again.high >= once.high - 1e-9


@pytest.mark.whole
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=60))
def test_clusters_never_tell_more_than_trials(trials):
    hits, clusters = zip(*trials, strict=True)
    plain, found = share(sum(hits), len(hits)), clustered_share(hits, clusters)
    assert 0 <= found.low <= plain.low + 1e-9
    assert plain.high - 1e-9 <= found.high <= 1


@pytest.mark.whole
def test_clustered_shares_hold_the_truth_as_often_as_they_say():
    draw, kept, naive = np.random.default_rng(0), 0, 0
    images = np.repeat(np.arange(30), 4)
    for _ in range(1000):
        chance = draw.beta(0.9, 2.1, size=30)  # of each image: .3 in the mean, far apart
        hits = draw.random(120) < chance[images]
        found, plain = clustered_share(hits, images), share(int(hits.sum()), 120)
        kept += found.low <= 0.3 <= found.high
        naive += plain.low <= 0.3 <= plain.high
    assert kept >= 940
    assert naive < 920  # what the plain interval would have claimed


def test_clustered_share_by_hand():
    # Two images of two trials: (1, 1) and (1, 0). p = .75; effect = (.5^2 + .5^2) / (4 * .75 * .25) = 2 / 3 -> 1;
    # t(.975, 3) / t(.975, 1) = 3.182446 / 12.706205, so worth 4 * .06273 = .2509 trials.
    found = clustered_share([True, True, True, False], [7, 7, 3, 3])
    worth = 4 * (3.182446305 / 12.706204736) ** 2
    low, high = proportion_confint(0.75 * worth, worth, method="beta")
    assert (found.value, found.n) == (0.75, 4)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)
    alone = clustered_share([True, False], [1, 1])
    assert (alone.low, alone.high) == (0, 1)
    assert clustered_share([True], [1]) == share(1, 1)  # one trial is worth one


def test_clustered_share_refuses_other_shapes():
    with pytest.raises(MistrustError, match=r"hits have shape \(2,\) and clusters \(3,\)"):
        clustered_share([True, False], [1, 2, 3])
    with pytest.raises(MistrustError, match="n >= 1"):
        clustered_share([], [])


@pytest.mark.parametrize("hits", [[0.0, np.nan], ["no", "no"], [0, 2], [0.0, 0.5]])
def test_clustered_share_counts_no_hit_that_is_none(hits):
    with pytest.raises(MistrustError, match=r"Hits (are \['no', 'no'\], expected numbers|must be true or false)"):
        clustered_share(hits, [0, 1])
    assert clustered_share([0, 1.0], [0, 1]) == clustered_share(np.array([False, True]), [0, 1])


def test_between_models_is_student_t():
    # By hand: mean 2, sd 1, n 3, t(.975, 2) = 4.302653.
    found = between_models([1, 2, 3])
    assert (found.value, found.low, found.high) == pytest.approx((2, 2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    one = between_models([0.5])
    assert one.n == 1
    assert np.isnan(one.low)


def test_between_models_on_the_logit_scale_stays_a_share():
    values = [0.999, 0.97, 0.995]
    found = between_models(values, scale="logit")
    assert found.value == pytest.approx(np.mean(values))
    assert 0 < found.low < found.value
    assert found.value < found.high < 1


@pytest.mark.parametrize(("scale", "instead", "values"), [
    ("logit", "arcsine", [0.97, 0.98, 1.0]), ("logit", "arcsine", [0.0, 0.02, 0.01]),
    ("fisher", "angle", [0.9, 1.0, 0.8, 1.0]),
])  # fmt: skip
def test_one_value_at_the_end_of_a_scale_does_not_make_the_interval(scale, instead, values):
    """On the logit's own scale the first of these would be .0006 to 1."""
    found = between_models(values, scale=scale)
    assert found == between_models(values, scale=instead)
    assert max(found.high - found.value, found.value - found.low) < 0.3


def test_an_interval_that_is_to_be_wider_is_so_on_its_scale():
    plain, wide = (between_models([0.8, 0.9, 0.95], scale="logit", wider=times) for times in (1, 3))
    middle = special.logit([0.8, 0.9, 0.95]).mean()
    assert special.logit(wide.high) - middle == pytest.approx(3 * (special.logit(plain.high) - middle))
    assert middle - special.logit(wide.low) == pytest.approx(3 * (middle - special.logit(plain.low)))
    assert (wide.value, wide.n) == (plain.value, plain.n)
    for bad in (0, -1.0, np.nan, np.inf):
        with pytest.raises(MistrustError, match="times as wide"):
            between_models([0.8, 0.9], wider=bad)


def test_on_the_scale_of_angles_by_hand():
    # asin of 0, .5: 0 and pi / 6; mean pi / 12, sd .370240, n 2, t(.975, 1) = 12.706: wider than the scale.
    assert between_models([0.0, 0.5], scale="angle") == Estimate(0.25, -1.0, 1.0, 2)


@pytest.mark.whole
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.sampled_from(list(SCALES)))
def test_an_interval_holds_its_own_value(values, scale):
    found = between_models(values, scale=scale)
    assert found.low <= found.value <= found.high


def test_a_confidence_lies_between_0_and_1():
    with pytest.raises(MistrustError, match="confidence_level is 2"):
        between_models([0.5, 0.6], confidence_level=2)


def test_between_models_on_fishers_scale_is_the_textbooks():
    # By hand: z = atanh(.5, .7, .6) = .549306, .867301, .693147; mean .703251, sd .159236, t(.975, 2) = 4.302653.
    found = between_models([0.5, 0.7, 0.6], scale="fisher")
    half = 4.302653 * 0.159236 / 3**0.5
    assert (found.low, found.high) == pytest.approx((np.tanh(0.703251 - half), np.tanh(0.703251 + half)), abs=1e-5)
    assert between_models([-0.99, 1.0], scale="fisher").low >= -1


@pytest.mark.whole
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.sampled_from(["logit", "arcsine", "share"]))
def test_intervals_of_shares_are_shares(values, scale):
    found = between_models(values, scale=scale)
    assert 0 <= found.low <= found.high <= 1


def test_the_mean_of_rare_shares_has_an_interval_on_both_sides():
    """By hand: 36 of 39 shares are 0; t(.975, 38) = 2.024394. On the arcsine's scale the mean would be its own end."""
    values = [0.0] * 36 + [1 / 12_000] * 3
    found, half = between_models(values, scale="share"), 2.024394 * (36 / 39 * 3 / 38 / 39) ** 0.5 / 12_000
    assert (found.value, found.low, found.high) == pytest.approx((3 / 39 / 12_000, 0, 3 / 39 / 12_000 + half), rel=1e-6)
    assert between_models(values, scale="arcsine").high == found.value


@pytest.mark.whole
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
    with pytest.raises(MistrustError, match="no scale 'log'"):
        between_models([1.0, 2.0], scale="log")


@pytest.mark.whole
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_spearman_is_scipys(pairs):
    a, b = np.array(pairs, dtype=float).T
    expected = stats.spearmanr(a, b).statistic if a.std() and b.std() else np.nan
    assert spearman(a, b) == pytest.approx(expected, nan_ok=True, abs=1e-9)


def test_spearman_leaves_out_nan_and_refuses_unequal_lengths():
    assert spearman([1, 2, 3, np.nan], [2, 4, 9, 1]) == pytest.approx(1)
    assert np.isnan([spearman([1, 2], [1, 2]), spearman([1, 2, np.nan], [1, 2, 3])]).all()  # two are always in order
    with pytest.raises(MistrustError, match="equal length"):
        spearman([1, 2], [1, 2, 3])


def test_percentiles_keep_what_was_never_defined():
    low, high = percentile_interval(np.array([[1.0, np.nan]] * 50 + [[2.0, np.nan]] * 50))
    assert (low[0], high[0]) == (1.0, 2.0)
    assert np.isnan([low[1], high[1]]).all()


def test_percentiles_leave_out_resamples_that_are_undefined():
    low, high = percentile_interval(np.r_[np.arange(100.0), [np.nan] * 5])
    assert (low, high) == pytest.approx((2.475, 96.525))  # of 0 to 99


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.r_[np.ones(90), np.full(10, np.inf)], (1, np.inf)),
        (np.r_[np.full(10, -np.inf), np.ones(90)], (-np.inf, 1)),
        (np.r_[np.ones(39), 2, np.inf], (1, 2)),  # on the last finite value itself
        (np.r_[np.ones(19), np.inf], (1, np.inf)),  # between it and infinity
        (np.full(9, np.inf), (np.inf, np.inf)),
        (np.r_[np.ones(19), np.inf, [np.nan] * 5], (1, np.inf)),
    ],
)
@pytest.mark.filterwarnings("error")
def test_an_end_that_is_infinite_stays_so(values, expected):
    assert percentile_interval(values) == expected
    low, high = percentile_interval(np.stack([values, np.arange(float(len(values)))], 1))
    assert (low[0], high[0]) == expected
    assert (low[1], high[1]) == pytest.approx(np.quantile(np.arange(len(values)), [0.025, 0.975]))


@pytest.mark.parametrize("nothing", [[], np.zeros((0, 2)), 3.0])
def test_no_resample_has_no_percentiles(nothing):
    with pytest.raises(MistrustError, match=r"Resampled values have shape \(.*expected \(b, \.\.\.\) with b of"):
        percentile_interval(nothing)


@pytest.mark.parametrize("chances", [[0.2, -0.1], [0.2, 1.5], [float("nan"), 0.2]])
def test_what_is_no_chance_is_not_corrected(chances):
    with pytest.raises(MistrustError, match=r"A chance is .*, expected a number in \[0, 1\]"):
        holm(chances)
    assert holm([]) == []


@pytest.mark.parametrize("chances", ["abc", ["a"], [None, 0.2, [1]], 0.5, [[0.1, 0.2]]])
def test_what_is_no_row_of_numbers_is_not_corrected(chances):
    with pytest.raises(MistrustError, match=r"Chances (are .*, expected numbers|have shape \(.*, expected \(n,\))"):
        holm(chances)


def test_holm_never_exceeds_one_and_keeps_the_order_given():
    # By hand: 0.02 * 3, 0.6 * 2 cut to 1, and 1 stays.
    assert holm([1, 0.02, 0.6]) == pytest.approx([1, 0.06, 1])
