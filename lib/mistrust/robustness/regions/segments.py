"""The exact segment test: all breakpoints of a piecewise linear network on a line, and the smallest margin there.

On x(t) = a + t (b - a) a network of ReLU, max pooling and affine layers is piecewise linear in t. Between neighbouring
breakpoints every logit is linear, so the margin z_c - max z_j is concave there, and its minimum lies at a breakpoint
or at an end: where logits cross needs no point of its own.
"""

from copy import deepcopy
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Float64, Int, Int64
from torch import Tensor, nn

from mistrust.errors import MistrustError
from mistrust.networks import Classifier, check_images
from mistrust.robustness.regions.breakpoints import Points, breakpoints
from mistrust.robustness.regions.margin import margin, positions, refuse_training
from mistrust.robustness.regions.piecewise import plan

# Numbers that live at a time in one block of points, in each layer that is being worked on: 8 MB.
BLOCK = 1_000_000
# How far a logit at a midpoint may be from the mean of its two ends, of logits up to 1 (beyond, in proportion).
TOLERANCE = 1e-9
# Midpoints at which the network itself is asked, in one call. A network that does something else than its layers tell
# does it on stretches, not between two of thousands of points, and asking at all of them doubles the time.
CHECKS = 1024


@dataclass(frozen=True, eq=False)
class Certificates:
    """What is known of m segments, on the CPU.

    Attributes
    ----------
    segment : (p,) the segment that each point belongs to, ascending.
    t : (p,) where it lies, from 0 to 1, ascending within a segment: both ends and all breakpoints.
    margins : (p,) of the points.
    lowest : (m,) smallest margin on each segment: exact, but for rounding.
    at : (m,) where that is.
    error : (m,) self-check: largest distance of a logit, computed by the network itself in the middle between two
        neighbouring points, from the mean of what was found at these; up to `checks` of all midpoints, evenly spread.

    Examples
    --------
    >>> network = WORLDS["diamonds"].network()
    >>> found = certify(network, torch.tensor([[-2.0, 0.0]]), torch.tensor([[2.0, 0.0]]), 0)
    >>> found.holds()  # does the class hold on the whole segment?
    tensor([False])
    >>> t, margins = found.of(0)
    >>> margins.round(decimals=6)  # of both ends, and of the breakpoint between them
    tensor([ 1., -1.,  1.], dtype=torch.float64)
    """

    segment: Int64[Tensor, " p"]
    t: Float64[Tensor, " p"]
    margins: Float64[Tensor, " p"]
    lowest: Float64[Tensor, " m"]
    at: Float64[Tensor, " m"]
    error: Float64[Tensor, " m"]

    def __len__(self) -> int:
        return len(self.lowest)

    @property
    def breakpoints(self) -> Int64[Tensor, " m"]:
        """Breakpoints within each segment, its ends not counted."""
        return torch.bincount(self.segment, minlength=len(self)) - 2

    def holds(self, level: float = 0.0) -> Bool[Tensor, " m"]:
        """Whether the whole segment lies in the region where the margin is at least `level`."""
        return self.lowest >= level

    def of(self, row: int) -> tuple[Float64[Tensor, " q"], Float64[Tensor, " q"]]:
        """Points t and margins of one segment: its certificate."""
        here = self.segment == row
        return self.t[here], self.margins[here]


