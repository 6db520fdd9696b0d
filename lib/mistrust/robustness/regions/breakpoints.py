"""All breakpoints of a network on segments, found layer by layer in bounded memory.

All live values are kept at a sorted row of points. Wherever a step bends between two of them a point is put in, at
which what the step is given is interpolated, exactly, for it is linear there. A row that has grown too long is cut.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor, fx

from mistrust.errors import MistrustError
from mistrust.robustness.regions.piecewise import Plan

# Under this name the ends stand until the first step, the network's input, takes them over.
START: Any = "start"
# Points of a segment that are nearer than this are one: a kink that several units share comes out a rounding apart.
NEAR = 1e-14


@dataclass(frozen=True, eq=False)
class Points:
    """A row of points and all values at them that later steps need.

    Attributes
    ----------
    segment : (p,) the segment that each point belongs to, ascending.
    t : (p,) where on it, ascending within a segment.
    values : by step, one row per point.
    fixed : by step, what does not depend on the point: shapes and constants.
    """

    segment: Int64[Tensor, " p"]
    t: Float64[Tensor, " p"]
    values: dict[fx.Node, Any]
    fixed: dict[fx.Node, Any]

    @staticmethod
    def ends_of(low: Tensor, high: Tensor) -> "Points":
        """Both ends of each segment; their values stand under no node yet."""
        m = len(low)
        segment = torch.arange(m, device=low.device).repeat_interleave(2)
        both = torch.stack((low, high), 1).flatten(0, 1)
        return Points(segment, torch.tensor([0.0, 1.0], device=low.device).double().repeat(m), {START: both}, {})

    @property
    def linked(self) -> Bool[Tensor, " p-1"]:
        """Whether a point and the next are of one segment."""
        return self.segment[1:] == self.segment[:-1]

    def rows(self, left: Int64[Tensor, " q"], share: Float64[Tensor, " q"]) -> "Points":
        """Points that lie the given shares of the way from point `left` to the next; 0 is the point itself."""
        new = (share > 0).nonzero()[:, 0]
        here, part = left[new], share[new]

        def at(value: Tensor) -> Tensor:
            out = value[left]
            some = part.view(-1, *[1] * (value.ndim - 1))
            out[new] = value[here] + some * (value[here + 1] - value[here])
            return out

        return Points(self.segment[left], at(self.t), {n: at(v) for n, v in self.values.items()}, self.fixed)

    def with_places(self, left: Int64[Tensor, " q"], share: Float64[Tensor, " q"]) -> tuple[Tensor, Tensor]:
        """Old points and new places in one row, sorted; a place that is one with its neighbour is left out.

        Returns
        -------
        left, share : (p + new,) each; share is 0 at the old points.
        """
        left, share = left[share > 0], share[share > 0]
        every = torch.arange(len(self.t), device=left.device)
        share, order = torch.cat((share.new_zeros(len(every)), share)).sort(stable=True)
        left, again = torch.cat((every, left))[order].sort(stable=True)
        share = share[again]
        following = self.t[(left + 1).clamp(max=len(self.t) - 1)]
        t = self.t[left] + share * (following - self.t[left])
        keep = share == 0
        keep[1:] |= (t[1:] > t[:-1] + NEAR) & (t[1:] < following[1:] - NEAR)
        return left[keep], share[keep]


def breakpoints(
    plan: Plan, low: Float64[Tensor, "m ..."], high: Float64[Tensor, "m ..."], block: int
) -> tuple["Points", Float64[Tensor, "p k"]]:
    """Ends and breakpoints of m segments, sorted, and the network's output at them.

    Parameters
    ----------
    low, high : (m, ...) the ends, as the network gets them.
    block : numbers that may live at a time.
    """
    output = plan.steps[-1].node
    parts = list(_walk(plan, 0, Points.ends_of(low, high), block))
    segment, t = torch.cat([p.segment for p in parts]), torch.cat([p.t for p in parts])
    new = torch.ones_like(segment, dtype=torch.bool)  # neighbouring parts share a point
    new[1:] = (segment[1:] != segment[:-1]) | (t[1:] != t[:-1])
    return Points(segment[new], t[new], {}, {}), torch.cat([p.values[output] for p in parts])[new]


def _walk(plan: Plan, first: int, points: Points, block: int, *, bent: bool = False) -> Iterator[Points]:
    """Take a row of points through the steps from `first` on: parts of the row, in order, each at the last step.

    Depth first: a row that has grown too long is cut, and each part walks to the end before the next is made.

    Parameters
    ----------
    bent : the kinks of step `first` are points already.
    """
    for number in range(first, len(plan.steps)):
        step = plan.steps[number]
        most = max(2, block // step.size)
        here, bent = bent, False
        left = torch.arange(len(points.t), device=points.t.device)
        share = points.t.new_zeros(len(left))
        if step.kinks is not None and not here and len(left) <= most:
            new = step.kinks(points.values[step.source], points.linked)
            if len(new[0]):
                left, share = points.with_places(*new)
                here = True
        if len(left) > most or len(left) > len(points.t):
            known = here or step.kinks is None
            for start in range(0, max(1, len(left) - 1), most - 1):
                some = slice(start, start + most)  # overlaps the next part by a point
                yield from _walk(plan, number, points.rows(left[some], share[some]), block, bent=known)
            return
        points = _stepped(plan, number, points)
    yield points


def _stepped(plan: Plan, number: int, points: Points) -> Points:
    """The same points, one step on."""
    step = plan.steps[number]
    if step.node.op == "placeholder":
        return Points(points.segment, points.t, {step.node: points.values[START]}, points.fixed)
    try:
        value = plan.run(step, points.values | points.fixed)
    except RuntimeError as error:
        raise MistrustError(
            f"Step '{step.node.name}' of the network failed on {len(points.t)} points of a segment: {error}. The exact "
            "segment test gives it one row per point; a forward must not count on a certain number of rows."
        ) from error
    if step.moving:
        if not isinstance(value, Tensor) or len(value) != len(points.t):
            raise MistrustError(
                f"Step '{step.node.name}' of the network gave no tensor with a row for each of {len(points.t)} points. "
                "The exact segment test needs layers that treat every image alone."
            )
        live = {n: v for n, v in points.values.items() if n not in step.done} | {step.node: value}
        return Points(points.segment, points.t, live, points.fixed)
    live = {n: v for n, v in points.values.items() if n not in step.done}
    return Points(points.segment, points.t, live, points.fixed | {step.node: value})
