"""ALOOC: a stack against each class as torch modules trained alone, layers against torch's, scores by hand."""

import sys
import threading
from dataclasses import replace
from math import log
from pathlib import Path

import pytest
import torch
from sklearn.metrics import log_loss
from torch import nn
from torch.nn import functional

from mistrust import random, store
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import observe, wrap
from mistrust.store import Scratch
from mistrust.supervisors import ClassMean
from mistrust.supervisors.alooc import (
    Alooc,
    AloocRecipe,
    Design,
    rebuilding_entropy,
    supervisor,
    swapped_entropy,
    train,
    trained_refiners,
    training,
)
from mistrust.supervisors.alooc.adversarial import Stack
from mistrust.supervisors.alooc.feed import Feed
from mistrust.supervisors.alooc.layers import moments, normalised, widened
from mistrust.supervisors.alooc.networks import judged, refined

sys.path.insert(0, str(Path(__file__).resolve().parent))
from plain_alooc import Plain

CLASSES = ("a", "b", "c")
FEW = AloocRecipe(epochs=2, batch=4)


def images(n=18, shape=(1, 8, 8), start=0):
    """Half of them of class 1, a third of class 0 and a sixth of class 2."""
    ids = torch.arange(start, start + n)
    labels = torch.tensor([1, 0, 1, 2, 1, 0])[ids % 6]
    return ImageSet("drawn", random.uniform(0, "images", ids, shape), labels, ids, CLASSES)


def record(found):
    """A record of a network that tells how bright an image is, in three steps."""
    head = nn.Linear(found.images.shape[1], 3)
    with torch.no_grad():
        head.weight.copy_(torch.tensor([-60.0, 0.0, 60.0])[:, None].expand(head.weight.shape))
        head.bias.copy_(torch.tensor([29.5, 0.0, -30.5]) * found.images.shape[1])
    return observe(wrap(nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), head), CLASSES), found)


def quick(**parameters):
    return Alooc(**{"epochs": 2, "batch": 4, "device": "cpu", **parameters})


def stacked(found, recipe=FEW, classes=(0, 1, 2), dtype=torch.float64):
    feed = Feed(found, classes, recipe, 0, dtype)
    channels, height, width = found.images.shape[1:]
    return feed, Stack.new(Design(channels, height, width), recipe, 0, feed.names, dtype)


# Networks


@pytest.mark.parametrize(
    ("shape", "refiner", "discriminator"),
    [((3, 28, 28), 323_747, 271_201), ((3, 32, 32), 323_747, 271_201), ((1, 28, 28), 320_545, 270_401)],
)
def test_sizes_are_those_of_the_keras_port(shape, refiner, discriminator):
    """The facts' "about 324,000 and 272,000" count two moving moments of 224 normalised channels in each, too."""
    design = Design(*shape)
    assert (design.size("refiner"), design.size("discriminator")) == (refiner, discriminator)
    plain = Plain(shape[0], shape[1])
    assert sum(p.numel() for p in plain.refiner.parameters()) == refiner
    assert sum(p.numel() for p in plain.judge.parameters()) == discriminator
    if shape == (3, 28, 28):
        assert (refiner + 448, discriminator + 448) == (324_195, 271_649)


@pytest.mark.parametrize("shape", [(3, 28, 28), (1, 32, 32), (2, 8, 8), (1, 12, 12), (1, 9, 9), (1, 1, 1)])
def test_layers_are_torchs(shape):
    """What is rebuilt, and what is said of it, by modules that make the larger images."""
    feed, stack = stacked(images(12, shape), replace(FEW, batch=12))
    batch = next(iter(feed.epoch(0)))
    for g, count in enumerate(feed.counts):
        alone = Plain(shape[0], shape[1], dtype=torch.float64).load(stack.tensors, g)
        pixels = batch.noisy.unflatten(1, (3, -1))[:count, g]
        one = {name: values[g : g + 1] for name, values in stack.tensors.items()}
        logits = refined(one, stack.design, pixels)
        assert logits.shape == pixels.shape
        if shape[1] > 1 or count == 0:  # torch refuses to normalise single numbers
            torch.testing.assert_close(logits.sigmoid(), alone.rebuilt(pixels))
        if shape[1] > 16:
            torch.testing.assert_close(judged(one, pixels), alone.judge(pixels))


