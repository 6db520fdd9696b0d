from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn

from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, Sampler, initialise, observe, wrap
from mistrust.networks.sampling import CHUNK, STEPS, keep, parts

CLASSES = ("a", "b", "c", "d")


def images(n=20, size=8, seed=0, ids=None):
    pixels = torch.rand(n, 1, size, size, generator=torch.Generator().manual_seed(seed))
    return ImageSet("tiny", pixels, torch.arange(n) % 4, torch.arange(n) if ids is None else ids, CLASSES)


class Opaque(nn.Sequential):
    """The same computation and the same names, in a class that nobody can take apart."""


class Residual(nn.Module):
    """A block that uses one dropout layer twice and adds what came in."""

    def __init__(self):
        super().__init__()
        self.conv, self.drop = nn.Conv2d(3, 3, 3, padding=1), nn.Dropout(0.3)

    def forward(self, x):
        return x + self.drop(self.conv(self.drop(x)))


def small(kind, sequence):
    drop = nn.Dropout(0.4)
    layers = {
        "head": [("flat", nn.Flatten()), ("dense", nn.Linear(64, 30)), ("relu", nn.ReLU()), ("drop", nn.Dropout(0.5)),
                 ("out", nn.Linear(30, 4))],
        "first": [("drop", nn.Dropout(0.2)), ("flat", nn.Flatten()), ("out", nn.Linear(64, 4))],
        "in place": [("flat", nn.Flatten()), ("dense", nn.Linear(64, 30)), ("drop", nn.Dropout(0.5)),
                     ("relu", nn.LeakyReLU(0.3, inplace=True)), ("out", nn.Linear(30, 4))],
        "shared": [("flat", nn.Flatten()), ("dense", nn.Linear(64, 30)), ("drop", drop), ("more", nn.Linear(30, 30)),
                   ("again", drop), ("out", nn.Linear(30, 4))],
        "channels": [("conv", nn.Conv2d(1, 3, 3)), ("drop", nn.Dropout2d(0.3)), ("next", nn.Conv2d(3, 5, 3)),
                     ("drop2", nn.Dropout2d(0.5)), ("flat", nn.Flatten()), ("out", nn.Linear(80, 4))],
        "block": [("conv", nn.Conv2d(1, 3, 3)), ("norm", nn.BatchNorm2d(3)), ("block", Residual()),
                  ("flat", nn.Flatten()), ("out", nn.Linear(108, 4))],
        "nested": [("body", sequence(OrderedDict(flat=nn.Flatten(), dense=nn.Linear(64, 30)))),
                   ("head", sequence(OrderedDict(relu=nn.ReLU(), drop=nn.Dropout(0.1), out=nn.Linear(30, 4))))],
    }[kind]  # fmt: skip
    network = sequence(OrderedDict(layers))
    initialise(network, 0)
    return wrap(network, CLASSES)


KINDS = ("head", "first", "in place", "shared", "channels", "block", "nested")


