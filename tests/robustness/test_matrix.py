"""Perturbation matrices and bubbles, counted by hand."""

import pytest
import torch
from torch import tensor

from mistrust.errors import MistrustError, UnknownName
from mistrust.robustness.matrix import bubble, perturbation_matrix
from mistrust.robustness.target_pairs import Targeted

NAN = torch.nan
CLASSES = ("cat", "dog", "puma")


def made(rows, misclassified=()):
    """Pairs from (id, source, target, linf); NaN is a failure. The Euclidean distance is ten times the other."""
    ids, source, target, linf = (tensor(column) for column in zip(*rows, strict=True))
    linf = linf.double()
    yes = ~linf.isnan()
    return Targeted(
        ids, source, target, linf, 10 * linf, torch.where(yes, (linf / 2).nan_to_num().long(), 512), yes,
        torch.where(yes, 0.95, 0.3).double(), tensor(misclassified, dtype=torch.int64),
    )  # fmt: skip


FOUND = made([
    (1, 0, 1, 10.0), (1, 0, 2, 30.0), (2, 0, 1, 14.0), (2, 0, 2, NAN), (3, 1, 0, 8.0), (3, 1, 2, NAN),
])  # fmt: skip


def test_means_counts_and_failures_by_hand():
    matrix = perturbation_matrix(FOUND, 3)
    assert matrix.count.tolist() == [[0, 2, 1], [1, 0, 0], [0, 0, 0]]
    assert matrix.failures.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    expected = tensor([[NAN, 12, 30], [8, NAN, NAN], [NAN, NAN, NAN]], dtype=torch.float64)
    assert torch.equal(matrix.mean.nan_to_num(-1), expected.nan_to_num(-1))
    assert perturbation_matrix(FOUND, 3, "l2").mean[0, 1] == 120
    assert perturbation_matrix(FOUND, 3, "steps").mean[0, 1] == 6


def test_several_networks_count_alike_and_the_order_of_pairs_does_not():
    other = made([(1, 0, 1, 27.0), (3, 1, 2, 5.0)])
    both = perturbation_matrix([FOUND, other], 3)
    assert both.mean[0, 1] == 17
    assert (both.mean[1, 2], both.count[1, 2], both.failures[1, 2]) == (5, 1, 1)
    mixed = perturbation_matrix([other, FOUND.take(torch.tensor([3, 1, 5, 0, 2, 4]))], 3)
    assert torch.equal(mixed.mean.nan_to_num(-1), both.mean.nan_to_num(-1))


def test_a_bubble_leaves_the_sources_place_empty():
    one = FOUND.take(FOUND.ids == 1)
    assert bubble(one, "cat", CLASSES).nan_to_num(-1).tolist() == [-1, 10, 30]
    assert bubble(FOUND, 0, CLASSES).nan_to_num(-1).tolist() == [-1, 12, 30]
    assert bubble(FOUND, "dog", CLASSES, "l2").nan_to_num(-1).tolist() == [80, -1, -1]


def test_bad_input():
    with pytest.raises(UnknownName, match=r"no distance 'linff'. Did you mean 'linf'\?"):
        perturbation_matrix(FOUND, 3, "linff")
    with pytest.raises(MistrustError, match="k is 2, but the pairs reach class 2: expected at least 3"):
        perturbation_matrix(FOUND, 2)
    with pytest.raises(MistrustError, match="at least one targeted search, got none"):
        perturbation_matrix([], 3)
    with pytest.raises(UnknownName, match=r"no class 'cats'. Did you mean 'cat'\?"):
        bubble(FOUND, "cats", CLASSES)
    with pytest.raises(UnknownName, match="no class '3'"):
        bubble(FOUND, 3, CLASSES)
    with pytest.raises(MistrustError, match=r"No pair starts from class 'puma'.* Pairs start from: cat, dog"):
        bubble(FOUND, "puma", CLASSES)