@pytest.mark.parametrize(("kernel", "padding"), [(5, (2, 2)), (3, (0, 0)), (3, (1, 1)), (3, (0, 1))])
def test_widening_is_a_convolution_of_the_larger_image(kernel, padding):
    x = random.normal(0, "x", torch.arange(2), (6, 5, 4)).double()
    weight, bias = (random.normal(0, str(shape), torch.arange(2), shape).double()
                    for shape in ((4, 3, kernel, kernel), (4,)))  # fmt: skip
    larger = functional.interpolate(x, scale_factor=2)
    expected = functional.conv2d(larger, weight.flatten(0, 1), bias.flatten(), padding=padding, groups=2)
    torch.testing.assert_close(widened(x, weight, bias, padding), expected)


def test_normalisation_of_ragged_batches_reads_what_is_there():
    x = random.normal(0, "x", torch.arange(5), (4, 3, 3)).double()
    share = torch.tensor([[0.2, 0.5]] * 2 + [[0.2, 0.0]] * 3).double()
    gain, shift = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).double(), torch.tensor([[0.0, 1.0], [2.0, 3.0]]).double()
    found = normalised(x, gain, shift, None, share)
    first, second = (functional.batch_norm(part, None, None, g, s, training=True, eps=1e-3)
                     for part, g, s in zip((x[:, :2], x[:2, 2:]), gain, shift, strict=True))  # fmt: skip
    torch.testing.assert_close(found[:, :2], first)
    torch.testing.assert_close(found[:2, 2:], second)
    whole = torch.full((5, 2), 0.2).double()
    for ours, theirs in zip(moments(x, whole), moments(x), strict=True):
        torch.testing.assert_close(ours, theirs)


# Training


@pytest.mark.whole
@pytest.mark.parametrize("optimiser", ["adam", "rmsprop"])
def test_each_class_learns_what_it_would_alone(optimiser):
    """Nine, six and three images in batches of four: last batches of one, two and three, and classes that are done."""
    feed, stack = stacked(images(shape=(2, 20, 20)), replace(FEW, optimiser=optimiser))
    assert feed.counts == [9, 6, 3]
    alone = [Plain(2, 20, optimiser, dtype=torch.float64).load(stack.tensors, g) for g in range(3)]
    before = [[values.clone() for values in one.weights()] for one in alone]
    for epoch in range(2):
        for batch in feed.epoch(epoch):
            for g, count in enumerate((batch.share > 0).sum(0).tolist()):
                clean, noisy = (x.unflatten(1, (batch.count, -1))[:count, g] for x in (batch.clean, batch.noisy))
                alone[g].step(clean, noisy, clip=1.0 if optimiser == "rmsprop" else None)
            stack.step(batch)
    names = [name for part in ("refiner", "discriminator") for name in stack.names[part]]
    for g, one in enumerate(alone):
        for name, values, first in zip(names, one.weights(), before[g], strict=True):
            if name.startswith(("encoder", "judge.1", "judge.2", "judge.3")) and name.endswith("bias"):
                continue  # before a normalisation its gradient is 0 but for rounding, which Adam blows up
            torch.testing.assert_close(stack.tensors[name][g], values, rtol=1e-6, atol=1e-7)
            assert not torch.equal(values, first)


@pytest.mark.whole
def test_members_do_not_hang_on_who_is_beside_them_nor_on_the_order_of_images():
    found = images()
    whole = train(found, (0, 1, 2), FEW, 0, device="cpu", dtype=torch.float64)
    turned = found.take(torch.arange(len(found)).flip(0))
    for some in ((2,), (1, 0)):
        fewer = train(turned, some, FEW, 0, device="cpu", dtype=torch.float64)
        for name, values in fewer.items():
            if not (name.startswith("encoder") and name.endswith(("bias", "mean"))):  # see above: they cancel
                torch.testing.assert_close(values, whole[name][list(some)], rtol=1e-6, atol=1e-6)


