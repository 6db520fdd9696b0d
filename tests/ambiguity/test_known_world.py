"""The known world: its posterior against Bayes' rule by scipy, by integration, and by counting draws."""

import math

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from mistrust.ambiguity.glyphs import fours_and_nines
from mistrust.ambiguity.known_world import World
from mistrust.errors import MistrustError


def tiny(glyphs, shares, **more):
    glyphs = torch.tensor(glyphs, dtype=torch.float64)
    return World(glyphs, torch.tensor(shares, dtype=torch.float64), (1, 1, glyphs.shape[1]), **more)


ONE = tiny([[0.1], [0.5], [0.95]], [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], noise=0.3, prior=(0.4, 0.6))
TWO = tiny([[0.2, 0.3], [0.6, 0.3], [0.5, 0.9]], [[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]], noise=0.25, prior=(0.3, 0.7))


def by_scipy(world, image):
    """p(image, class) from scipy's cut normal density, glyph by glyph and pixel by pixel."""
    found = []
    for c in range(2):
        total = 0.0
        for share, glyph in zip(world.shares[c].tolist(), world.glyphs.numpy(), strict=True):
            low, high = (0 - glyph) / world.noise, (1 - glyph) / world.noise
            total += share * math.prod(stats.truncnorm.pdf(image, low, high, loc=glyph, scale=world.noise))
        found.append(world.prior[c] * total)
    return np.array(found)


@pytest.mark.parametrize("world", [ONE, TWO])
def test_posterior_and_density_equal_bayes_rule_by_scipy(world):
    pixels = np.random.default_rng(0).random((50, world.glyphs.shape[1]))
    pixels[0], pixels[1] = 0.0, 1.0  # the cuts themselves
    images = torch.from_numpy(pixels).view(-1, *world.shape)
    joint = np.stack([by_scipy(world, one) for one in pixels])
    np.testing.assert_allclose(world.posterior(images).numpy(), joint / joint.sum(1, keepdims=True), rtol=1e-11)
    np.testing.assert_allclose(world.log_density(images).numpy(), np.log(joint.sum(1)), rtol=0, atol=1e-11)


def test_density_integrates_to_one():
    def density(x):
        return float(ONE.log_density(torch.tensor(x, dtype=torch.float64).view(1, 1, 1, 1)).exp())

    assert integrate.quad(density, 0, 1, epsabs=1e-10)[0] == pytest.approx(1, abs=1e-9)


@pytest.mark.whole
def test_posterior_is_the_share_of_draws_that_came_from_the_class():
    """Counting, without any formula: of the draws that fall near an image, how many are of the second class."""
    drawn = TWO.draw(200_000, seed=3)
    other = tiny(TWO.glyphs.tolist(), TWO.shares.tolist(), noise=TWO.noise, prior=(0.4, 0.6))
    pixels = drawn.images.double().flatten(1)
    worst = {"right": 0.0, "another prior": 0.0}
    for at in [(0.2, 0.3), (0.4, 0.35), (0.55, 0.6), (0.6, 0.3), (0.8, 0.5)]:
        near = (pixels - torch.tensor(at, dtype=torch.float64)).abs().amax(1) < 0.02
        n, found = int(near.sum()), float(drawn.labels[near].double().mean())
        assert n > 150
        for what, world in (("right", TWO), ("another prior", other)):
            expected = float(world.posterior(drawn.images[near])[:, 1].mean())
            off = abs(found - expected) / math.sqrt(expected * (1 - expected) / n)
            worst[what] = max(worst[what], off)
    assert worst["right"] < 3
    assert worst["another prior"] > 4  # so the count can tell a wrong posterior


@pytest.fixture(scope="module")
def world():
    return fours_and_nines(14, closings=25, slants=3, widths=2)


