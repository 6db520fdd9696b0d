import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from torch import tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import centroids, distances, kmeans, misclustered


def two(*first):
    """Softmax rows of two classes, by the probability of the first."""
    p = tensor(first, dtype=torch.float64)
    return torch.stack([p, 1 - p], dim=1)


# Class a: .95, .95 and .51, mean .8033; class b: .45 three times. The input .51 is nearer to b's mean. Then the
# cluster of a has mean .95, that of b (.51 + 3 * .45) / 4 = .465. The last input is wrong and does not count.
ROWS, LABELS = two(0.95, 0.45, 0.51, 0.95, 0.45, 0.45, 0.3), tensor([0, 1, 0, 0, 1, 1, 0])


def test_by_hand():
    found = kmeans(ROWS, LABELS, ("a", "b"))
    assert found.means[:, 0].tolist() == pytest.approx([2.41 / 3, 0.45])
    assert found.centres[:, 0].tolist() == pytest.approx([0.95, 0.465])
    assert found.centres[:, 1].tolist() == pytest.approx([0.05, 0.535])
    assert found.drift.tolist() == pytest.approx([2**0.5 * (0.95 - 2.41 / 3), 2**0.5 * 0.015])
    assert found.drift.dtype == torch.float64
    assert found.index.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.assigned.tolist() == [0, 1, 1, 0, 1, 1]
    moved = misclustered(ROWS, found)
    assert (moved.index.tolist(), moved.labels.tolist(), moved.clusters.tolist()) == ([2], [0], [1])
    assert moved.probabilities[0].tolist() == pytest.approx([0.51, 0.49])
    assert moved.distances[0].tolist() == pytest.approx([2**0.5 * 0.44, 2**0.5 * 0.045])


def softmax_rows(seed, n=300, k=4, sharp=3.0):
    draw = np.random.default_rng(seed)
    labels = np.arange(n) % k
    logits = draw.normal(size=(n, k)) * 1.5 + sharp * np.eye(k)[labels]
    return torch.from_numpy(logits).softmax(1), torch.from_numpy(labels)


def test_where_no_input_moves_centroids_drift_by_rounding_alone():
    p, y = softmax_rows(0, sharp=12.0)
    found = kmeans(p, y, tuple("abcd"))
    assert found.drift.max() < 1e-12
    assert len(misclustered(p, found).index) == 0
    assert misclustered(p, found).distances.shape == (0, 4)


@pytest.mark.whole
@settings(max_examples=15)
@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_laws(seed, order):
    p, y = softmax_rows(seed)
    found = kmeans(p, y, tuple("abcd"))
    # The clusters are scikit-learn's from the same start, and keep the order of classes.
    right = p.argmax(1) == y
    means = centroids(p, y, tuple("abcd"))
    reference = KMeans(4, init=means.numpy(), n_init=1).fit(p[right].numpy())
    assert np.allclose(found.centres, reference.cluster_centers_, atol=1e-12)
    assert distances(p[right], found.centres).argmin(1).tolist() == found.assigned.tolist()
    # Softmax rows have a mean that is one.
    assert np.allclose(found.centres.sum(1), 1)
    # Permuting classes permutes everything.
    index = tensor(order)
    moved = kmeans(p[:, index], torch.argsort(index)[y], tuple("abcd"))
    assert np.allclose(moved.centres, found.centres[index][:, index], atol=1e-9)
    assert np.allclose(moved.drift, found.drift[index], atol=1e-9)
    assert misclustered(p[:, index], moved).index.tolist() == misclustered(p, found).index.tolist()


def test_it_gives_the_same_digits_again():
    p, y = softmax_rows(1, n=5000)
    assert torch.equal(kmeans(p, y, tuple("abcd")).centres, kmeans(p, y, tuple("abcd")).centres)


def test_float32_is_summed_in_float64():
    p, y = softmax_rows(2, n=2000, sharp=12.0)
    assert kmeans(p.float(), y, tuple("abcd")).drift.max() < 1e-12


def test_a_mean_nearest_to_nothing_is_refused():
    # The mean of a, (.5, .25, .25), lies between its two inputs, each nearer to another class.
    rows = tensor([[0.5, 0.49, 0.01], [0.5, 0.01, 0.49], [0.48, 0.51, 0.01], [0.48, 0.01, 0.51]], dtype=torch.float64)
    with pytest.raises(MistrustError, match="class a is nearest to no input"):
        kmeans(rows, tensor([0, 0, 1, 2]), ("a", "b", "c"))


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (ROWS.log(), LABELS, "Logits"),
        (ROWS * torch.nan, LABELS, "NaN"),
        (ROWS, LABELS * 0, "class b is classified correctly"),
        (ROWS, LABELS + 1, "Labels run from 1 to 2, expected 0 to 1"),
        (ROWS, LABELS[:3], "shape"),
    ],
)
def test_bad_input(rows, labels, message):
    with pytest.raises(MistrustError, match=message):
        kmeans(rows, labels, ("a", "b"))
