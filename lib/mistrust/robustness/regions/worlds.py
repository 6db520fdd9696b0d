"""Known worlds in the plane: margins whose segments, widest paths and bubbles can be worked out by hand.

Points are (n, 2). Diamonds, the half plane and the annulus of the maximum norm are exact ReLU networks as well, whose
first logit is the margin and whose second is 0; disks and the Euclidean annulus are not piecewise linear.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from mistrust.registry import Registry
from mistrust.robustness.regions.region import Region


@dataclass(frozen=True, eq=False)
class World:
    """A margin in the plane and what is known of it.

    Attributes
    ----------
    title : what a reader calls it.
    about : its formula.
    margin : points (n, 2) to margins (n,).
    turns : (starts, ends) to all t (m, q) at which the margin on a segment may be smallest, beside its ends; what lies
        outside of [0, 1], or is NaN, does not count.
    widest : (starts, ends) to the bottleneck (m,): the level of the widest of all paths.
    samples : (n, 2) points that the chapter shows.
    network : () -> the ReLU network that is this margin, float64; None where there is none.

    Examples
    --------
    >>> world = WORLDS["annulus"]
    >>> world.about
    'min(3 - ||x||, ||x|| - 1)'
    >>> across = torch.tensor([[-2.0, 0.0]]), torch.tensor([[2.0, 0.0]])
    >>> float(world.lowest(*across)), float(world.widest(*across))  # straight ahead, and by the best way around
    (-1.0, 1.0)
    """

    title: str
    about: str
    margin: Callable[[Tensor], Tensor]
    turns: Callable[[Tensor, Tensor], Tensor]
    widest: Callable[[Tensor, Tensor], Tensor]
    samples: tuple[tuple[float, float], ...]
    network: Callable[[], nn.Module] | None = None

    def points(self) -> Float64[Tensor, "n 2"]:
        """The samples as a tensor."""
        return torch.tensor(self.samples, dtype=torch.float64)

    def lowest(self, starts: Float[Tensor, "m 2"], ends: Float[Tensor, "m 2"]) -> Float64[Tensor, " m"]:
        """The smallest margin on each segment, exact."""
        a, b = starts.double(), ends.double()
        t = self.turns(a, b).nan_to_num(0.0, 0.0, 0.0).clamp(0, 1)
        t = torch.cat((t.new_zeros(len(a), 1), t, t.new_ones(len(a), 1)), 1)
        there = a[:, None] + t[..., None] * (b - a)[:, None]
        return self.margin(there.flatten(0, 1)).view(len(a), -1).amin(1)

    def region(self) -> Region:
        """The region that the functions of this folder take."""
        return Region(self.title, self.margin, self.lowest)

    def bottlenecks(self, points: Float[Tensor, "n 2"] | None = None) -> Float64[Tensor, "n n"]:
        """The bottleneck of any two points (the samples, if none are given)."""
        x = self.points() if points is None else points.double()
        n = len(x)
        return self.widest(x.repeat_interleave(n, 0), x.repeat(n, 1)).view(n, n)


WORLDS = Registry[World]("known world")
RADIUS, CENTRE, INNER, OUTER = 1.0, 2.0, 1.0, 3.0


def _lower_end(margin: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Bottleneck where every {margin >= level} is connected."""
    return lambda starts, ends: margin(starts).minimum(margin(ends))


def _ratio(above: Tensor, below: Tensor) -> Tensor:
    return (above / below)[:, None]  # NaN and infinity where the segment does not turn there


# The half plane.


def half_plane(x: Float[Tensor, "n 2"]) -> Float[Tensor, " n"]:
    """x1 + 1/2."""
    return x[:, 0] + 0.5


def half_plane_network() -> nn.Module:
    """One linear layer."""
    return nn.Sequential(_linear([[1, 0], [0, 0]], [0.5, 0]))


# Two disks, in the Euclidean norm and in that of sums ("diamonds").


def _two(norm: float) -> Callable[[Tensor], Tensor]:
    """1 - distance to the nearer of (-2, 0) and (2, 0)."""

    def margin(x: Float[Tensor, "n 2"]) -> Float[Tensor, " n"]:
        to = [torch.linalg.vector_norm(x - x.new_tensor([c, 0.0]), norm, dim=1) for c in (-CENTRE, CENTRE)]
        return RADIUS - to[0].minimum(to[1])

    return margin


def _midline(starts: Tensor, ends: Tensor) -> Tensor:
    """Where the segment is as near to one centre as to the other; within one half the margin is concave."""
    return _ratio(starts[:, 0], starts[:, 0] - ends[:, 0])


