import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from mistrust.errors import MistrustError
from mistrust.evaluation import auroc, counted_auroc, ordered

outcomes = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3)), min_size=1, max_size=40)


def test_by_hand():
    # Pairs (wrong, right): .8 beats .1 and .4, .4 beats .1 and ties .4: 3.5 of 4.
    assert auroc([0.1, 0.4, 0.8, 0.4], [0, 1, 1, 0]) == 3.5 / 4


def test_golden():
    # ../shared/facts/ambiguess.md, section 11; by hand: of 12 pairs .4 wins 3 and ties 1, .8 wins 4, .3 wins 2.
    scores, bad = [0.1, 0.4, 0.35, 0.2, 0.4, 0.8, 0.3], [0, 0, 0, 0, 1, 1, 1]
    assert auroc(scores, bad) == pytest.approx(0.7916666667, abs=5e-11)


@pytest.mark.whole
@given(outcomes)
def test_it_is_scikit_learns_with_ties_and_weights(rows):
    scores, wrong, weights = (np.array(column) for column in zip(*rows, strict=True))
    if 0 < wrong.sum() < len(wrong):
        assert auroc(scores, wrong) == pytest.approx(roc_auc_score(wrong, scores), abs=1e-12)
    if 0 < (weights * wrong).sum() < weights.sum():
        found = counted_auroc(ordered(scores, wrong).counted(weights))
        assert found == pytest.approx(roc_auc_score(wrong, scores, sample_weight=weights), abs=1e-12)


@pytest.mark.whole
@given(outcomes)
def test_only_the_order_counts_and_turning_it_round_mirrors_it(rows):
    scores, wrong, _ = (np.array(column) for column in zip(*rows, strict=True))
    found = auroc(scores, wrong)
    assert auroc(np.exp(scores) - 7, wrong) == pytest.approx(found, nan_ok=True)
    assert auroc(-scores, wrong) == pytest.approx(1 - found, nan_ok=True)
    assert auroc(scores, ~wrong) == pytest.approx(1 - found, nan_ok=True)


def test_it_is_undefined_where_all_are_alike():
    assert np.isnan(auroc([1, 2], [True, True]))
    assert np.isnan(auroc([1, 2], [False, False]))


@pytest.mark.parametrize(
    ("scores", "wrong", "message"),
    [
        ([1.0, np.nan], [0, 1], "1 of 2 scores are NaN"),
        ([1.0, 2.0], [0, 1, 1], "the same shape"),
        ([], [], "at least one input"),
        ([[1.0], [2.0]], [[0], [1]], r"got \(2, 1\)"),
        ([1.0, 2.0], [0, 2], "is the prediction wrong"),
        ([1.0, 2.0], [0, np.nan], "is the prediction wrong"),
    ],
)
def test_what_has_no_order_is_refused(scores, wrong, message):
    with pytest.raises(MistrustError, match=message):
        auroc(scores, wrong)


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0], "one per input"), ([1, -1], "at least 0"), ([0, 0], "not all 0"), ([1, np.nan], "must be numbers")],
)
def test_weights_that_count_nothing_are_refused(weights, message):
    with pytest.raises(MistrustError, match=message):
        ordered([1, 2], [0, 1]).counted(weights)
