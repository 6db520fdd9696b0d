"""Measures of counted decisions: worked values of the paper's facts, and scikit-learn on whatever hypothesis draws."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from mistrust.errors import MistrustError
from mistrust.evaluation import Confusion
from mistrust.evaluation.decisions import CELLS, accuracy, counts, f1, mcc, ratio, weighted_f1

COUNTS = st.tuples(*[st.integers(0, 40)] * 4)


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore:A single label was found")
@given(COUNTS)
def test_they_are_scikit_learns(cells):
    assume(sum(cells) > 0)
    truth, answer = np.repeat([1, 0, 1, 0], cells), np.repeat([1, 1, 0, 0], cells)
    table = counts(cells)
    assert mcc(table) == pytest.approx(matthews_corrcoef(truth, answer), abs=1e-12)
    assert accuracy(table) == pytest.approx(accuracy_score(truth, answer))
    assert f1(table) == pytest.approx(f1_score(truth, answer, zero_division=np.nan), nan_ok=True)
    weighted = f1_score(truth, answer, average="weighted", zero_division=0)
    assert weighted_f1(table) == pytest.approx(weighted, abs=1e-12)
    # F1 over all decisions of both classes is the accuracy, whatever the paper prints under that name.
    micro = f1_score(truth, answer, average="micro", labels=[0, 1], zero_division=0)
    assert accuracy(table) == pytest.approx(micro)


@pytest.mark.whole
@given(COUNTS)
def test_the_other_answer_as_positive_changes_f1_alone(cells):
    table = counts(cells)
    other = table.swapped()
    assert [other.tp, other.fp, other.fn, other.tn] == [table.tn, table.fn, table.fp, table.tp]
    for measure in (mcc, accuracy, weighted_f1):
        assert measure(other) == pytest.approx(measure(table), nan_ok=True, abs=1e-12)


def test_f1_depends_on_which_answer_is_positive():
    table = counts([90, 20, 10, 80])
    assert (f1(table), f1(table.swapped())) == pytest.approx((0.857143, 0.842105), abs=1e-6)


def test_nothing_decided_is_not_defined():
    empty = counts([0, 0, 0, 0])
    assert np.isnan([measure(empty) for measure in (mcc, accuracy, f1, weighted_f1)]).all()
    assert np.isnan(ratio(3, 0))


def test_many_tables_are_one_call():
    cells = np.random.default_rng(0).integers(0, 30, (5, 7, 4))
    for measure in (mcc, accuracy, f1, weighted_f1):
        whole = measure(counts(cells))
        assert whole.shape == (5, 7)
        assert whole[3, 4] == pytest.approx(measure(counts(cells[3, 4])), abs=1e-14)


def test_bad_input():
    assert CELLS[2] == "false negatives"
    with pytest.raises(MistrustError, match=r"shapes \[\(\), \(2,\)\], expected the same for all"):
        Confusion(1, 2, 3, [1, 2])
    with pytest.raises(MistrustError, match=r"The count of false negatives is -1, expected finite numbers of 0"):
        counts([1, 2, -1, 4])
    with pytest.raises(MistrustError, match=r"The count of true negatives is -2"):  # of many, one alone is wrong
        counts([[1, 2, 3, 4], [1, 2, 3, -2]])
    with pytest.raises(MistrustError, match="The count of true positives is nan"):
        counts([np.nan, 2, 1, 4])
    with pytest.raises(MistrustError, match="The count of false positives is inf, expected finite"):
        counts([1, np.inf, 1, 4])
    with pytest.raises(MistrustError, match=r"shape \(3,\), expected \(\.\.\., 4\): true positives"):
        counts([1, 2, 3])


@pytest.mark.parametrize("value", ["12", [[1], [2, 3]], [1j], [10**400]])
def test_a_ratio_of_what_is_no_number(value):
    for call, what in ((lambda: ratio(value, [1, 2]), "Numerators"), (lambda: ratio([1, 2], value), "Denominators")):
        with pytest.raises(MistrustError, match=f"{what} are .*expected numbers"):
            call()
    with pytest.raises(MistrustError, match=r"shapes \(3,\) and \(2,\), expected the same"):
        ratio([1, 2, 3], [1, 2])
