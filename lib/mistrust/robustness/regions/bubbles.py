"""How many bubbles hold the samples of a class: screen, certify, search, and the tree of it all.

"Small disconnected bubbles" (paper, abstract and section 3) are asserted there and never measured: no path is tested.
Here all pairs are screened by a grid, the edges of the merge tree are tested exactly, and where an edge's segment
leaves the class early, other paths are searched. Each step can only lower what the grid overrated or raise what the
straight segment underrated, so the tree is made again until all of its edges are settled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Float64, Int, Int64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.robustness.regions.climbing import reaches
from mistrust.robustness.regions.grid import POINTS, lowest_on_grid, screen
from mistrust.robustness.regions.merge_tree import MergeTree, merge_tree
from mistrust.robustness.regions.region import Region
from mistrust.robustness.regions.widest import BOTH, pair_ids, widest

# What a grid and an exact minimum may differ by without the grid being wrong: float32 on the grid's side.
ROUNDING = 1e-4


@dataclass(frozen=True, eq=False)
class Bubbles:
    """What is known of n samples of a class.

    Attributes
    ----------
    tree : of the bottlenecks found; `tree.at_most(level)` is an upper bound of the number of bubbles, for its edges
        are exact lower bounds where `exact` says so.
    sampled : (n, n) smallest margin on a grid of each pair's segment.
    first, second : (s,) the pairs that were looked at more closely.
    segment : (s,) exact smallest margin on their straight segment.
    path : (s,) exact level of the widest path found between them, at least `segment`.
    corners : (s,) corners of that path: 2 for the segment itself.
    exact : whether `segment` and `path` are exact; False for a region without an exact test, where a grid stands in
        and the number of bubbles is an estimate that bounds nothing.

    Examples
    --------
    Between opposite points of a ring the straight way leads through the hole: tested by segments they lie in two
    bubbles, while a path around shows that they share one.

    >>> world = WORLDS["annulus"]
    >>> opposite = torch.tensor([[-2.0, 0.0], [2.0, 0.0]], dtype=torch.float64)
    >>> straight_ones = bubbles(world.region(), opposite, torch.arange(2), rounds=0)
    >>> all_paths = bubbles(world.region(), opposite, torch.arange(2), searches=["repair"])
    >>> int(straight_ones.tree.at_most(0.0)), int(all_paths.tree.at_most(0.0))
    (2, 1)
    >>> float(all_paths.segment[0]), bool(all_paths.path[0] > 0.9), all_paths.exact
    (-1.0, True, True)
    """

    tree: MergeTree
    sampled: Float64[Tensor, "n n"]
    first: Int64[Tensor, " s"]
    second: Int64[Tensor, " s"]
    segment: Float64[Tensor, " s"]
    path: Float64[Tensor, " s"]
    corners: Int64[Tensor, " s"]
    exact: bool

    def grid_wrong(self, level: float | None = None) -> Bool[Tensor, " s"]:
        """Which of the closely looked at segments the grid had wrong.

        Parameters
        ----------
        level : wrong is a segment that leaves {margin >= level} between the grid's points; None: whose smallest margin
            is lower than the grid's by more than rounding.
        """
        grid = self.sampled[self.first, self.second]
        if level is None:
            return self.segment < grid - ROUNDING * grid.abs().clamp(min=1)
        return (grid >= level) & (self.segment < level)


def bubbles(
    region: Region,
    samples: Float[Tensor, "n ..."],
    ids: Int[Tensor, " n"],
    *,
    points: int = POINTS,
    searches: Sequence[str] = BOTH,
    rounds: int = 4,
    seed: int = 0,
    quick: Region | None = None,
) -> Bubbles:
    """Build the merge tree of samples of one class, its edges tested exactly where the region can be.

    Parameters
    ----------
    samples : (n, ...) of the class, n >= 2; images in [0, 1]. Those outside of the region are born below 0.
    ids : (n,) of the samples, no two alike: keys of all draws.
    points : of the grid.
    searches, rounds, seed : as for `widest`; rounds=0 tests straight segments alone.
    quick : the same region in float32, for the grid of all pairs; None to use `region` itself.

    Raises
    ------
    MistrustError
        Fewer than two samples, ids that are not one per sample, and what `screen` and `Region.lowest` refuse.

    Examples
    --------
    Three samples in two disks:

    >>> world = WORLDS["disks"]
    >>> world.samples
    ((-2.0, 0.0), (2.0, 0.0), (-2.5, 0.0))
    >>> found = bubbles(world.region(), world.points(), torch.arange(3), searches=["repair"], rounds=1)
    >>> int(found.tree.at_most(0.0))
    2
    """
    n, settings = len(samples), {"searches": searches, "rounds": rounds, "seed": seed}
    if n < 2 or len(ids) != n or len(ids.unique()) < n:
        raise MistrustError(
            f"Got {n} samples with {len(ids.unique())} different ids, expected at least two, an id of its own for each."
        )
    sampled = screen(quick or region, samples, points).cpu().double()
    births = region(samples).cpu().double()
    known = sampled.clone()
    found: dict[tuple[int, int], tuple[float, float, int]] = {}
    while True:
        tree = merge_tree(births, known)
        edges = list(zip(tree.first.tolist(), tree.second.tolist(), strict=True))
        new = [edge for edge in edges if edge not in found]
        if not new:
            break
        i, j = torch.tensor(new).T
        start, end = samples[i.to(samples.device)], samples[j.to(samples.device)]
        levels = _settled(region, start, end, births[i].minimum(births[j]), pair_ids(ids[i], ids[j]), settings)
        found |= dict(zip(new, zip(*(column.tolist() for column in levels), strict=True), strict=True))
        known[i, j] = known[j, i] = levels[1]
    first, second = torch.tensor(list(found), dtype=torch.int64).T
    segment, path, corners = (torch.tensor(column, dtype=torch.float64) for column in zip(*found.values(), strict=True))
    return Bubbles(tree, sampled, first, second, segment, path, corners.long(), region.exact is not None)


def _settled(
    region: Region, starts: Tensor, ends: Tensor, top: Tensor, keys: Tensor, settings: dict[str, Any]
) -> tuple[Float64[Tensor, " m"], Float64[Tensor, " m"], Float64[Tensor, " m"]]:
    """Smallest margin on each segment, level of the widest path found, and that path's corners."""
    segment = (region.lowest(starts, ends) if region.exact else lowest_on_grid(region, starts, ends)[0]).cpu().double()
    level, corners = segment.clone(), torch.full_like(segment, 2)
    poor = (~reaches(segment, top)).nonzero()[:, 0]
    there = poor.to(starts.device)
    paths = widest(region, starts[there], ends[there], ids=keys[poor], **settings)
    bent = (torch.bincount(paths.pair, minlength=len(paths)) > 2).nonzero()[:, 0]
    if len(bent):
        paths, rows = paths.take(bent), poor[bent.cpu()]
        own = (paths.exactly(region) if region.exact else paths.level).cpu().double()
        better = own > level[rows]
        level[rows[better]] = own[better]
        corners[rows[better]] = torch.bincount(paths.pair).cpu().double()[better]
    return segment, level, corners
