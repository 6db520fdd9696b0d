import numpy as np
import pytest

from mistrust.errors import MistrustError
from mistrust.evaluation import cluster_bootstrap


def test_versions_of_an_image_are_drawn_together_and_each_resample_is_as_large():
    clusters = np.array([7, 7, 3, 3, 9, 9])
    weights = cluster_bootstrap(clusters, lambda w: w, 50, np.random.default_rng(0))
    assert weights.shape == (50, 6)
    assert (weights[:, ::2] == weights[:, 1::2]).all()
    assert (weights.sum(1) == 6).all()
    assert (weights == np.round(weights)).all()
    assert len({tuple(w) for w in weights}) > 5


def test_one_resample_is_enough():
    assert cluster_bootstrap([0, 1, 1], lambda w: w.sum(), 1, np.random.default_rng(0)).shape[0] == 1


def test_its_spread_is_that_of_the_mean_of_images():
    # The mean of m images with v equal versions each has the standard error of m observations, not of m v.
    draw = np.random.default_rng(1)
    images = draw.normal(size=400)
    values = np.repeat(images, 5)
    means = cluster_bootstrap(np.repeat(np.arange(400), 5), lambda w: w @ values / w.sum(), 2000, draw)
    assert means.std() == pytest.approx(images.std() / 20, rel=0.06)


def test_two_methods_meet_the_same_resample():
    draw = np.random.default_rng(2)
    a = draw.random(30)
    both = cluster_bootstrap(np.arange(30), lambda w: [w @ a / 30, w @ (a + 1) / 30], 20, draw)
    assert np.allclose(both[:, 1] - both[:, 0], 1)


@pytest.mark.parametrize(
    ("clusters", "resamples", "message"),
    [
        (np.zeros((3, 2)), 2, r"Clusters have shape \(3, 2\), expected \(n,\), one id for each input"),
        (5, 2, r"Clusters have shape \(\), expected"),
        ([[1], [2, 3]], 2, "Clusters are lists of several lengths"),
        ([], 10, "at least one input, got none"),
        ([1, 2], 0, "at least one resample, got 0"),
        ([1, 2], 2.5, "The number of resamples is 2.5, expected a whole number"),
        ([1, 2], "2", "The number of resamples is '2', expected"),
    ],
)
def test_bad_input(clusters, resamples, message):
    with pytest.raises(MistrustError, match=message):
        cluster_bootstrap(clusters, lambda w: w.sum(), resamples, np.random.default_rng(0))