class TestRepeatedPart:
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_equals_repeating_the_whole_network(self, kind):
        split, whole = small(kind, nn.Sequential), small(kind, Opaque)
        assert Sampler(whole, 3, 0, 10).repeated == [whole.module]
        found, expected = (observe(one, images(), samples=40, block=9) for one in (split, whole))
        assert torch.allclose(found.samples, expected.samples, atol=1e-6)
        assert torch.allclose(found.logits, expected.logits, atol=1e-6)
        assert float(found.samples.std(0).mean()) > 0.01

    @pytest.mark.parametrize(
        ("kind", "repeated"),
        [
            ("head", "drop out"), ("first", "drop flat out"), ("in place", "drop relu out"),
            ("shared", "drop more again out"), ("channels", "drop next drop2 flat out"), ("block", "block flat out"),
            ("nested", "head.drop head.out"),
        ],
    )  # fmt: skip
    def test_it_begins_with_the_first_dropout(self, kind, repeated):
        classifier = small(kind, nn.Sequential)
        modules = dict(classifier.module.named_modules(remove_duplicate=False))
        expected = [modules[name] for name in repeated.split()]
        assert [a is b for a, b in zip(Sampler(classifier, 1, 0, 1).repeated, expected, strict=True)]

    @pytest.mark.parametrize(
        ("name", "first"),
        [
            ("ambiguess-conv", "dropout"), ("ambiguess-fc", "dropout1"), ("ambiguess-fc-relu", "dropout1"),
            ("resnet50-v1", "dropout1"), ("densenet-se", "block1.0"),
        ],
    )  # fmt: skip
    def test_our_architectures_are_taken_apart(self, name, first):
        network = ARCHITECTURES[name].build(1, (28, 28), 4)
        assert Sampler(wrap(network, CLASSES), 1, 0, 1).repeated[0] is network.get_submodule(first)

    def test_what_comes_before_runs_once_a_block_and_the_rest_in_bounded_passes(self):
        classifier = small("head", nn.Sequential)
        rows = {"dense": [], "out": []}
        for name, seen in rows.items():
            classifier.module.get_submodule(name).register_forward_hook(lambda m, i, o, s=seen: s.append(len(o)))
        observe(classifier, images(20), samples=300, block=10)
        assert rows["dense"] == [10, 10]
        plain, sampled = [r for r in rows["out"] if r == 10], [r for r in rows["out"] if r != 10]
        assert plain == [10, 10]
        assert max(sampled) == CHUNK
        assert sum(sampled) == 20 * 300

    def test_a_sequence_with_a_hook_is_left_whole(self):
        classifier = small("nested", nn.Sequential)
        classifier.module.head.register_forward_hook(lambda module, inputs, output: 2 * output)
        assert [type(part) for part in parts(classifier.module)] == [nn.Flatten, nn.Linear, nn.Sequential]
        plain = observe(small("nested", nn.Sequential), images(), samples=5)
        assert torch.allclose(observe(classifier, images(), samples=5).samples, 2 * plain.samples, atol=1e-6)

    def test_it_equals_one_image_and_one_sample_at_a_time(self):
        """Masks as `keep` gives them, put between the layers by hand."""
        classifier, some = small("head", nn.Sequential), images(6)
        record = observe(classifier, some, samples=3, seed=7)
        net = classifier.module
        for image in range(6):
            for sample in range(3):
                mask = keep(7, "dropout/drop/0", [image], sample + 1, 30, STEPS // 2)[0, sample]
                hidden = net.relu(net.dense(some.images[image].flatten()))
                logits = net.out(torch.where(mask == 1, 2 * hidden, 0))
                assert torch.allclose(record.samples[sample, image], logits, atol=1e-6)


class TestMasks:
    @pytest.mark.parametrize("kind", ["head", "channels", "block"])
    def test_they_belong_to_the_image_whatever_stands_beside_it(self, kind):
        classifier = small(kind, nn.Sequential)
        ids = torch.from_numpy(np.random.default_rng(1).choice(10**9, 20, replace=False))
        some = images(20, ids=ids)
        whole = observe(classifier, some, samples=7, block=1000).samples
        order = torch.randperm(20, generator=torch.Generator().manual_seed(0))
        assert torch.allclose(observe(classifier, some, samples=7, block=3).samples, whole, atol=1e-6)
        assert torch.allclose(observe(classifier, some.take(order), samples=7).samples, whole[:, order], atol=1e-6)
        assert torch.allclose(
            observe(classifier, some.take(order[:1]), samples=7).samples, whole[:, order[:1]], atol=1e-6
        )

    @pytest.mark.parametrize("kind", ["head", "first"])
    def test_more_samples_leave_the_first_ones_as_they_were(self, kind):
        classifier = small(kind, nn.Sequential)
        many = observe(classifier, images(4), samples=2 * CHUNK + 5).samples
        for fewer in (1, 30, CHUNK, CHUNK + 1):
            assert torch.allclose(observe(classifier, images(4), samples=fewer).samples, many[:fewer], atol=1e-6)
        assert len(many.unique(dim=0)) == len(many)

    def test_seed_layer_image_and_chunk_have_draws_of_their_own(self):
        base = dict(seed=0, name="dropout/a/0", ids=[3], samples=1, numbers=640, steps=STEPS // 2)
        first = keep(**base)
        assert torch.equal(keep(**base), first)
        for change in (dict(seed=1), dict(name="dropout/b/0"), dict(name="dropout/a/1"), dict(ids=[4])):
            other = keep(**(base | change))
            assert 0.4 < float((other == first).double().mean()) < 0.6

    def test_two_calls_of_one_layer_differ(self):
        net = nn.Sequential(nn.Flatten(), drop := nn.Dropout(0.5), drop)
        record = observe(wrap(net, [f"class {i}" for i in range(64)]), as_classes(images(30), 64), samples=20)
        kept = float((record.samples != 0).double().mean())
        assert kept == pytest.approx(0.25, abs=5 * (0.25 * 0.75 / 38_400) ** 0.5)

    @pytest.mark.parametrize("rate", [0.5, 0.2, 0.013, 0.9])
    def test_their_share_is_the_rate_and_numbers_are_independent(self, rate):
        steps, shape = round(rate * STEPS), (20, 50, 61)
        kept = keep(0, "x", list(range(20)), 50, 61, steps).double()
        assert kept.shape == shape
        assert set(kept.unique().tolist()) == {0, 1}
        deviation = (rate * (1 - rate)) ** 0.5
        assert float(kept.mean()) == pytest.approx(1 - rate, abs=5 * deviation / kept.numel() ** 0.5)
        # Covariance of every number with the next one, the next sample and the next image.
        centred = kept - (1 - rate)
        for axis in range(3):
            n = centred.narrow(axis, 1, shape[axis] - 1).numel()
            pairs = centred.narrow(axis, 1, shape[axis] - 1) * centred.narrow(axis, 0, shape[axis] - 1)
            assert abs(float(pairs.mean())) < 5 * deviation**2 / n**0.5

    def test_rates_without_a_draw(self):
        for rate, expected in ((0.0, lambda r: r.logits), (1.0, lambda r: r.classifier.module.out.bias.detach())):
            classifier = small("head", nn.Sequential)
            classifier.module.drop.p = rate
            classifier.module.append(nn.Dropout(1e-7).eval())  # else all layers draw nothing, which is refused
            record = observe(classifier, images(), samples=3)
            assert torch.allclose(record.samples, expected(record).expand_as(record.samples), atol=1e-6)

    def test_what_stays_is_scaled_so_that_the_mean_stays(self):
        for rate in (0.5, 0.2):
            net = nn.Sequential(nn.Flatten(), nn.Dropout(rate))
            some = as_classes(images(5), 64)
            samples = observe(wrap(net, some.classes), some, samples=200).samples
            pixels = some.images.flatten(1).expand_as(samples)
            stayed = samples != 0
            assert torch.allclose(samples[stayed], pixels[stayed] / (1 - rate), rtol=1e-5)

    def test_channels_go_whole(self):
        net = nn.Sequential(nn.Conv2d(1, 6, 1), nn.Dropout2d(0.4), nn.Flatten())
        initialise(net, 0)
        some = as_classes(images(8), 384)
        samples = observe(wrap(net, some.classes), some, samples=10).samples.unflatten(2, (6, 64))
        gone = samples == 0
        assert torch.equal(gone.all(3), gone.any(3))
        assert 0.3 < float(gone.double().mean()) < 0.5

    @pytest.mark.parametrize("kind", [nn.AlphaDropout, nn.FeatureAlphaDropout])
    @pytest.mark.parametrize("first", [True, False])
    def test_alpha_dropout_takes_the_two_values_of_torch(self, kind, first):
        before = [] if first else [Opaque(nn.Identity())]
        layers = nn.Sequential(*before, kind(0.3), Opaque(nn.Flatten(), nn.Linear(8, 4, bias=False)))
        with torch.no_grad():
            layers[-1][1].weight.copy_(torch.eye(8)[2:6])  # the first channel's last two numbers, the second's first
        ones = ImageSet("ones", torch.ones(50, 2, 2, 2), torch.zeros(50).long(), torch.arange(50), CLASSES)
        samples = observe(wrap(layers, CLASSES), ones, samples=40).samples
        theirs = kind(0.3)(torch.ones(400, 2, 2)).unique()  # in training mode, as it is made
        torch.testing.assert_close(samples.unique(), theirs)
        assert float((samples == samples.max()).double().mean()) == pytest.approx(0.7, abs=0.03)
        whole = bool((samples[..., 0] == samples[..., 1]).all() and (samples[..., 2] == samples[..., 3]).all())
        assert whole == (kind is nn.FeatureAlphaDropout)
        assert not bool((samples[..., 1] == samples[..., 2]).all())

    def test_alpha_dropout_keeps_mean_and_variance(self):
        layers = nn.Sequential(nn.Flatten(), nn.AlphaDropout(0.5), nn.Linear(64, 4, bias=False))
        with torch.no_grad():
            layers[2].weight.copy_(torch.eye(64)[:4])
        scaled = wrap(layers, CLASSES, mean=0.5, std=12**-0.5)
        samples = observe(scaled, images(500), samples=100).samples
        assert float(samples.mean()) == pytest.approx(0, abs=0.06)
        assert float(samples.var()) == pytest.approx(1, abs=0.06)

    def test_torchs_own_generator_is_left_alone(self):
        classifier = small("head", nn.Sequential)
        before = torch.get_rng_state()
        observe(classifier, images(), samples=4)
        assert torch.equal(torch.get_rng_state(), before)


def as_classes(images, k):
    """The same images for a network whose outputs are k features."""
    return ImageSet(images.name, images.images, images.labels, images.ids, tuple(f"class {i}" for i in range(k)))


class TestForms:
    def test_probabilities_become_logits(self):
        logits = small("head", nn.Sequential)
        layers = OrderedDict(logits.module.named_children())
        soft = wrap(nn.Sequential(layers | {"softmax": nn.Softmax(1)}), CLASSES, outputs="probabilities")
        found, expected = (observe(one, images(), samples=6).samples for one in (soft, logits))
        assert torch.allclose(found, expected.log_softmax(2), atol=1e-5)

    def test_no_images_give_no_samples(self):
        assert observe(small("head", nn.Sequential), images(0), samples=3).samples.shape == (3, 0, 4)

    def test_its_hooks_are_gone_afterwards_also_after_a_failure(self):
        class Fails(nn.Module):
            calls = 0

            def forward(self, x):
                self.calls += 1
                if self.calls > 1:
                    raise RuntimeError("broken")
                return x

        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 4), nn.Dropout(0.5), Fails())
        with pytest.raises(RuntimeError, match="broken"):
            observe(wrap(net, CLASSES), images(), samples=3)
        assert all(not m._forward_hooks and not m._forward_pre_hooks for m in net.modules())


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(1)