@torch.no_grad()
def certify(
    network: Classifier | nn.Module,
    starts: Float[Tensor, "m ..."],
    ends: Float[Tensor, "m ..."],
    label: int | Int[Tensor, " m"],
    *,
    block: int = BLOCK,
    checks: int = CHECKS,
) -> Certificates:
    """Find all breakpoints on segments, and the exact smallest margin of a class on each.

    A copy of the network computes in float64. Memory is bounded by `block`, however many breakpoints there are.

    Parameters
    ----------
    network : a classifier (segments are between images (c, h, w) in [0, 1]), or a module from points (n, ...) to
        logits (n, k). In evaluation mode; of layers that are affine or piecewise linear (`piecewise.py`).
    starts, ends : (m, ...) the ends of the segments.
    label : the class, one for all or one a segment.
    block : numbers that may live at a time.
    checks : midpoints of the self-check, evenly spread over all; one more a segment, so that each has its own.

    Raises
    ------
    MistrustError
        A layer that is not piecewise linear, named; a network in training mode; ends of different shapes, outside
        [0, 1] or not finite; labels that are no classes, or more or fewer than segments; probabilities in place of
        logits; values that are not finite; a self-check that fails.

    Examples
    --------
    A network whose class is two diamonds, about (-2, 0) and (2, 0). Between their middles the margin falls from 1
    to -1 half-way, and rises again:

    >>> network = WORLDS["diamonds"].network()
    >>> found = certify(network, torch.tensor([[-2.0, 0.0]]), torch.tensor([[2.0, 0.0]]), 0)
    >>> round(found.lowest.item(), 6), round(found.at.item(), 6)
    (-1.0, 0.5)
    """
    copy, low, high = _prepared(network, starts, ends)
    m, nothing = len(low), low.new_zeros(0)
    if not m:
        return Certificates(nothing.long(), nothing, nothing, nothing, nothing, nothing)
    steps = plan(copy, low[:1])
    labels = positions(label, m, _classes(copy(low[:1])), low.device)
    points, logits = breakpoints(steps, low, high, block)
    margins = margin(logits, labels[points.segment])
    lowest, at = _smallest(points.segment, points.t, margins, m)
    most = max(step.size for step in steps.steps)
    error = _self_check(copy, low, high, points, logits, max(1, block // most), checks)
    return Certificates(*(one.cpu() for one in (points.segment, points.t, margins, lowest, at, error)))


def _prepared(network: Classifier | nn.Module, starts: Tensor, ends: Tensor) -> tuple[nn.Module, Tensor, Tensor]:
    """A float64 copy of the network, and both ends as it gets them."""
    if starts.shape != ends.shape or starts.ndim < 2:
        raise MistrustError(
            f"Segments start at {tuple(starts.shape)} and end at {tuple(ends.shape)}, expected the same shape (m, ...)."
        )
    module = network.module if isinstance(network, Classifier) else network
    refuse_training(module)
    low, high = starts.detach().double(), ends.detach().double()
    if isinstance(network, Classifier):
        if network.outputs == "probabilities":
            raise MistrustError(
                f"Classifier '{network.name}' gives probabilities, which are not piecewise linear: the exact segment "
                "test needs logits. Wrap the network without its softmax."
            )
        for images in (low, high):
            check_images(images)
        low, high = (network.scaled(images.to(network.device)) for images in (low, high))
    for name, points in (("start", low), ("end", high)):
        if not bool(torch.isfinite(points).all()):
            first = int((~torch.isfinite(points.flatten(1))).any(1).nonzero()[0])
            raise MistrustError(f"Segment {first} has a NaN or infinite {name}, expected finite numbers at both ends.")
    return deepcopy(module).double().requires_grad_(False), low, high


def _classes(logits: Tensor) -> int:
    """How many the network tells apart."""
    if logits.ndim != 2 or logits.shape[1] < 2:
        raise MistrustError(f"The network gives {tuple(logits.shape)} for one point, expected logits (1, k), k >= 2.")
    return logits.shape[1]


def _smallest(segment: Tensor, t: Tensor, margins: Tensor, m: int) -> tuple[Tensor, Tensor]:
    lowest = torch.full((m,), torch.inf, dtype=margins.dtype, device=margins.device)
    lowest.scatter_reduce_(0, segment, margins, "amin")
    first = torch.full_like(lowest, torch.inf)
    first.scatter_reduce_(0, segment, torch.where(margins == lowest[segment], t, torch.inf), "amin")
    return lowest, first


def _self_check(
    network: nn.Module, low: Tensor, high: Tensor, points: Points, logits: Tensor, size: int, checks: int
) -> Float64[Tensor, " m"]:
    """The largest distance of a logit at a midpoint from the mean of its neighbours', by segment."""
    error = low.new_zeros(len(low))
    if not bool(torch.isfinite(logits).all()):
        raise MistrustError("The network's logits are NaN or infinite on a segment. Check its weights.")
    linked = points.linked.nonzero()[:, 0]
    asked = torch.arange(len(linked), device=linked.device) % max(1, len(linked) // checks) == 0
    asked[1:] |= points.segment[linked[1:]] != points.segment[linked[:-1]]
    for some in linked[asked].split(size):
        segment, t = points.segment[some], (points.t[some] + points.t[some + 1]) / 2
        there = torch.lerp(low[segment], high[segment], t.view(-1, *[1] * (low.ndim - 1)))
        away = (network(there) - (logits[some] + logits[some + 1]) / 2).abs().amax(1)
        error.scatter_reduce_(0, segment, away, "amax")
    allowed = TOLERANCE * max(1.0, float(logits.abs().amax()))
    worst = int(error.argmax())
    if not float(error[worst]) <= allowed:
        raise MistrustError(
            f"Self-check failed: between neighbouring breakpoints of segment {worst} a logit is "
            f"{float(error[worst]):.3g} from linear, expected at most {allowed:.1g}. The network does something that "
            "its layers do not tell."
        )
    return error
