"""Lift between models against scipy's t interval, panels against statsmodels and a worked meta-analysis."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from mistrust.errors import MistrustError
from mistrust.random import generator
from mistrust.search.lift import combined, lift, verdict

FOUND, EXPECTED, POOL = [9, 12, 7, 10, 14], [4.0, 5, 4.5, 5, 5.5], [1.2, 1.0, 0.9, 1.1, 1.3]


def test_the_interval_is_students_t_on_the_logarithm():
    found = lift(FOUND, EXPECTED, POOL)
    logs = np.log(np.array(FOUND) / EXPECTED / POOL)
    t = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert (found.value, found.low, found.high) == pytest.approx(np.exp([logs.mean(), t.low, t.high]))
    assert found.models == pytest.approx(np.exp(logs))
    assert found.log_error == pytest.approx(stats.sem(logs))
    assert found.smallest == pytest.approx(found.value / found.low)
    assert not found.halved


def test_at_another_level_the_interval_is_students_as_well():
    t = stats.ttest_1samp(np.log(np.array(FOUND) / EXPECTED / POOL), 0).confidence_interval(0.8)
    found = lift(FOUND, EXPECTED, POOL, 0.8)
    assert (found.low, found.high) == pytest.approx(np.exp([t.low, t.high]))


def test_the_smallest_lift_that_chance_lets_it_show():
    """Facts, section 12: 5 models with 5 expected errors each have a log SD of 1/sqrt(25) = .2; t with 4 degrees."""
    found = lift([5] * 5, [5.0] * 5, [1.0] * 5)
    assert found.at_best == pytest.approx(np.exp(2.7764451 * 0.2))
    # Five models that agree by a tie have measured nothing to the last digit: chance is what is left.
    assert (found.value, found.low, found.high) == pytest.approx((1, 1 / found.at_best, found.at_best))
    assert lift([1] * 5, [0.6] * 5, [1.0] * 5).verdict == "undecided"  # five errors where three were expected


def test_models_that_tie_but_for_rounding_are_scattered_by_chance():
    found, expected = np.array([3.0, 6, 9, 12, 15]), np.array([1.1, 2.2, 3.3, 4.4, 5.5])
    tied = lift(found, expected, np.ones(5))
    assert 0 < np.ptp(np.log(tied.models)) < 1e-12
    assert tied.high / tied.low > 2
    assert tied.log_error == pytest.approx(np.sqrt((1 / expected).sum()) / 5)


def test_models_that_differ_by_little_measured_that_little():
    found = np.array([5.0, 5.001, 5.002, 5.001, 5.0])
    assert lift(found, [5.0] * 5, [1.0] * 5).log_error == pytest.approx(stats.sem(np.log(found / 5)))


def test_a_model_that_found_nothing_adds_half_an_error_to_all():
    found = lift([0, *FOUND[1:]], EXPECTED, POOL)
    assert found.halved
    chance = np.array(EXPECTED) * POOL
    assert found.models == pytest.approx((np.array([0, *FOUND[1:]]) + 0.5) / (chance + 0.5))
    assert found.low > 0


def test_a_mean_over_replicates_that_is_nearly_nothing_changes_a_lift_by_no_step():
    """Panel overfit/125 winter of the full run: one model of five found .003 errors."""
    few = [0, 1e-9, 0.003, 0.1, 0.3, 0.499999, 0.5, 0.6]
    lifts = [lift([2.06, 1.09, k, 2.21, 1.25], [1.22, 2.19, 2.2, 3.33, 1.74], np.ones(5)) for k in few]
    assert [one.halved for one in lifts] == [True] * 6 + [False] * 2
    for one, k in zip(lifts, few, strict=True):
        assert one.models[2] == pytest.approx(max(k, 0.5) / (2.2 + max(0, 0.5 - k)))
        assert one.smallest < 2.6
    assert lifts[0].value == pytest.approx(lifts[1].value)
    assert lifts[5].value == pytest.approx(lifts[6].value, rel=1e-5)
    models = [one.models[2] for one in lifts]
    assert models == sorted(models)


def test_the_interval_covers_between_models():
    draw = generator(0, "tests/lift")
    held = 0
    for _ in range(400):
        found = lift(draw.poisson(1.5 * 20 * np.exp(0.2 * draw.standard_normal(6))), [20.0] * 6, [1.0] * 6)
        held += found.low <= 1.5 * np.exp(0.02) <= found.high or found.low <= 1.5 <= found.high
    assert held / 400 > 0.92


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(1.01, 3, "lift"), (0.6, 1.24, "no lift"), (0.9, 1.25, "undecided"), (1.0, 2, "undecided"), (1.01, 1.2, "lift")],
)
def test_verdicts(low, high, said):
    assert verdict(low, high) == said


class TestCombined:
    LOGS = np.log([1.3, 0.9, 2.2, 1.1, 1.6, 0.7])
    ERRORS = np.array([0.15, 0.2, 0.3, 0.12, 0.25, 0.18])

    def test_it_is_dersimonian_and_laird_with_hartung_and_knapps_interval(self):
        found = combined(self.LOGS, self.ERRORS)
        other = combine_effects(self.LOGS, self.ERRORS**2, method_re="dl", use_t=True)
        assert other.tau2 > 0
        assert found.heterogeneity == pytest.approx(other.tau2)
        assert np.log(found.value) == pytest.approx(other.mean_effect_re)
        assert other.scale_hksj_re > 1
        half = stats.t.ppf(0.975, 5) * np.sqrt(other.var_hksj_re)
        assert np.log([found.low, found.high]) == pytest.approx(other.mean_effect_re + np.array([-half, half]))
        test = other.test_homogeneity()
        assert found.p == pytest.approx(test.pvalue)
        assert found.share == pytest.approx(1 - 5 / test.statistic)
        assert found.n == 6

    def test_at_another_level_it_is_hartung_and_knapps_interval_as_well(self):
        other = combine_effects(self.LOGS, self.ERRORS**2, method_re="dl", use_t=True)
        half = stats.t.ppf(0.9, 5) * np.sqrt(other.var_hksj_re)
        found = combined(self.LOGS, self.ERRORS, 0.8)
        assert np.log([found.low, found.high]) == pytest.approx(other.mean_effect_re + np.array([-half, half]))

    def test_panels_that_agree_have_no_variance_between_them(self):
        found = combined(np.log([1.2, 1.21, 1.19]), [0.1, 0.1, 0.1])
        assert (found.heterogeneity, found.share) == (0, 0)
        half = stats.t.ppf(0.975, 2) * 0.1 / np.sqrt(3)  # never narrower than chance alone
        assert np.log(found.high / found.value) == pytest.approx(half)
        assert found.verdict == "undecided"

    def test_panels_that_are_equal_scatter_by_nothing(self):
        found = combined([0.0, 0.0], [1.0, 1.0])
        assert (found.heterogeneity, found.share, found.p) == (0, 0, 1)

    def test_bad_input(self):
        with pytest.raises(MistrustError, match="k at least 2"):
            combined([0.1], [0.1])
        with pytest.raises(MistrustError, match="errors above 0"):
            combined([0.1, 0.2], [0.1, 0])


def test_bad_input():
    with pytest.raises(MistrustError, match=r"at least 5 separately trained models.*got 4.*replicates"):
        lift(FOUND[:4], EXPECTED[:4], POOL[:4])
    with pytest.raises(MistrustError, match="shapes"):
        lift(FOUND, EXPECTED[:4], POOL)
    with pytest.raises(MistrustError, match="0 or more"):
        lift([-1, *FOUND[1:]], EXPECTED, POOL)
    with pytest.raises(MistrustError, match="a pool without errors"):
        lift(FOUND, EXPECTED, [0, *POOL[1:]])
    for expected in (0, -1, np.inf, np.nan):
        with pytest.raises(MistrustError, match="Expected errors and the pool's SDR must be above 0"):
            lift(FOUND, [expected, *EXPECTED[1:]], POOL)
    with pytest.raises(MistrustError, match="Errors found must be 0 or more, got"):
        lift([np.inf, *FOUND[1:]], EXPECTED, POOL)


@pytest.mark.parametrize("level", [95, 0, 1, "0.95", None, float("nan")])
def test_a_level_is_a_number_between_0_and_1(level):
    for give in (lambda: lift(FOUND, EXPECTED, POOL, level), lambda: combined([0.1, 0.2], [0.1, 0.1], level)):
        with pytest.raises(MistrustError, match=r"^confidence_level is .*, expected a number in \(0, 1\)"):
            give()
