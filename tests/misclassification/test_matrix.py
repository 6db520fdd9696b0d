import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import (
    Statistic,
    agreement,
    bootstrap,
    centroids,
    class_distances,
    distances,
    error_shares,
    first_half,
    judge,
    likelihood,
    marginal,
    mean_softmax,
    mean_softmax_bootstrap,
    over_levels,
)

# Golden values worked out by hand arithmetic and an independent script, three classes, to six digits.
CENTRES = tensor([[0.9, 0.06, 0.04], [0.05, 0.9, 0.05], [0.02, 0.08, 0.9]], dtype=torch.float64)
INPUTS = tensor(
    [
        [0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.1, 0.2, 0.7],
        [0.1, 0.85, 0.05], [0.45, 0.5, 0.05], [0.2, 0.2, 0.6],
        [0.05, 0.05, 0.9], [0.1, 0.7, 0.2], [1 / 3, 1 / 3, 1 / 3],
    ],
    dtype=torch.float64,
)  # fmt: skip
LABELS = tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])
PREDICTED = tensor([0, 1, 2, 1, 1, 2, 2, 1, 0])
CLASSES = ("a", "b", "c")
MINIMUM, MEDIAN, MEAN = Statistic(), Statistic("quantile", 0.5), Statistic("mean")


def close(found, expected):
    return np.abs(np.asarray(found) - np.asarray(expected)).max() < 1e-6


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        (MINIMUM, [[0.134907, 0.393700, 0.246577], [0.629444, 0.070711, 0.369865], [0.694166, 0.254951, 0.042426]]),
        (MEDIAN, [[0.809444, 0.956556, 0.994384], [0.907304, 0.565685, 1.041057], [1.036919, 0.694022, 0.695318]]),
        (MEAN, [[0.663623, 0.803639, 0.798910], [0.887038, 0.513057, 0.853539], [0.980100, 0.717018, 0.558751]]),
    ],
)
def test_distances_by_statistic(statistic, expected):
    assert close(class_distances(distances(INPUTS, CENTRES), LABELS, statistic), expected)


def test_only_misclassified_inputs_and_predicted_labels():
    d = distances(INPUTS, CENTRES)
    wrong = PREDICTED != LABELS
    by_wrong = class_distances(d[wrong], LABELS[wrong], MINIMUM)
    expected = [[0.809444, 0.393700, 0.246577], [0.907304, 0.902774, 0.369865], [0.694166, 0.254951, 0.695318]]
    assert close(by_wrong, expected)
    by_predicted = class_distances(d, PREDICTED, MINIMUM)
    expected = [[0.134907, 0.694022, 0.695318], [0.629444, 0.070711, 0.938509], [0.907304, 0.902774, 0.042426]]
    assert close(by_predicted, expected)


def test_likelihood():
    D = class_distances(distances(INPUTS, CENTRES), LABELS, MINIMUM)
    assert close(likelihood(D), [[0, 0.385109, 0.614891], [0.370121, 0, 0.629879], [0.268619, 0.731381, 0]])
    assert close(likelihood(D, diagonal=True)[0], [0.529160, 0.181325, 0.289515])


def test_centroids_are_means_of_correct_inputs():
    # Two-way ties go to the first class, as argmax does: the input (1/3, 1/3, 1/3) of class c is not correct.
    expected = [[0.8, 0.15, 0.05], [0.275, 0.675, 0.05], [0.05, 0.05, 0.9]]
    assert close(centroids(INPUTS, LABELS, CLASSES), expected)


def test_known_distances():
    one_hot = torch.eye(10, dtype=torch.float64)
    uniform = torch.full((1, 10), 0.1, dtype=torch.float64)
    assert close(distances(uniform, one_hot), [[0.948683] * 10])
    assert close(distances(one_hot[:1], one_hot), [[0, *[1.414214] * 9]])
    tie = tensor([[0.5, 0.5] + [0.0] * 8], dtype=torch.float64)
    assert close(distances(tie, one_hot)[0, :2], [0.707107, 0.707107])
    D = class_distances(distances(uniform, one_hot), tensor([0]), MINIMUM)
    assert close(likelihood(D)[0, 1:], [1 / 9] * 9)


