import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.ambiguity.natural import natural
from mistrust.errors import MistrustError

SURE = (0.98, 0.01, 0.01)


def judged(*images, others=0):
    """Softmax (m, n, k) of images, each given by all judges alike or as one row a judge; then sure ones."""
    m = max((len(one) for one in images if np.ndim(one) == 2), default=1)
    rows = [one if np.ndim(one) == 2 else [one] * m for one in (*images, *[SURE] * others)]
    return torch.tensor(np.array(rows, dtype=np.float64).transpose(1, 0, 2))


def test_three_percent_are_looked_at():
    split = (0.5, 0.5, 0.0)
    for n, candidates in ((1, 1), (34, 1), (66, 1), (67, 2), (100, 3), (10000, 300)):
        found = natural(judged(*[split] * 2, others=max(n - 2, 0))[:, :n])
        assert found.candidates == candidates
        assert found.indices.tolist() == [0, 1][: min(candidates, n)]
        assert len(found) == len(found.indices)


def test_by_hand():
    images = [
        (0.5, 0.25, 0.25),  # three classes, the highest entropy, and 0.75 on two
        (0.15, 0.85, 0.0),  # too certain
        (0.2, 0.0, 0.8),  # just divided enough
        (0.1, 0.4, 0.5),
        (0.5, 0.4, 0.1),
        (0.6, 0.2, 0.2),  # just enough on two: the lower class of the equal ones
    ]
    found = natural(judged(*images, others=194))
    assert found.candidates == 6
    # Balance .4, .8, .8, .4; equal ones by entropy (.72 and 1.37 bits), then by position.
    assert found.indices.tolist() == [3, 4, 5, 2]
    assert found.pairs.tolist() == [[1, 2], [0, 1], [0, 1], [0, 2]]
    assert found.balance == pytest.approx([0.8, 0.8, 0.4, 0.4])
    bits = 0.1 * np.log2(10) + 0.4 * np.log2(2.5) + 0.5
    assert found.entropy == pytest.approx([bits, bits, 0.6 * np.log2(1 / 0.6) + 0.4 * np.log2(5), np.log2(5) - 1.6])


def test_disagreement_is_not_ambiguity():
    """All means are an even split."""
    alike = [(0.5, 0.5, 0.0)] * 4
    opposed = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)] * 2
    # Judges at .21 and .79 keep .741 bits of 1, at .22 and .78 .760: the limit lies between.
    far, near = ([(p, 1 - p, 0.0), (1 - p, p, 0.0)] * 2 for p in (0.21, 0.22))
    found = natural(judged(alike, opposed, far, near, others=130))
    assert found.candidates == 4
    assert sorted(found.indices.tolist()) == [0, 3]
    # One judge alone cannot disagree; of the opposed it is certain.
    assert sorted(natural(judged(alike, opposed, far, near, others=130)[:1]).indices.tolist()) == [0, 2, 3]


def test_most_judges_must_see_the_two_classes():
    same = (0.5, 0.4, 0.1)
    other = (0.4, 0.25, 0.35)
    assert len(natural(judged([same, same, other]))) == 1
    half = [same, (0.42, 0.28, 0.3)]  # mean .46 .34 .2: the first two of one judge in two
    assert natural(judged([same, same])).indices.tolist() == [0]
    assert len(natural(judged(half))) == 0
    # Still of the two classes of the mean, and not for want of agreement on the split.
    assert natural(judged([*half, same])).pairs.tolist() == [[0, 1]]


def test_classes_and_images_in_another_order():
    draw = random.generator(0, "test/natural")
    base = np.eye(5)[draw.integers(5, size=400)]
    for row in base[:20]:
        first, second = draw.choice(5, 2, replace=False)
        row[:] = 0
        row[first] = draw.uniform(0.1, 0.9)
        row[second] = 1 - row[first]
    softmax = np.stack([0.9 * base + 0.1 * draw.dirichlet([0.3] * 5, size=400) for _ in range(5)])
    found = natural(torch.from_numpy(softmax))
    assert found.candidates == 12
    assert 3 < len(found) < 12
    assert (np.diff(found.balance) <= 0).all()
    mean = softmax.mean(0)
    assert found.balance == pytest.approx(2 * np.sort(mean, 1)[found.indices, -2])
    images, classes, judges = draw.permutation(400), draw.permutation(5), draw.permutation(5)
    again = natural(torch.from_numpy(softmax[judges][:, images][:, :, classes]))
    assert images[again.indices].tolist() == found.indices.tolist()
    assert np.sort(classes[again.pairs], 1).tolist() == found.pairs.tolist()
    assert again.entropy == pytest.approx(found.entropy)


def test_sure_judges_find_nothing():
    found = natural(judged(others=50))
    assert (found.candidates, len(found)) == (1, 0)
    assert found.pairs.shape == (0, 2)


def test_refuses():
    for shape in ((3, 2), (0, 3, 2), (2, 0, 2), (2, 3, 1), (1, 1, 3, 2)):
        with pytest.raises(MistrustError, match=r"expected \(m, n, k\)"):
            natural(torch.full(shape, 1 / shape[-1]))
    with pytest.raises(MistrustError, match=r"judges' outputs are no probabilities in 1 of 3 rows"):
        natural(torch.tensor([[[0.5, 0.5], [0.9, 0.2], [1, 0]]]))
