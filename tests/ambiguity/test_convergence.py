"""Plain autoencoders of few classes and of all: what they rebuild, and how it is counted."""

from dataclasses import replace

import pytest
import torch

from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.convergence import (
    ENOUGH,
    LOOK,
    Group,
    apart,
    learn,
    parameters,
    parameters_needed,
    steps_to_converge,
)
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables.converged import WHOLE, converged
from mistrust.errors import MistrustError

DESIGN = Design(16, 3, hidden=8)
FAST = Training(batch=16, rate=0.01)


def stripes(count=60):
    """Images of two numbers, how bright the left half is and how bright the right, and of nothing else."""
    draw = torch.Generator().manual_seed(0)
    sides = torch.rand(count, 2, generator=draw)
    return sides.repeat_interleave(8, 1)


@pytest.mark.whole
def test_an_autoencoder_learns_alone_what_it_learns_beside_others():
    pixels = stripes()
    groups = [
        Group("first", torch.arange(30), 0),
        Group("all", torch.arange(60), 0),
        Group("first", torch.arange(30), 1),
    ]
    together = learn(pixels, groups, DESIGN, 60, FAST)
    for place, group in enumerate(groups):
        alone = learn(pixels, [group], DESIGN, 60, FAST)
        assert torch.allclose(together[place], alone[0], atol=1e-3)
    assert not torch.allclose(together[0], together[2], atol=1e-3)  # another seed


@pytest.mark.whole
def test_what_has_two_numbers_is_rebuilt_through_two():
    found = learn(stripes(), [Group("all", torch.arange(60), 0)], Design(16, 3, hidden=32), 1500, FAST)[0]
    assert float(found[0]) < 0.2
    assert float(found[-1]) > 0.95
    assert len(found) == 1 + 1500 / LOOK


def test_the_device_is_the_librarys_choice(monkeypatch):
    groups = [Group("all", torch.arange(60), 0)]
    here = learn(stripes(), groups, DESIGN, 20, FAST)
    assert torch.equal(here, learn(stripes(), groups, DESIGN, 20, FAST, device="cpu"))
    monkeypatch.setenv("MISTRUST_DEVICE", "gpu")
    with pytest.raises(MistrustError, match="There is no device 'gpu'"):
        learn(stripes(), groups, DESIGN, 20, FAST)


@pytest.mark.parametrize(
    ("groups", "steps", "message"),
    [
        ([], 100, "Expected a group or more, of two images or more each, and 10 steps or more"),
        ([Group("one", torch.arange(1), 0)], 100, "of two images or more each"),
        ([Group("all", torch.arange(60), 0)], 9, "10 steps or more"),
        ([Group("equal", torch.zeros(5, dtype=torch.int64), 0)], 100, "are all equal: there is nothing to learn"),
    ],
)
def test_what_cannot_be_learnt_is_refused(groups, steps, message):
    with pytest.raises(MistrustError, match=message):
        learn(stripes(), groups, DESIGN, steps, FAST)


def test_enough_is_a_share_of_the_most_of_each():
    shares = torch.tensor([[0.0, 0.94, 0.95, 1.0], [0.0, 0.1, 0.5, 0.2]])
    assert ENOUGH == 0.95
    assert steps_to_converge(shares) == [2 * LOOK, 2 * LOOK]
    sizes = [parameters(replace(DESIGN, hidden=width)) for width in (2, 4, 8, 16)]
    assert parameters_needed(shares, DESIGN, (2, 4, 8, 16)) == [sizes[2]] * 2
    assert sizes == sorted(sizes)


def test_pairs_apart_share_no_class():
    assert list(apart([(1, 2), (0, 1), (0, 3), (3, 4)])) == [(1, 2), (0, 3)]


def test_rows_hold_each_autoencoder_and_means_of_each_kind():
    groups = [Group("a/b", torch.arange(4), seed) for seed in (0, 1)] + [Group(WHOLE, torch.arange(9), 0)]
    shares = {
        4: torch.tensor([[0.0, 0.2], [0.0, 0.5], [0.0, 0.1]], dtype=torch.float64),
        8: torch.tensor([[0.0, 0.6], [0.0, 0.5], [0.3, 0.3]], dtype=torch.float64),
    }
    found = list(converged(shares, groups, DESIGN))
    small, large = (parameters(replace(DESIGN, hidden=width)) for width in (4, 8))
    told = {(row["metric"], row.get("at"), row.get("seed")): row["value"] for row in found if "seed" in row}
    assert told == {
        ("steps to converge", "a/b", 0): 10, ("steps to converge", "a/b", 1): 10,
        ("steps to converge", WHOLE, 0): 0,
        ("parameters", "a/b", 0): large, ("parameters", "a/b", 1): small, ("parameters", WHOLE, 0): large,
    }  # fmt: skip
    means = {
        (row["condition"], row["metric"], row["level"]): (row["value"], row["n"]) for row in found if "seed" not in row
    }
    assert means["two classes", "rebuilt by step", 10] == (pytest.approx(0.55), 2)
    assert means["two classes", "rebuilt by size", small] == (pytest.approx(0.35), 2)
    assert means[WHOLE, "rebuilt by size", large] == (pytest.approx(0.3), 1)
    assert len(means) == 8
