"""Paths: chords of the annulus worked out by hand, the stationary point that needs a push, and laws of every search."""

import math

import pytest
import torch

from mistrust.errors import MistrustError
from mistrust.robustness.regions import SEARCHES, WORLDS, Paths, Region, climb, pair_ids, repair, straight, widest
from mistrust.robustness.regions.climbing import reaches

LEVELS = [0.0, 0.5]


def ends(name):
    points = WORLDS[name].points()
    return points[:1], points[1:2]


def at(*levels):
    return torch.tensor(levels, dtype=torch.float64)


def found(search, name, level, **settings):
    return SEARCHES[search](
        WORLDS[name].region(), *ends(name), at(level), ids=torch.tensor([7]), **{"seed": 0} | settings
    )


def test_what_reaches_a_level_grows_with_its_size_whatever_its_sign():
    for level in (1e6, -1e6):
        below = level - torch.tensor([5e-4, 2e-3], dtype=torch.float64)  # a billionth of a million is a thousandth
        assert reaches(below, at(level, level)).tolist() == [True, False]


@pytest.mark.parametrize(("m", "printed"), [(1, -1), (2, 0.41421), (3, 0.73205), (4, 0.84776), (6, 0.93185)])
def test_equal_chords_of_the_half_circle(m, printed):
    """Facts B5: m equal chords keep 2 cos(pi / 2m) - 1."""
    angle = torch.linspace(math.pi, 0, m + 1).double()
    path = Paths(torch.zeros(m + 1).long(), 2 * torch.stack((angle.cos(), angle.sin()), 1), at(0.0))
    level = path.exactly(WORLDS["annulus"].region()).item()
    assert level == pytest.approx(printed, abs=5e-6)
    assert level == pytest.approx(2 * math.cos(math.pi / (2 * m)) - 1, abs=1e-6)


def test_the_way_round_in_the_maximum_norm_keeps_level_1():
    corners = torch.tensor([[-2.0, 0], [-2, 2], [2, 2], [2, 0]]).double()
    path = Paths(torch.zeros(4).long(), corners, at(0.0))
    assert path.exactly(WORLDS["chebyshev-annulus"].region()).item() == 1


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_repair_of_the_annulus_halves_chords_of_the_circle_of_radius_2(depth):
    """At the ridge's own level each cut puts a chord's worst point, its middle, on the ridge.

    The first, the origin, is pushed anywhere: to the angle a. Then there are chords of a / 2^(d-1) and of
    (pi - a) / 2^(d-1), and the longer of the two decides: 2 cos(half of it) - 1.
    """
    path = found("repair", "annulus", 1.0, depth=depth)
    assert len(path.corners) == 2**depth + 1
    assert torch.allclose(path.corners.norm(dim=1), torch.full((len(path.corners),), 2.0).double(), atol=1e-8)
    level = path.exactly(WORLDS["annulus"].region()).item()
    if depth:
        x, y = path.corners[2 ** (depth - 1)].tolist()
        a = math.atan2(abs(y), x)
        longer = max(a, math.pi - a) / 2 ** (depth - 1)
        assert level == pytest.approx(2 * math.cos(longer / 2) - 1, abs=1e-7)
    else:
        assert level == -1


def test_a_path_that_is_lost_is_not_cut_further():
    """No point is as high as 1.5: after the first cut's climb, 16 legs would be looked at for nothing."""
    assert len(found("repair", "disks", 1.5, depth=4).corners) == 3


class TestStationaryPoint:
    """Facts B5: the middle of the annulus has no gradient, repair needs a push drawn from a seed."""

    def climbed(self, seed=0, ids=(3, 4), nudge=0.01, **settings):
        points = torch.zeros(len(ids), 2).double()
        region, level = WORLDS["annulus"].region(), at(*[0.5] * len(ids))
        nudges = torch.full((len(ids),), nudge).double()
        return climb(region, points, level, ids=torch.tensor(ids), seed=seed, nudge=nudges, **settings)

    def test_it_is_stationary(self):
        margins, slope = WORLDS["annulus"].region().slope(torch.zeros(1, 2).double())
        assert (margins.item(), slope.abs().max().item()) == (-1, 0)

    def test_without_a_push_there_is_no_way_up(self):
        points, margins = self.climbed(nudge=0.0)
        assert margins.tolist() == [-1, -1]
        assert points.abs().max() == 0

    def test_a_push_belongs_to_seed_and_id(self):
        points, margins = self.climbed()
        assert (margins >= 0.5 - 1e-9).all()
        assert not torch.allclose(points[0], points[1])
        assert torch.equal(self.climbed(ids=(4,))[0][0], points[1])
        assert torch.equal(self.climbed(ids=(900, 4))[0][1], points[1])
        assert not torch.allclose(self.climbed(seed=1)[0], points)


