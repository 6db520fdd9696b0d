import pytest
import torch

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import Recipe, network_spec, observe, trained, trained_members

RECIPE = Recipe(epochs=2, batch=16, rate=1e-3, optimiser="adam")


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train").take(torch.arange(48))


def weights(classifier):
    return classifier.module.state_dict()


@pytest.mark.parametrize("architecture", ["ambiguess-fc-relu", "ambiguess-conv"])
def test_a_member_is_the_network_of_its_seed(digits, architecture):
    members = trained_members(architecture, digits, RECIPE, [4, 2], device="cpu")
    for seed, member in zip((4, 2), members, strict=True):
        alone = trained(architecture, digits, RECIPE, seed, device="cpu")
        assert member.key == alone.key
        assert all(torch.equal(values, weights(alone)[name]) for name, values in weights(member).items())
    assert not torch.equal(weights(members[0])["logits.weight"], weights(members[1])["logits.weight"])


def test_a_second_time_they_come_from_the_store(digits, house):
    def files():
        return {path: path.stat().st_mtime_ns for path in (house / "store").rglob("*.safetensors")}

    first = trained_members("mlm-cnn", digits, RECIPE, range(2), device="cpu")
    kept = files()
    assert len(kept) == 2
    again = trained_members("mlm-cnn", digits, RECIPE, range(3), device="cpu")
    assert {path: time for path, time in files().items() if path in kept} == kept
    assert len(files()) == 3
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
