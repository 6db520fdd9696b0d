"""Pairs of classes, from what a user writes."""

import pytest
import torch

from mistrust.ambiguity.pairs import pairs_of, title
from mistrust.data import ImageSet
from mistrust.errors import MistrustError


def images(*labels, classes=("ape", "T-shirt/top", "cat", "7")):
    labels = torch.tensor(labels, dtype=torch.int64)
    return ImageSet("mine", torch.zeros(len(labels), 1, 2, 2), labels, torch.arange(len(labels)), classes)


ALL = images(0, 1, 2, 3)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["ape/cat"], ((0, 2),)),
        (["cat/ape", "7/cat"], ((0, 2), (2, 3))),
        (["T-shirt/top/cat"], ((1, 2),)),
        (["cat/T-shirt/top"], ((1, 2),)),
        (["0/2"], ((0, 2),)),  # positions, where no class has that name
        (["0/7"], ((0, 3),)),  # a name comes before a position
        ([(2, 0)], ((0, 2),)),
        ([("7", "ape")], ((0, 3),)),
        (None, ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))),
    ],
)
def test_pairs_are_found_by_name_or_position(wanted, found):
    assert pairs_of(ALL, wanted) == found


def test_all_pairs_are_those_of_classes_with_images():
    assert pairs_of(images(0, 2, 3)) == ((0, 2), (0, 3), (2, 3))
    assert title(ALL.classes, (0, 1)) == "ape/T-shirt/top"


@pytest.mark.parametrize(
    ("given", "wanted", "message"),
    [
        (images(2, 2), None, "mine has images of 1 class: 'cat'. Ambiguity is between two"),
        (images(0, 0), ["ape/cat"], "mine has images of 1 class: 'ape'"),
        (images(), None, "mine has images of 0 classes"),
        (ALL, ["ape"], "'ape' names 1 class, expected two: 'ape/7'"),
        (ALL, ["apecat"], "'apecat' names 1 class, expected two: 'ape/cat'"),
        (ALL, ["ape/cat/7"], "'ape/cat/7' names 3 classes, expected two.*three classes is not made"),
        (ALL, [(0, 1, 2)], r"\(0, 1, 2\) names 3 classes"),
        (ALL, ["ape/ape"], "'ape/ape' names 'ape' twice, expected two different classes"),
        (ALL, ["ape/dog"], "There is no class 'dog'"),
        (ALL, ["ape/cta"], "There is no class 'cta'. Did you mean 'cat'"),
        (ALL, ["ape/9"], "There is no class '9'"),
        (ALL, [(0, -1)], "There is no class '-1'"),
        (ALL, ["ape/cat", "cat/ape"], "Pair ape/cat is named twice; the order does not matter"),
        (ALL, [], r"pairs is \[\], expected a list of pairs"),
        (ALL, "ape/cat", "pairs is 'ape/cat', expected a list of pairs"),
        (images(0, 2), ["ape/7"], "Pair ape/7: mine has no image of class '7'. Leave the pair out"),
    ],
)
def test_bad_input(given, wanted, message):
    with pytest.raises(MistrustError, match=message):
        pairs_of(given, wanted)