def test_climbing_a_linear_margin_takes_one_step_and_stays_in_the_box():
    w = torch.tensor([3.0, 4.0]).double()
    plane = Region("plane", lambda x: x @ w)
    start, level = torch.zeros(1, 2).double(), at(5.0)
    given = {"ids": torch.zeros(1).long(), "seed": 0, "nudge": at(0.0)}
    points, margins = climb(plane, start, level, steps=1, **given)
    assert torch.allclose(points, 6 / 25 * w[None], atol=1e-12)  # aims a fifth of what is missing above
    assert margins.item() == pytest.approx(6)
    boxed, margins = climb(Region("plane", lambda x: x @ w, box=(0.0, 1.0)), start, at(8.0), **given)
    assert boxed.tolist() == [[1, 1]]
    assert margins.item() == 7


@pytest.mark.parametrize("search", SEARCHES)
class TestEverySearch:
    @pytest.mark.parametrize("name", WORLDS)
    @pytest.mark.parametrize("level", [-0.5, 0.5, 1.0])
    def test_no_path_is_wider_than_the_widest(self, search, name, level):
        path = found(search, name, level)
        exact = path.exactly(WORLDS[name].region())
        assert exact.item() <= WORLDS[name].bottlenecks()[0, 1].item() + 1e-12
        assert torch.equal(path.corners[:1], ends(name)[0])
        assert torch.equal(path.corners[-1:], ends(name)[1])

    @pytest.mark.parametrize("level", LEVELS)
    def test_the_annulus_is_walked_round(self, search, level):
        level_found = found(search, "annulus", level).exactly(WORLDS["annulus"].region()).item()
        assert level_found >= level - 1e-6

    def test_a_path_depends_on_its_own_pair_alone(self, search):
        region = WORLDS["annulus"].region()
        angle = torch.linspace(0, 1.3, 6).double()
        starts = 2 * torch.stack((-angle.cos(), angle.sin()), 1)
        given = {"ids": torch.arange(6) + 5, "seed": 3}
        whole = SEARCHES[search](region, starts, -starts, at(*[0.3] * 6), **given)
        alone = SEARCHES[search](region, starts[4:5], -starts[4:5], at(0.3), ids=torch.tensor([9]), seed=3)
        assert torch.allclose(whole.of(4), alone.corners, rtol=0, atol=1e-12)
        assert torch.allclose(whole.level[4], alone.level[0], rtol=0, atol=1e-12)
        other = SEARCHES[search](region, starts[4:5], -starts[4:5], at(0.3), ids=torch.tensor([9]), seed=4)
        assert not torch.equal(other.corners, alone.corners) if len(other.corners) == len(alone.corners) else True

    def test_a_straight_way_is_left_straight(self, search):
        path = found(search, "half-plane", 0.4)
        a, b = ends("half-plane")
        line = (path.corners - a) @ torch.tensor([[0.0], [1.0]]).double() / 2
        assert torch.allclose(path.corners, a + line * (b - a), atol=1e-12)


