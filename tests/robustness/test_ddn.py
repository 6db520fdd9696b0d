"""Foolbox's DDN where the distance is known, and what we add: no random walk, no trace in the global generator."""

import math

import pytest
import torch
from linear_rows import image_set, linear

from mistrust.errors import MistrustError
from mistrust.networks import wrap
from mistrust.robustness.ddn import ddn

CLASSES = ("a", "b", "c", "d")
ONE = image_set([[0.2, 0.8, 0.5, 0.7]], [1], ids=[7])


@pytest.mark.parametrize("factor", [1, 200, 1e4])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_it_comes_to_the_known_distance_however_sure_the_network_is(factor, dtype):
    """27.934 grey levels (facts B8). Of a lead of 60 or 3,000, foolbox's cross-entropy alone has a gradient of 0."""
    weights = [[0.0, 0, 0, 0], [2.0 * factor, -factor, 0.5 * factor, 1.5 * factor]]
    found = ddn(linear(weights, [0, -0.6 * factor], dtype), ONE)
    assert (found.success.tolist(), found.label.tolist(), found.ids.tolist()) == ([True], [0], [7])
    truth = 0.3 / math.sqrt(7.5) * 255
    assert truth == pytest.approx(27.934, abs=5e-4)
    assert truth <= found.l2.item() * (1 + 1e-6) <= truth * 1.01


def test_of_several_classes_it_finds_the_nearest_not_the_runner_up():
    names = ("a", "b", "c")
    classifier = linear([[0, 0], [1, 0], [0, 10]], [1, -0.5, -7], classes=names)
    found = ddn(classifier, image_set([[0.5, 0.5]], [0], classes=names))
    assert found.label.item() == 2
    assert found.l2.item() == pytest.approx(0.3 * 255, rel=0.01)


@pytest.mark.whole
def test_it_finds_another_class_and_comes_nearer_with_steps(small, images):
    few, many = ddn(small, images, steps=20), ddn(small, images, steps=200)
    both = few.success & many.success
    assert both.sum() > 15
    assert many.l2[both].mean() < few.l2[both].mean()
    assert (many.label[many.success] != images.labels[torch.isin(images.ids, many.ids)][many.success]).all()


@pytest.mark.whole
def test_blocks_misclassified_images_and_the_global_generator(small, images):
    state = torch.random.get_rng_state()
    one, two = ddn(small, images, steps=30), ddn(small, images, steps=30, block=6)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert one.misclassified.tolist() == [10]
    assert len(one.ids) == 19
    assert torch.allclose(one.l2, two.l2, atol=1e-9, equal_nan=True)


def test_it_says_where_it_found_nothing():
    """A network whose bias no pixel can outweigh: class 1 everywhere in the box."""
    found = ddn(linear([[0, 0, 0, 0], [1, 1, 1, 1]], [0, 1]), ONE, steps=30)
    assert not found.success.any()
    assert found.l2.isnan().all()
    assert found.label.tolist() == [-1]


def test_bad_input(small, images):
    with pytest.raises(MistrustError, match="wraps a plain callable"):
        ddn(wrap(lambda x: small.network(x), CLASSES), images)
    with pytest.raises(MistrustError, match="block is 0, expected"):
        ddn(small, images, block=0)
    with pytest.raises(MistrustError, match="ddn: steps is 5, expected a number of at least 10"):
        ddn(small, images, steps=5)