class TestEdges:
    def test_a_distance_of_zero_takes_the_row_shared_equally(self):
        D = tensor([[0.5, 0.0, 0.0], [0.2, 0.1, 0.3], [0.0, 0.4, 0.9]])
        assert close(likelihood(D), [[0, 0.5, 0.5], [0.6, 0, 0.4], [1, 0, 0]])

    def test_a_class_without_inputs_is_nan_and_no_other(self):
        D = class_distances(distances(INPUTS[:6], CENTRES), LABELS[:6], MINIMUM)
        assert torch.isnan(D[2]).all()
        assert torch.isnan(likelihood(D)[2]).all()
        assert not torch.isnan(D[:2]).any()

    def test_a_class_that_is_never_right_is_named(self):
        with pytest.raises(MistrustError, match="No input of class b is classified correctly"):
            centroids(INPUTS[[0, 1, 6]], tensor([0, 0, 2]), CLASSES)

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (INPUTS * 3 - 1, "not probabilities"),
            (INPUTS.log(), "not probabilities"),
            (INPUTS * 0.99, "not probabilities"),
            (torch.where(INPUTS > 0.8, torch.nan, INPUTS), "NaN"),
            (INPUTS[:, :2], "shape"),
        ],
    )
    def test_what_is_no_softmax_is_refused(self, rows, message):
        with pytest.raises(MistrustError, match=message):
            centroids(rows, LABELS, CLASSES)

    def test_fewer_classes_than_two(self):
        with pytest.raises(MistrustError, match="at least two classes"):
            centroids(torch.ones(2, 1), tensor([0, 0]), ("a",))

    def test_statistics_that_do_not_exist(self):
        with pytest.raises(MistrustError, match=r"expected a number in \[0, 1\]"):
            Statistic("quantile", 1.5)
        with pytest.raises(MistrustError, match="expected minimum, quantile or mean"):
            Statistic("median")


softmax_rows = st.integers(0, 10_000).map(
    lambda seed: torch.from_numpy(np.random.default_rng(seed).dirichlet([0.5] * 4, size=40))
)


class TestLaws:
    @settings(max_examples=30, deadline=None)
    @given(softmax_rows, st.permutations(range(4)), st.sampled_from([MINIMUM, MEDIAN, MEAN]))
    def test_permuting_classes_permutes_the_matrix(self, p, order, statistic):
        y = torch.arange(40) % 4
        index = tensor(order)
        inverse = torch.argsort(index)
        L = likelihood(class_distances(distances(p, torch.eye(4).double()), y, statistic))
        moved = likelihood(class_distances(distances(p[:, index], torch.eye(4).double()), inverse[y], statistic))
        assert close(moved, L[index][:, index])

    @settings(max_examples=30, deadline=None)
    @given(softmax_rows)
    def test_rows_sum_to_one_and_quantile_zero_is_the_minimum(self, p):
        y = torch.arange(40) % 4
        d = distances(p, torch.eye(4).double())
        D = class_distances(d, y, MINIMUM)
        assert close(likelihood(D).sum(1), 1)
        assert close(likelihood(D, diagonal=True).sum(1), 1)
        assert close(likelihood(D * tensor([[2.0], [3.0], [0.1], [1.0]])), likelihood(D))
        assert torch.equal(D, class_distances(d, y, Statistic("quantile", 0.0)))
        assert bool((class_distances(d[:20], y[:20], MINIMUM) >= D).all())
        assert close(D, torch.stack([d[y == k].min(0).values for k in range(4)]))
        quartile = np.stack([np.quantile(d[y == k], 0.25, axis=0, method="inverted_cdf") for k in range(4)])
        assert close(class_distances(d, y, Statistic("quantile", 0.25)), quartile)


