"""Multiplicative noise inside a network: known answers, the definition written out, and laws."""

from math import ceil

import numpy as np
import pytest
import torch
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, initialise, wrap
from mistrust.robustness.layers import MODES, layer_breaking
from mistrust.robustness.tails import CACHED, WHOLE

CLASSES = ("zero", "one", "two")


def linear(weight, bias):
    """Flatten, then class 1 against class 0: logits 0 and w h + b."""
    network = nn.Sequential(nn.Flatten(), nn.Linear(len(weight), 2))
    network[1].weight.data = torch.stack([torch.zeros(len(weight)), torch.tensor(weight)])
    network[1].bias.data = torch.tensor([0.0, bias])
    return wrap(network.double(), CLASSES[:2], device="cpu")


def image_set(pixels, labels, ids=None, classes=CLASSES):
    ids = torch.arange(len(pixels)) if ids is None else ids
    return ImageSet("made-up", pixels, torch.as_tensor(labels), ids, classes)


@pytest.fixture(scope="module")
def small():
    """An untrained network with a shortcut and branches in float64; images labelled as it sees them."""
    network = nn.Sequential(ARCHITECTURES["resnet8-w8"].build(1, (10, 10), 8), nn.ReLU(), nn.Linear(8, 3))
    initialise(network, 3, "keras")
    classifier = wrap(network.double(), CLASSES, device="cpu")
    pixels = torch.rand(12, 1, 10, 10, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits = classifier(pixels.double())
    network[2].bias.data -= logits.mean(0)  # so that it tells the images apart
    labels = classifier(pixels.double()).argmax(1)
    assert len(labels.unique()) == 3
    return classifier, image_set(pixels, labels, 7 * torch.arange(12) + 3)


class TestKnownAnswers:
    W, B, X = (2.0, -1.0, 0.5, 1.5), -0.6, (0.2, 0.8, 0.5, 0.7)  # l = .3, as in facts B8

    def expected(self, seed, id=5, step=0.01, cap=5.0):
        """By hand: l + sigma w (x z) changes sign at sigma = -l / (w (x z)), along a line."""
        z = random.generator(seed, "noise/layer/elementwise/0", id).standard_normal(4, dtype=np.float32).astype(float)
        x = np.float32(self.X).astype(float)
        slope, at_rest = float(np.dot(self.W, x * z)), float(np.dot(self.W, x)) + np.float32(self.B)
        star = -at_rest / slope
        return (step * ceil(star / step), True) if 0 < star < cap else (cap, False)

    @pytest.mark.parametrize("grid", [None, 0.16])
    def test_a_linear_network_breaks_at_the_crossing(self, grid):
        images = image_set(torch.tensor(self.X).view(1, 1, 2, 2), [1], torch.tensor([5]), CLASSES[:2])
        found = layer_breaking(linear(self.W, self.B), images, "0", seeds=range(40), grid=grid)
        expected = [self.expected(seed) for seed in range(40)]
        assert found.sigma[0].tolist() == pytest.approx([sigma for sigma, _ in expected])
        assert found.broken[0].tolist() == [broken for _, broken in expected]
        assert 5 < int(found.broken.sum()) < 35
        assert found.censored == pytest.approx(1 - found.broken.double().mean().item())
        assert set(found.new_label[found.broken].tolist()) == {0}
        assert set(found.new_label[~found.broken].tolist()) == {-1}
        assert found.probability[~found.broken].isnan().all()
        # Two classes, the step behind a tie.
        assert found.probability[found.broken].min() >= 0.5
        assert found.probability[found.broken].max() < 0.53

    def test_one_draw_a_channel_scales_logits_as_a_whole_and_none_of_them_breaks(self):
        """The flattened image has no maps, so a channel is a number; an image of one channel is one factor."""
        images = image_set(torch.tensor(self.X).view(1, 1, 2, 2), [1], torch.tensor([5]), CLASSES[:2])
        found = layer_breaking(linear(self.W, 0.0), images, "input", mode="channel", seeds=range(40))
        # l (1 + sigma z) changes its sign at sigma = -1 / z.
        names = ("noise/layer/channel/input", 5)
        z = [float(random.generator(s, *names).standard_normal(1, dtype=np.float32)[0]) for s in range(40)]
        expected = [0.01 * ceil(-1 / v / 0.01) if v < -0.2 else 5.0 for v in z]
        assert found.sigma[0].tolist() == pytest.approx(expected)

    def test_black_images_stay_black_unless_noise_acts_on_what_the_network_sees(self):
        network = nn.Sequential(nn.Flatten(), nn.Linear(16, 2))
        initialise(network, 0)
        classifier = wrap(network, CLASSES[:2], mean=0.5, std=0.5, device="cpu")
        black = torch.zeros(1, 1, 4, 4)
        images = image_set(black, classifier(black).argmax(1), classes=CLASSES[:2])
        found = layer_breaking(classifier, images, "input", seeds=range(8))
        assert found.censored == 1
        assert (found.sigma == 5).all()
        assert layer_breaking(classifier, images, "input/scaled", seeds=range(8)).censored < 1


def by_definition(classifier, images, layer, mode, seeds, step, cap):
    """One image, one seed, one step after another, the whole network each time."""
    module, table = classifier.module.get_submodule(layer), []
    for x, id, label in zip(images.floats().double(), images.ids.tolist(), images.labels.tolist(), strict=True):
        for seed in seeds:
            line = (cap, -1, float("nan"))
            for number in range(1, round(cap / step) + 1):

                def disturb(module, inputs, h, number=number, seed=seed, id=id):
                    shape = h.shape[1:] if mode == "elementwise" else (h.shape[1], *[1] * (h.ndim - 2))
                    draw = random.generator(seed, f"noise/layer/{mode}/{layer}", id)
                    z = torch.from_numpy(draw.standard_normal(tuple(shape), dtype=np.float32)).double()
                    return h * (1 + step * number * z)

                handle = module.register_forward_hook(disturb)
                with torch.no_grad():
                    p = classifier(x[None]).softmax(1)[0]
                handle.remove()
                if int(p.argmax()) != label:
                    line = (step * number, int(p.argmax()), float(p.max()))
                    break
            table.append(line)
    return torch.tensor(table, dtype=torch.float64).T.reshape(3, len(images), len(seeds))


@pytest.mark.whole
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layer", ["0.conv1", "0.stage2.0.body.2", "0.stage3", "1"])
def test_it_is_the_definition_written_out(small, layer, mode):
    classifier, images = small
    few = images.take(slice(0, 4))
    found = layer_breaking(classifier, few, layer, mode=mode, seeds=(0, 5), step=0.1, cap=3)
    sigma, label, probability = by_definition(classifier, few, layer, mode, (0, 5), 0.1, 3)
    torch.testing.assert_close(found.sigma, sigma)
    assert torch.equal(found.new_label, label.long())
    torch.testing.assert_close(found.probability, probability, equal_nan=True)
    assert found.path == CACHED
    assert found.broken.any()
    # Step by step a search takes one pass a step.
    torch.testing.assert_close(found.passes.double(), sigma / 0.1)


@pytest.mark.whole
def test_results_depend_on_ids_and_seeds_and_not_on_the_batch(small):
    classifier, images = small
    options = dict(step=0.05, cap=2)
    whole = layer_breaking(classifier, images, "0.stage1", seeds=(0, 1, 2), **options)
    order = torch.tensor([8, 3, 11, 0])
    some = layer_breaking(classifier, images.take(order), "0.stage1", seeds=(2, 0), block=3, **options)
    for name in ("sigma", "broken", "new_label", "passes"):
        assert torch.equal(getattr(some, name), getattr(whole, name)[order][:, [2, 0]]), name
    torch.testing.assert_close(some.probability, whole.probability[order][:, [2, 0]], equal_nan=True)
    renamed = ImageSet("made-up", images.images, images.labels, images.ids + 1000, CLASSES)
    assert not torch.equal(
        layer_breaking(classifier, renamed, "0.stage1", seeds=(0, 1, 2), **options).sigma, whole.sigma
    )


@pytest.mark.whole
def test_a_grid_finds_a_change_that_its_neighbour_has_not(digit_network):
    classifier, unseen = digit_network
    few = unseen.take(slice(0, 50))
    exact = layer_breaking(classifier, few, "2", seeds=(0, 1), step=0.02)
    coarse = layer_breaking(classifier, few, "2", seeds=(0, 1), step=0.02, grid=0.32)
    assert (coarse.sigma == exact.sigma).double().mean() >= 0.98
    assert (coarse.sigma >= exact.sigma).all()  # the first one is never later
    assert coarse.computed < exact.computed / 5
    assert exact.path == coarse.path == CACHED
    assert exact.shape == (8 * 144,)


@pytest.mark.whole
def test_the_cached_tail_gives_what_whole_passes_give(small):
    classifier, images = small

    class Untraceable(nn.Sequential):
        def forward(self, x):
            return super().forward(x) if float(x.sum()) < 1e9 else x

    hidden = wrap(Untraceable(*classifier.module), CLASSES, device="cpu")
    cached, whole = (
        layer_breaking(one, images, "0.stage2", step=0.05, cap=2, seeds=(0, 1)) for one in (classifier, hidden)
    )
    assert (cached.path, whole.path) == (CACHED, WHOLE)
    assert cached.shape == whole.shape == (16, 5, 5)
    assert 0 < cached.censored < 1
    assert torch.equal(cached.sigma, whole.sigma)
    assert torch.equal(cached.new_label, whole.new_label)


def test_misclassified_images_are_kept_apart(small):
    classifier, images = small
    labels = images.labels.clone()
    labels[[1, 4]] = (labels[[1, 4]] + 1) % 3
    wrong = ImageSet("made-up", images.images, labels, images.ids, CLASSES)
    found = layer_breaking(classifier, wrong, "1", seeds=(0,), step=0.5)
    assert found.misclassified.tolist() == images.ids[[1, 4]].tolist()
    assert len(found) == 10
    assert repr(found).startswith("LayerBreaking(1, elementwise: 10 images x 1 seeds, ")


@pytest.mark.parametrize(
    ("layer", "options", "message"),
    [
        ("0.stage4", {}, r"no layer '0\.stage4' of 'yours'\. Did you mean '0\.stage3'"),
        ("1", {"mode": "chanel"}, "no mode of a layer's noise 'chanel'. Did you mean 'channel'"),
        ("1", {"seeds": (1, 1)}, "no two alike"),
        ("1", {"step": 0.3}, "cap is 5, expected a whole multiple of step 0.3"),
        ("1", {"grid": 0.025}, "grid is 0.025, expected a whole multiple of step 0.01"),
        ("1", {"block": 0}, "block is 0"),
    ],
)
def test_bad_input(small, layer, options, message):
    with pytest.raises(MistrustError, match=message):
        layer_breaking(*small, layer, **options)


def test_dropout_left_on_is_refused(small):
    _, images = small
    network = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(100, 3))
    noisy = wrap(network, CLASSES, device="cpu")
    network.train()
    with pytest.raises(MistrustError, match="is in training mode"):
        layer_breaking(noisy, images, "2")