def test_noise_is_drawn_once_and_clipped():
    found = images()
    feed, _ = stacked(found, replace(FEW, noise=0.5))
    again, _ = stacked(found.take(torch.arange(17, -1, -1)), replace(FEW, noise=0.5))
    assert torch.equal(feed.noisy, again.noisy)
    assert (float(feed.noisy.min()), float(feed.noisy.max())) == (0, 1)
    rows = torch.cat([(found.labels == c).nonzero()[:, 0] for c in feed.classes])
    assert torch.equal(feed.clean, found.images[rows].double())
    drawn = random.normal(0, "alooc/noise", found.ids[rows], (1, 8, 8)).double()
    torch.testing.assert_close(feed.noisy, (feed.clean + 0.5 * drawn).clamp(0, 1))


def test_an_epoch_sees_every_image_once_and_the_last_batch_is_kept():
    feed, _ = stacked(images())
    seen = [[] for _ in range(3)]
    for batch in feed.epoch(3):
        for g in range(batch.count):
            there = batch.share[:, g] > 0
            seen[g] += batch.clean.unflatten(1, (batch.count, -1))[there, g].flatten(1).sum(1).tolist()
            assert float(batch.share[:, g].sum()) == pytest.approx(1)
    for g, rows in enumerate(feed.rows):
        assert sorted(seen[g]) == pytest.approx(sorted(feed.clean[rows].flatten(1).sum(1).tolist()))


def test_statistics_are_those_of_all_noisy_images():
    feed, stack = stacked(images())
    found = stack.statistics(feed)
    for g, rows in enumerate(feed.rows):
        alone = Plain(1, 8, dtype=torch.float64).load(stack.tensors, g)
        seen = feed.noisy[rows]
        for layer in range(3):
            convolution, norm, relu = alone.refiner[3 * layer : 3 * layer + 3]
            seen = convolution(seen)
            mean, variance = seen.mean((0, 2, 3)), seen.var((0, 2, 3), correction=0)
            torch.testing.assert_close(found[f"encoder.{layer}.mean"][g], mean.detach())
            torch.testing.assert_close(found[f"encoder.{layer}.variance"][g], variance.detach())
            seen = relu(norm(seen))


@pytest.mark.whole
def test_training_goes_on_where_it_was_killed(monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT", 1)
    recipe, scratch, calls, step = replace(FEW, epochs=3), Scratch(None), [], Stack.step
    whole = train(images(), (0, 1, 2), recipe, 0, device="cpu")

    def broken(self, batch):
        calls.append(batch)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return step(self, batch)

    monkeypatch.setattr(Stack, "step", broken)
    with pytest.raises(KeyboardInterrupt):
        train(images(), (0, 1, 2), recipe, 0, device="cpu", scratch=scratch)
    resumed = train(images(), (0, 1, 2), recipe, 0, device="cpu", scratch=scratch)
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)
    assert len(calls) == 5 + 6  # three batches an epoch; the first epoch is not redone


@pytest.mark.whole
def test_refiners_are_kept_by_group_and_found_again(monkeypatch):
    found = trained_refiners(images(), FEW, group=2, device="cpu")
    assert found["classes"].tolist() == [0, 1, 2]
    assert len(store.entries()) == 2

    def refused(*_, **__):
        raise AssertionError("trained again")

    monkeypatch.setattr(training, "train", refused)
    again = trained_refiners(images(), FEW, group=2)
    assert all(torch.equal(again[name], values) for name, values in found.items())
    with pytest.raises(AssertionError, match="trained again"):
        trained_refiners(images(), FEW, seed=1, group=2)


