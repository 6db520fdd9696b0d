"""The classifiers of the AmbiGuess paper against independent builds of the same networks, and their sizes."""

from math import sqrt

import pytest
import torch
from torch import nn
from torch.nn import functional
from torchvision.models.densenet import _DenseBlock
from torchvision.models.resnet import Bottleneck, ResNet
from torchvision.ops import SqueezeExcitation

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, INITIALS, Architecture, Plan, initialise, observe, parameter_count
from mistrust.networks.architectures.densenet import Gate, Unit

AMBIGUESS = ("ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu", "resnet50-v1", "densenet-se")


def built(name, size=(28, 28), channels=1, seed=0):
    network = ARCHITECTURES[name].build(channels, size, 10)
    initialise(network, seed, ARCHITECTURES[name].initial)
    return network


def disturb(network):
    """Averages and scales that are not what a fresh network has: a wrong order or epsilon shows."""
    draws = torch.Generator().manual_seed(0)
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d):
            for values in (layer.weight, layer.bias, layer.running_mean, layer.running_var):
                values.data.uniform_(0.5, 1.5, generator=draws)
    return network.eval()


def images(n=3, size=28, channels=1):
    return torch.rand(n, channels, size, size, generator=torch.Generator().manual_seed(1))


class TestSizes:
    @pytest.mark.parametrize(
        ("name", "trainable", "numbers"),
        [
            # Conv 320 + 18,496, head 16,010 (facts 4).
            ("ambiguess-conv", 34_826, 34_826),
            # 401,920 + 262,656 + 32,832 + 650.
            ("ambiguess-fc", 698_058, 698_058),
            ("ambiguess-fc-relu", 698_058, 698_058),
            # Keras's ResNet50 without top has 23,587,712 numbers, 53,120 of them averages; the head 557,929.
            ("resnet50-v1", 24_145_641 - 53_120, 24_145_641),
            ("densenet-se", 1_449_385, 1_465_993),
        ],
    )
    def test_parameters_are_those_of_the_definitions(self, name, trainable, numbers):
        network = ARCHITECTURES[name].build(1, (28, 28), 10)
        assert parameter_count(network) == trainable
        assert parameter_count(network, averages=True) == numbers

    @pytest.mark.parametrize(
        ("name", "surprise", "dissector"),
        [
            ("ambiguess-conv", 1600, [32 * 26**2, 32 * 13**2, 64 * 11**2, 64 * 5**2]),
            ("ambiguess-fc", 512, [512, 512]),
            ("ambiguess-fc-relu", 512, [512, 512]),
            ("resnet50-v1", 125, [256, 125]),
            ("densenet-se", 592, [13, 208, 13, 208, 37, 592]),
        ],
    )
    def test_layers_of_the_supervisors_can_be_recorded_and_have_their_widths(self, name, surprise, dissector):
        entry = ARCHITECTURES[name]
        few = load("mnist5k", "test").take(slice(0, 2))
        plan = Plan(name, (1, 28, 28), few.classes)
        classifier = plan.classifier(plan.build().state_dict(), "untrained")
        record = observe(classifier, few, layers=[entry.surprise, *entry.dissector])
        assert record.layer(entry.surprise).flatten(1).shape == (2, surprise)
        assert [record.layer(one).flatten(1).shape[1] for one in entry.dissector] == dissector

    def test_layers_with_an_activation_are_recorded_after_it(self):
        """A Keras layer gives what its activation gives; DenseNet's gates have theirs in a layer of its own."""
        few = load("mnist5k", "test").take(slice(0, 4))
        for name in AMBIGUESS:
            network = built(name)
            classifier = Plan(name, (1, 28, 28), few.classes).classifier(network.state_dict(), "untrained")
            lowest = {n: float(v.min()) for n, v in observe(classifier, few, layers=layers(name)).activations.items()}
            negative = {n for n, low in lowest.items() if low < 0}
            linear = {"ambiguess-fc": {"dense1", "dense2"}, "densenet-se": set(ARCHITECTURES[name].dissector)}
            assert negative == linear.get(name, set())

    @pytest.mark.parametrize(("name", "least"), [("ambiguess-conv", 8), ("densenet-se", 5)])
    def test_images_that_are_too_small(self, name, least):
        for side in range(least, 13):
            network = ARCHITECTURES[name].build(3, (side, side + 1), 7)
            assert network(torch.zeros(2, 3, side, side + 1)).shape == (2, 7)
        with pytest.raises(
            MistrustError, match=rf"'{name}' needs images of at least {least}x{least}, .* 9x{least - 1}"
        ):
            ARCHITECTURES[name].build(1, (9, least - 1), 10)


