import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.inputs import PERTURBATIONS, perturb, perturbed, to_uint8


@pytest.fixture
def digits():
    from mistrust.data import load

    return load("digits", "test").take(torch.arange(40))


@pytest.mark.parametrize("name", list(PERTURBATIONS))
class TestContract:
    def test_has_ten_levels_title_and_source(self, name):
        entry = PERTURBATIONS[name]
        assert len(entry.levels) == 10
        assert entry.title
        assert "Sikar" in entry.source

    def test_stays_in_range_and_shape_and_leaves_its_input_alone(self, name, digits):
        images = digits.floats()
        before = images.clone()
        for level in range(1, 11):
            out = perturb(images, name, level)
            assert out.shape == images.shape
            assert out.dtype == torch.float32
            assert out.min() >= 0
            assert out.max() <= 1
        assert torch.equal(images, before)

    def test_a_subset_gets_what_the_whole_gets(self, name, digits):
        some = torch.tensor([30, 2, 17])
        whole = perturbed(digits, name, 5, seed=3)
        assert torch.equal(perturbed(digits.take(some), name, 5, seed=3).images, whole.images[some])

    def test_levels_differ_and_only_random_ones_heed_the_seed(self, name, digits):
        images = digits.floats()
        first = perturb(images, name, 4, seed=1)
        assert not torch.equal(first, perturb(images, name, 5, seed=1))
        assert torch.equal(first, perturb(images, name, 4, seed=1))
        assert torch.equal(first, perturb(images, name, 4, seed=2)) != PERTURBATIONS[name].random

    def test_refuses_what_it_cannot_take(self, name, digits):
        images = digits.floats()
        with pytest.raises(MistrustError, match="levels 1 to 10, got 11"):
            perturb(images, name, 11)
        with pytest.raises(MistrustError, match="takes"):
            perturb(images, name, {"wrong": 1.0})
        with pytest.raises(MistrustError, match=r"expected \[0, 1\]"):
            perturb(images * 255, name, 1)


def test_brightness_adds_half_of_the_papers_b():
    # By hand: on [-1, 1] the paper adds b = .55 at level 2; (-1 + .55 + 1) / 2 = .275 of the full scale.
    images = torch.tensor([0.0, 0.5, 0.9]).view(1, 1, 1, 3)
    assert perturb(images, "brightness", 2).flatten().tolist() == pytest.approx([0.275, 0.775, 1.0])
    assert torch.equal(perturb(images, "brightness", {"shift": 0.0}), images)


def test_gaussian_noise_is_the_papers_formula_on_the_papers_scale():
    # clip(x + mu + .25 z) on [-1, 1], in float64 with numpy, level 6: mu = .7.
    ids = torch.arange(50)
    images = random.uniform(0, "images", ids, (1, 6, 6))
    z = random.normal(9, "gaussian_noise/mean=0.35,sigma=0.125/z", ids, (1, 6, 6)).double().numpy()
    x = 2 * images.double().numpy() - 1
    expected = (np.clip(x + 0.7 + 0.25 * z, -1, 1) + 1) / 2
    assert np.abs(perturb(images, "gaussian_noise", 6, ids=ids, seed=9).numpy() - expected).max() < 1e-6


def test_every_grey_level_survives_the_way_through_floats():
    levels = torch.arange(256, dtype=torch.uint8).view(1, 1, 16, 16)
    assert torch.equal(to_uint8(levels.float() / 255), levels)
    assert to_uint8(torch.tensor([[[[0.4999, 0.9999]]]])).flatten().tolist() == [127, 254]


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(MistrustError, match="Did you mean 'brightness'"):
        perturb(torch.zeros(1, 1, 2, 2), "brigthness", 1)
