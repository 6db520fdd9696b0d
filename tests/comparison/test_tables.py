"""Tables of the comparison, by hand: limits, both questions, orders, pairs of classes."""

from math import isnan
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from mistrust.comparison.tables import Said, said
from mistrust.comparison.tables.agreement import EVERY, agreement
from mistrust.comparison.tables.cells import OWN, TRUTH, cells, readings
from mistrust.comparison.tables.cost import cost
from mistrust.comparison.tables.detection import detection, limits, passed
from mistrust.comparison.tables.wrong import TOGETHER, wrong
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.evaluation import auroc
from mistrust.misclassification.confusion import confusion
from mistrust.networks import observe, wrap
from mistrust.robustness.target_pairs import Targeted


def told(name, scores, wrong_ones=0, first_id=0, few=None):
    """A set whose first answers are wrong; "few" was asked about its first images only."""
    n = len(scores)
    labels = np.zeros(n, np.int64)
    by = {"one": np.asarray(scores, dtype=np.float64)} | ({"few": few} if few is not None else {})
    return Said(name, np.arange(n) + first_id, labels, (np.arange(n) < wrong_ones).astype(np.int64), by)


def frame(found):
    return pd.DataFrame(found)


def one(found, **where):
    rows = frame(found)
    for column, value in where.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1
    return rows.iloc[0]


@pytest.fixture
def held():
    return told("held", range(1, 61))


def test_a_limit_is_the_third_largest_of_sixty(held):
    limit = limits(held, 0.05)["one"]
    assert passed(limit, np.array([57.0, 58.0, 58.5, np.inf])).tolist() == [False, False, True, True]


def test_is_the_input_bad(held):
    nominal, bad = told("nominal", [10.0] * 18 + [59.0, 60.0]), told("noise", [59.0] * 15 + [5.0] * 5, first_id=100)
    found = list(detection(nominal, [bad], limits(held, 0.05), 20, 0))
    assert one(found, condition="nominal", metric="alarms")["value"] == pytest.approx(0.1)
    alarm = one(found, condition="noise", metric="alarms")
    assert (alarm["value"], alarm["n"]) == (0.75, 20)
    # Clopper and Pearson for 15 of 20, as in R's binom.test(15, 20).
    assert (alarm["low"], alarm["high"]) == pytest.approx((0.5089541, 0.9134285), abs=1e-6)
    area = one(found, condition="noise", metric="auroc")
    # Of the pairs with 18, 1 and 1 nominal ones: 15 of 20 above, half of 15 tied, none above.
    assert area["value"] == pytest.approx((18 * 0.75 + 0.375 + 0) / 20)
    assert area["low"] <= area["value"] <= area["high"]


def test_scorers_that_saw_fewer_images_are_judged_by_these():
    few = np.array([0.0] * 12)
    nominal = told("nominal", range(30), few=few)
    bad = told("noise", range(30, 60), first_id=100, few=np.array([1.0] * 11 + [-1.0]))
    everywhere = told("held", range(60), few=np.arange(20.0))
    found = list(detection(nominal, [bad], limits(everywhere, 0.05), 20, 0))
    area = one(found, metric="auroc", method="few")
    assert (area["value"], area["n"]) == (pytest.approx(11 / 12), 12)
    assert one(found, metric="auroc", method="one")["value"] == 1


def test_too_few_images_have_no_auroc(held):
    nominal = told("nominal", range(30))
    found = frame(detection(nominal, [told("noise", range(9), first_id=99)], limits(held, 0.05), 20, 0))
    assert set(found["metric"]) == {"alarms"}


def test_is_the_prediction_wrong(held):
    nominal = told("nominal", [59.0] * 10 + [3.0] * 30, wrong_ones=10)
    noise = told("noise", [1.0] * 20 + [60.0] * 20, wrong_ones=20)
    found = list(wrong([nominal, noise], limits(held, 0.05), 20, 0))
    assert one(found, condition="nominal", metric="auroc")["value"] == 1
    assert one(found, condition="noise", metric="auroc")["value"] == 0
    assert one(found, condition="nominal", metric="found")["value"] == 1
    assert one(found, condition="noise", metric="false alarms")["value"] == 1
    assert one(found, condition="nominal", metric="accuracy")["value"] == 0.75
    both = one(found, condition=TOGETHER, metric="auroc")
    every = np.concatenate([nominal.by["one"], noise.by["one"]])
    assert both["value"] == pytest.approx(auroc(every, np.concatenate([nominal.wrong, noise.wrong])))
    share = one(found, condition=TOGETHER, metric="found")
    assert share["value"] == pytest.approx(10 / 30)
    assert np.isnan(share.get("low", np.nan))  # two inputs of one image are no two trials


def test_orders_are_compared_on_the_images_that_all_have_seen():
    nominal = Said("nominal", np.arange(30), np.zeros(30, np.int64), np.zeros(30, np.int64), {
        "a": np.arange(30.0), "b": -np.arange(20.0), "c": np.concatenate([np.arange(20.0), np.full(10, -99.0)]),
    })  # fmt: skip
    found = list(agreement(nominal, [nominal]))
    pair = one(found, condition="nominal", method="a", at="beside=c")
    assert (pair["value"], pair["n"]) == (pytest.approx(1), 20)
    assert one(found, condition="nominal", method="a", at="beside=b")["value"] == pytest.approx(-1)
    assert one(found, condition=EVERY, method="b", at="beside=c")["n"] == 40


