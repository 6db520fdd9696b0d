"""Drawing ambiguous latent points: cells by weight, points evenly within a cell (paper, section V-B3)."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from mistrust import random
from mistrust.ambiguity import labels
from mistrust.ambiguity.decoders import Decoders, names, title
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.jacobian import weights
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole, within

# After this many attempts for each wanted point the search ends, as in the reference's code.
PATIENCE = 100
# Points that are labelled at a time, over all decoders.
BLOCK = 2**17


@dataclass(frozen=True, eq=False)
class Points:
    """Latent points with their labels; row g belongs to decoder g.

    Attributes
    ----------
    z : (G, m, L) float64.
    p : (G, m, 2) float64, probabilities of the first and the second class.
    attempts : (G,) int64, how many points were tried for those that were kept.
    found : (G,) int64, how many were kept: m, or fewer where `draw` was told to go on; NaN stands behind them.

    Examples
    --------
    >>> p = torch.tensor([[[0.5, 0.5], [0.9, 0.1]]])
    >>> points = Points(torch.zeros(1, 2, 2), p, attempts=torch.tensor([5]), found=torch.tensor([2]))
    >>> gap(points.p)[0], points.attempts  # five points were tried for these two
    (tensor([0.0000, 0.8000]), tensor([5]))
    """

    z: Float[Tensor, "G m L"]
    p: Float[Tensor, "G m 2"]
    attempts: Int64[Tensor, " G"]
    found: Int64[Tensor, " G"]


@dataclass(frozen=True)
class Scheme:
    """How points are drawn, apart from how ambiguous they must be.

    Attributes
    ----------
    grid : the cells.
    weight : rule of `jacobian.weights`.
    label : rule of `labels.probabilities`.
    transposed : weights of cell (i, j) go to cell (j, i), as in the reference's code.

    Examples
    --------
    >>> Scheme(Grid(cells=20), weight="uniform").label
    'normalised'
    """

    grid: Grid = field(default_factory=Grid)
    weight: str = "jacobian"
    label: str = "normalised"
    transposed: bool = False


PUBLISHED = Scheme(Grid(50, 5.0), weight="energy", label="softmax", transposed=True)


def draw(
    decoders: Decoders,
    delta_max: float,
    count: int,
    scheme: Scheme = Scheme(),
    seed: int = 0,
    role: str = "",
    *,
    short: bool = False,
) -> Points:
    """Draw latent points that every decoder finds ambiguous.

    Cells whose centre has |p1 - p2| above delta_max are left out; the others are drawn with replacement, each with a
    chance proportional to its weight; a point lies evenly within its cell, and is kept where |p1 - p2| is below
    delta_max.

    Parameters
    ----------
    decoders : G of them.
    delta_max : in (0, 1]; the paper has 0.25 for test and 0.4 for training images.
    count : m, points of each decoder.
    scheme : grid, weights, labels.
    seed, role : of the draws; another role ("train", "test") gives other points. A decoder's points depend on seed,
        role, its own classes and its own seed, not on what else is drawn; more points begin with fewer.
    short : go on with the points that were found, as the reference's code does, where a decoder gives too few or has no
        ambiguous cell; otherwise that is an error.

    Returns
    -------
    Points of all decoders.

    Raises
    ------
    MistrustError
        delta_max outside (0, 1]; a decoder for which no cell is ambiguous; too few points within 100 attempts for each
        (says how many were found); also where `short`: a decoder whose weights are all 0 or not finite.

    Examples
    --------
    >>> from mistrust.data import load
    >>> made = trained(load("digits", "train"), [Member(4, 9)], training=Training(epochs=5, batch=64))
    >>> points = draw(made, 0.25, 3, Scheme(Grid(cells=10)))
    >>> points.z.shape, bool((gap(points.p) < 0.25).all())
    (torch.Size([1, 3, 2]), True)
    """
    count, latent, grid = whole("Number of points: count", count, 1), decoders.latent, scheme.grid
    keys = names(decoders)
    usable = admissible(decoders, delta_max, scheme).any(1) if short else torch.ones(len(keys), dtype=torch.bool)
    open_ = torch.nonzero(usable)[:, 0]  # the decoders that still lack points
    reach = torch.zeros(len(keys), grid.count(latent), dtype=torch.float64)
    if len(open_):
        some = decoders if len(open_) == len(keys) else decoders.take(open_.tolist())
        reach[open_] = torch.cumsum(chances(some, delta_max, scheme), dim=1)
    reach /= reach[:, -1:].clone()  # ends at 1 exactly, so that no number goes past the last cell with a chance
    z = torch.full((len(keys), count, latent), torch.nan, dtype=torch.float64)
    p = torch.full((len(keys), count, 2), torch.nan, dtype=torch.float64)
    have, attempts = torch.zeros(len(keys), dtype=torch.int64), torch.zeros(len(keys), dtype=torch.int64)
    start, size = 0, _blocks(1.1 * count)
    while len(open_) and start < PATIENCE * count:
        numbers = torch.stack([_numbers(seed, f"{role}/{keys[g]}", start, size, latent) for g in open_.tolist()])
        cells = torch.searchsorted(reach[open_], numbers[..., 0].contiguous(), right=True)
        tried = grid.corners(cells, latent) + numbers[..., 1:] * grid.widths(latent)
        some = decoders if len(open_) == len(keys) else decoders.take(open_.tolist())
        found = _labelled(some, tried, scheme.label)
        kept = labels.gap(found) < delta_max
        reached = have[open_, None] + kept.cumsum(1)
        row, column = torch.nonzero(kept & (reached <= count), as_tuple=True)
        place = reached[row, column] - 1
        z[open_[row], place], p[open_[row], place] = tried[row, column], found[row, column]
        attempts[open_] += ((reached < count).sum(1) + 1).clamp(max=size)
        have[open_] = reached[:, -1].clamp(max=count)
        start += size
        open_ = open_[have[open_] < count]
        size = _next(have[open_], start, count)
    if len(open_) and not short:
        worst = int(open_[have[open_].argmin()])
        raise MistrustError(
            f"Only {int(have[worst]):,} of {count:,} points with |p1 - p2| < {delta_max:g} were drawn from decoder "
            f"{title(decoders, worst)} in {start:,} attempts ({len(open_)} of {len(keys)} decoders are short of "
            f"points). Ask for fewer, take more cells than {grid.cells} an axis, or a larger delta_max."
        )
    return Points(z, p, attempts, have)


def admissible(decoders: Decoders, delta_max: float, scheme: Scheme) -> Bool[Tensor, "G cells"]:
    """Tell which cells are ambiguous at their centre: |p1 - p2| <= delta_max.

    Raises
    ------
    MistrustError
        delta_max outside (0, 1].
    """
    return cell_gaps(decoders, scheme) <= checked(delta_max)


def chances(decoders: Decoders, delta_max: float, scheme: Scheme) -> Float[Tensor, "G cells"]:
    """Give the chance of each cell to be drawn, float64, each row adding up to 1; raises what `draw` raises."""
    gaps, delta_max, latent = cell_gaps(decoders, scheme), checked(delta_max), decoders.latent
    within_ = gaps <= delta_max
    empty = torch.nonzero(~within_.any(dim=1))[:, 0]
    if len(empty):
        g, cells = int(empty[0]), scheme.grid.cells
        least = float(gaps[g].nan_to_num(nan=1.0).min())
        raise MistrustError(
            f"The grid of {cells} cells an axis holds no cell whose centre has |p1 - p2| <= {delta_max:g}: the least "
            f"is {least:.3g}, for decoder {title(decoders, g)} ({len(empty)} of {len(gaps)} decoders have none). Take "
            f"more cells (cells={max(50, 4 * cells)}), or a delta_max above {least:.3g}."
        )
    points = scheme.grid.anchors(latent).expand(len(gaps), -1, -1)
    found = weights(decoders, points, scheme.weight) * within_
    total = found.sum(dim=1, keepdim=True)
    bad = torch.nonzero(~(total.isfinite() & (total > 0))[:, 0])[:, 0]
    if len(bad):
        raise MistrustError(
            f"The weights '{scheme.weight}' of decoder {title(decoders, int(bad[0]))} add up to "
            f"{float(total[bad[0]]):g} over its ambiguous cells: its images do not change, or are no numbers. Leave "
            "this decoder out, it has collapsed."
        )
    shares = found / total
    return scheme.grid.transposed(shares, latent) if scheme.transposed else shares


def checked(delta_max: float) -> float:
    """Give delta_max where it lies in (0, 1]; otherwise a MistrustError."""
    if within("delta_max", delta_max, 0, 1) == 0:
        raise MistrustError("delta_max is 0, expected a number in (0, 1]: no point is exactly balanced.")
    return float(delta_max)


def cell_gaps(decoders: Decoders, scheme: Scheme) -> Float[Tensor, "G cells"]:
    """Give |p1 - p2| at the centre of each cell."""
    anchors = scheme.grid.anchors(decoders.latent).expand(len(decoders.members), -1, -1)
    return labels.gap(_labelled(decoders, anchors, scheme.label))


def _labelled(decoders: Decoders, z: Float[Tensor, "G n L"], rule: str) -> Float[Tensor, "G n 2"]:
    with torch.no_grad():
        parts = [decoders.logits(some).cpu() for some in z.split(max(1, BLOCK // len(z)), dim=1)]
    return labels.probabilities(torch.cat(parts, dim=1), z, rule)


def _next(have: Int64[Tensor, " g"], tried: int, count: int) -> int:
    """Choose how many points to try next: what the slowest seems to need. A stream is the same in any portions."""
    if not len(have):
        return 0
    needed = (count - have) * tried / have.clamp(min=1)
    return _blocks(min(1.1 * float(needed.max()), 4.0 * count, PATIENCE * count - tried))


def _numbers(seed: int, name: str, start: int, size: int, latent: int) -> Float[Tensor, "n 1+L"]:
    """Give evenly distributed float64 numbers: one for the cell, L for the place in it."""
    ids = torch.arange(start, start + size)
    return random.keyed(seed, f"ambiguity/points/{name}", ids, lambda g, m: g.random((m, 1 + latent)))


def _blocks(attempts: float) -> int:
    """Round up to whole blocks of draws, none of which is then made twice."""
    return random.BLOCK * max(1, -int(-attempts // random.BLOCK))