def _across(margin: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Bottleneck of two disks: on x1 = 0, which every path from one to the other crosses, the origin is best."""

    def widest(starts: Tensor, ends: Tensor) -> Tensor:
        lower = margin(starts).minimum(margin(ends))
        return torch.where(starts[:, 0] * ends[:, 0] < 0, lower.clamp(max=RADIUS - CENTRE), lower)

    return widest


def diamonds_network() -> nn.Module:
    """The parts of |x1 - 2|, |x1 + 2| and |x2|; then their sums, and what the right disk has less than the left."""
    first = _linear([[1, 0], [-1, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], [-2, 2, 2, -2, 0, 0])
    # The parts are never negative and pass a second ReLU unchanged: no kink but those of the margin.
    passed = torch.eye(6).tolist()
    second = _linear([*passed, [1, 1, -1, -1, 0, 0]], [0] * 7)  # |x1 - 2| - |x1 + 2|
    # max(r, l) = r + relu(l - r) with r = 1 - |x1 - 2| - |x2| and l - r = |x1 - 2| - |x1 + 2|
    third = _linear([[-1, -1, 0, 0, -1, -1, 1], [0] * 7], [RADIUS, 0])
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), third)


# The annulus, in the Euclidean and in the maximum norm.


def _annulus(norm: float) -> Callable[[Tensor], Tensor]:
    """min(3 - ||x||, ||x|| - 1)."""

    def margin(x: Float[Tensor, "n 2"]) -> Float[Tensor, " n"]:
        far = torch.linalg.vector_norm(x, norm, dim=1)
        return (OUTER - far).minimum(far - INNER)

    return margin


def _nearest(starts: Tensor, ends: Tensor) -> Tensor:
    """Where the segment is nearest to the origin; farthest it is at an end."""
    way = ends - starts
    return _ratio(-(starts * way).sum(1), way.square().sum(1))


def _corners(starts: Tensor, ends: Tensor) -> Tensor:
    """Where the segment meets an axis or a diagonal: there alone the maximum norm turns."""
    sides = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]], dtype=starts.dtype)
    a, b = starts @ sides.T, ends @ sides.T
    return a / (a - b)


def chebyshev_annulus_network() -> nn.Module:
    """max(|x1|, |x2|) = |x1| + relu(|x2| - |x1|); then min(3 - m, m - 1) = 3 - m - relu(4 - 2 m)."""
    first = _linear([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4)
    second = _linear([[1, 1, 0, 0], [-1, -1, 1, 1]], [0, 0])
    third = _linear([[1, 1], [-2, -2]], [0, INNER + OUTER])
    last = _linear([[-1, -1], [0, 0]], [OUTER, 0])
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), third, nn.ReLU(), last)


def _linear(weight: list[list[float]], bias: list[float]) -> nn.Linear:
    layer = nn.Linear(len(weight[0]), len(weight), dtype=torch.float64).requires_grad_(False)
    layer.weight.copy_(torch.tensor(weight, dtype=torch.float64))
    layer.bias.copy_(torch.tensor(bias, dtype=torch.float64))
    return layer.eval()


DISKS = ((-2.0, 0.0), (2.0, 0.0), (-2.5, 0.0))
OPPOSITE = ((-2.0, 0.0), (2.0, 0.0))
WORLDS.add(
    "half-plane",
    World(
        "half plane", "x₁ + ½", half_plane, lambda starts, ends: starts[:, :0], _lower_end(half_plane),
        ((0.0, -1.0), (0.2, 1.0)), lambda: half_plane_network().eval(),
    ),
)  # fmt: skip
WORLDS.add("disks", World("two disks", "max(1 - ||x - c||), c = (±2, 0)", _two(2), _midline, _across(_two(2)), DISKS))
WORLDS.add(
    "diamonds",
    World(
        "two diamonds", "max(1 - ||x - c||₁), c = (±2, 0)", _two(1), _midline, _across(_two(1)), DISKS,
        lambda: diamonds_network().eval(),
    ),
)  # fmt: skip
WORLDS.add(
    "annulus",
    World(
        "annulus", "min(3 - ||x||, ||x|| - 1)", _annulus(2), _nearest, _lower_end(_annulus(2)), OPPOSITE
    ),
)  # fmt: skip
WORLDS.add(
    "chebyshev-annulus",
    World(
        "annulus of the maximum norm", "min(3 - ||x||∞, ||x||∞ - 1)", _annulus(float("inf")), _corners,
        _lower_end(_annulus(float("inf"))), OPPOSITE, lambda: chebyshev_annulus_network().eval(),
    ),
)  # fmt: skip
