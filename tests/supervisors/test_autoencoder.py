"""The autoencoder: its layers against sums written out in numpy, its scores by hand, its training killed and shared."""

import gc
from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
import torch
from scipy.special import expit
from torch import nn

from mistrust import random, store
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import observe, parameter_count, wrap
from mistrust.store import Scratch
from mistrust.supervisors import autoencoder, conv_vae
from mistrust.supervisors.autoencoder import Autoencoder, cross_entropy, excess, squared
from mistrust.supervisors.conv_vae import ConvVae, VaeRecipe, train, untrained

FEW = VaeRecipe(epochs=3, batch=8)


def images(n=20, shape=(1, 8, 8), start=0):
    ids = torch.arange(start, start + n)
    return ImageSet("drawn", random.uniform(0, "images", ids, shape), ids % 2, ids, ("a", "b"))


def record(found):
    """A record of these images by a network that nobody asks."""
    return observe(wrap(nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), _head(found)), found.classes), found)


def _head(found):
    head = nn.Linear(found.images.shape[1], len(found.classes))
    nn.init.constant_(head.weight, -1.0)
    return head


def quick(**parameters):
    return Autoencoder(**{"epochs": 3, "batch": 8, "device": "cpu", **parameters})


# The network


def test_it_has_the_parameters_of_keras_example():
    network = ConvVae((1, 28, 28))
    assert (parameter_count(network.encoder), parameter_count(network.decoder)) == (69_076, 65_089)


@pytest.mark.parametrize("shape", [(1, 28, 28), (1, 8, 8), (3, 7, 10), (1, 1, 1), (2, 5, 4), (3, 32, 32)])
def test_what_is_rebuilt_has_the_size_of_the_image(shape):
    network = untrained(shape, VaeRecipe(latent=3), 0)
    mean, log_variance = network.posterior(torch.zeros(2, *shape))
    assert mean.shape == log_variance.shape == (2, 3)
    assert network.logits(mean).shape == (2, *shape)


def strided(x, weight, bias):
    """Keras's convolution with stride 2, "same": an even side is padded by one on the far end alone."""
    side = x.shape[1] // 2
    far = np.pad(x, ((0, 0), (0, 1), (0, 1)))
    out = np.zeros((len(weight), side, side)) + bias[:, None, None]
    for i in range(side):
        for j in range(side):
            out[:, i, j] += np.einsum("ocuv,cuv->o", weight, far[:, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3])
    return np.maximum(out, 0)


