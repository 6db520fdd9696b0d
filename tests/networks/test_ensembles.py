import pytest
import torch

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import NETWORK, Plan, Recipe, network_spec, observe, train, trained, trained_members
from mistrust.networks.ensembles import MOST, _keep, _to_stack
from mistrust.networks.stacked_training import train_stacked
from mistrust.store import Scratch, key, made
from mistrust.store.files import place, scratch_folder

RECIPE = Recipe(epochs=2, batch=16, rate=1e-3, optimiser="adam")


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train").take(torch.arange(48))


def weights(classifier):
    return classifier.module.state_dict()


def files(house):
    return {path: path.stat().st_mtime_ns for path in (house / "store").rglob("*.safetensors")}


def key_of(seed, recipe, images):
    return key(NETWORK, network_spec("ambiguess-fc-relu", images, recipe, seed))


@pytest.mark.parametrize("architecture", ["ambiguess-fc-relu", "ambiguess-conv"])
def test_a_member_is_the_network_of_its_seed(digits, architecture):
    members = trained_members(architecture, digits, RECIPE, [4, 2], device="cpu")
    for seed, member in zip((4, 2), members, strict=True):
        alone = trained(architecture, digits, RECIPE, seed, device="cpu")
        assert member.key == alone.key
        assert all(torch.equal(values, weights(alone)[name]) for name, values in weights(member).items())
    assert not torch.equal(weights(members[0])["logits.weight"], weights(members[1])["logits.weight"])


def test_a_second_time_they_come_from_the_store(digits, house):
    first = trained_members("mlm-cnn", digits, RECIPE, range(2), device="cpu")
    kept = files(house)
    assert len(kept) == 2
    again = trained_members("mlm-cnn", digits, RECIPE, range(3), device="cpu")
    assert {path: time for path, time in files(house).items() if path in kept} == kept
    assert len(files(house)) == 3
    assert [one.key for one in again[:2]] == [one.key for one in first]


def test_soft_labels_reach_every_member(digits):
    targets = torch.full((48, 10), 0.1)
    soft = trained_members("mlm-cnn", digits, RECIPE, [0, 1], targets=targets, device="cpu")
    hard = trained_members("mlm-cnn", digits, RECIPE, [0, 1], device="cpu")
    assert len({one.key for one in (*soft, *hard)}) == 4
    assert "targets" in network_spec("mlm-cnn", digits, RECIPE, 0, targets)


def test_they_are_what_a_record_takes(digits):
    first, *others = trained_members("mlm-cnn", digits, RECIPE, range(3), device="cpu")
    record = observe(first, digits, members=others)
    assert record.members.shape == (3, 48, 10)
    assert torch.equal(record.members[0], record.logits)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ([], r"no members: give their seeds, such as range\(5\)"),
        ([1, 3, 1], r"Seed 1 stands 2 times among \[1, 3, 1\]"),
    ],
)
def test_seeds_that_make_no_ensemble(digits, seeds, message):
    with pytest.raises(MistrustError, match=message):
        trained_members("mlm-cnn", digits, RECIPE, seeds)


