"""Noise: what it is drawn by, how large it is, and what clipping leaves of it."""

from math import pi, sqrt

import pytest
import torch
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.robustness.noise import VARIANTS, effective, find_variant, fixed, noisy


def draw(variant, seeds, ids, sigmas, shape=(1, 3, 4)):
    return VARIANTS[variant].draw(torch.tensor(seeds), torch.tensor(ids), torch.tensor(sigmas).double(), shape)


@pytest.mark.parametrize("name", list(VARIANTS))
class TestVariants:
    def test_they_say_what_they_are(self, name):
        assert VARIANTS[name].title
        assert ("fresh" in name, "unclipped" not in name) == (VARIANTS[name].fresh, VARIANTS[name].clipped)
        assert find_variant(name) == (name, VARIANTS[name])

    def test_noise_belongs_to_id_and_seed_whatever_the_others_are(self, name):
        whole = draw(name, [0, 0, 1, 1], [7, 900, 7, 900], [4, 4, 4, 4])
        assert torch.equal(draw(name, [1, 0], [7, 900], [4, 4]), whole[[2, 1]])
        flat = whole.flatten(1)
        assert all(not torch.equal(flat[a], flat[b]) for a in range(4) for b in range(a))

    def test_other_noise_at_another_sigma_only_where_it_is_fresh(self, name):
        a, b = draw(name, [3, 3], [5, 5], [10, 11])
        assert torch.equal(a, b) != VARIANTS[name].fresh

    def test_it_is_standard_normal(self, name):
        z = draw(name, [0] * 50, list(range(50)), [9] * 50, (3, 16, 16)).flatten()
        assert stats.kstest(z.numpy(), "norm").pvalue > 0.01
        # Neighbouring images, rows and channels have nothing to do with each other: standard error 1 / sqrt(n).
        for lag in (1, 16, 256, 768):
            assert abs(float((z[lag:] * z[:-lag]).mean())) < 4 / sqrt(len(z))


def test_an_unknown_variant_is_refused_with_the_nearest_name():
    with pytest.raises(MistrustError, match=r"no variant of noise 'fixed-cliped'\. Did you mean 'fixed-clipped'"):
        find_variant("fixed-cliped")


def test_sigma_counts_grey_levels_and_the_image_stays_as_it_was():
    pixels = torch.tensor([[[[0.2, 0.9]]]], dtype=torch.float64)
    z = torch.tensor([[[[-1.0, 2.0]]]], dtype=torch.float64)
    free = noisy(pixels, z, torch.tensor([51.0]), clipped=False)
    assert torch.allclose(free, torch.tensor([[[[0.0, 1.3]]]], dtype=torch.float64), atol=1e-15)
    assert torch.equal(
        noisy(pixels, z, torch.tensor([102.0]), clipped=True).flatten(), torch.tensor([0.0, 1.0]).double()
    )
    assert pixels.flatten().tolist() == [0.2, 0.9]


class TestEffective:
    def test_without_clipping_it_is_sigma(self):
        pixels = torch.full((1, 1, 200, 200), 0.5, dtype=torch.float64)
        z = fixed(torch.tensor([0]), torch.tensor([1]), torch.zeros(1), (1, 200, 200)).double()
        found = effective(pixels, noisy(pixels, z, torch.tensor([40.0]), clipped=False))
        assert float(found) == pytest.approx(40, rel=0.01)

    def test_of_black_the_brightening_half_remains(self):
        # max(0, z) has mean 1 / sqrt(2 pi) and second moment 1/2.
        black = torch.zeros(1, 1, 300, 300)
        z = fixed(torch.tensor([0]), torch.tensor([1]), torch.zeros(1), (1, 300, 300))
        found = effective(black, noisy(black, z, torch.tensor([30.0]), clipped=True))
        assert float(found) == pytest.approx(30 * sqrt(0.5 - 1 / (2 * pi)), rel=0.01)

    def test_on_digits_it_is_what_was_measured(self, digit_network):
        # Facts B1: nominal 32, 64, 128, 255 leave 21, 42, 78, 112 on MNIST.
        pixels = digit_network[1].take(slice(0, 100)).floats()
        z = fixed(torch.zeros(100).long(), torch.arange(100), torch.zeros(100), (1, 28, 28))
        for sigma, left in ((32, 21), (64, 42), (128, 78), (255, 112)):
            found = effective(pixels, noisy(pixels, z, torch.full((100,), float(sigma)), clipped=True))
            assert float(found.mean()) == pytest.approx(left, abs=1)