@pytest.mark.parametrize(("classes", "most", "sizes"), [
    (43, 15, [11, 11, 11, 10]), (10, 15, [5, 5]), (3, 1, [1, 1, 1]), (1, 15, [1]), (4, 1, [1] * 4),
    (31, 15, [8, 8, 8, 7]),
])  # fmt: skip
def test_groups_are_even_in_number_and_size_and_not_too_large(classes, most, sizes):
    found = training.groups(range(classes), most)
    assert [len(group) for group in found] == sizes
    assert [c for group in found for c in group] == list(range(classes))


@pytest.mark.whole
def test_groups_that_learn_side_by_side_learn_what_they_would_alone(monkeypatch, tmp_path):
    one = trained_refiners(images(), FEW, device="cpu")
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    before, threads, learn = torch.get_num_threads(), set(), training.train

    def watched(*given, **named):
        threads.add((threading.current_thread().name, torch.get_num_threads()))
        return learn(*given, **named)

    monkeypatch.setattr(training, "train", watched)
    torch.set_num_threads(2)
    try:
        both = trained_refiners(images(), FEW, device="cpu")
    finally:
        torch.set_num_threads(before)
    assert threads == {("side by side_0", 1), ("side by side_1", 1)}
    assert both.keys() == one.keys()
    for name, values in one.items():
        torch.testing.assert_close(both[name], values)


@pytest.mark.whole
def test_it_learns_to_rebuild_what_it_was_shown():
    """Upright bars for one class, lying bars for the other."""
    ids, rows = torch.arange(64), torch.arange(8)
    place = (random.uniform(0, "place", ids, ()) * 8).long()
    bars = (rows == place[:, None]).float()[:, None, None, :].expand(64, 1, 8, 8)
    labels = ids % 2
    pixels = torch.where((labels == 0)[:, None, None, None], bars, bars.mT).contiguous()
    found = ImageSet("bars", pixels, labels, ids, ("upright", "lying"))
    recipe = AloocRecipe(epochs=20, batch=32, rate=0.006, weight=5.0)
    state = train(found, (0, 1), recipe, 0, device="cpu")
    errors = torch.zeros(2, 2)
    for g in range(2):
        weights = {name: values[g : g + 1] for name, values in state.items()}
        given = [(weights[f"encoder.{i}.mean"], weights[f"encoder.{i}.variance"]) for i in range(3)]
        for shown in range(2):
            x = pixels[labels == shown]
            errors[g, shown] = rebuilding_entropy(refined(weights, Design(1, 8, 8), x, given), x).mean()
    assert float(errors.diagonal().max()) < 0.377  # what a constant image of one eighth costs
    assert float(errors[0, 1]) > 1.5 * float(errors[0, 0])
    assert float(errors[1, 0]) > 1.5 * float(errors[1, 1])


@pytest.mark.whole
def test_training_says_what_went_wrong():
    with pytest.raises(
        MistrustError, match=r"refiners of \d classes .* became NaN or infinite in epoch 1. Lower the r"
    ):
        train(images(), (0, 1, 2), replace(FEW, rate=1e38, optimiser="rmsprop"), 0, device="cpu")
    with pytest.raises(MistrustError, match="there is no image to train a refiner on"):
        trained_refiners(images().take(slice(0, 0)), FEW)


# Scores


def test_scores_by_scikit_learn():
    r, x = torch.tensor([0.5, 0.9, 0.2, 0.7]).double(), torch.tensor([1.0, 0.0, 0.0, 1.0]).double()
    shape = (1, 1, 2, 2)
    found = rebuilding_entropy(r.logit().view(shape), x.view(shape))
    assert found.item() == pytest.approx(log_loss(x.numpy(), r.numpy()))


def test_scores_by_hand():
    r, x = torch.tensor([0.5, 0.9]).double(), torch.tensor([0.2, 1.0]).double()
    logits, pixels = r.logit().view(2, 1, 1, 1), x.view(2, 1, 1, 1)
    assert rebuilding_entropy(logits, pixels).tolist() == pytest.approx([log(2), -log(0.9)])
    swapped = [-0.5 * log(0.2) - 0.5 * log(0.8), -0.9 * log(1 - 1e-7) - 0.1 * log(1e-7)]
    assert swapped_entropy(logits, pixels).tolist() == pytest.approx(swapped)