class TestWidest:
    def widest(self, name, **settings):
        return widest(WORLDS[name].region(), *ends(name), ids=torch.tensor([7]), **settings)

    @pytest.mark.whole
    @pytest.mark.parametrize(("name", "least"), [("annulus", 0.99), ("chebyshev-annulus", 0.95), ("half-plane", 0.5)])
    def test_finds_nearly_the_bottleneck(self, name, least):
        exact = self.widest(name).exactly(WORLDS[name].region()).item()
        assert least <= exact <= WORLDS[name].bottlenecks()[0, 1].item()

    @pytest.mark.whole
    @pytest.mark.parametrize("name", ["disks", "diamonds"])
    def test_two_disks_stay_apart(self, name):
        """Facts B5: no path does better than -1."""
        exact = self.widest(name, rounds=2).exactly(WORLDS[name].region()).item()
        assert -1.05 <= exact <= -1

    @pytest.mark.whole
    def test_no_rounds_leave_the_segments_and_one_search_is_no_better_than_both(self):
        line = self.widest("annulus", rounds=0)
        assert torch.equal(line.corners, straight(WORLDS["annulus"].region(), *ends("annulus")).corners)
        both = self.widest("annulus", rounds=1).level
        assert self.widest("annulus", rounds=1, searches=("repair",)).level <= both

    @pytest.mark.whole
    def test_blocks_of_pairs_and_their_order_change_nothing(self):
        region, angle = WORLDS["annulus"].region(), torch.linspace(0, 3, 70).double()
        starts = 2 * torch.stack((-angle.cos(), angle.sin()), 1)
        given = {"rounds": 1, "searches": ("repair",)}
        whole = widest(region, starts, -starts, ids=torch.arange(70), **given)
        assert len(whole) == 70
        back = widest(region, starts.flip(0), -starts.flip(0), ids=torch.arange(70).flip(0), **given)
        assert torch.allclose(back.level.flip(0), whole.level, rtol=0, atol=1e-12)
        assert torch.allclose(back.of(3), whole.of(66), rtol=0, atol=1e-12)

    @pytest.mark.whole
    def test_straight_and_bent_paths_keep_their_places(self):
        """Every second pair's segment is as wide as can be; the others go round the hole."""
        angle = torch.linspace(0.1, 1.2, 6).double()
        starts = 2 * torch.stack((-angle.cos(), angle.sin()), 1)
        goals = torch.where(torch.arange(6)[:, None] % 2 == 0, starts * 1.1, -starts)
        paths = widest(WORLDS["annulus"].region(), starts, goals, ids=torch.arange(6), rounds=1)
        assert (torch.bincount(paths.pair) > 2).tolist() == [False, True] * 3
        assert torch.equal(paths.pair, paths.pair.sort().values)
        for i in range(6):
            assert torch.equal(paths.of(i)[[0, -1]], torch.stack((starts[i], goals[i])))
        assert (paths.exactly(WORLDS["annulus"].region())[1::2] > 0.9).all()

    def test_levels_between_the_best_that_was_met_and_the_lowest_that_failed(self):
        """A search that finds nothing above .3: tried are 1, then the middle of what is open."""
        tried = []

        def timid(region, starts, ends, level, *, ids, seed):
            tried.append(level.item())
            path = straight(region, starts, ends)
            return Paths(path.pair, path.corners, torch.where(level <= 0.3, level, path.level))

        SEARCHES.add("timid", timid)
        try:
            path = self.widest("annulus", searches=("timid",), rounds=6)
        finally:
            del SEARCHES._entries["timid"]
        assert tried == pytest.approx([1, 0, 0.5, 0.25, 0.375, 0.3125])
        assert path.level.item() == 0.25

    def test_no_pairs(self):
        nothing = torch.zeros(0, 2).double()
        assert len(widest(WORLDS["disks"].region(), nothing, nothing, ids=torch.zeros(0).long())) == 0

    def test_bad_input(self):
        with pytest.raises(MistrustError, match="Did you mean 'repair'"):
            self.widest("disks", searches=("repairs",))
        a, b = ends("disks")
        with pytest.raises(MistrustError, match="1 starts, 1 ends and 2 ids"):
            widest(WORLDS["disks"].region(), a, b, ids=torch.arange(2))
        with pytest.raises(MistrustError, match="expected floats"):
            widest(WORLDS["disks"].region(), a.long(), b, ids=torch.arange(1))


def test_a_pairs_number_does_not_depend_on_its_order():
    first, second = torch.tensor([3, 9, 70_000, 4]), torch.tensor([9, 3, 5, 10])
    numbers = pair_ids(first, second)
    assert numbers[0] == numbers[1]
    assert len(numbers.unique()) == 3
    assert torch.equal(numbers, pair_ids(second, first))


def test_paths_can_be_taken_apart():
    region = WORLDS["annulus"].region()
    starts = torch.tensor([[-2.0, 0], [0, 2.0], [-2.0, 0.1]]).double()
    paths = repair(region, starts, -starts, at(0, 0, 0), ids=torch.arange(3), seed=0)
    some = paths.take(torch.tensor([0, 2]))
    assert len(some) == 2
    assert torch.equal(some.of(1), paths.of(2))
    assert torch.equal(some.exactly(region), paths.exactly(region)[[0, 2]])
    pair, a, b = paths.legs()
    assert torch.equal(torch.bincount(pair), torch.bincount(paths.pair) - 1)
    assert torch.equal(a[1:][pair[1:] == pair[:-1]], b[:-1][pair[1:] == pair[:-1]])
