"""A stack of networks against the same networks alone."""

from collections import OrderedDict
from dataclasses import replace

import pytest
import torch
from torch import nn

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, Plan, Recipe, initialise, one_hot, train
from mistrust.networks.stacked import LAYERS, Draws, forward, stack, unstackable
from mistrust.networks.stacked_training import train_stacked
from mistrust.networks.training import dropout_seed
from mistrust.store import Scratch

SEEDS = (4, 0, 2)
ADAM = Recipe(epochs=3, batch=20, rate=1e-3, optimiser="adam")
RECIPES = {
    "sgd": Recipe(epochs=3, batch=20, rate=0.05, momentum=0.9, decay=1e-3, schedule="falling"),
    "plain sgd": Recipe(epochs=3, batch=20, rate=0.05),
    "adam": replace(ADAM, decay=0.01),
    "shuffled rows held out": replace(ADAM, validation=0.25),
    "last rows held out": replace(ADAM, validation=0.1, validation_rows="last"),
}
CPU = torch.device("cpu")


def stackable(name):
    return not unstackable(ARCHITECTURES[name].build(1, (28, 28), 10))


STACKABLE = [name for name in ARCHITECTURES if stackable(name)]


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train").take(torch.arange(48))


def plan_of(images, architecture="ambiguess-fc-relu"):
    return Plan(architecture, tuple(images.images.shape[1:]), images.classes)


def soft_labels(images):
    hard = one_hot(images)
    return 0.7 * hard + 0.3 * hard.roll(1, 1)


def apart(first, second):
    """Largest difference of two networks' weights, which must have the same names and shapes."""
    assert list(first) == list(second)
    assert all(first[name].shape == second[name].shape and first[name].dtype == second[name].dtype for name in first)
    return max((first[name] - second[name]).abs().max().item() for name in first)


class TestEachMemberIsTheNetworkAlone:
    @pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
    @pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
    @pytest.mark.parametrize("architecture", STACKABLE)
    def test_in_float64(self, digits, architecture, recipe, soft):
        """Last batches are smaller than the others; each member has its own held-out rows, orders and dropout."""
        few, recipe = digits.take(torch.arange(28)), replace(recipe, epochs=2)
        options = dict(targets=soft_labels(few) if soft else None, device="cpu", dtype=torch.float64)
        plan = plan_of(few, architecture)
        found = train_stacked(plan, few, recipe, SEEDS, **options)
        for seed, weights in zip(SEEDS, found, strict=True):
            assert apart(weights, train(plan, few, recipe, seed, **options)) < 1e-10
        assert apart(found[0], found[1]) > 1e-3

    @pytest.mark.parametrize("architecture", STACKABLE)
    def test_in_float32(self, digits, architecture):
        plan = plan_of(digits, architecture)
        for seed, weights in zip(SEEDS, train_stacked(plan, digits, ADAM, SEEDS, device="cpu"), strict=True):
            assert apart(weights, train(plan, digits, ADAM, seed, device="cpu")) < 1e-4

    @pytest.mark.whole
    def test_whoever_stands_beside_it(self, digits):
        options = dict(device="cpu", dtype=torch.float64)
        three = train_stacked(plan_of(digits), digits, ADAM, SEEDS, **options)
        (alone,) = train_stacked(plan_of(digits), digits, ADAM, SEEDS[1:2], **options)
        assert apart(three[1], alone) < 1e-10

    @pytest.mark.whole
    def test_torchs_own_generator_has_no_say_and_is_left_as_it_was(self, digits):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(7)
            expected = torch.get_rng_state()
            first = train_stacked(plan_of(digits), digits, ADAM, SEEDS, device="cpu")
            assert torch.equal(torch.get_rng_state(), expected)
            torch.manual_seed(99)
            again = train_stacked(plan_of(digits), digits, ADAM, SEEDS, device="cpu")
        assert all(apart(one, other) == 0 for one, other in zip(first, again, strict=True))


