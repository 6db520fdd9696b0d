"""The merge tree against facts B5, scipy's single linkage, and components counted one by one."""

import pytest
import torch
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from mistrust.errors import MistrustError
from mistrust.robustness.regions import WORLDS, merge_tree


def some(n, seed=0, ties=False):
    generator = torch.Generator().manual_seed(seed)
    births = torch.randn(n, generator=generator).double()
    raw = torch.randn(n, n, generator=generator).double().tril(-1)
    between = (raw + raw.T).minimum(births).minimum(births[:, None])
    if ties:
        births, between = (births * 2).round() / 2, (between * 2).round() / 2
    return births, between


@pytest.mark.parametrize("name", ["disks", "diamonds"])
def test_two_disks_and_a_third_sample(name):
    """Facts B5: (-2.5, 0) is born at .5 and merges with (-2, 0) at .5; edges .5 and -1; bubbles 2, 2, 1."""
    world = WORLDS[name]
    tree = merge_tree(world.margin(world.points()), world.bottlenecks())
    assert tree.births.tolist() == [1, 1, 0.5]
    assert tree.levels.tolist() == [0.5, -1]
    assert (tree.first[0].item(), tree.second[0].item()) == (0, 2)
    assert tree.at_most(torch.tensor([0.75, 0.25, -1.0])).tolist() == [2, 2, 1]
    assert tree.at_most(0.5).item() == 2
    assert tree.at_most(1.5).item() == 0


@pytest.mark.parametrize("name", ["annulus", "chebyshev-annulus"])
def test_an_annulus_is_one_bubble_up_to_its_ridge(name):
    world = WORLDS[name]
    tree = merge_tree(world.margin(world.points()), world.bottlenecks())
    assert tree.at_most(torch.tensor([-1.0, 0.0, 1.0, 1.001])).tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("ties", [False, True])
def test_levels_are_those_of_single_linkage_and_counts_those_of_components(ties):
    for n in (1, 2, 7, 40):
        births, between = some(n, seed=n, ties=ties)
        tree = merge_tree(births, between)
        assert len(tree.levels) == n - 1
        if n > 1:
            heights = linkage(squareform((10 - between).fill_diagonal_(0).numpy(), checks=False), "single")[:, 2]
            assert tree.levels.tolist() == pytest.approx(sorted((10 - heights).tolist(), reverse=True), abs=1e-12)
        for level in torch.linspace(-3, 2, 21).tolist():
            born = births >= level
            joined = (between >= level) & born & born[:, None]
            count, _ = connected_components(joined[born][:, born].numpy(), directed=False) if born.any() else (0, None)
            assert tree.at_most(level).item() == count


def test_renaming_samples_changes_nothing_and_wider_paths_never_give_more_bubbles():
    births, between = some(20)
    order = torch.randperm(20, generator=torch.Generator().manual_seed(1))
    tree, other = merge_tree(births, between), merge_tree(births[order], between[order][:, order])
    levels = torch.linspace(-3, 2, 51)
    assert torch.equal(tree.levels, other.levels)
    assert torch.equal(tree.at_most(levels), other.at_most(levels))
    wider = merge_tree(births, between + 0.5)
    assert (wider.at_most(levels) <= tree.at_most(levels)).all()
    assert (wider.at_most(levels) < tree.at_most(levels)).any()


def test_no_bottleneck_is_above_a_birth():
    """As rounding may leave it, or a grid in other numbers: two samples are not joined before both are born."""
    tree = merge_tree(torch.tensor([1.0, 2.0]), torch.full((2, 2), 9.0))
    assert tree.levels.tolist() == [1]
    assert tree.at_most(torch.tensor([0.5, 1.5, 2.5])).tolist() == [1, 1, 0]


def test_bad_input():
    births, between = some(4)
    for bad in (between[:3], torch.full_like(between, torch.nan), between.triu()):
        with pytest.raises(MistrustError, match=r"expected \(n,\) and \(n, n\)|NaN, or bottlenecks are not symmetric"):
            merge_tree(births, bad)
    with pytest.raises(MistrustError, match="at least one sample"):
        merge_tree(births[:0], between[:0, :0])
