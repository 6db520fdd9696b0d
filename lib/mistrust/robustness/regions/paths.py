"""Paths between samples, and the way to make one when the straight segment fails: midpoint with repair.

A path is a polyline. Its level is the smallest margin on it; the level of the widest path between two points, over all
paths, is their bottleneck. What a search finds bounds the bottleneck from below, and only if the path's level is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

from mistrust.registry import Registry
from mistrust.robustness.regions.climbing import climb, reaches
from mistrust.robustness.regions.grid import lowest_on_grid
from mistrust.robustness.regions.region import Region

# Points of the grid that a search looks at on each leg; odd, so that a leg's middle is one of them.
GRID = 33


@dataclass(frozen=True, eq=False)
class Paths:
    """Polylines between m pairs of points.

    Attributes
    ----------
    pair : (p,) the pair that each corner belongs to, ascending.
    corners : (p, ...) from start to end.
    level : (m,) smallest margin met on each path: on a grid, an upper bound of the path's level, until `exactly`.

    Examples
    --------
    >>> region = WORLDS["annulus"].region()
    >>> starts, ends = torch.tensor([[-2.0, 0.0]]), torch.tensor([[2.0, 0.0]])
    >>> through = straight(region, starts, ends)
    >>> around = widest(region, starts, ends, ids=torch.arange(1), searches=["repair"])
    >>> len(through.of(0)), len(around.of(0)) > 2  # corners, both ends among them
    (2, True)
    >>> float(through.exactly(region)), float(around.exactly(region)) > 0.9
    (-1.0, True)
    """

    pair: Int64[Tensor, " p"]
    corners: Float[Tensor, "p ..."]
    level: Float[Tensor, " m"]

    def __len__(self) -> int:
        return len(self.level)

    def of(self, row: int) -> Float[Tensor, "q ..."]:
        """Corners of one path."""
        return self.corners[self.pair == row]

    def legs(self) -> tuple[Int64[Tensor, " s"], Float[Tensor, "s ..."], Float[Tensor, "s ..."]]:
        """The straight parts of all paths: pair, starts, ends."""
        left = (self.pair[1:] == self.pair[:-1]).nonzero()[:, 0]
        return self.pair[left], self.corners[left], self.corners[left + 1]

    def take(self, rows: Int64[Tensor, " r"]) -> "Paths":
        """Some of the paths, in ascending order of their rows."""
        place = torch.full((len(self),), -1, device=self.pair.device)
        place[rows] = torch.arange(len(rows), device=self.pair.device)
        kept = place[self.pair] >= 0
        return Paths(place[self.pair][kept], self.corners[kept], self.level[rows])

    def exactly(self, region: Region) -> Float[Tensor, " m"]:
        """The exact level of each path: a lower bound of the bottleneck."""
        pair, starts, ends = self.legs()
        return by_pair(pair, region.lowest(starts, ends).to(self.level), len(self))


# (region, starts, ends, level, ids=, seed=) -> paths that try to stay above the level.
Search = Callable[..., Paths]
SEARCHES = Registry[Search]("search for paths")


def by_pair(pair: Int64[Tensor, " s"], values: Float[Tensor, " s"], m: int) -> Float[Tensor, " m"]:
    """The smallest value of each pair."""
    return torch.full((m,), torch.inf, dtype=values.dtype, device=values.device).scatter_reduce(0, pair, values, "amin")


def straight(region: Region, starts: Float[Tensor, "m ..."], ends: Float[Tensor, "m ..."]) -> Paths:
    """The segments themselves.

    Examples
    --------
    >>> region = WORLDS["annulus"].region()
    >>> paths = straight(region, torch.tensor([[-2.0, 0.0]]), torch.tensor([[2.0, 0.0]]))
    >>> paths.of(0).tolist(), paths.level.item()
    ([[-2.0, 0.0], [2.0, 0.0]], -1.0)
    """
    lowest, _ = lowest_on_grid(region, starts, ends)
    m = len(starts)
    pair = torch.arange(m, device=starts.device).repeat_interleave(2)
    return Paths(pair, torch.stack((starts, ends), 1).flatten(0, 1).to(region.dtype), lowest)


@dataclass(frozen=True, eq=False)
class _Legs:
    """Straight parts of paths on their way: whose, where on the way they begin (0 to 1), ends, margin on a grid."""

    pair: Tensor
    place: Tensor
    length: Tensor
    start: Tensor
    end: Tensor
    lowest: Tensor
    worst: Tensor

    def take(self, rows: Tensor) -> "_Legs":
        return _Legs(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @staticmethod
    def joined(parts: "list[_Legs]") -> "_Legs":
        columns = ([getattr(one, name) for one in parts] for name in _Legs.__dataclass_fields__)
        return _Legs(*(torch.cat(column) for column in columns))


@SEARCHES.entry("repair")
def repair(
    region: Region,
    starts: Float[Tensor, "m ..."],
    ends: Float[Tensor, "m ..."],
    level: Float[Tensor, " m"],
    *,
    ids: Int[Tensor, " m"],
    seed: int,
    depth: int = 4,
    grid: int = GRID,
) -> Paths:
    """Midpoint with repair: where a leg falls below the level, take its worst point, climb from there, and go on.

    Parameters
    ----------
    level : (m,) what each path should keep to; at most the margins of its ends, or the search is in vain.
    ids : (m,) keys of the pushes at points without a gradient, one per pair.
    depth : how often a leg may be cut: up to 2^depth legs.
    grid : points looked at on a leg.

    Examples
    --------
    Through the ring's hole the level 0.5 is lost, on the path that was found it is not:

    >>> region, level = WORLDS["annulus"].region(), torch.tensor([0.5], dtype=torch.float64)
    >>> starts = torch.tensor([[-2.0, 0.0]], dtype=torch.float64)
    >>> paths = repair(region, starts, -starts, level, ids=torch.arange(1), seed=0)
    >>> float(straight(region, starts, -starts).level), bool(paths.exactly(region) >= 0.5)
    (-1.0, True)
    """
    goal = level.to(region.dtype)
    starts, ends = starts.to(region.dtype), ends.to(region.dtype)
    size = (ends - starts).flatten(1).norm(dim=1)
    whole = torch.arange(len(starts), device=starts.device)
    one = torch.ones_like(goal)
    fresh = _looked_at(region, whole, one * 0, one, starts, ends, grid)
    done: list[_Legs] = []
    for cut in range(depth + 1):
        low = ~reaches(fresh.lowest, goal[fresh.pair])
        done.append(fresh.take(~low))
        bad = fresh.take(low)
        if cut == depth or not bool(low.any()):
            done.append(bad)
            break
        share = bad.worst.view(-1, *[1] * (starts.ndim - 1))
        key = ids[bad.pair.to(ids.device)]
        middle, top = climb(
            region,
            torch.lerp(bad.start, bad.end, share),
            goal[bad.pair],
            ids=key,
            seed=seed,
            nudge=size[bad.pair] / 1e3,
        )
        half = bad.length / 2
        halves = [
            _looked_at(region, bad.pair, bad.place, half, bad.start, middle, grid),
            _looked_at(region, bad.pair, bad.place + half, half, middle, bad.end, grid),
        ]
        # A path one of whose corners is below the level is lost: its other legs need no repair.
        lost = torch.zeros_like(goal, dtype=torch.bool)
        lost[bad.pair[~reaches(top, goal[bad.pair])]] = True
        fresh = _Legs.joined(halves)
        done.append(fresh.take(lost[fresh.pair]))
        fresh = fresh.take(~lost[fresh.pair])
    legs = _Legs.joined(done)
    return joined(legs.pair, legs.place, legs.start, ends, by_pair(legs.pair, legs.lowest, len(starts)))


def joined(pair: Tensor, place: Tensor, corners: Tensor, ends: Tensor, level: Tensor) -> Paths:
    """Paths of corners in any order, each with its place on the way, and of the ends that come after all of them."""
    m = len(ends)
    pair = torch.cat((pair, torch.arange(m, device=pair.device)))
    order = torch.cat((place, torch.full((m,), torch.inf, dtype=place.dtype, device=place.device))).argsort(stable=True)
    order = order[pair[order].argsort(stable=True)]
    return Paths(pair[order], torch.cat((corners, ends.to(corners)))[order], level)


def _looked_at(
    region: Region, pair: Tensor, place: Tensor, length: Tensor, start: Tensor, end: Tensor, grid: int
) -> _Legs:
    lowest, worst = lowest_on_grid(region, start, end, grid)
    # The ends are what they are: a leg is cut within.
    inner = worst.clamp(1 / (grid - 1), 1 - 1 / (grid - 1))
    return _Legs(pair, place, length, start, end, lowest, inner)
