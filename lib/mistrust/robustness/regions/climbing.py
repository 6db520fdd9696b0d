"""Climbing back: from a point below a level along the margin's gradient until it is above."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.robustness.regions.region import Region

# A margin this far below a level counts as reaching it: what rounding leaves of a point on a ridge.
NEAR = 1e-9


def reaches(margins: Float[Tensor, " n"], level: Float[Tensor, " n"]) -> Tensor:
    """Tell which margins reach their level, up to rounding."""
    return margins >= level - NEAR * level.abs().clamp(min=1)


def climb(
    region: Region,
    points: Float[Tensor, "m ..."],
    level: Float[Tensor, " m"],
    *,
    ids: Int[Tensor, " m"],
    seed: int,
    nudge: Float[Tensor, " m"],
    steps: int = 40,
) -> tuple[Float[Tensor, "m ..."], Float[Tensor, " m"]]:
    """Move points until their margin reaches a level, or the steps are spent.

    A step is Polyak's (Introduction to optimization, 1987, section 5.3): as long as it takes a linear margin to the
    aim, so that nothing needs to be tuned. The aim begins above the level, by a fifth of what is missing (a path
    through a point exactly on the level would leave it at once), and comes down to it by half a step: on a ridge that
    is no higher than the level, steps across it would otherwise never end. Where the gradient is 0 there is no way
    up: such a point is pushed in a direction drawn from seed and id.

    Parameters
    ----------
    ids : (m,) what the push is keyed by, one per point.
    nudge : (m,) length of the push.

    Returns
    -------
    points, margins : the highest that were met.

    Examples
    --------
    From the edge of a disk to the level of 0.5:

    >>> disk = WORLDS["disks"].region()
    >>> edge = torch.tensor([[3.0, 0.0]], dtype=torch.float64)
    >>> aim, nudge = torch.tensor([0.5], dtype=torch.float64), torch.tensor([0.1], dtype=torch.float64)
    >>> points, margins = climb(disk, edge, aim, ids=torch.arange(1), seed=0, nudge=nudge)
    >>> float(disk(edge)), bool(margins >= 0.5)
    (0.0, True)
    """
    x = region.inside(points.to(region.dtype))
    goal = level.to(region.dtype)
    best, top = x.clone(), torch.full_like(goal, -torch.inf)
    above = torch.zeros_like(goal)
    open_ = torch.arange(len(x), device=x.device)
    for step in range(steps + 1):
        g, slope = region.slope(x)
        if step == 0:
            above = (goal[open_] - g).clamp(min=0) / 5
        better = g > top[open_]
        best[open_[better]], top[open_[better]] = x[better], g[better]
        going = ~reaches(g, goal[open_])
        if step == steps or not bool(going.any()):
            break
        open_, x, g, slope, above = open_[going], x[going], g[going], slope[going], above[going]
        shape = (-1, *[1] * (x.ndim - 1))
        square = slope.flatten(1).square().sum(1)
        flat = square == 0
        length = torch.where(flat, 0.0, (goal[open_] + above * 0.5**step - g) / square)
        move = length.view(shape) * slope
        if bool(flat.any()):
            move[flat] = pushes(x[flat], ids[open_[flat].to(ids.device)], seed, f"climb/{step}") * nudge[
                open_[flat]
            ].view(shape)
        x = region.inside(x + move)
    return best, top


def pushes(points: Float[Tensor, "m ..."], ids: Int[Tensor, " m"], seed: int, name: str) -> Float[Tensor, "m ..."]:
    """A direction of length 1 for each id, evenly distributed."""
    drawn = random.normal(seed, f"regions/{name}", ids, tuple(points.shape[1:])).to(points)
    return drawn / drawn.flatten(1).norm(dim=1).view(-1, *[1] * (points.ndim - 1))
