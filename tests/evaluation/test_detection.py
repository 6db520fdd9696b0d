"""FPR at a TPR and average precision: by hand, against scikit-learn, and what must hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_curve

from mistrust.errors import MistrustError
from mistrust.evaluation import auroc, average_precision, false_positive_rate

ROWS = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(bad for _, bad in rows) < len(rows)
)


def test_by_hand():
    scores, bad = [0.1, 0.4, 0.35, 0.8, 0.2], [0, 0, 1, 1, 0]
    assert false_positive_rate(scores, bad, 1.0) == pytest.approx(1 / 3)  # threshold .35: only .4 alarms as well
    assert false_positive_rate(scores, bad, 0.5) == 0
    assert average_precision(scores, bad) == pytest.approx((1 + 2 / 3) / 2)


def test_a_share_of_a_whole_number_is_that_number():
    """0.55 * 100 is 55.00000000000001: the threshold lies on the 55th bad input, above the one good one."""
    scores, bad = [*range(100), 44.5], [1] * 100 + [0]
    assert [false_positive_rate(scores, bad, rate) for rate in (0.55, 0.551)] == [0, 1]


@pytest.mark.whole
@given(ROWS, st.sampled_from([0.3, 0.5, 0.8, 0.95, 1.0]))
def test_it_is_read_off_scikit_learns_curve(rows, rate):
    scores, bad = (np.array(column) for column in zip(*rows, strict=True))
    false, true, _ = roc_curve(bad, scores, drop_intermediate=False)
    assert false_positive_rate(scores, bad, rate) == pytest.approx(false[np.argmax(true >= rate - 1e-9)])


@pytest.mark.whole
@given(ROWS)
def test_average_precision_is_scikit_learns(rows):
    scores, bad = (np.array(column) for column in zip(*rows, strict=True))
    assert average_precision(scores, bad) == pytest.approx(average_precision_score(bad, scores))


@pytest.mark.whole
@given(ROWS)
def test_only_the_order_counts(rows):
    scores, bad = (np.array(column) for column in zip(*rows, strict=True))
    moved = np.exp(scores.astype(float))
    far = np.where(scores == scores.max(), np.inf, moved)
    for measure in (false_positive_rate, average_precision, auroc):
        assert measure(scores, bad) == pytest.approx(measure(far, bad))


def test_a_perfect_score_and_one_that_knows_nothing():
    bad = np.arange(100) >= 80
    assert (false_positive_rate(bad, bad), average_precision(bad, bad)) == (0, 1)
    alike = np.zeros(100)
    assert (false_positive_rate(alike, bad), average_precision(alike, bad)) == (1, pytest.approx(0.2))


def test_undefined_where_all_are_alike():
    assert np.isnan(false_positive_rate([1, 2], [0, 0]))
    assert np.isnan(false_positive_rate([1, 2], [1, 1]))
    assert np.isnan(average_precision([1, 2], [0, 0]))


@pytest.mark.parametrize("rate", [0, -0.1, 1.01, float("nan"), "x", None])
def test_an_impossible_rate_is_refused(rate):
    with pytest.raises(MistrustError, match="above 0 and up to 1"):
        false_positive_rate([1, 2], [0, 1], rate)
