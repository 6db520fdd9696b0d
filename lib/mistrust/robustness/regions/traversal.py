"""Guided traversal: walk towards the other end, and where the margin would fall below the level, along it instead.

This is what the paper's differential equation (section 3, f'(x) x' = 0 with x(0) and x(1) given) can mean: at the
level, the part of the direction that leads down the margin is taken away, and what is left keeps g at its value.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.robustness.regions.climbing import climb, pushes, reaches
from mistrust.robustness.regions.grid import POINTS, lowest_on_grid
from mistrust.robustness.regions.paths import SEARCHES, Paths, by_pair, joined
from mistrust.robustness.regions.region import Region

# Below this share of the direction nothing is left that leads along the level: the margin falls straight ahead.
STUCK = 0.05
# Cosine below which the way along the level turns back on itself; then the walk keeps to the way it had.
BACK = -0.5


@SEARCHES.entry("traversal")
def traversal(
    region: Region,
    starts: Float[Tensor, "m ..."],
    ends: Float[Tensor, "m ..."],
    level: Float[Tensor, " m"],
    *,
    ids: Int[Tensor, " m"],
    seed: int,
    steps: int = 16,
    grid: int = 5,
) -> Paths:
    """Walk in steps of equal length from start to end along the level, at most four times as many as straight ahead.

    Parameters
    ----------
    level, ids : as for `repair`.
    steps : how many would lead straight to the end.
    grid : points looked at on a leg afterwards.

    Examples
    --------
    >>> region, level = WORLDS["annulus"].region(), torch.tensor([0.5], dtype=torch.float64)
    >>> starts = torch.tensor([[-2.0, 0.0]], dtype=torch.float64)
    >>> paths = traversal(region, starts, -starts, level, ids=torch.arange(1), seed=0)
    >>> len(paths.of(0)) > 16, bool(paths.exactly(region) > 0.49)  # more steps than straight ahead
    (True, True)
    """
    x, goal, ends = starts.to(region.dtype), level.to(region.dtype), ends.to(region.dtype)
    shape = (-1, *[1] * (x.ndim - 1))
    size = (ends - x).flatten(1).norm(dim=1) / steps
    open_ = torch.arange(len(x), device=x.device)
    pair, place, corners = [open_], [torch.zeros_like(goal)], [x]
    last = torch.zeros_like(x)  # the direction along the level, of walks that are on it
    for move in range(1, 4 * steps + 1):
        way = ends[open_] - x
        far = way.flatten(1).norm(dim=1)
        going = far > size[open_]
        if not bool(going.any()):
            break
        open_, x, way, far = open_[going], x[going], way[going], far[going]
        y = region.inside(x + way * (size[open_] / far).view(shape))
        below = ~reaches(region(y).to(y), goal[open_])
        if bool(below.any()):
            rows, key = open_[below], ids[open_[below].to(ids.device)]
            along = _along(region, x[below], way[below] / far[below].view(shape), last[rows], key, seed)
            there = region.inside(x[below] + along * size[rows].view(shape))
            y[below], _ = climb(region, there, goal[rows], ids=key, seed=seed, nudge=size[rows] / 10, steps=10)
            last[rows] = along
        last[open_[~below]] = 0
        x = y
        pair.append(open_)
        place.append(torch.full_like(goal[open_], move))
        corners.append(x)
    # What did not arrive is joined to its end all the same: its level tells.
    path = joined(torch.cat(pair), torch.cat(place), torch.cat(corners), ends, torch.zeros_like(goal))
    whose, a, b = path.legs()
    arrived = (b - a).flatten(1).norm(dim=1) <= 1.5 * size[whose]
    parts = (arrived, grid), (~arrived, POINTS)
    levels = [by_pair(whose[some], lowest_on_grid(region, a[some], b[some], n)[0], len(starts)) for some, n in parts]
    return Paths(path.pair, path.corners, levels[0].minimum(levels[1]))


def _along(region: Region, x: Tensor, way: Tensor, last: Tensor, key: Tensor, seed: int) -> Tensor:
    """The direction without its part that leads down the margin, of length 1.

    Where nothing is left of it, or it leads back, the walk goes on as it went; where it has not begun, as is drawn.
    """
    _, slope = region.slope(x)
    up = _unit(slope)
    left = way - _dot(way, up).clamp(max=0) * up
    stuck = left.flatten(1).norm(dim=1) < STUCK
    left = _unit(left)
    stuck |= _dot(left, last).flatten() < BACK
    new = (last == 0).flatten(1).all(1) & stuck
    if bool(new.any()):
        last = last.clone()
        last[new] = pushes(x[new], key[new.to(key.device)], seed, "traversal")
    left[stuck] = _unit(last - _dot(last, up) * up)[stuck]
    return left


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).flatten(1).sum(1).view(-1, *[1] * (a.ndim - 1))


def _unit(a: Tensor) -> Tensor:
    return a / a.flatten(1).norm(dim=1).clamp(min=1e-300).view(-1, *[1] * (a.ndim - 1))