def test_a_small_set_of_bad_images_leaves_the_nominal_ones_as_many_as_they_are():
    nominal = told("nominal", range(30), few=-np.arange(20.0))
    found = list(
        agreement(nominal, [told("noise", range(3), few=np.arange(2.0)), told("fog", range(40), few=np.full(25, 5.0))])
    )
    nominal_pair = one(found, condition="nominal", method="one", at="beside=few")
    assert (nominal_pair["value"], nominal_pair["n"]) == (pytest.approx(-1), 20)
    assert one(found, condition=EVERY)["n"] == 20 + 2 + 25


def test_readings_of_pairs_of_classes_are_ranked_beside_the_truth():
    labels = torch.tensor([0] * 10 + [1] * 10 + [2] * 10)
    predicted = torch.tensor([1] * 6 + [2] * 2 + [0] * 2 + [0] * 5 + [2] * 1 + [1] * 4 + [0] * 1 + [1] * 3 + [2] * 6)
    shares = torch.tensor([[0, 0.75, 0.25], [5 / 6, 0, 1 / 6], [0.25, 0.75, 0]], dtype=torch.float64)
    truths = {TRUTH: confusion(labels, predicted, 3), OWN: confusion(labels, labels, 3)}
    found = list(cells({"right": shares, "turned": -shares}, truths))
    assert one(found, method="right", at=f"beside={TRUTH}", metric="rank correlation")["value"] == pytest.approx(1)
    assert one(found, method="turned", at=f"beside={TRUTH}", metric="rank correlation")["value"] == pytest.approx(-1)
    top = {name: one(found, method=name, at=f"beside={TRUTH}", metric="top") for name in ("right", "turned")}
    assert (top["right"]["value"], top["right"]["n"], top["turned"]["value"]) == (1, 3, 0)
    assert one(found, method="right", at="beside=turned")["value"] == pytest.approx(-1)
    unknown = [row for row in found if row["at"] == f"beside={OWN}"]  # a truth without mistakes says nothing
    assert len(unknown) == 4
    assert all(isnan(row["value"]) and row["n"] == 0 for row in unknown)


def test_a_class_of_which_a_reading_says_nothing_can_be_left_out():
    """What is left is what would be there without the class and all that is taken for it."""
    labels = torch.tensor([0] * 10 + [1] * 10 + [2] * 10 + [3] * 5)
    predicted = torch.tensor(
        [1] * 6 + [2] * 2 + [3] * 2 + [0] * 5 + [2] * 1 + [3] * 4 + [0] * 1 + [1] * 3 + [2] * 6 + [0] * 5
    )
    shares = torch.tensor([[0, 0.75, 0.25], [5 / 6, 0, 1 / 6], [0.25, 0.75, 0]], dtype=torch.float64)
    padded = torch.full((4, 4), torch.nan, dtype=torch.float64)
    padded[:3, :3] = shares
    both = {"right": padded, "turned": -padded}
    found = frame(cells(both, {TRUTH: confusion(labels, predicted, 4)}, without=[3]))
    own = (labels < 3) & (predicted < 3)
    expected = frame(cells({"right": shares, "turned": -shares}, {TRUTH: confusion(labels[own], predicted[own], 3)}))
    pd.testing.assert_frame_equal(found, expected)
    assert list(cells(both, {TRUTH: confusion(labels, predicted, 4)}, without=[0, 2, 3])) == []


def test_the_matrix_says_nothing_of_a_class_that_is_never_classified_correctly():
    probabilities = torch.tensor([[0.7, 0.2, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3], [0.3, 0.6, 0.1], [0.1, 0.8, 0.1]])
    pixels = probabilities.view(5, 1, 1, 3)
    images = ImageSet("five", pixels, torch.tensor([0, 0, 1, 1, 2]), torch.arange(5), ("a", "b", "c"))
    held = observe(wrap(lambda x: x.flatten(1).log(), images.classes), images)
    none = torch.zeros(0, dtype=torch.int64)
    far = torch.zeros(0, dtype=torch.float64)
    targets = Targeted(none, none, none, far, far, none, none.bool(), far, none)
    broken = SimpleNamespace(labels=none, new_label=none.view(0, 1), broken=none.view(0, 1).bool())
    read = readings(held, targets, broken)
    assert read["mlm"][2].isnan().all()
    assert read["mlm"][:, 2].isnan().all()
    assert read["mlm"][:2, :2].tolist() == [[0, 1], [1, 0]]
    assert not read["mean softmax"].isnan().any()


def test_what_a_scorer_costs():
    nominal = told("nominal", range(20))
    tensors = {"nominal|passes|one": torch.tensor([7.5]), "bytes|one": torch.tensor([80])}
    found = list(cost(tensors, nominal))
    assert one(found, metric="passes")["value"] == 7.5
    assert one(found, metric="bytes")["value"] == 80


def test_sets_are_read_out_of_what_was_kept_and_a_missing_one_is_named():
    tensors = {
        "noise|ids": torch.tensor([1, 2]), "noise|labels": torch.tensor([0, 1]),
        "noise|predicted": torch.tensor([0, 0]), "noise|one": torch.tensor([0.5, 0.7]),
        "noise|passes|one": torch.tensor([0.0]), "bytes|one": torch.tensor([1]),
    }  # fmt: skip
    found = said(tensors, "noise")
    assert list(found.by) == ["one"]
    assert found.wrong.tolist() == [False, True]
    with pytest.raises(MistrustError, match=r"no scores of the set 'fog'; there are noise, bytes"):
        said(tensors, "fog")


@pytest.mark.parametrize("values", [[0.1, np.nan], [0.1, 0.2, 0.3], []])
def test_scores_that_are_none_are_refused(values):
    with pytest.raises(MistrustError, match=r"Scores of one on noise have shape .*expected at most 2 numbers"):
        Said("noise", np.arange(2), np.zeros(2, np.int64), np.zeros(2, np.int64), {"one": np.asarray(values)})
