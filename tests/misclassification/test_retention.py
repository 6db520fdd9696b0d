from math import inf, nan

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import (
    Selection,
    Statistic,
    answered,
    class_distances,
    distances,
    kept_by_class,
    retention,
    thresholds,
)

# The golden inputs of test_matrix, three classes.
CENTRES = tensor([[0.9, 0.06, 0.04], [0.05, 0.9, 0.05], [0.02, 0.08, 0.9]], dtype=torch.float64)
INPUTS = tensor(
    [
        [0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.1, 0.2, 0.7],
        [0.1, 0.85, 0.05], [0.45, 0.5, 0.05], [0.2, 0.2, 0.6],
        [0.05, 0.05, 0.9], [0.1, 0.7, 0.2], [1 / 3, 1 / 3, 1 / 3],
    ],
    dtype=torch.float64,
)  # fmt: skip
D, LABELS, PREDICTED = (
    distances(INPUTS, CENTRES),
    tensor([0, 0, 0, 1, 1, 1, 2, 2, 2]),
    tensor([0, 1, 2, 1, 1, 2, 2, 1, 0]),
)


def test_thresholds_by_hand():
    found = thresholds(D, LABELS, PREDICTED)
    assert found.t1.tolist() == pytest.approx([0.809444, 0.902774, 0.695318], abs=1e-6)
    assert found.t2.tolist() == pytest.approx([0.694166, 0.254951, 0.246577], abs=1e-6)


def test_where_nothing_is_wrong_they_are_infinite():
    found = thresholds(D[[0, 1, 3]], LABELS[[0, 1, 3]], PREDICTED[[0, 1, 3]])
    # One error, a 0 predicted as 1.
    assert found.t1.tolist() == pytest.approx([0.809444, inf, inf], abs=1e-6)
    assert found.t2.tolist() == pytest.approx([inf, 0.393700, inf], abs=1e-6)


def test_retention_by_hand():
    # Distances to the predicted centroid: .135 r, .394 w, .247 w, .071 r, .566 r, .370 w, .042 r, .255 w, .694 w.
    found = retention(D, LABELS, PREDICTED, tensor([[10.0], [0.5], [0.1], [0.01]]))
    assert found.kept.tolist() == pytest.approx([1, 7 / 9, 2 / 9, 0])
    assert found.accuracy.tolist() == pytest.approx([4 / 9, 3 / 7, 1, nan], nan_ok=True)
    assert found.errors.tolist() == [5, 4, 0, 0]
    assert found.accuracy_as_published.tolist() == pytest.approx([4 / 9, 3 / 9, 2 / 9, 0])
    assert found.n == 9


def test_an_input_at_the_threshold_is_not_answered():
    t2 = thresholds(D, LABELS, PREDICTED).t2
    keep = answered(D, PREDICTED, t2[None])[0]
    assert keep.tolist() == [True, False, False, True, False, False, True, False, False]
    cut = torch.stack([t2 * (1 - share) for share in (0, 0.5, 0.9)])
    found = retention(D, LABELS, PREDICTED, cut)
    assert found.errors.tolist() == [0, 0, 0]
    assert found.kept.tolist() == pytest.approx([3 / 9, 3 / 9, 0])
    assert kept_by_class(D, LABELS, PREDICTED, t2).tolist() == pytest.approx([1 / 3] * 3)
    assert kept_by_class(D[:6], LABELS[:6], PREDICTED[:6], t2)[2].isnan()


@pytest.mark.whole
@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_laws(seed, order):
    draw = np.random.default_rng(seed)
    p = torch.from_numpy(draw.dirichlet([0.4] * 4, size=60))
    y, index = torch.from_numpy(draw.integers(0, 4, 60)), tensor(order)
    d, predicted = distances(p, torch.eye(4).double()), p.argmax(1)
    found = thresholds(d, y, predicted)
    # Thresholds are diagonals of the matrix of misclassified inputs, by true and by predicted class.
    for by, expected in (("true", found.t1), ("predicted", found.t2)):
        chosen = Selection(by, only_wrong=True).of(y, predicted)
        diagonal = class_distances(d[chosen.index], chosen.labels, Statistic()).diagonal()
        assert torch.equal(torch.nan_to_num(diagonal, nan=inf), expected)
    # An error gives another class at least as much: 1 / sqrt(2) from its own corner at the least.
    assert (found.t1 >= 2**-0.5 - 1e-12).all()
    # Below T2 no error is left; the more is answered, the more errors there are.
    assert retention(d, y, predicted, found.t2[None]).errors.item() == 0
    curve = retention(d, y, predicted, torch.linspace(0.05, 1.5, 9)[:, None])
    assert (curve.kept.diff() >= 0).all()
    assert (curve.errors.diff() >= 0).all()
    assert curve.accuracy[-1].item() == pytest.approx((y == predicted).double().mean().item())
    assert curve.accuracy_as_published[-1].item() == pytest.approx(curve.accuracy[-1].item())
    # Permuting classes permutes thresholds and leaves what is kept.
    inverse = torch.argsort(index)
    moved = thresholds(d[:, index], inverse[y], inverse[predicted])
    assert torch.equal(moved.t1, found.t1[index])
    assert torch.equal(moved.t2, found.t2[index])
    again = retention(d[:, index], inverse[y], inverse[predicted], moved.t1[None] / 2)
    assert torch.equal(again.kept, retention(d, y, predicted, found.t1[None] / 2).kept)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: retention(D, LABELS, PREDICTED, tensor([0.5])), r"expected \(g, 1\) or \(g, 3\)"),
        (lambda: retention(D, LABELS, PREDICTED, torch.ones(2, 2)), r"shape \(2, 2\)"),
        (lambda: retention(D, LABELS, PREDICTED, tensor([[nan]])), "Limits hold NaN"),
        (lambda: retention(D[:0], LABELS[:0], PREDICTED[:0], tensor([[0.5]])), "there are none"),
        (lambda: thresholds(D, LABELS, PREDICTED[:4]), "predicted 4"),
        (lambda: thresholds(D[:4], LABELS, PREDICTED), "distances 4, labels 9, predicted 9"),
        (lambda: kept_by_class(D, LABELS, PREDICTED, [0.5] * 3), "Limits are a list, expected a tensor"),
        (lambda: thresholds(D, LABELS + 1, PREDICTED), "Labels run from 1 to 3"),
        (lambda: thresholds(D, LABELS, PREDICTED - 1), "Predictions run from -1 to 1"),
        (lambda: thresholds(D * nan, LABELS, PREDICTED), "classes 0, 1, 2 are NaN for every input"),
        (lambda: retention(D * nan, LABELS, PREDICTED, tensor([[0.5]])), "NaN for every input"),
        (lambda: answered(D, PREDICTED, tensor([0.5, 0.3, 0.2])), r"shape \(3,\), expected \(g, 1\) or \(g, 3\)"),
        (lambda: answered(D, PREDICTED + 2, tensor([[0.5]])), "Predictions run from"),
        (lambda: answered(D, PREDICTED.tolist(), tensor([[0.5]])), "Predicted are a list, expected a tensor"),
        (lambda: kept_by_class(D, LABELS, PREDICTED, tensor([0.5])), r"shape \(1,\), expected \(3,\): one per class"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