def layers(name):
    return [ARCHITECTURES[name].surprise, *ARCHITECTURES[name].dissector]


class TestFunctions:
    def test_conv_by_its_definition(self):
        network, x = built("ambiguess-conv").eval(), images()
        w = network.state_dict()
        h = functional.max_pool2d(functional.conv2d(x, w["conv1.weight"], w["conv1.bias"]).relu(), 2)
        h = functional.max_pool2d(functional.conv2d(h, w["conv2.weight"], w["conv2.bias"]).relu(), 2)
        expected = h.flatten(1) @ w["logits.weight"].T + w["logits.bias"]
        assert torch.allclose(network(x), expected, atol=1e-5)

    def test_the_coded_connected_network_is_one_matrix_and_the_other_is_not(self):
        x, y = images().double(), images(size=28).flip(2).double()
        for name, linear in (("ambiguess-fc", True), ("ambiguess-fc-relu", False)):
            network = built(name).eval().double()
            middle = (network(x) + network(y)) / 2
            assert torch.allclose(network((x + y) / 2), middle, atol=1e-9) == linear

    def test_resnet_is_torchvisions_with_keras_strides_biases_and_epsilon(self):
        theirs = ResNet(Bottleneck, [3, 4, 6, 3], norm_layer=lambda c: nn.BatchNorm2d(c, eps=1.001e-5))
        for block in (m for m in theirs.modules() if isinstance(m, Bottleneck)):
            block.conv1.stride, block.conv2.stride = block.conv2.stride, (1, 1)
        for layer in (m for m in theirs.modules() if isinstance(m, nn.Conv2d)):
            layer.bias = nn.Parameter(torch.empty(layer.out_channels))
        theirs.fc = nn.Identity()
        ours = built("resnet50-v1")
        draws = torch.Generator().manual_seed(2)
        for layer in (m for m in ours.modules() if isinstance(m, nn.Conv2d)):
            layer.bias.data.normal_(std=0.1, generator=draws)
        disturb(ours)
        names = {"norm1": "bn1"}
        for stage in range(1, 5):
            for block in range(3 + (stage == 2) + 3 * (stage == 3)):
                here, there = f"stage{stage + 1}.{block}", f"layer{stage}.{block}"
                names |= {f"{here}.shortcut.{i}": f"{there}.downsample.{i}" for i in (0, 1)}
                for i in range(3):
                    names[f"{here}.body.{3 * i}"] = f"{there}.conv{i + 1}"
                    names[f"{here}.body.{3 * i + 1}"] = f"{there}.bn{i + 1}"
        state = {}
        for name, values in ours.state_dict().items():
            layer, _, kind = name.rpartition(".")
            if not layer.startswith(("dense", "logits")):
                state[f"{names.get(layer, layer)}.{kind}"] = values
        theirs.load_state_dict(state)
        x = images(2)
        pooled = theirs.eval()(x.expand(-1, 3, -1, -1))
        w = ours.state_dict()
        h = (pooled @ w["dense1.weight"].T + w["dense1.bias"]).relu()
        h = (h @ w["dense2.weight"].T + w["dense2.bias"]).relu()
        expected = h @ w["logits.weight"].T + w["logits.bias"]
        assert torch.allclose(ours(x), expected, rtol=1e-4, atol=1e-4 * float(expected.detach().abs().max()))

    def test_a_dense_block_is_torchvisions(self):
        theirs = _DenseBlock(6, 16, bn_size=4, growth_rate=32, drop_rate=0.1)
        ours = nn.Sequential(*(Unit(16 + 32 * i) for i in range(6)))
        for layer in theirs.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.eps = 1e-3
        disturb(ours)
        theirs.load_state_dict(dict(zip(theirs.state_dict(), ours.state_dict().values(), strict=True)))
        x = images(channels=16, size=7)
        assert torch.allclose(ours(x), theirs.eval()(x), atol=1e-4)

    def test_a_gate_is_torchvisions(self):
        theirs, ours = SqueezeExcitation(208, 13), Gate(208)
        state = {n: v[:, :, None, None] if v.ndim == 2 else v for n, v in ours.state_dict().items()}
        theirs.load_state_dict(dict(zip(theirs.state_dict(), state.values(), strict=True)))
        x = images(channels=208, size=7)
        assert torch.allclose(ours(x), theirs(x), atol=1e-6)

    def test_densenet_joins_its_parts_as_its_definition_says(self):
        network, x = disturb(built("densenet-se")), images()
        part = dict(network.named_children())
        h = part["norm1"](functional.conv2d(x, part["conv1"].weight, stride=2, padding=3)).relu()
        h = functional.max_pool2d(functional.pad(h, (1, 1, 1, 1)), 3, 2)
        assert h.shape == (3, 16, 7, 7)
        h = part["gate1"](part["block1"](h))
        norm, conv = part["transition"][0], part["transition"][2]
        h = functional.avg_pool2d(functional.conv2d(norm(h).relu(), conv.weight), 2)
        assert h.shape == (3, 208, 3, 3)
        h = part["gate2"](part["block2"](part["gate_transition"](h)))
        expected = part["logits"](part["norm2"](h).relu().mean((2, 3)))
        assert torch.allclose(network(x), expected, atol=1e-4)


