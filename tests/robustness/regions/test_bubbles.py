"""Margins, grids, worlds and the whole way to a number of bubbles, on known worlds and on a small trained network."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import initialise, wrap
from mistrust.robustness.regions import WORLDS, Region, bubbles, certify, class_region, lowest_on_grid, margin, screen


def test_margin_by_hand():
    logits = torch.tensor([[1.0, 3.0, 2.5], [4.0, -1.0, 0.0]])
    assert margin(logits, 1).tolist() == [0.5, -5]
    assert margin(logits, torch.tensor([0, 0])).tolist() == [-2, 4]
    order = torch.tensor([2, 0, 1])
    assert torch.equal(margin(logits[:, order], 2), margin(logits, 1))
    assert torch.equal(margin(logits + 7, 1), margin(logits, 1))
    assert margin(logits[:0], torch.zeros(0, dtype=torch.int64)).tolist() == []


def test_margins_of_a_classifier_of_probabilities_are_those_of_its_logits():
    net = nn.Sequential(nn.Flatten(), nn.Linear(4, 3))
    initialise(net, 0)
    images = torch.linspace(0, 1, 20).view(5, 1, 2, 2)
    logits = class_region(wrap(net, list("abc")), 1)
    said = class_region(wrap(nn.Sequential(net, nn.Softmax(1)), list("abc"), outputs="probabilities"), 1, exact=False)
    for one, other in zip(said.slope(images), logits.slope(images), strict=True):
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(said(images), logits(images))
    with pytest.raises(MistrustError, match="gives probabilities, which are not piecewise linear"):
        class_region(wrap(net, list("abc"), outputs="probabilities"), 1).lowest(images[:1], images[1:2])


@pytest.mark.parametrize("name", WORLDS)
class TestEveryWorld:
    def segments(self):
        generator = torch.Generator().manual_seed(0)
        return (6 * torch.rand((200, 2), generator=generator).double() - 3 for _ in range(2))

    def test_minima_are_those_of_a_fine_grid_and_never_above_it(self, name):
        a, b = self.segments()
        fine, _ = lowest_on_grid(WORLDS[name].region(), a, b, 4001)
        exact = WORLDS[name].lowest(a, b)
        assert (exact <= fine + 1e-12).all()
        assert torch.allclose(exact, fine, atol=2e-3)

    def test_no_segment_is_above_the_bottleneck_which_is_symmetric_and_no_higher_than_its_ends(self, name):
        a, b = self.segments()
        world = WORLDS[name]
        widest = world.widest(a, b)
        assert (world.lowest(a, b) <= widest + 1e-12).all()
        assert torch.equal(widest, world.widest(b, a))
        assert (widest <= world.margin(a).minimum(world.margin(b))).all()

    def test_its_network_is_its_margin(self, name):
        world = WORLDS[name]
        if world.network is None:
            assert name in ("disks", "annulus")
            return
        points = torch.cat(list(self.segments()))
        logits = world.network()(points)
        assert logits[:, 1].abs().max() == 0
        assert torch.allclose(margin(logits, 0), world.margin(points), rtol=0, atol=1e-14)

    @pytest.mark.whole
    def test_bubbles_of_its_samples(self, name):
        """Facts B5: one up to level 1 for annulus and half plane, two for every level in (-1, 1] for two disks."""
        world = WORLDS[name]
        x = world.points()
        found = bubbles(world.region(), x, torch.arange(len(x)), rounds=1)
        assert found.exact
        expected = {"half-plane": [1, 1, 0], "disks": [2, 2, 2], "diamonds": [2, 2, 2]}.get(name, [1, 1, 1])
        assert found.tree.at_most(torch.tensor([0.0, 0.3, 0.75])).tolist() == expected
        assert (found.path >= found.segment).all()
        assert torch.equal(found.corners > 2, found.path > found.segment)  # a straight way has two
        assert found.corners.min() >= 2
        true = world.bottlenecks()[found.first, found.second]
        assert (found.path <= true + 1e-12).all()
        assert torch.equal(found.segment, world.lowest(x[found.first], x[found.second]))


def test_the_quick_region_is_for_the_grid_alone():
    world = WORLDS["disks"]
    exact, x = world.region(), world.points()
    quick = Region("one higher", lambda points: exact.margin(points) + 1)
    plain, found = (bubbles(exact, x, torch.arange(3), rounds=0, quick=one) for one in (None, quick))
    torch.testing.assert_close(found.sampled, plain.sampled + 1)
    assert torch.equal(found.tree.births, plain.tree.births)


def test_a_grid_steps_over_a_dip():
    """Of the segment between two disks four points see -1/3, the dip in the middle is -1."""
    world = WORLDS["disks"]
    x = world.points()[:2]
    grid, at = lowest_on_grid(world.region(), x[:1], x[1:], 4)
    assert grid.item() == pytest.approx(-1 / 3)
    assert at.item() == pytest.approx(1 / 3)
    found = bubbles(world.region(), x, torch.arange(2), points=4, rounds=0)
    assert found.sampled.tolist() == [[1, grid.item()], [grid.item(), 1]]
    assert found.segment.tolist() == [-1]
    assert found.grid_wrong().tolist() == [True]
    assert found.grid_wrong(-0.5).tolist() == [True]
    assert found.grid_wrong(0.0).tolist() == [False]  # the grid saw that it leaves that region
    assert found.grid_wrong(-1.0).tolist() == [False]
    fine = bubbles(world.region(), x, torch.arange(2), points=101, rounds=0)
    assert fine.grid_wrong().tolist() == [False]


@pytest.mark.whole
def test_a_margin_function_without_exact_test_gives_an_estimate_that_says_so():
    world = WORLDS["annulus"]
    plain = Region("annulus", world.margin)
    found = bubbles(plain, world.points(), torch.arange(2), rounds=1)
    assert not found.exact
    assert found.tree.at_most(0.5).item() == 1
    with pytest.raises(MistrustError, match="annulus has no exact segment test"):
        plain.lowest(world.points()[:1], world.points()[1:])


@pytest.fixture(scope="module")
def trained(cellar):
    """A tiny network, trained on digits for a moment, and six images of a class."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_CACHE", str(cellar))
        images = load("digits", "train")
    network = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 10))
    initialise(network, 0)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(3):
        for x, y in zip(images.floats().split(50), images.labels.split(50), strict=True):
            optimiser.zero_grad()
            functional.cross_entropy(network(x), y).backward()
            optimiser.step()
    return wrap(network, images.classes), images.take((images.labels == 8).nonzero()[:6, 0])