def widened(x, weight, bias):
    """Keras's transposed convolution with stride 2, "same": the gradient of `strided`."""
    side = x.shape[1]
    out = np.zeros((weight.shape[1], 2 * side + 1, 2 * side + 1))
    for i in range(side):
        for j in range(side):
            out[:, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += np.einsum("c,couv->ouv", x[:, i, j], weight)
    return np.maximum(out[:, :-1, :-1] + bias[:, None, None], 0)


def test_layers_and_loss_are_keras_ones_written_out():
    """A 5x8 image: padded with zeros to 8x8, and of what is rebuilt 5x8 are kept."""
    network = untrained((1, 5, 8), VaeRecipe(), 3).double()
    with torch.no_grad():
        for name, values in network.named_parameters():
            if name.endswith("bias"):
                values.copy_(torch.from_numpy(random.generator(1, name).uniform(-0.3, 0.3, tuple(values.shape))))
    w = {name: values.numpy() for name, values in network.state_dict().items()}
    g = np.random.default_rng(0)
    x, noise = g.random((5, 8)), g.standard_normal(2)

    def dense(name, values):
        return w[f"{name}.weight"] @ values + w[f"{name}.bias"]

    hidden = np.pad(x, ((0, 3), (0, 0)))[None]
    for name in ("encoder.conv1", "encoder.conv2"):
        hidden = strided(hidden, w[f"{name}.weight"], w[f"{name}.bias"])
    hidden = np.maximum(dense("encoder.dense", hidden.ravel()), 0)
    mean, log_variance = dense("encoder.mean", hidden), dense("encoder.log_variance", hidden)
    hidden = np.maximum(dense("decoder.dense", mean + noise * np.exp(log_variance / 2)), 0).reshape(64, 2, 2)
    for name in ("decoder.up1", "decoder.up2"):
        hidden = widened(hidden, w[f"{name}.weight"], w[f"{name}.bias"])
    out = np.zeros((10, 10))
    for i in range(8):
        for j in range(8):
            out[i : i + 3, j : j + 3] += np.einsum("c,couv->uv", hidden[:, i, j], w["decoder.pixels.weight"])
    p = expit(out[1:-1, 1:-1] + w["decoder.pixels.bias"])[:5]
    error = -(x * np.log(p) + (1 - x) * np.log(1 - p)).sum()
    divergence = 0.5 * (np.exp(log_variance) + mean**2 - 1 - log_variance).sum()
    found = network.loss(torch.from_numpy(x)[None, None], torch.from_numpy(noise)[None])
    assert found.item() == pytest.approx(error + divergence, rel=1e-12)


def test_first_weights_are_glorots():
    """sqrt(6 / (fan-in + fan-out)), a kernel's area counted in both (Glorot and Bengio 2010, equation 16)."""
    network = untrained((1, 28, 28), VaeRecipe(), 0)
    for layer, fans in (
        (network.encoder["conv2"], 9 * (32 + 64)),
        (network.encoder["dense"], 3136 + 16),
        (network.decoder["up1"], 9 * (64 + 64)),
        (network.decoder["up2"], 9 * (64 + 32)),
        (network.decoder["pixels"], 9 * (32 + 1)),
    ):
        assert float(layer.weight.detach().abs().max()) == pytest.approx(sqrt(6 / fans), rel=0.05)
        assert float(layer.weight.detach().std()) == pytest.approx(sqrt(2 / fans), rel=0.1)
        assert not layer.bias.any()
    assert torch.equal(untrained((1, 28, 28), VaeRecipe(), 0).decoder["up2"].weight, network.decoder["up2"].weight)
    assert not torch.equal(untrained((1, 28, 28), VaeRecipe(), 1).decoder["up2"].weight, network.decoder["up2"].weight)


# Training


@pytest.mark.whole
def test_it_learns_what_two_numbers_can_say():
    """Images whose halves are as bright as two numbers say; others have their rows that bright."""
    level = random.uniform(0, "levels", torch.arange(96), (1, 1, 2))
    halves = level.repeat_interleave(4, 3).expand(96, 1, 8, 8).contiguous()
    known = ImageSet("halves", halves, torch.arange(96) % 2, torch.arange(96), ("a", "b"))
    one = Autoencoder(error="excess", epochs=30, batch=16, rate=5e-3, device="cpu").fit(
        record(known.take(slice(0, 64)))
    )
    mean = halves[:64].mean(0, keepdim=True).expand(32, 1, 8, 8)
    constant = excess(mean.logit(), halves[64:])
    new = one.score(record(known.take(slice(64, 96))))
    turned = known.take(slice(64, 96))
    assert new.mean() < 0.5 * constant.mean()
    assert one.score(record(turned.with_images(turned.images.mT.contiguous()))).mean() > 2 * new.mean()


@pytest.mark.parametrize("call", [2, 5])
def test_training_goes_on_where_it_was_killed(call, monkeypatch):
    scratch, calls, loss = Scratch(None), [], ConvVae.loss

    def broken(self, x, noise):
        calls.append(len(x))
        if len(calls) == call:
            raise KeyboardInterrupt
        return loss(self, x, noise)

    whole = train(images(), FEW, 0, device="cpu")
    monkeypatch.setattr(ConvVae, "loss", broken)
    with pytest.raises(KeyboardInterrupt):
        train(images(), FEW, 0, device="cpu", scratch=scratch)
    calls.extend([0] * 100)
    resumed = train(images(), FEW, 0, device="cpu", scratch=scratch)
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)
    assert len(calls) == 100 + call + 9 - 3 * ((call - 1) // 3)  # three batches an epoch; whole epochs are not redone


def test_bytes_and_floats_of_the_same_pixels_train_the_same():
    floats = images()
    byte = floats.with_images((floats.images * 255).to(torch.uint8))
    first, second = (train(one, FEW, 0, device="cpu") for one in (byte, byte.with_images(byte.floats())))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["encoder.mean.weight"], train(byte, FEW, 1, device="cpu")["encoder.mean.weight"])


