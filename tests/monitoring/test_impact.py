"""What a monitor does to its system: ten images counted by hand, and Table V as coded beside the right comparison."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from mistrust.errors import MistrustError
from mistrust.monitoring.impact import SAFETY, answers_mcc, answers_mcc_as_published
from mistrust.monitoring.measures import estimated, measured
from mistrust.monitoring.oracle import judged, must_reject, outcomes
from mistrust.random import generator

# Ten images of three classes: four nominal, four shifted, two novel. Wrong: image 3; images 6 and 7; both novel ones.
LABELS = torch.tensor([0, 1, 2, 0, 0, 1, 2, 1, 0, 2])
PREDICTED = torch.tensor([0, 1, 2, 1, 0, 1, 0, 2, 0, 1])
OOD = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]).bool()
KIND = ["shift"] * 8 + ["novelty"] * 2
ALARM = torch.tensor([0, 0, 1, 1, 0, 1, 1, 0, 1, 0]).bool()
WRONG = must_reject(OOD, LABELS == PREDICTED, KIND)


def test_safety_gain_residual_hazard_and_availability_cost_by_hand():
    # Wrong and rejected: 3, 6, 8. Wrong and accepted: 7, 9. Right and rejected: 2, 5. Right and accepted: 0, 1, 4.
    found = measured(judged(OOD, ALARM, LABELS == PREDICTED, KIND).overall, measures=SAFETY)
    assert {name: float(value) for name, value in found.items()} == pytest.approx({
        "safety-gain": 0.3, "residual-hazard": 0.2, "availability-cost": 0.2,
        "availability": 0.3, "hazard-alone": 0.5, "availability-alone": 0.5,
    })  # fmt: skip


@pytest.mark.whole
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_gain_and_cost_are_differences_from_the_classifier_alone(flags):
    wrong, alarm = (torch.tensor(column) for column in zip(*flags, strict=True))
    ours = measured(outcomes(wrong, alarm), measures=SAFETY)
    never = measured(outcomes(wrong, torch.zeros_like(alarm)), measures=SAFETY)
    always = measured(outcomes(wrong, torch.ones_like(alarm)), measures=SAFETY)
    assert ours["safety-gain"] == pytest.approx(never["residual-hazard"] - ours["residual-hazard"])
    assert ours["availability-cost"] == pytest.approx(never["availability"] - ours["availability"])
    assert ours["hazard-alone"] == never["residual-hazard"]
    assert ours["availability-alone"] == never["availability"]
    assert never["safety-gain"] == never["availability-cost"] == 0
    assert always["residual-hazard"] == always["availability"] == 0


def test_they_have_intervals_like_any_share():
    codes = outcomes(WRONG, ALARM)
    exact = estimated(codes, torch.arange(10), 20, generator(0, "t"), measures=SAFETY)["safety-gain"]
    assert (exact.value, exact.n) == (0.3, 10)
    assert (exact.low, exact.high) == pytest.approx((0.06674, 0.65245), abs=1e-5)  # Clopper and Pearson, 3 of 10


def test_answers_are_right_where_the_overall_oracle_says_so():
    # Should be 0 1 2 R 0 1 R R R R; the classifier alone says 0 1 2 1 0 1 0 2 0 1; the system 0 1 R R 0 R R 2 R 1.
    should, said = [0, 1, 2, 3, 0, 1, 3, 3, 3, 3], [0, 1, 3, 3, 0, 3, 3, 2, 3, 1]
    found = answers_mcc(PREDICTED, WRONG, ALARM, 3)
    assert found.alone == pytest.approx(matthews_corrcoef(should, PREDICTED))
    assert found.monitored == pytest.approx(matthews_corrcoef(should, said))
    perfect = answers_mcc(PREDICTED, WRONG, WRONG, 3)
    assert perfect.monitored == pytest.approx(1)
    never = answers_mcc(PREDICTED, WRONG, torch.zeros_like(WRONG), 3)
    assert never.monitored == never.alone == found.alone


def test_table_5_as_coded_compares_two_different_things():
    alarm = ALARM.clone()
    alarm[5] = False  # one right answer more is accepted
    found = answers_mcc_as_published(LABELS, PREDICTED, WRONG, alarm, OOD, 3)
    assert found.alone == pytest.approx(matthews_corrcoef(LABELS[:4], PREDICTED[:4]))
    assert found.monitored == pytest.approx(matthews_corrcoef(WRONG, alarm))
    # As coded this monitor ruins the system; by one measure over one stream it improves it.
    assert found.monitored < found.alone
    right = answers_mcc(PREDICTED, WRONG, alarm, 3)
    assert right.monitored > right.alone
    # The labels of OOD images are not read: new classes may have any.
    novel = torch.where(OOD, 99, LABELS)
    assert answers_mcc_as_published(novel, PREDICTED, WRONG, alarm, OOD, 3) == found


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: answers_mcc(PREDICTED, WRONG, ALARM[:2], 3), "predicted 10, wrong 10, alarm 2"),
        (lambda: answers_mcc(PREDICTED[:0], WRONG[:0], ALARM[:0], 3), "at least 1, got predicted 0"),
        (lambda: answers_mcc(PREDICTED, WRONG, ALARM, 2), "predicted holds class 0 to 2, expected 0 to 1"),
        (
            lambda: answers_mcc_as_published(LABELS + 3, PREDICTED, WRONG, ALARM, OOD, 3),
            "labels holds class 3 to 5, expected 0 to 2",
        ),
        (
            lambda: answers_mcc_as_published(LABELS, PREDICTED, WRONG, ALARM, torch.ones_like(OOD), 3),
            "holds no nominal image",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