def test_as_published_a_white_pixel_costs_sixteen_nats():
    """Facts, section 5: exact 0s and 1s cost up to 16.1 a value."""
    black, white = torch.full((1, 1, 1, 1), -50.0), torch.ones(1, 1, 1, 1)
    assert swapped_entropy(black, white).item() == pytest.approx(16.1, abs=0.05)
    assert swapped_entropy(-black, white).item() == pytest.approx(0, abs=1e-6)


# The supervisor


@pytest.mark.whole
def test_scores_are_the_errors_of_the_predicted_class():
    seen = record(images(30, start=90))
    assert len(seen.predicted.unique()) == 3
    for as_published, error in ((False, rebuilding_entropy), (True, swapped_entropy)):
        one = quick(as_published=as_published).fit(record(images()))
        scores, state = one.score(seen), one.fitted.state
        for row, c in enumerate(seen.predicted.tolist()):
            weights = {name: values[c : c + 1] for name, values in state.items() if name.startswith(("enc", "dec"))}
            given = [(weights[f"encoder.{i}.mean"], weights[f"encoder.{i}.variance"]) for i in range(3)]
            pixels = seen.images.images[row : row + 1]
            expected = error(refined(weights, Design(1, 8, 8), pixels, given), pixels).item()
            assert scores[row].item() == pytest.approx(expected, rel=1e-5)
    assert len(store.entries()) == 2  # one training of two groups for both


@pytest.mark.whole
def test_a_class_without_training_images_alarms():
    found = images()
    one = quick().fit(record(found.take((found.labels != 1).nonzero()[:, 0])))
    seen = record(images(30, start=90))
    scores = one.score(seen)
    assert torch.equal(scores == torch.inf, seen.predicted == 1)
    assert 0 < int((seen.predicted == 1).sum()) < 30
    rule = ClassMean().fit(scores, seen.predicted)
    assert bool(rule.alarms(scores, seen.predicted)[seen.predicted == 1].all())


@pytest.mark.whole
def test_blocks_and_bytes_change_nothing(monkeypatch):
    floats = images()
    byte = floats.with_images((floats.images * 255).to(torch.uint8))
    one, seen = quick().fit(record(byte)), record(images(20, start=50))
    scores = one.score(seen)
    monkeypatch.setattr(supervisor, "BLOCK", 3)
    torch.testing.assert_close(one.score(seen), scores, rtol=1e-5, atol=0)
    same = quick().fit(record(byte.with_images(byte.floats())))
    assert all(torch.equal(values, one.fitted.state[name]) for name, values in same.fitted.state.items())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epochs": 0}, "ALOOC: epochs is 0, expected a number of at least 1"),
        ({"batch": 2.5}, "ALOOC: batch is 2.5, expected a whole number"),
        ({"rate": "1"}, "ALOOC: rate is '1', expected a number"),
        ({"rate": 0}, "rate and weight are above 0"),
        ({"noise": -0.1}, "noise from 0 on"),
        ({"weight": 0}, "rate and weight are above 0"),
        ({"optimiser": "adm"}, "no optimiser of ALOOC 'adm'. Did you mean 'adam'"),
        ({"group": 0}, "ALOOC: group is 0, expected a number of at least 1"),
        ({"group": 2.5}, "ALOOC: group is 2.5, expected a whole number"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(MistrustError, match=message):
        quick(**parameters)


@pytest.mark.whole
def test_images_of_another_size_are_refused():
    one = quick(epochs=1).fit(record(images()))
    with pytest.raises(MistrustError, match=r"have shape \(1, 8, 9\) .*, and it was fitted on \(1, 8, 8\). Resize"):
        one.score(record(images(shape=(1, 8, 9))))
    with pytest.raises(MistrustError, match="channels, height and width are at least 1"):
        Design(0, 8, 8)