class TestDetails:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("ambiguess-conv", {"dropout": 0.5}),
            ("ambiguess-fc", {"dropout1": 0.2, "dropout2": 0.2}),
            ("ambiguess-fc-relu", {"dropout1": 0.2, "dropout2": 0.2}),
            ("resnet50-v1", {"dropout1": 0.2, "dropout2": 0.2}),
        ],
    )
    def test_dropout_stands_where_the_reference_has_it(self, name, expected):
        network = built(name)
        assert {n: m.p for n, m in network.named_modules() if isinstance(m, nn.Dropout)} == expected
        names = [n for n, _ in network.named_children()]
        after = {
            "ambiguess-conv": {"dropout": "logits"},
            "ambiguess-fc": {"dropout1": "dense2", "dropout2": "dense3"},
            "ambiguess-fc-relu": {"dropout1": "dense2", "dropout2": "dense3"},
            "resnet50-v1": {"dropout1": "dense2", "dropout2": "logits"},
        }[name]
        assert {one: names[names.index(one) + 1] for one in expected} == after

    def test_densenets_dropout_follows_every_convolution_but_the_first(self):
        network = built("densenet-se")
        order = [m for m in network.modules() if isinstance(m, (nn.Conv2d, nn.Dropout))]
        assert [type(m) for m in order] == [nn.Conv2d] + [nn.Conv2d, nn.Dropout] * (2 * 18 + 1)
        assert {m.p for m in order[2::2]} == {0.1}

    @pytest.mark.parametrize(("name", "epsilon"), [("resnet50-v1", 1.001e-5), ("densenet-se", 1e-3)])
    def test_batch_normalisation_has_keras_numbers(self, name, epsilon):
        norms = [m for m in built(name).modules() if isinstance(m, nn.BatchNorm2d)]
        assert {(m.momentum, m.eps) for m in norms} == {(0.01, epsilon)}
        assert len(norms) == {"resnet50-v1": 53, "densenet-se": 1 + 2 * 18 + 1 + 1}[name]

    @pytest.mark.parametrize("name", AMBIGUESS)
    def test_first_weights_are_glorots_with_biases_of_zero(self, name):
        entry = ARCHITECTURES[name]
        assert entry.initial == "keras"
        for layer in built(name).modules():
            if not isinstance(layer, (nn.Linear, nn.Conv2d)):
                continue
            area = layer.kernel_size[0] * layer.kernel_size[1] if isinstance(layer, nn.Conv2d) else 1
            out, into = layer.weight.shape[:2]
            bound = sqrt(6 / (area * (into + out)))
            assert float(layer.weight.detach().abs().max()) <= bound
            assert layer.weight.std().item() == pytest.approx(bound / sqrt(3), rel=4 / sqrt(layer.weight.numel()))
            assert layer.bias is None or not layer.bias.any()

    def test_a_distribution_that_is_not_there(self):
        assert set(INITIALS) == {"torch", "keras"}
        with pytest.raises(MistrustError, match=r"no distribution of first weights 'kears'\. Did you mean 'keras'"):
            initialise(nn.Linear(2, 2), 0, "kears")
        with pytest.raises(MistrustError, match="Known: keras, torch"):
            Architecture("a", "b", built, initial="xavier_normal")

    def test_recipes_are_the_papers(self):
        found = {n: (r.batch, r.epochs) for n in AMBIGUESS for r in [ARCHITECTURES[n].recipe]}
        assert found == {
            "ambiguess-conv": (128, 15),
            "ambiguess-fc": (128, 30),
            "ambiguess-fc-relu": (128, 30),
            "resnet50-v1": (128, 30),
            "densenet-se": (256, 15),
        }
        for name in AMBIGUESS:
            recipe = ARCHITECTURES[name].recipe
            assert (recipe.optimiser, recipe.rate, recipe.epsilon, recipe.validation) == ("adam", 1e-3, 1e-7, 0.1)
            assert recipe.validation_rows == "shuffled"
        published = {n: ARCHITECTURES[n].published for n in AMBIGUESS if ARCHITECTURES[n].published}
        assert {n: r.validation_rows for n, r in published.items()} == {"ambiguess-conv": "last"}
