"""Intervals at another level than 95 %: each against an independent source, and narrower than that of 95 %."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from mistrust import evaluation
from mistrust.search.lift import combined, lift

X = np.arange(12.0)
Y = np.array([3, 0, 5, 1, 8, 2, 11, 4, 7, 6, 10, 9.0])
SCORES = [[0.9, 0.8, 0.7], [0.6, 0.8, 0.7], [0.7, 0.8, 0.6], [0.5, 0.3, 0.4], [0.2, 0.4, 0.1]]
GIVE = {
    "share": lambda c: evaluation.share(7, 30, confidence_level=c),
    "clustered_share": lambda c: evaluation.clustered_share([1, 1, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3], confidence_level=c),
    "bounded_auroc": lambda c: evaluation.bounded_auroc(0.9, 20, 30, confidence_level=c),
    "between_models": lambda c: evaluation.between_models([0.1, 0.4, 0.2], confidence_level=c),
    "rank_correlation": lambda c: evaluation.rank_correlation(X, Y, confidence_level=c),
    "clustered_rank_correlation": lambda c: evaluation.clustered_rank_correlation(
        X, Y, np.arange(12), 200, np.random.default_rng(0), confidence_level=c
    ),
    "rank_differences": lambda c: evaluation.rank_differences(
        SCORES, range(5), 200, np.random.default_rng(0), confidence_level=c
    ),
    "percentile_interval": lambda c: evaluation.percentile_interval(np.arange(101.0), confidence_level=c),
    "lift": lambda c: lift([9, 12, 7, 10, 14], [4.0, 5, 4.5, 5, 5.5], [1.2, 1.0, 0.9, 1.1, 1.3], confidence_level=c),
    "combined": lambda c: combined(np.log([1.3, 0.9, 2.2]), [0.15, 0.2, 0.3], confidence_level=c),
}


def ends(found):
    """Low and high end of what a function gives; of differences between methods, those of the first and the last."""
    low, high = found if isinstance(found, tuple) else (found.low, found.high)
    return tuple(float(one[0, -1]) if np.ndim(one) else float(one) for one in (low, high))


@pytest.mark.parametrize("name", GIVE)
def test_law_a_lower_level_lies_strictly_inside(name):
    (low, high), (wider_low, wider_high) = (ends(GIVE[name](level)) for level in (0.8, 0.95))
    assert wider_low < low < high < wider_high


def test_shares_are_clopper_and_pearsons():
    found = evaluation.share(7, 30, 0.8)
    assert ends(found) == pytest.approx(proportion_confint(7, 30, alpha=0.2, method="beta"), abs=1e-8)
    # As many trials as the tables' t(.9, 3) = 1.637744 over t(.9, 1) = 3.077684, squared, leave of four.
    found, worth = evaluation.clustered_share([1, 1, 1, 0], [7, 7, 3, 3], 0.8), 4 * (1.637744354 / 3.077683537) ** 2
    expected = proportion_confint(0.75 * worth, worth, alpha=0.2, method="beta")
    assert ends(found) == pytest.approx(expected, abs=1e-6)
    found = evaluation.bounded_auroc(0.9025, 10_000, 200, 0.8)
    assert ends(found) == pytest.approx(proportion_confint(180.5, 200, alpha=0.2, method="beta"), abs=1e-8)


def test_means_are_scipys_students():
    values = [0.1, 0.4, 0.2, 0.5]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.8)
    assert ends(evaluation.between_models(values, confidence_level=0.8)) == pytest.approx((expected.low, expected.high))


def test_rank_correlations_are_bonett_and_wrights():
    # As in test_correlation: atanh r = .800535 with a standard error of .721815 / 1.959964; z(.9) = 1.281552.
    half = 0.721815 / 1.959964 * 1.281552
    found = evaluation.rank_correlation(X, Y, confidence_level=0.8)
    assert ends(found) == pytest.approx(np.tanh([0.800535 - half, 0.800535 + half]), abs=1e-5)


def test_bootstraps_are_numpys_quantiles():
    drawn = evaluation.cluster_bootstrap(
        np.arange(12), lambda w: evaluation.partial_spearman(X, Y, weights=w), 200, np.random.default_rng(0)
    )
    assert ends(GIVE["clustered_rank_correlation"](0.8)) == pytest.approx(np.quantile(drawn, [0.1, 0.9]))
