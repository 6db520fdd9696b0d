import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.misclassification import mean_softmax, mean_softmax_bootstrap

INPUTS = tensor(
    [
        [0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.1, 0.2, 0.7],
        [0.1, 0.85, 0.05], [0.45, 0.5, 0.05], [0.2, 0.2, 0.6],
        [0.05, 0.05, 0.9], [0.1, 0.7, 0.2], [1 / 3, 1 / 3, 1 / 3],
    ],
    dtype=torch.float64,
)  # fmt: skip
LABELS = tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])


def test_by_hand():
    # Class 0 gives .95 to 1 and .85 to 2 in all; class 1 .75 and .7; class 2 .483333 and 1.083333.
    expected = [[0, 0.95 / 1.8, 0.85 / 1.8], [0.75 / 1.45, 0, 0.7 / 1.45], [0.308511, 0.691489, 0]]
    assert np.allclose(mean_softmax(INPUTS, LABELS), expected, atol=1e-6)


def test_edges():
    absent = mean_softmax(INPUTS[:6], LABELS[:6])
    assert torch.isnan(absent[2]).all()
    assert not torch.isnan(absent[:2]).any()
    certain = mean_softmax(torch.eye(3), tensor([0, 1, 2]))
    assert torch.isnan(certain).all()


@pytest.mark.whole
@given(st.integers(0, 1000), st.permutations(range(4)))
def test_permuting_classes_permutes_it_and_rows_sum_to_one(seed, order):
    p = torch.from_numpy(np.random.default_rng(seed).dirichlet([0.5] * 4, size=20))
    y, index = torch.arange(20) % 4, tensor(order)
    found = mean_softmax(p, y)
    assert np.allclose(mean_softmax(p[:, index], torch.argsort(index)[y]), found[index][:, index])
    assert np.allclose(found.sum(1), 1)
    assert (found.diagonal() == 0).all()


def test_the_bootstrap_is_that_of_the_inputs_repeated():
    found = mean_softmax_bootstrap(INPUTS, LABELS, torch.arange(9), 5, seed=4)
    draw = random.generator(4, "bootstrap/mean").multinomial(9, np.full(9, 1 / 9), size=5)
    for one, counts in zip(found, draw, strict=True):
        again = torch.repeat_interleave(torch.arange(9), tensor(counts))
        assert np.allclose(one, mean_softmax(INPUTS[again], LABELS[again]), equal_nan=True)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (INPUTS * 5 - 2, LABELS, "Logits"),
        (torch.where(INPUTS > 0.8, torch.nan, INPUTS), LABELS, "NaN"),
        (INPUTS, LABELS[:4], "shape"),
        (INPUTS, LABELS + 1, "expected 0 to 2"),
        (INPUTS[0], LABELS[:1], "shape"),
        (torch.ones(2, 1), tensor([0, 0]), "at least two classes"),
    ],
)
def test_bad_input(rows, labels, message):
    with pytest.raises(MistrustError, match=message):
        mean_softmax(rows, labels)
