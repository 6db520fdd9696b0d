"""The chance of a difference between networks, held to scipy's paired t test on both scales."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from mistrust.comparison.paired import by_chance, worse

BEST, OTHER = np.array([0.70, 0.80, 0.90]), np.array([0.67, 0.77, 0.88])


def test_the_chance_is_the_smaller_one_of_scipys_on_both_scales():
    plain, on_logits = stats.ttest_rel(BEST, OTHER).pvalue, stats.ttest_rel(logit(BEST), logit(OTHER)).pvalue
    assert (plain, on_logits) == pytest.approx((0.0153, 0.0118), abs=1e-4)
    assert by_chance(BEST, OTHER) == pytest.approx(on_logits)
    far = np.array([0.99998, 0.998, 0.9999]), np.array([0.96, 0.95, 0.96])
    assert by_chance(*far) == pytest.approx(stats.ttest_rel(*far).pvalue)


@pytest.mark.parametrize("end", [1 - 1e-7, 1e-7])
def test_logits_say_nothing_where_one_network_is_at_an_end(end):
    # In logits all three differ by 2, which would be sure; one of them is within a millionth of an end.
    other = logit(np.array([end, 0.9, 0.8])) - 2
    best, other = np.array([end, 0.9, 0.8]), 1 / (1 + np.exp(-other))
    assert by_chance(best, other) == pytest.approx(stats.ttest_rel(best, other).pvalue)
    assert not worse(best, other)


def test_who_is_not_ahead_and_who_is_ahead_by_the_same_everywhere_differ_by_chance():
    assert by_chance(OTHER, BEST) == 1
    assert by_chance(BEST, BEST) == 1
    assert by_chance([1.0, 0.75], [0.75, 0.5]) == 1  # no scatter, so no test