def test_training_says_what_went_wrong():
    with pytest.raises(MistrustError, match=r"stopped in epoch \d: its loss is (nan|inf). Lower the rate 1e\+20"):
        train(images(), replace(FEW, rate=1e20), 0, device="cpu")
    with pytest.raises(MistrustError, match="Autoencoder: latent is 0, expected a number of at least 1"):
        quick(latent=0)
    with pytest.raises(MistrustError, match="the rate is above 0"):
        quick(rate=0)


# Errors of rebuilt images


def test_errors_by_hand():
    p = torch.tensor([0.5, 0.9, 0.2, 1.0]).double()
    x = torch.tensor([1.0, 0.9, 0.0, 0.0]).double()
    logits, pixels = p.logit().view(4, 1, 1, 1), x.view(4, 1, 1, 1)
    entropy = -(0.9 * log(0.9) + 0.1 * log(0.1))
    assert cross_entropy(logits, pixels).tolist() == pytest.approx([log(2), entropy, -log(0.8), -log(1e-7)])
    assert excess(logits, pixels).tolist() == pytest.approx([log(2), 0, -log(0.8), -log(1e-7)], abs=1e-6)
    assert squared(logits, pixels).tolist() == pytest.approx([0.25, 0, 0.04, 1])
    assert cross_entropy(logits[3:], pixels[3:], clip=0).item() == float("inf")
    both = (logits.view(1, 1, 2, 2), pixels.view(1, 1, 2, 2))
    assert cross_entropy(*both).item() == pytest.approx(float(cross_entropy(logits, pixels).sum()))
    assert squared(*both).item() == pytest.approx(1.29 / 4)


def test_a_grey_image_costs_more_than_a_black_one_unless_the_floor_is_taken_off():
    grey, black = torch.full((1, 1, 4, 4), 0.5), torch.zeros(1, 1, 4, 4)
    assert cross_entropy(grey.logit(), grey) > cross_entropy(torch.full_like(black, -4.0), black)
    assert excess(grey.logit(), grey) < excess(torch.full_like(black, -4.0), black)


# The supervisor


def test_scores_are_the_errors_at_the_mean_code():
    training, seen = record(images()), record(images(7, start=50))
    for error, function in (("bce", cross_entropy), ("excess", excess), ("mse", squared)):
        one = quick(error=error).fit(training)
        weights = {n.removeprefix("network/"): v for n, v in one.fitted.state.items() if n != "shape"}
        network = conv_vae.with_weights((1, 8, 8), weights).double()
        x = seen.images.images.double()
        with torch.no_grad():
            expected = function(network.logits(network.posterior(x)[0]), x)
        torch.testing.assert_close(one.score(seen), expected, rtol=1e-12, atol=1e-12)
    assert len(store.entries()) == 1  # one autoencoder for the three