def test_figures_probabilities_are_calibrated_on_the_worlds_own_draws(world):
    drawn = world.draw(4000, seed=1)
    right = world.posterior(drawn.images)
    nine = right[:, 1]
    decile = (nine * 10).long().clamp_max(9)
    miss = torch.zeros(10, dtype=torch.float64)
    for k in range(10):
        here = decile == k
        assert here.sum() > 30
        deviation = (drawn.labels[here] - nine[here]).sum()
        miss[k] = deviation / (nine[here] * (1 - nine[here])).sum().sqrt()
    assert miss.square().sum() < stats.chi2.ppf(0.999, 10)

    def loss(p):  # the log score, which the right probabilities alone make least
        return -p[torch.arange(len(p)), drawn.labels].log().mean()

    for power in (0.6, 1.6):  # sharper or flatter ones
        assert loss(right) < loss(torch.softmax(right.log() * power, dim=1))


def test_the_way_a_bowl_is_closed_tells_the_class(world):
    """Without noise the posterior is nearly that of t alone: sigmoid((t - 0.5) · 0.6 / 0.04)."""
    t = torch.linspace(0, 1, 25, dtype=torch.float64)
    middle = world.glyphs.view(25, 3, 2, -1)[:, 1, 0].view(-1, 1, 14, 14)
    nine = world.posterior(middle)[:, 1]
    torch.testing.assert_close(nine, torch.sigmoid((t - 0.5) * 15), atol=0.1, rtol=0)
    assert 0.4 < nine[12] < 0.6


def test_an_image_of_no_class_has_a_low_density(world):
    own = world.log_density(world.draw(50, seed=0).images)
    other = world.log_density(world.draw(50, seed=0).images.flip(2))
    assert other.max() < own.min() - 100


def test_draws_depend_on_seed_and_id_alone(world):
    few, many = world.draw(10, seed=5), world.draw(700, seed=5)
    assert torch.equal(few.images, many.images[:10])
    assert torch.equal(few.labels, many.labels[:10])
    assert not torch.equal(few.images, world.draw(10, seed=6).images)
    assert 0.4 < many.labels.double().mean() < 0.6


def test_bytes_count_as_255ths_and_blocks_equal_the_whole(world):
    bytes_ = (world.draw(600, seed=2).images * 255).round().to(torch.uint8)
    whole = world.posterior(bytes_)
    torch.testing.assert_close(whole, world.posterior(bytes_.double() / 255), atol=1e-12, rtol=0)
    torch.testing.assert_close(whole[590:], world.posterior(bytes_[590:]), atol=1e-9, rtol=0)
    assert torch.equal(world.posterior(bytes_[:0]), torch.zeros(0, 2, dtype=torch.float64))


def test_lists_and_arrays_make_the_same_world():
    shares = [[0.7, 0.3], [0.1, 0.9]]
    image = torch.full((1, 1, 1, 1), 0.4)
    made = [
        World(glyphs, shares, (1, 1, 1)).posterior(image) for glyphs in ([[0.25], [0.5]], np.array([[0.25], [0.5]]))
    ]
    assert torch.equal(made[0], made[1])
    assert torch.allclose(made[0], tiny([[0.25], [0.5]], shares).posterior(image), atol=1e-6)
    with pytest.raises(MistrustError, match="known-world: glyphs are 'four', expected numbers"):
        World("four", shares, (1, 1, 1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tiny([[0.5]], [[1.0], [1.0]], noise=0), "noise is 0, expected a standard deviation above 0"),
        (lambda: tiny([[1.5]], [[1.0], [1.0]]), r"Images range from 1.5 to 1.5, expected \[0, 1\]"),
        (lambda: tiny([[0.5]], [[0.9], [1.0]]), "are no probabilities of 1 glyphs"),
        (lambda: tiny([[0.5]], [[1.0], [1.0]], prior=(0.5, 0.6)), r"prior is \(0.5, 0.6\)"),
        (lambda: World(torch.rand(2, 3).double(), torch.full((2, 2), 0.5).double(), (1, 2, 2)), r"expected \(m, 4\)"),
        (lambda: fours_and_nines(14, slants=0), "slants is 0, expected a number of at least 1"),
        (lambda: fours_and_nines(14, spread=0), "spread is 0"),
        (lambda: ONE.posterior(torch.zeros(1, 1, 2, 2)), r"images have shape \(1, 1, 2, 2\), expected \(n, 1, 1, 1\)"),
        (lambda: ONE.posterior(torch.full((1, 1, 1, 1), 2.0)), "Images range from 2 to 2"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