class TestLayers:
    @pytest.mark.parametrize("kind", [kind for kind in LAYERS if kind not in (nn.Linear, nn.Flatten, nn.Dropout)])
    def test_every_activation_of_the_table(self, kind):
        """With a linear layer before the flattening, and one without bias."""
        networks = [
            nn.Sequential(nn.Linear(6, 4), kind(), nn.Sequential(nn.Flatten(), nn.Linear(20, 3, bias=False)))
            for _ in SEEDS
        ]
        for seed, network in zip(SEEDS, networks, strict=True):
            initialise(network.double(), seed)
        x = torch.randn(3, 7, 1, 5, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        expected = torch.stack([network(part) for network, part in zip(networks, x, strict=True)])
        assert unstackable(networks[0]) == []
        whole = {name: torch.stack([n.state_dict()[name] for n in networks]) for name in networks[0].state_dict()}
        stacked = stack(networks[0], 3)
        stacked.load_state_dict(whole)
        assert torch.allclose(forward(stacked, x, Draws(SEEDS, 0, CPU)), expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("rate", [0.0, 0.2, 0.5, 1.0])
    def test_dropout_draws_what_each_draws_alone(self, rate):
        """Two layers and two steps: each member goes on in its own stream of numbers."""
        layer, like = nn.Dropout(rate), torch.ones(3, 6, 50)
        with torch.random.fork_rng(devices=[]):
            draws = Draws(SEEDS, 5, CPU)
            found = [draws.factors(rate, like), draws.factors(rate, like[:, :, :30]), draws.factors(rate, like)]
            for member, seed in enumerate(SEEDS):
                torch.manual_seed(dropout_seed(seed, 5))
                alone = [layer(like[0]), layer(like[0, :, :30]), layer(like[0])]
                assert all(torch.equal(f[member], a) for f, a in zip(found, alone, strict=True))
        if 0 < rate < 1:
            assert not torch.equal(found[0][0], found[0][1])
            assert not torch.equal(found[0], found[2])

    def test_what_cannot_be_stacked_is_named(self):
        class Own(nn.Sequential):
            pass

        assert {"ambiguess-fc", "ambiguess-fc-relu"} <= set(STACKABLE)
        found = unstackable(ARCHITECTURES["ambiguess-conv"].build(1, (28, 28), 10))
        assert found == ["'conv1' (Conv2d)", "'pool1' (MaxPool2d)", "'conv2' (Conv2d)", "'pool2' (MaxPool2d)"]
        assert unstackable(Own(nn.Linear(2, 2))) == ["'' (Own)"]
        odd = nn.Sequential(OrderedDict(flat=nn.Flatten(2), head=nn.Linear(2, 2), norm=nn.BatchNorm1d(2)))
        assert unstackable(odd) == ["'flat' (Flatten)", "'norm' (BatchNorm1d)"]


class Stopping(Scratch):
    """Is killed when it is to keep a checkpoint after two epochs."""

    def save(self, tensors):
        if int(tensors["epoch"]) == 2:
            raise KeyboardInterrupt
        super().save(tensors)


class TestCheckpoints:
    @pytest.mark.whole
    @pytest.mark.parametrize("name", ["sgd", "adam", "shuffled rows held out"])
    def test_a_stack_goes_on_where_it_or_train_was_killed(self, digits, name):
        """The first member keeps two epochs, the second one, the third none: three stacks finish them."""
        plan, recipe = plan_of(digits), RECIPES[name]
        options = dict(device="cpu", dtype=torch.float64)
        scratches = [Scratch(None), Stopping(None), Scratch(None)]
        with pytest.raises(KeyboardInterrupt):
            train_stacked(plan, digits, recipe, SEEDS, scratches=scratches, pause=0, **options)
        scratches[2] = Scratch(None)
        assert [int(one.load()["epoch"]) if one.load() else 0 for one in scratches] == [2, 1, 0]
        third = replace(recipe, epochs=2 if recipe.schedule == "constant" else 3)
        train(plan, digits, third, SEEDS[2], scratch=scratches[2], **options)
        done = [int(one.load()["epoch"]) for one in scratches]
        assert done == [2, 1, 1 if recipe.schedule == "constant" else 2]
        found = train_stacked(plan, digits, recipe, SEEDS, scratches=scratches, **options)
        for seed, weights in zip(SEEDS, found, strict=True):
            assert apart(weights, train(plan, digits, recipe, seed, **options)) < 1e-10

    @pytest.mark.whole
    @pytest.mark.parametrize("name", ["sgd", "adam"])
    def test_train_goes_on_where_a_stack_was_killed(self, digits, name):
        plan, recipe, options = plan_of(digits), RECIPES[name], dict(device="cpu", dtype=torch.float64)
        scratches = [Scratch(None) for _ in SEEDS]
        train_stacked(plan, digits, recipe, SEEDS, scratches=scratches, pause=0, **options)
        for seed, scratch in zip(SEEDS, scratches, strict=True):
            assert int(scratch.load()["epoch"]) == 2
            went_on = train(plan, digits, recipe, seed, scratch=scratch, **options)
            assert apart(went_on, train(plan, digits, recipe, seed, **options)) < 1e-10

    def test_there_are_none_within_the_pause(self, digits):
        scratches = [Scratch(None) for _ in SEEDS]
        train_stacked(plan_of(digits), digits, ADAM, SEEDS, device="cpu", scratches=scratches, pause=1e6)
        assert [one.load() for one in scratches] == [None] * 3


@pytest.mark.whole
def test_a_member_that_diverges_is_told_as_train_tells_it_and_touches_no_other(digits):
    """Its weights are made huge in the checkpoint that all go on from after the first epoch."""
    plan, scratches = plan_of(digits), [Scratch(None) for _ in SEEDS]
    for seed, scratch in zip(SEEDS, scratches, strict=True):
        train(plan, digits, replace(ADAM, epochs=2), seed, device="cpu", scratch=scratch)
    fine = train_stacked(plan, digits, ADAM, SEEDS, device="cpu", scratches=scratches, pause=1e6)
    kept = scratches[1].load()
    huge = {name: v * 1e30 if name.endswith(".weight") else v for name, v in kept.items()}
    scratches[1].save(huge)
    first, second, third = train_stacked(plan, digits, ADAM, SEEDS, device="cpu", scratches=scratches, pause=0)
    assert apart(first, fine[0]) == 0
    assert apart(third, fine[2]) == 0
    assert isinstance(second, MistrustError)
    assert str(second).endswith("The learning rate 0.001 is the usual cause: try 0.0001.")
    with pytest.raises(MistrustError) as alone:
        train(plan, digits, ADAM, SEEDS[1], device="cpu", scratch=scratches[1])
    assert str(alone.value) == str(second)
    # What is no number is not kept as what to go on from; the others' progress is.
    assert torch.equal(scratches[1].load()["network/dense1.weight"], huge["network/dense1.weight"])
    assert int(scratches[0].load()["epoch"]) == 2


def test_when_all_diverge_the_stack_stops(digits):
    endless = Recipe(epochs=10**6, rate=1e11)
    found = train_stacked(plan_of(digits), digits, endless, SEEDS, device="cpu")
    for seed, error in zip(SEEDS, found, strict=True):
        with pytest.raises(MistrustError) as alone:
            train(plan_of(digits), digits, endless, seed, device="cpu")
        assert str(error) == str(alone.value)


def test_a_members_last_step_is_looked_at_and_so_are_the_images(digits):
    once = Recipe(epochs=1, batch=1000, rate=1e38)
    found = train_stacked(plan_of(digits), digits, once, SEEDS, device="cpu")
    assert [str(one).partition(".")[0] for one in found] == ["Training stopped in epoch 1 of 1: the loss is nan"] * 3
    with pytest.raises(MistrustError, match="has no images to train on"):
        train_stacked(plan_of(digits), digits.take([]), ADAM, SEEDS, device="cpu")