def test_supervisors_of_other_errors_rebuild_the_same_images_once(monkeypatch):
    training, seen, calls = record(images()), record(images(7, start=50)), []
    rebuild = conv_vae.ConvVae.logits
    monkeypatch.setattr(conv_vae.ConvVae, "logits", lambda self, z: calls.append(len(z)) or rebuild(self, z))
    three = [quick(error=error).fit(training) for error in ("bce", "excess", "mse")]
    calls.clear()
    first = [one.score(seen) for one in three]
    assert calls == [7]
    again = record(images(7, start=50))  # the same pixels, another tensor
    other = [one.score(again) for one in three]
    assert calls == [7, 7]
    assert all(torch.equal(a, b) for a, b in zip(first, other, strict=True))
    quick(seed=1).fit(training).score(seen)  # another autoencoder
    assert calls[2:][-1] == 7
    monkeypatch.setattr("mistrust.supervisors.autoencoder.KEPT", 5)  # too many images to keep what was rebuilt
    calls.clear()
    large = record(images(7, start=90))
    assert [len(one.score(large)) for one in three] == [7, 7, 7]
    assert calls == [7, 7, 7]


def test_no_images_have_no_scores():
    one, seen = quick().fit(record(images())), record(images(7, start=50))
    assert one.score(seen.take(torch.arange(0))).shape == (0,)


def test_pixels_that_change_in_place_are_rebuilt_anew():
    one, seen = quick().fit(record(images())), record(images(7, start=50))
    one.score(seen)
    other = images(7, start=90)
    seen.images.images.numpy()[:] = other.images.numpy()  # torch's count of changes does not see this
    assert torch.equal(one.score(seen), one.score(record(other)))


@pytest.mark.whole
def test_what_was_rebuilt_is_kept_of_the_latest_network_alone_and_within_bounds(monkeypatch):
    training, first, second = record(images()), record(images(7, start=50)), record(images(9, start=70))
    one, other = quick().fit(training), quick(seed=1).fit(training)
    kept = autoencoder._KEPT.blocks
    one.score(first)
    one.score(second)
    assert [len(tensor) for tensor in kept] == [7, 9]
    other.score(first)
    assert [len(tensor) for tensor in kept] == [7]
    monkeypatch.setattr(autoencoder, "KEPT", 8 * 64 * 15)  # bytes: of 7 or of 9 images, not of both
    other.score(second)
    assert [len(tensor) for tensor in kept] == [9]
    del second
    gc.collect()
    assert len(kept) == 0


def test_an_image_scores_the_same_alone_and_in_any_block(monkeypatch):
    one, seen = quick().fit(record(images())), record(images(9, start=50))
    whole = one.score(seen)
    monkeypatch.setattr("mistrust.supervisors.autoencoder.BLOCK", 4)
    torch.testing.assert_close(one.score(seen), whole, rtol=1e-12, atol=0)
    for i in range(0, 9, 4):
        torch.testing.assert_close(one.score(seen.take(torch.tensor([i]))), whole[i : i + 1], rtol=1e-12, atol=0)


def test_fitting_again_trains_nothing(monkeypatch):
    first = quick().fit(record(images()))

    def refused(*_, **__):
        raise AssertionError("trained again")

    monkeypatch.setattr(conv_vae, "train", refused)
    again = quick(error="mse", clip=0).fit(record(images()))
    assert all(torch.equal(again.fitted.state[name], values) for name, values in first.fitted.state.items())
    with pytest.raises(AssertionError, match="trained again"):
        quick(seed=1).fit(record(images()))


def test_one_image_is_enough():
    scores = quick().fit(record(images(1))).score(record(images(3, start=9)))
    assert torch.isfinite(scores).all()


def test_bad_input_is_refused():
    one = quick().fit(record(images()))
    with pytest.raises(MistrustError, match=r"have shape \(1, 8, 9\) .*, and it was fitted on \(1, 8, 8\). Resize"):
        one.score(record(images(shape=(1, 8, 9))))
    with pytest.raises(MistrustError, match=r"no error of a rebuilt image 'exces'. Did you mean 'excess'"):
        quick(error="exces")
    with pytest.raises(MistrustError, match=r"clip is 0.5, expected \[0, 0.5\)"):
        quick(clip=0.5)