class TestBootstrap:
    def test_it_is_the_matrix_of_the_resampled_inputs(self):
        # With one version an image, a resample is the inputs repeated as often as they were drawn.
        from mistrust import random

        d = distances(INPUTS, CENTRES)
        for statistic in (MINIMUM, MEDIAN, MEAN):
            found = bootstrap(d, LABELS, torch.arange(9), statistic, 5, seed=4)
            draw = random.generator(4, f"bootstrap/{statistic.name}").multinomial(9, np.full(9, 1 / 9), size=5)
            for one, counts in zip(found, draw, strict=True):
                again = torch.repeat_interleave(torch.arange(9), tensor(counts))
                assert np.allclose(one, class_distances(d[again], LABELS[again], statistic), equal_nan=True)

    def test_versions_of_an_image_are_drawn_together(self):
        d = distances(INPUTS, CENTRES)
        doubled = bootstrap(d.repeat(2, 1), LABELS.repeat(2), torch.arange(9).repeat(2), MEAN, 50, seed=1)
        once = bootstrap(d, LABELS, torch.arange(9), MEAN, 50, seed=1)
        assert np.allclose(doubled, once, equal_nan=True)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (INPUTS * 6 - 3, "Logits"),
        (INPUTS.log(), "Logits"),
        (INPUTS * torch.nan, "NaN"),
        (INPUTS[:, :2], r"shape \(9, 2\), expected \(9, 3\)"),
    ],
)
def test_distances_of_what_is_no_softmax_are_refused(rows, message):
    with pytest.raises(MistrustError, match=message):
        distances(rows, CENTRES)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d, y, base: (d, y[:7], base), "One entry an input is needed in each, got distances 9, labels 7"),
        (lambda d, y, base: (d, y.repeat(2), base), "distances 9, labels 18"),
        (lambda d, y, base: (d, y + 1, base), "Labels run from 1 to 3, expected 0 to 2"),
        (lambda d, y, base: (d[:, 0], y, base), r"Distances have shape \(9,\), expected \(n, k\)"),
        (lambda d, y, base: (torch.where(d == d.max(), torch.nan, d), y, base), "Distances of 1 of 9 inputs hold NaN"),
    ],
)
def test_distances_and_labels_that_do_not_go_together(change, message):
    d, y, base = change(distances(INPUTS, CENTRES), LABELS, torch.arange(9))
    with pytest.raises(MistrustError, match=message):
        class_distances(d, y, MINIMUM)
    with pytest.raises(MistrustError, match=message):
        bootstrap(d, y, base, MINIMUM, 5, seed=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: likelihood(-torch.rand(3, 3)), "expected none below 0"),
        (lambda: likelihood(torch.rand(3)), r"shape \(3,\), expected \(k, k\)"),
        (lambda: likelihood(torch.rand(3, 4)), r"shape \(3, 4\), expected \(k, k\)"),
        (lambda: likelihood(np.ones((3, 3))), "Distances are a ndarray, expected a tensor"),
        (lambda: distances(INPUTS, CENTRES[0]), r"Centroids have shape \(3,\), expected \(k, k\)"),
        (lambda: class_distances(distances(INPUTS, CENTRES), LABELS, "minimum"), "expected a Statistic"),
        (lambda: class_distances(distances(INPUTS, CENTRES), LABELS.double(), MINIMUM), "expected whole numbers"),
        (lambda: class_distances(distances(INPUTS, CENTRES), LABELS[:, None], MINIMUM), r"shape \(9, 1\)"),
        (lambda: centroids(INPUTS, LABELS.tolist(), ("a", "b", "c")), "Labels are a list, expected a tensor"),
        (lambda: centroids(INPUTS.numpy(), LABELS, ("a", "b", "c")), "Probabilities are a ndarray"),
        (lambda: Statistic("quantile", "0.1"), "expected a number"),
        (lambda: agreement(CENTRES, CENTRES.numpy()), "Matrices are a ndarray, expected a tensor"),
        (lambda: judge(CENTRES.tolist(), CENTRES), "Matrices are a list, expected a tensor"),
        (lambda: error_shares([[1, 2], [3, 4]]), "Counts are a list, expected a tensor"),
        (lambda: error_shares(torch.ones(2, 3)), r"Counts have shape \(2, 3\), expected \(k, k\)"),
        (lambda: marginal(torch.ones(2)), r"Counts have shape \(2,\), expected \(k, k\)"),
        (lambda: first_half([5, 5, 6], seed=0), "Base images are a list, expected a tensor"),
        (lambda: over_levels(np.ones((2, 3, 3))), "Matrices of levels are a ndarray, expected a tensor"),
        (lambda: mean_softmax(INPUTS.tolist(), LABELS), "Probabilities are a list, expected a tensor"),
        (lambda: mean_softmax(torch.tensor(0.5), LABELS), "at least two classes, got 0"),
        (lambda: mean_softmax_bootstrap(INPUTS.numpy(), LABELS, LABELS, 5, 0), "Probabilities are a ndarray"),
    ],
)
def test_what_no_matrix_can_be_made_of_is_refused(call, message):
    with pytest.raises(MistrustError, match=message):
        call()


def test_a_class_without_centroid_is_named():
    centres = torch.where(torch.arange(3)[:, None] == 1, torch.nan, CENTRES)
    with pytest.raises(MistrustError, match="centroids of classes 1 are NaN for every input"):
        class_distances(distances(INPUTS, centres), LABELS, MINIMUM)


def test_a_row_that_holds_nan_is_nan_beside_a_zero_too():
    found = likelihood(torch.tensor([[0.0, 0.0, torch.nan], [1.0, torch.nan, 1.0], [3.0, 1.0, 0.0]]))
    assert found[0].isnan().all()
    assert found[1].tolist() == [0.5, 0.0, 0.5]  # what stands on the diagonal does not count


def test_a_bootstrap_of_nothing_or_of_too_few_ids():
    d = distances(INPUTS, CENTRES)
    with pytest.raises(MistrustError, match="distances 9, labels 9, base 6"):
        bootstrap(d, LABELS, torch.arange(6), MEAN, 5, seed=0)
    with pytest.raises(MistrustError, match="at least one input, got none"):
        bootstrap(d[:0], LABELS[:0], torch.arange(0), MEAN, 5, seed=0)
