"""The classifiers of the AmbiGuess and safety-monitor papers against independent builds of them, and their sizes."""

from math import sqrt

import pytest
import torch
from torch import nn
from torch.nn import functional
from torchvision.models.densenet import _DenseBlock
from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet
from torchvision.ops import SqueezeExcitation

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import (
    ARCHITECTURES,
    INITIALS,
    Architecture,
    Plan,
    Recipe,
    initialise,
    observe,
    parameter_count,
    trained,
)
from mistrust.networks.architectures.densenet import Gate, Unit

AMBIGUESS = ("ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu", "resnet50-v1", "densenet-se")
LENETS = ("farm-lenet", "farm-lenet-keras", "farm-lenet-pytorch")


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

    @pytest.mark.whole
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

    @pytest.mark.whole
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


class TestMonitored:
    """The networks that the safety monitors watch."""

    @pytest.mark.parametrize(
        ("name", "side", "classes", "count"),
        [
            # 1,216 + 12,832 + (32 x 4 x 4 + 1) x 128 + 129 x 43: 28x28 leaves 4x4, 32x32 leaves 5x5.
            ("farm-lenet", 28, 43, 85_259),
            ("farm-lenet", 32, 10, 117_866),
            ("farm-lenet", 32, 43, 122_123),
            # The authors' leNet_GTSRB.h5, opened (facts 4).
            ("farm-lenet-keras", 28, 43, 331_307),
            # LeNet-5's 456 + 2,416, 120, 84 and the classes (facts 4): GTSRB and CIFAR-10.
            ("farm-lenet-pytorch", 28, 43, 47_531),
            ("farm-lenet-pytorch", 32, 10, 62_006),
            # He et al., table 6: 0.27 million. First convolution 464, stages 14,016 + 51,072 + 203,520, logits 650.
            ("resnet20", 32, 10, 269_722),
        ],
    )
    def test_parameters_are_those_of_the_definitions(self, name, side, classes, count):
        assert parameter_count(ARCHITECTURES[name].build(3, (side, side), classes)) == count

    def test_the_lenet_has_what_the_paper_says(self):
        """Around 100,000 parameters: the mean of its two sets, as ratios go; 128 neurons in the last hidden layer."""
        sizes = [parameter_count(ARCHITECTURES["farm-lenet"].build(3, (s, s), k)) for s, k in ((28, 43), (32, 10))]
        assert min(sizes) < 100_000 < max(sizes)
        assert sqrt(sizes[0] * sizes[1]) == pytest.approx(100_000, rel=0.01)
        kinds = [type(layer).__name__ for layer in ARCHITECTURES["farm-lenet"].build(3, (32, 32), 10)]
        assert [kinds.count(kind) for kind in ("Conv2d", "MaxPool2d", "Linear")] == [2, 2, 2]

    @pytest.mark.parametrize(
        ("name", "width"), [("farm-lenet", 128), ("farm-lenet-keras", 256), ("farm-lenet-pytorch", 84)]
    )
    def test_the_last_hidden_layer_is_recorded_after_its_relu_and_before_its_dropout(self, name, width):
        few = load("mnist5k", "test").take(slice(0, 50))
        classifier = Plan(name, (1, 28, 28), few.classes).classifier(built(name).state_dict(), "untrained")
        record = observe(classifier, few, layers=[ARCHITECTURES[name].surprise])
        hidden = record.layer("hidden")
        assert hidden.shape == (50, width)
        assert hidden.min() == 0
        assert hidden.max() > 0
        w = classifier.module.state_dict()
        assert torch.allclose(record.logits, hidden @ w["logits.weight"].T + w["logits.bias"], atol=1e-5)

    @pytest.mark.parametrize(("channels", "size"), [(1, 28), (3, 32)])
    @pytest.mark.parametrize("name", LENETS)
    def test_lenets_by_their_definitions(self, name, channels, size):
        network, x = built(name, (size, size), channels).eval(), images(size=size, channels=channels)
        w = network.state_dict()
        h = x
        for layer, pooled in {
            "farm-lenet": (("conv1", True), ("conv2", True)),
            "farm-lenet-keras": (("conv1", False), ("conv2", True), ("conv3", True)),
            "farm-lenet-pytorch": (("conv1", True), ("conv2", True)),
        }[name]:
            h = functional.conv2d(h, w[f"{layer}.weight"], w[f"{layer}.bias"]).relu()
            h = functional.max_pool2d(h, 2) if pooled else h
        h = h.flatten(1)
        for layer in ("dense1", "dense2")[: 1 + (name == "farm-lenet-pytorch")]:
            h = (h @ w[f"{layer}.weight"].T + w[f"{layer}.bias"]).relu()
        assert torch.allclose(network(x), h @ w["logits.weight"].T + w["logits.bias"], atol=1e-5)

    @pytest.mark.parametrize("name", LENETS)
    def test_small_images_keep_their_size_and_tiny_ones_are_refused(self, name):
        for side in range(4, 19):
            network = ARCHITECTURES[name].build(2, (side, side + 3), 7)
            assert network(torch.zeros(2, 2, side, side + 3)).shape == (2, 7)
            padded = {m.padding != (0, 0) for m in network.modules() if isinstance(m, nn.Conv2d)}
            assert padded == {side < 16}
        with pytest.raises(MistrustError, match=rf"'{name}' needs images of at least 4x4, these are 9x3"):
            ARCHITECTURES[name].build(1, (9, 3), 10)

    def test_resnet20_is_made_of_torchvisions_blocks_with_shortcuts_of_option_a(self):
        """He et al., section 3.3: identity with a stride of 2, and zeros for the maps that are new."""

        class Widened(nn.Module):
            def forward(self, x):
                half = x[:, :, ::2, ::2]
                return torch.cat((half, torch.zeros_like(half)), 1)

        blocks = [BasicBlock(16, 16) for _ in range(3)]
        for width in (32, 64):
            blocks += [BasicBlock(width // 2, width, 2, Widened()), BasicBlock(width, width), BasicBlock(width, width)]
        start = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        theirs = nn.Sequential(start, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
        ours = disturb(built("resnet20", (32, 32), 3))
        theirs.load_state_dict(dict(zip(theirs.state_dict(), ours.state_dict().values(), strict=True)))
        x = images(size=32, channels=3)
        expected = theirs.eval()(x)
        assert torch.allclose(ours(x), expected, rtol=1e-4, atol=1e-5 * float(expected.detach().abs().max()))
        weighted = [m for m in ours.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
        assert len(weighted) == 20

    def test_resnet20s_last_features_are_its_averaged_maps(self):
        few = load("mnist5k", "test").take(slice(0, 4))
        classifier = Plan("resnet20", (1, 28, 28), few.classes).classifier(built("resnet20").state_dict(), "untrained")
        record = observe(classifier, few, layers=[ARCHITECTURES["resnet20"].surprise, "stage3"])
        assert record.layer("stage3").shape == (4, 64, 7, 7)
        assert torch.allclose(record.layer("pooled"), record.layer("stage3").mean((2, 3)), atol=1e-6)

    def test_dropout_stands_where_the_reference_has_it(self):
        found = {
            name: {n: m.p for n, m in built(name).named_modules() if isinstance(m, nn.Dropout)}
            for name in (*LENETS, "resnet20")
        }
        assert found == {
            "farm-lenet": {"dropout": 0.5},
            "farm-lenet-keras": {"dropout2": 0.25, "dropout3": 0.25, "dropout": 0.5},
            "farm-lenet-pytorch": {},
            "resnet20": {},
        }
        names = [n for n, _ in built("farm-lenet-keras").named_children()]
        assert names[names.index("dropout2") + 1 : names.index("dropout2") + 2] == ["conv3"]
        assert names[names.index("dropout3") + 1 :] == ["flatten", "dense1", "hidden", "dropout", "logits"]

    def test_recipes_of_the_authors_code(self):
        for name, batch, epochs, rate in (("farm-lenet-keras", 32, 10, 1e-3), ("farm-lenet-pytorch", 100, 30, 5e-4)):
            entry = ARCHITECTURES[name]
            recipe = entry.recipe
            assert (recipe.optimiser, recipe.batch, recipe.epochs, recipe.rate) == ("adam", batch, epochs, rate)
            assert recipe.validation == 0
            assert entry.published is not None
            assert entry.published.validation == 0.3
        assert ARCHITECTURES["farm-lenet-keras"].initial == "keras"

    @pytest.mark.whole
    @pytest.mark.parametrize(("name", "epochs"), [("farm-lenet", 6), ("resnet20", 2)])
    def test_they_learn_small_digits(self, name, epochs):
        recipe = Recipe(epochs=epochs, batch=32, rate=2e-3, optimiser="adam", schedule="falling")
        network = trained(name, load("digits", "train"), recipe, 0, device="cpu")
        assert observe(network, load("digits", "test")).correct.double().mean() > 0.94
