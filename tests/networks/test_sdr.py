"""The network of the paper on high-confidence errors, and the penalty that its recipe brings."""

from dataclasses import replace
from math import sqrt

import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust import random
from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import (
    ARCHITECTURES,
    NETWORK,
    Plan,
    Recipe,
    depth,
    initialise,
    network_spec,
    observe,
    parameter_count,
    train,
    trained,
)
from mistrust.store import key

NAMES = ("sdr-cnn", "sdr-cnn-small")


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train").take(torch.arange(60))


def plan_of(images, architecture="mlm-cnn"):
    return Plan(architecture, tuple(images.images.shape[1:]), images.classes)


class TestNetwork:
    @pytest.mark.parametrize(
        ("size", "count"),
        # Facts 2, measured on the published Keras network.
        [((64, 64), 2_287_394), ((32, 32), 1_500_962)],
    )
    def test_it_has_as_many_parameters_as_the_published_one(self, size, count):
        network = ARCHITECTURES["sdr-cnn"].build(3, size, 2)
        assert parameter_count(network) == count
        assert depth(network, (3, *size)) == 8 + 3

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize(("channels", "size"), [(3, (32, 32)), (1, (28, 28)), (3, (60, 73))])
    def test_it_is_its_definition(self, name, channels, size):
        network = ARCHITECTURES[name].build(channels, size, 2).eval()
        x = torch.rand(2, channels, *size, generator=torch.Generator().manual_seed(0))
        w = network.state_dict()
        h = x
        for block in range(1, 5):
            for half in (1, 2):
                one = f"conv{block}_{half}"
                h = functional.conv2d(h, w[f"{one}.weight"], w[f"{one}.bias"], padding=1).relu()
            h = functional.max_pool2d(h, 2)
        h = h.flatten(1)
        for layer in ("dense1", "dense2"):
            h = functional.linear(h, w[f"{layer}.weight"], w[f"{layer}.bias"]).relu()
        assert torch.allclose(network(x), functional.linear(h, w["logits.weight"], w["logits.bias"]), atol=1e-6)
        # Every weight was used: the state holds no layer that the definition above does not name.
        assert len(w) == 2 * (8 + 3)

    @pytest.mark.parametrize(("name", "share"), [("sdr-cnn", 1), ("sdr-cnn-small", 2)])
    def test_widths(self, name, share):
        network = ARCHITECTURES[name].build(3, (32, 32), 2)
        maps = [m.out_channels for m in network.modules() if isinstance(m, nn.Conv2d)]
        assert maps == [n // share for n in (32, 32, 64, 64, 128, 128, 256, 256)]
        assert [m.out_features for m in network.modules() if isinstance(m, nn.Linear)] == [256 // share] * 2 + [2]

    @pytest.mark.parametrize("name", NAMES)
    def test_dropout_of_a_half_follows_each_hidden_layer_and_their_last_can_be_recorded(self, name):
        few = load("mnist5k", "test").take(slice(0, 4))
        plan = plan_of(few, name)
        network = plan.build()
        assert {n: m.p for n, m in network.named_modules() if isinstance(m, nn.Dropout)} == {
            "dropout1": 0.5,
            "dropout2": 0.5,
        }
        order = [n for n, _ in network.named_children()][-8:]
        assert order == ["flatten", "dense1", "relu_dense1", "dropout1", "dense2", "hidden", "dropout2", "logits"]
        classifier = plan.classifier(network.state_dict(), "untrained")
        assert float(observe(classifier, few, layers=[ARCHITECTURES[name].surprise]).layer("hidden").min()) == 0

    def test_its_classifier_shows_it_0_to_255(self):
        entry = ARCHITECTURES["sdr-cnn"]
        plan = Plan("sdr-cnn", (3, 32, 32), ("a", "b"))
        network = plan.build()
        initialise(network, 0, entry.initial)
        classifier = plan.classifier(network.state_dict(), "untrained")
        bytes_ = torch.randint(0, 256, (3, 3, 32, 32), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
        assert torch.allclose(classifier(bytes_), network.eval()(bytes_.float()), rtol=1e-4, atol=1e-3)

    @pytest.mark.parametrize("name", NAMES)
    def test_first_weights_are_glorots_with_biases_of_zero(self, name):
        network = ARCHITECTURES[name].build(3, (32, 32), 2)
        initialise(network, 0, ARCHITECTURES[name].initial)
        for layer in network.modules():
            if isinstance(layer, (nn.Linear, nn.Conv2d)):
                area = 9 if isinstance(layer, nn.Conv2d) else 1
                bound = sqrt(6 / (area * sum(layer.weight.shape[:2])))
                assert float(layer.weight.detach().abs().max()) <= bound
                assert layer.weight.std().item() == pytest.approx(bound / sqrt(3), rel=4 / sqrt(layer.weight.numel()))
                assert not layer.bias.any()

    def test_the_recipe_is_the_published_one(self):
        recipe = ARCHITECTURES["sdr-cnn"].recipe
        assert (recipe.optimiser, recipe.rate, recipe.batch, recipe.penalty) == ("adam", 1e-4, 128, 0.01)
        assert (recipe.epochs, recipe.epsilon, recipe.decay, recipe.schedule) == (40, 1e-7, 0.0, "constant")

    @pytest.mark.whole
    def test_the_small_one_learns_within_few_steps(self):
        train_, test = (load("mnist5k", split) for split in ("train", "test"))
        pair = train_.take(train_.labels < 2).take(torch.arange(160))
        recipe = replace(ARCHITECTURES["sdr-cnn-small"].recipe, epochs=12, batch=16)
        network = trained("sdr-cnn-small", pair, recipe, 0, device="cpu")
        assert observe(network, test.take(test.labels < 2)).correct.double().mean() > 0.95


class TestPenalty:
    def test_it_is_keras_l2_on_kernels_of_convolutions_alone(self):
        """Worked by hand: 0.01 (1 + 4 + 9 + 16) = 0.3, with no half; biases and linear layers do not count."""
        network = nn.Sequential(nn.Conv2d(1, 1, 2), nn.Flatten(), nn.Linear(1, 2))
        with torch.no_grad():
            network[0].weight.copy_(torch.tensor([[[[1.0, -2.0], [3.0, -4.0]]]]))
            network[0].bias.fill_(7.0)
        loss = torch.tensor(2.0)
        assert Recipe(penalty=0.01).penalised(loss, network).item() == pytest.approx(2.3)
        assert Recipe().penalised(loss, network) is loss

    def test_one_step_of_gradient_descent_by_hand(self, digits):
        recipe = Recipe(epochs=1, batch=60, rate=0.1, penalty=0.05)
        plain = train(plan_of(digits), digits, replace(recipe, penalty=0.0), 0, device="cpu")
        found = train(plan_of(digits), digits, recipe, 0, device="cpu")
        network = plan_of(digits).build()
        initialise(network, 0)
        start = network.state_dict()
        kernels = {f"{n}.weight" for n, m in network.named_modules() if isinstance(m, nn.Conv2d)}
        for name in start:
            pull = 0.1 * 0.05 * 2 * start[name] if name in kernels else 0
            assert torch.allclose(found[name], plain[name] - pull, atol=1e-6)

    def test_with_adam_the_penalty_is_part_of_the_gradient(self, digits):
        """Keras adds it to the loss, so Adam scales it as it scales the rest; decoupled decay would not."""
        recipe = Recipe(epochs=1, batch=20, rate=1e-3, optimiser="adam", penalty=0.05)
        network = plan_of(digits).build()
        initialise(network, 3)
        optimiser = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-7)
        x = (digits.floats() - 0.5) / 0.5
        for batch in random.permutation(3, "order/0", 60).split(20):
            optimiser.zero_grad()
            kernels = [m.weight for m in network.modules() if isinstance(m, nn.Conv2d)]
            loss = functional.cross_entropy(network(x[batch]), digits.labels[batch])
            (loss + 0.05 * sum((k**2).sum() for k in kernels)).backward()
            optimiser.step()
        found = train(plan_of(digits), digits, recipe, 3, device="cpu")
        for name, values in network.state_dict().items():
            assert torch.allclose(found[name], values, atol=2e-6)

    def test_keys_without_it_are_as_they_were_and_with_it_are_others(self, digits):
        """The key was computed with the code before there was a penalty (commit e073230)."""
        few = load("digits", "train").take(torch.arange(20))

        def key_of(recipe):
            return key(NETWORK, network_spec("mlm-cnn", few, recipe, 7))

        assert key_of(Recipe()) == "82750717902b07364d30"
        assert "penalty" not in Recipe(optimiser="adam").described()
        assert len({key_of(Recipe(penalty=p)) for p in (0.0, 0.01, 0.02)}) == 3

    @pytest.mark.parametrize("penalty", [-0.01, float("nan"), float("inf")])
    def test_what_cannot_be(self, penalty):
        with pytest.raises(MistrustError, match=r"The penalty on kernels is .*, expected 0"):
            Recipe(penalty=penalty)
