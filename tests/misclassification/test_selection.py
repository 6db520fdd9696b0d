import numpy as np
import pytest
import torch
from torch import tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import Selection, Statistic, class_distances, likelihood

LABELS = tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])
PREDICTED = tensor([0, 1, 2, 1, 1, 2, 2, 1, 0])


@pytest.mark.parametrize(
    ("selection", "index", "labels"),
    [
        (Selection(), [*range(9)], [0, 0, 0, 1, 1, 1, 2, 2, 2]),
        (Selection("predicted"), [*range(9)], [0, 1, 2, 1, 1, 2, 2, 1, 0]),
        (Selection(only_wrong=True), [1, 2, 5, 7, 8], [0, 0, 1, 2, 2]),
        (Selection("predicted", only_wrong=True), [1, 2, 5, 7, 8], [1, 2, 2, 1, 0]),
    ],
)
def test_what_is_chosen(selection, index, labels):
    found = selection.of(LABELS, PREDICTED)
    assert (found.index.tolist(), found.labels.tolist()) == (index, labels)


def test_a_class_without_errors_has_no_row():
    chosen = Selection(only_wrong=True).of(tensor([0, 1, 1]), tensor([0, 1, 0]))
    d = torch.rand(3, 2, dtype=torch.float64)
    L = likelihood(class_distances(d[chosen.index], chosen.labels, Statistic()))
    assert torch.isnan(L[0]).all()
    assert L[1].tolist() == [1, 0]
    none = Selection(only_wrong=True).of(tensor([0, 1]), tensor([0, 1]))
    assert torch.isnan(class_distances(d[none.index], none.labels, Statistic())).all()


def test_names_and_bad_input():
    assert [Selection().name, Selection("predicted", True).name] == ["true", "predicted, wrong only"]
    with pytest.raises(MistrustError, match="Did you mean 'predicted'"):
        Selection("prediction")
    with pytest.raises(MistrustError, match="labels 2, predicted 3"):
        Selection().of(tensor([0, 1]), tensor([0, 1, 1]))


def test_every_input_is_chosen_once():
    draw = np.random.default_rng(0)
    y, p = (torch.from_numpy(draw.integers(0, 4, 50)) for _ in range(2))
    wrong, every = Selection(only_wrong=True).of(y, p), Selection().of(y, p)
    assert set(wrong.index.tolist()) == set(every.index.tolist()) - set((y == p).nonzero().flatten().tolist())
