"""The cheap rivals: mixed pixels, and midpoints in a plain VAE."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from mistrust.ambiguity.plain_vae import PlainRecipe, PlainVae, plain_vae, train
from mistrust.ambiguity.rivals import midpoints, mixed
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.networks.architectures import initialise
from mistrust.store import Scratch

PAIRS = ["3/8", "4/9"]
QUICK = PlainRecipe(hidden=64, latent=8, epochs=25, batch=32, rate=5e-3)


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train")


@pytest.fixture(scope="module")
def vae(digits):
    network = PlainVae(64, QUICK)
    network.load_state_dict(train(digits, QUICK, seed=0, device="cpu"))
    return network.eval()


def black_and_white():
    """Two classes whose every image is known: black and white."""
    pixels = torch.cat([torch.zeros(5, 1, 3, 3), torch.ones(7, 1, 3, 3)])
    return ImageSet("two", pixels, torch.tensor([0] * 5 + [1] * 7), torch.arange(12), ("black", "white"))


def test_a_mixed_pixel_is_the_weighted_mean_of_both():
    made = mixed(black_and_white(), None, 400, delta_max=0.5)
    white = made.probabilities[:, 1]
    assert torch.equal(made.images[:, 0, 1, 1], (white * 256).floor().to(torch.uint8))
    torch.testing.assert_close(made.latent[:, 0], 1 - white, atol=1e-15, rtol=0)
    gap = made.probabilities.diff(dim=1).abs()[:, 0]
    assert gap.max() < 0.5
    # Uniform below delta_max, as AmbiGuess's may be; and labels drawn by it.
    assert stats.kstest(gap.numpy() / 0.5, "uniform").pvalue > 1e-3
    expected = float(white.sum())
    assert abs(float(made.labels.sum()) - expected) < 4 * math.sqrt(float((white * (1 - white)).sum()))


def test_an_image_is_made_of_two_of_its_own_classes(digits):
    made = mixed(digits, PAIRS, 200)
    assert made.pairs.unique(dim=0, return_counts=True)[1].tolist() == [100, 100]
    # Each is a combination of one image of either class: those that fit best fit exactly, up to rounding to bytes.
    floats = digits.floats().flatten(1).double()
    for k in range(0, 200, 20):
        first, second = (floats[digits.labels == c] for c in made.pairs[k])
        share = float(made.probabilities[k, 0])
        every = share * first[:, None] + (1 - share) * second
        byte = (every * 256).floor().clamp_max(255)
        assert (byte - made.images[k].flatten().double()).abs().amax(-1).min() == 0


def test_draws_are_keyed_by_seed_and_role(digits):
    one, again = mixed(digits, PAIRS, 50), mixed(digits, PAIRS, 120)
    assert torch.equal(one.images, again.images[:50])
    for other in (mixed(digits, PAIRS, 50, seed=1), mixed(digits, PAIRS, 50, role="train")):
        assert not torch.equal(one.images, other.images)
    assert mixed(digits, PAIRS, 4, first_id=7).ids.tolist() == [7, 8, 9, 10]


@pytest.mark.whole
def test_midpoints_are_decoded_between_the_images_that_mixing_takes(digits, vae):
    mean, between = mixed(digits, PAIRS, 300), midpoints(digits, PAIRS, 300, vae)
    assert torch.equal(mean.probabilities, between.probabilities)
    assert torch.equal(mean.pairs, between.pairs)
    assert torch.equal(mean.labels, between.labels)
    assert between.made_by["method"] == "midpoint"

    def apart(a, b):
        return float((a.images.double() - b.images.double()).square().mean())

    others = midpoints(digits, PAIRS, 300, vae, seed=1)
    assert apart(mean, between) < 0.75 * apart(mean, others)  # the same two images, not any two
    assert apart(mean, between) > 100  # and not their pixels' mean


def test_the_plain_autoencoder_learns(digits, vae):
    x = digits.floats().flatten(1)
    untrained = PlainVae(64, QUICK)
    initialise(untrained, 0)
    with torch.no_grad():
        error = [float((one.decode(one.encode(x)) - x).square().mean()) for one in (vae, untrained)]
        constant = float((x - x.mean(0)).square().mean())
    assert error[0] < 0.6 * constant < error[1]


def test_its_loss_is_minus_the_evidence_bound_by_hand():
    """Against numpy, sums written out: binary cross-entropy and the divergence of two normal laws."""
    network = PlainVae(4, PlainRecipe(hidden=3, latent=2)).double()
    initialise(network, 5)
    g = np.random.default_rng(0)
    x, noise = g.random((6, 4)), g.standard_normal((6, 2))
    w = {name: values.numpy() for name, values in network.state_dict().items()}

    def layer(name, values):
        return values @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    hidden = np.maximum(layer("encoder", x), 0)
    mean, log_variance = layer("mean", hidden), layer("log_variance", hidden)
    z = mean + noise * np.sqrt(np.exp(log_variance))
    p = 1 / (1 + np.exp(-layer("pixels", np.maximum(layer("decoder", z), 0))))
    error = -(x * np.log(p) + (1 - x) * np.log(1 - p)).sum()
    divergence = sum(
        0.5 * (math.exp(s) + m * m - 1 - s) for m, s in zip(mean.ravel(), log_variance.ravel(), strict=True)
    )
    found = network.loss(torch.from_numpy(x), torch.from_numpy(noise))
    assert found.item() == pytest.approx((error + divergence) / 6, rel=1e-12)


class _Stopped(Exception):
    pass


def test_a_stopped_training_goes_on_where_it_was(digits):
    some, recipe = digits.take(slice(0, 200)), PlainRecipe(hidden=16, latent=3, epochs=4, batch=32)
    whole = train(some, recipe, seed=3, device="cpu")

    class Stopping(Scratch):
        def save(self, tensors):
            super().save(tensors)
            if int(tensors["epoch"]) == 2:
                raise _Stopped

    scratch = Stopping()
    with pytest.raises(_Stopped):
        train(some, recipe, seed=3, device="cpu", scratch=scratch)
    rest = Scratch()
    rest.save(scratch.load())
    resumed = train(some, recipe, seed=3, device="cpu", scratch=rest)
    for name, values in whole.items():
        assert torch.equal(values, resumed[name]), name


def test_it_is_trained_once_and_kept(digits):
    some, recipe = digits.take(slice(0, 64)), PlainRecipe(hidden=8, latent=2, epochs=1, batch=32)
    first, second = plain_vae(some, recipe, device="cpu"), plain_vae(some, recipe, device="cpu")
    other = plain_vae(some, recipe, seed=1, device="cpu")
    assert torch.equal(first.pixels.weight, second.pixels.weight)
    assert not torch.equal(first.pixels.weight, other.pixels.weight)
    assert not first.training


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda digits, vae: mixed(digits, ["3/3"], 5), "names '3' twice"),
        (lambda digits, vae: mixed(digits, PAIRS, 0), "Number of images: count is 0"),
        (lambda digits, vae: mixed(digits, PAIRS, 5, delta_max=0), "delta_max is 0"),
        (
            lambda digits, vae: mixed(digits, PAIRS, 5, delta_max=1.5),
            r"delta_max is 1.5, expected a number in \[0, 1\]",
        ),
        (lambda digits, vae: midpoints(black_and_white(), None, 5, vae), "images of 9 numbers.*trained on 64"),
        (lambda digits, vae: PlainRecipe(latent=0), "every size and number of passes is a whole number, at least 1"),
        (lambda digits, vae: PlainRecipe(epochs=2.5), "every size and number of passes is a whole number"),
        (
            lambda digits, vae: train(digits, replace(QUICK, epochs=1, rate=1e30), 0, device="cpu"),
            "Lower the rate",
        ),
    ],
)
def test_bad_input(digits, vae, call, message):
    with pytest.raises(MistrustError, match=message):
        call(digits, vae)