class TestStacked:
    """Members of one stack are the entries that `trained` makes; what a stack computes is in test_stacked.py."""

    @pytest.mark.parametrize("at_once", [2, 20])
    def test_they_are_the_networks_of_their_seeds(self, digits, house, at_once):
        options = dict(device="cpu", stacked=True, at_once=at_once)
        members = trained_members("ambiguess-fc-relu", digits, RECIPE, [4, 2, 3], **options)
        kept = files(house)
        assert len(kept) == 3
        for seed, member in zip((4, 2, 3), members, strict=True):
            read = trained("ambiguess-fc-relu", digits, RECIPE, seed, device="cpu")
            assert read.key == member.key
            assert all(torch.equal(values, weights(read)[name]) for name, values in weights(member).items())
            alone = train(Plan("ambiguess-fc-relu", (1, 8, 8), digits.classes), digits, RECIPE, seed, device="cpu")
            assert all(torch.allclose(alone[name], weights(member)[name], rtol=0, atol=1e-4) for name in alone)
        assert files(house) == kept

    def test_only_those_not_in_the_store_are_trained(self, digits, house):
        trained("ambiguess-fc-relu", digits, RECIPE, 1, device="cpu")
        kept = files(house)
        members = trained_members("ambiguess-fc-relu", digits, RECIPE, range(3), device="cpu", stacked=True)
        assert len(kept) == 1
        assert len(files(house)) == 3
        assert kept.items() <= files(house).items()
        assert not torch.equal(weights(members[0])["logits.weight"], weights(members[1])["logits.weight"])

    def test_soft_labels_reach_a_stack(self, digits):
        options = dict(targets=torch.full((48, 10), 0.1), device="cpu")
        members = trained_members("ambiguess-fc-relu", digits, RECIPE, [0, 1], stacked=True, **options)
        plan = Plan("ambiguess-fc-relu", (1, 8, 8), digits.classes)
        for seed, member in enumerate(members):
            alone = train(plan, digits, RECIPE, seed, **options)
            assert all(torch.allclose(alone[name], weights(member)[name], rtol=0, atol=1e-4) for name in alone)

    def test_when_one_diverges_the_others_are_kept(self, digits, house):
        """Its checkpoint, of a run that was killed, holds huge weights."""
        recipe = Recipe(epochs=3, batch=16, rate=1e-3, optimiser="adam")
        begun = [Scratch(scratch_folder(place("network", key_of(seed, recipe, digits)))) for seed in range(3)]
        plan = Plan("ambiguess-fc-relu", (1, 8, 8), digits.classes)
        train_stacked(plan, digits, recipe, range(3), device="cpu", scratches=begun, pause=0)
        begun[1].save({name: v * 1e30 if name.endswith(".weight") else v for name, v in begun[1].load().items()})
        with pytest.raises(MistrustError, match=r"^Seed 1 of the ensemble: .* epoch 3 of 3.*try 0.0001.*are kept\.$"):
            trained_members("ambiguess-fc-relu", digits, recipe, range(3), device="cpu", stacked=True)
        found = {path.parent.name for path in files(house) if not path.parent.name.startswith(".")}
        assert found == {key_of(seed, recipe, digits) for seed in (0, 2)}
        assert [one.load() is None for one in begun] == [True, False, True]

    def test_where_the_architecture_does_not_allow_it(self, digits):
        with pytest.raises(MistrustError, match=r"'mlm-cnn' cannot be trained stacked, for its '0' \(Conv2d\)") as said:
            trained_members("mlm-cnn", digits, RECIPE, [0], device="cpu", stacked=True)
        assert "and others. Those that can: ambiguess-fc, ambiguess-fc-relu" in str(said.value)
        with pytest.raises(MistrustError, match="Did you mean 'mlm-cnn'"):
            trained_members("mlm-cn", digits, RECIPE, [0], device="cpu", stacked=True)

    @pytest.mark.parametrize("at_once", [0, 101])
    def test_a_stack_of_so_many_cannot_be(self, digits, at_once):
        with pytest.raises(MistrustError, match=f"at_once is {at_once}, expected 1 to 100 members"):
            trained_members("ambiguess-fc-relu", digits, RECIPE, [0], stacked=True, at_once=at_once)

    def test_by_itself_it_stacks_where_that_is_possible_and_the_device_is_no_cpu(self, digits):
        for name, can in (("ambiguess-fc", True), ("mlm-cnn", False)):
            plan = Plan(name, (1, 8, 8), digits.classes)
            assert _to_stack(plan, None, torch.device("cuda")) is can
            assert _to_stack(plan, None, torch.device("cpu")) is False
            assert _to_stack(plan, False, torch.device("cuda")) is False

    @pytest.mark.whole
    def test_locks_are_taken_in_the_order_of_the_keys(self, house):
        """Else two processes with the same members in another order could wait for each other; here are the most."""
        specs = {seed: {"seed": seed} for seed in range(MOST)}
        seen = []

        def train(held):
            seen.append([key(NETWORK, specs[seed]) for seed in held])
            return [{"seed": torch.tensor([seed])} for seed in held]

        _keep({7: specs[7]}, train)
        _keep(specs, train)
        _keep(dict(reversed(specs.items())), train)
        assert len(seen) == 2
        assert seen[1] == sorted(seen[1])
        assert set(seen[1]) == {key(NETWORK, spec) for seed, spec in specs.items() if seed != 7}
        assert all(made(NETWORK, spec, pytest.fail)["seed"].item() == seed for seed, spec in specs.items())

    def test_an_error_that_is_not_a_members_is_not_taken_for_one(self):
        def failing(held):
            raise MistrustError("Something else.")

        def unkeepable(held):
            return [{"weight": torch.zeros(1) if seed else 0.0} for seed in held]

        specs = {seed: {"seed": seed} for seed in range(3)}
        with pytest.raises(MistrustError, match=r"^Something else\.$"):
            _keep(specs, failing)
        with pytest.raises(MistrustError, match=r"^What maker 'network' made holds 'weight' \(float\)"):
            _keep(specs, unkeepable)
