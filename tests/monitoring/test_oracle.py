"""The oracle, against the ten cases of the paper's section III.C, written out."""

import pytest
import torch

from mistrust.errors import MistrustError
from mistrust.evaluation.decisions import CELLS
from mistrust.monitoring.oracle import Outcome, judged, must_reject, outcomes

# ood, kind, alarm, right, specific, overall; "any" is both.
CASES = [
    (False, "noise", True, True, "FP", "FP"),
    (False, "noise", True, False, "FP", "TP"),
    (False, "noise", False, True, "TN", "TN"),
    (False, "noise", False, False, "TN", "FN"),
    (True, "noise", True, True, "TP", "FP"),
    (True, "noise", True, False, "TP", "TP"),
    (True, "noise", False, True, "FN", "TN"),
    (True, "noise", False, False, "FN", "FN"),
    (True, "novelty", True, True, "TP", "TP"),
    (True, "novelty", True, False, "TP", "TP"),
    (True, "novelty", False, True, "FN", "FN"),
    (True, "novelty", False, False, "FN", "FN"),
    # Images of the classes that a novelty set shares with the known ones are nominal: judged by their class.
    (False, "novelty", True, True, "FP", "FP"),
    (False, "novelty", True, False, "FP", "TP"),
    (False, "novelty", False, True, "TN", "TN"),
    (False, "novelty", False, False, "TN", "FN"),
]
OOD, KIND, ALARM, RIGHT, SPECIFIC, OVERALL = (list(column) for column in zip(*CASES, strict=True))


def flags(*columns):
    return [torch.tensor(column) for column in columns]


def names(codes):
    return [Outcome(code).name for code in codes.tolist()]


def test_every_case_of_the_paper():
    found = judged(*flags(OOD, ALARM, RIGHT), KIND)
    assert names(found.specific) == SPECIFIC
    assert names(found.overall) == OVERALL
    assert found.specific.dtype == found.overall.dtype == torch.int8


@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_kind_for_all_is_that_kind_for_each(case):
    ood, kind, alarm, right, specific, overall = case
    found = judged(*flags([ood], [alarm], [right]), kind)
    assert (names(found.specific), names(found.overall)) == ([specific], [overall])


def test_one_image_of_each_row_of_the_table():
    # Known answer: rows 1 to 10, a right and a wrong class in the novelty rows' "any".
    ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11]
    found = judged(*(flag[ten] for flag in flags(OOD, ALARM, RIGHT)), [KIND[i] for i in ten])
    for codes in (found.specific, found.overall):
        assert torch.bincount(codes, minlength=4).tolist() == [3, 2, 3, 2]  # TP, FP, FN, TN


def test_which_kinds_are_meaningless_is_a_parameter():
    ood, alarm, right = flags([True, True], [True, False], [True, True])
    assert names(judged(ood, alarm, right, "outlier").overall) == ["FP", "TN"]
    both = {"novelty", "outlier"}
    assert names(judged(ood, alarm, right, "outlier", meaningless=both).overall) == ["TP", "FN"]
    assert names(judged(ood, alarm, right, "novelty", meaningless=()).overall) == ["FP", "TN"]


def test_many_monitors_are_one_call():
    ood, right = flags(OOD, RIGHT)
    alarms = torch.rand((3, 2, len(OOD)), generator=torch.Generator().manual_seed(0)) > 0.5
    found = judged(ood, alarms, right, KIND)
    alone = judged(ood, alarms[1, 0], right, KIND)
    assert found.overall.shape == (3, 2, len(OOD))
    assert torch.equal(found.overall[1, 0], alone.overall)
    assert torch.equal(found.specific[1, 0], alone.specific)


def test_codes_stand_in_the_order_of_counts_and_swap_by_three_less():
    assert [one.name for one in Outcome] == ["".join(word[0] for word in cell.split()).upper() for cell in CELLS]
    positive, alarm = flags([True, False, True, False], [True, True, False, False])
    assert outcomes(positive, alarm).tolist() == [0, 1, 2, 3]
    assert outcomes(~positive, ~alarm).tolist() == [3, 2, 1, 0]


def test_what_must_be_rejected():
    ood, right = flags([False, False, True, True], [True, False, True, False])
    assert must_reject(ood, right, "shift").tolist() == [False, True, False, True]
    assert must_reject(ood, right, "novelty").tolist() == [False, True, True, True]


YES = torch.ones(3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: judged(YES, YES.int(), YES), "alarm is int32, expected bool"),
        (lambda: judged(YES, YES, YES, "Novelty"), "'Novelty' is not 'novelty' to the letter"),
        (lambda: judged(YES, YES.numpy(), YES), "alarm is a ndarray, expected a tensor of bool"),
        (lambda: judged(YES.float(), YES, YES), "ood is float32, expected bool"),
        (lambda: judged(YES, YES[:2], YES), r"do not go together: positive \(3,\) and alarm \(2,\)"),
        (lambda: judged(YES, YES, YES[:1]), r"ood \(3,\) and right \(1,\)"),
        (lambda: judged(YES, YES, YES, ["noise"] * 2), "There are 2 kinds and 3 images"),
        (lambda: judged(YES, YES, YES, "novelty", meaningless="novelty"), "expected a collection of kinds"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