class TestNetwork:
    def test_pairs_are_screened_as_one_by_one(self, trained):
        network, images = trained
        region, x = class_region(network, 8), images.floats()
        found = screen(region, x, 11)
        assert torch.equal(found, found.T)
        with torch.no_grad():
            own = margin(network(x), 8).double()
            t = torch.linspace(0, 1, 11).view(-1, 1, 1, 1)
            pair = margin(network(torch.lerp(x[1:2], x[4:5], t)), 8).min().item()
        assert torch.allclose(found.diag(), own, atol=1e-4)
        assert found[1, 4].item() == pytest.approx(pair, abs=1e-4)
        single = screen(class_region(network, 8, dtype=torch.float32), x, 11)
        assert single.dtype == torch.float32
        assert torch.allclose(single.double(), found, atol=1e-4)
        assert (screen(region, x, 101) <= found + 1e-12).all()  # its points are among the finer grid's

    def test_edges_are_exact_and_paths_never_worse_than_segments(self, trained):
        network, images = trained
        x = images.floats()
        region = class_region(network, 8)
        found = bubbles(region, x, images.ids, quick=class_region(network, 8, dtype=torch.float32))
        exact = certify(network, x[found.first], x[found.second], 8).lowest
        assert torch.allclose(found.segment, exact, rtol=0, atol=1e-12)
        assert (found.path >= found.segment).all()
        grid = found.sampled[found.first, found.second]
        assert (found.segment <= grid + 1e-4).all()
        lines = bubbles(region, x, images.ids, rounds=0)
        levels = torch.linspace(-5, 15, 41)
        assert (found.tree.at_most(levels) <= lines.tree.at_most(levels)).all()
        assert torch.equal(lines.path, lines.segment)
        assert found.tree.at_most(-100.0).item() == 1

    def test_the_order_of_samples_changes_nothing(self, trained):
        network, images = trained
        order = torch.tensor([3, 0, 5, 1, 4, 2])
        region = class_region(network, 8)
        one = bubbles(region, images.floats(), images.ids, points=21)
        other = bubbles(region, images.floats()[order], images.ids[order], points=21)
        assert torch.allclose(one.tree.levels, other.tree.levels, rtol=0, atol=1e-6)

    def test_bad_input(self, trained):
        network, images = trained
        region, x = class_region(network, 8), images.floats()
        with pytest.raises(MistrustError, match="Class 10 is asked for, expected a position from 0 to 9"):
            class_region(network, 10)
        with pytest.raises(MistrustError, match=r"expected \[0, 1\]"):
            screen(region, x * 3)
        with pytest.raises(MistrustError, match="expected floats"):
            screen(region, images.images if images.images.dtype == torch.uint8 else (x * 255).to(torch.uint8))
        with pytest.raises(MistrustError, match="with 1 different ids, expected at least two"):
            bubbles(region, x[:2], torch.tensor([4, 4]))
        with pytest.raises(MistrustError, match="Got 1 samples"):
            bubbles(region, x[:1], images.ids[:1])
        with pytest.raises(MistrustError, match="points is 1"):
            screen(region, x, 1)
        with pytest.raises(MistrustError, match="NaN or infinite"):
            bubbles(WORLDS["disks"].region(), torch.full((2, 2), torch.nan), torch.arange(2))
        smooth = wrap(nn.Sequential(nn.Flatten(), nn.Linear(64, 3), nn.Tanh(), nn.Linear(3, 10)), images.classes)
        with pytest.raises(MistrustError, match="Layer '2' of the network is Tanh"):
            bubbles(class_region(smooth, 8), x, images.ids, points=3)
        assert not bubbles(class_region(smooth, 8, exact=False), x, images.ids, points=3, rounds=0).exact