class Functional(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.head = nn.Dropout(0.5), nn.Linear(64, 4)
        self.eval()

    def forward(self, x):
        return self.head(nn.functional.dropout(x.flatten(1), self.drop.p, self.training))


class TestBadInput:
    def test_a_plain_callable(self):
        with pytest.raises(MistrustError, match="plain callable: it has no layers"):
            observe(wrap(lambda x: x.flatten(1)[:, :4], CLASSES), images(), samples=3)

    def test_no_dropout(self):
        with pytest.raises(MistrustError, match=r"has no dropout layer.*observe\(..., members="):
            observe(wrap(nn.Sequential(nn.Flatten(), nn.Linear(64, 4)), CLASSES), images(), samples=3)

    def test_dropout_on_pieces_of_images(self):
        """Rows of an image in a batch of their own: masks would go to the wrong images."""
        net = nn.Sequential(nn.Flatten(0, 2), nn.Dropout(0.5), nn.Linear(8, 4), nn.Unflatten(0, (-1, 8)), Mean())
        held = Opaque(*net)
        for network in (net, held):
            with pytest.raises(MistrustError, match=r"layer '1' of 'yours' gets .* rows .*one row per image on axis 0"):
                observe(wrap(network, CLASSES), images(3), samples=2)

    def test_dropout_that_the_network_never_calls(self):
        """Declared, and then a function in its place: every sample would be the plain pass, and nothing in doubt."""
        net = Functional()
        with pytest.raises(MistrustError, match=r"No dropout layer of .* runs when .* \(it has 'drop'\).*members="):
            observe(wrap(net, CLASSES), images(3), samples=2)
        assert observe(wrap(net, CLASSES), images(0), samples=2).samples.shape == (2, 0, 4)
        assert not net.drop._forward_hooks

    def test_drawing_before_watching(self):
        with pytest.raises(MistrustError, match=r"inside `with sampler.watching\(\):` first"):
            Sampler(small("head", nn.Sequential), 3, 0, 10).draw(torch.arange(3))


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_dropout_that_draws_nothing_is_refused(rate):
    few = load("digits", "test").take(slice(0, 3))
    network = nn.Sequential(nn.Flatten(), nn.Dropout(rate), nn.Linear(64, 10))
    with pytest.raises(MistrustError, match=rf"rate between 0 and 1 \('1' has p={rate:g}\), so all samples"):
        observe(wrap(network, few.classes), few, samples=4)
