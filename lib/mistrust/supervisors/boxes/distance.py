"""Boxes that training points span, and by how much one must grow to hold a point."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor


@dataclass(frozen=True)
class Boxes:
    """One box, or several of the same space stacked in front.

    Attributes
    ----------
    low, high : (..., d) least and largest training values.
    slack : (...) widths up to this count as 0 and points as near as this as equal; 0 where values are read as they
        are, a rounding error where they were computed.

    Examples
    --------
    >>> box = Boxes.around(torch.tensor([[0.0, 5.0], [2.0, 1.0], [1.0, 3.0]], dtype=torch.float64))
    >>> box.low, box.high
    (tensor([0., 1.], dtype=torch.float64), tensor([2., 5.], dtype=torch.float64))
    """

    low: Float64[Tensor, "*b d"]
    high: Float64[Tensor, "*b d"]
    slack: Float64[Tensor, "*b"]

    @classmethod
    def around(cls, points: Float64[Tensor, "m d"], slack: float = 0.0) -> "Boxes":
        """Give the smallest box that holds m >= 1 points."""
        return cls(points.amin(0), points.amax(0), torch.tensor(slack, dtype=torch.float64))


def outside(points: Float[Tensor, "n d"], box: Boxes, as_published: bool = False) -> Float64[Tensor, " n"]:
    """Enlargement at which the box just holds each point: the largest |p - centre| / half width - 1, from -1 on.

    A box that is enlarged by gamma about its centre holds the points with scores up to gamma: the enlargement is a
    threshold of the score (Henzinger, Lukina and Schilling, ECAI 2020, section 3; the PRDC paper's tau is 1 + gamma).
    In a dimension where the box is flat a point has -1 if it lies in it, and +inf if not.

    Parameters
    ----------
    box : one box.
    as_published : the PRDC code asks a polygon whether it contains the point: the boundary is outside, and a flat box
        contains nothing. Scores are then the next larger number, so that they exceed a threshold that they meet, and
        +inf of a flat box.

    Examples
    --------
    In the middle, on the border, and as far beyond it as the box reaches from its middle:

    >>> box = Boxes.around(torch.tensor([[0.0, 0.0], [2.0, 4.0]], dtype=torch.float64))
    >>> outside(torch.tensor([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]), box)
    tensor([-1.,  0.,  1.], dtype=torch.float64)
    """
    away = (points.to(torch.float64) - (box.low + box.high) / 2).abs()
    half = (box.high - box.low) / 2
    flat = half <= box.slack
    beside = torch.where(away <= box.slack, -1.0, torch.inf).to(torch.float64)
    found = torch.where(flat, beside, away / half.masked_fill(flat, 1.0) - 1).amax(1)
    if not as_published:
        return found
    return torch.where(flat.any(), torch.inf, found.nextafter(torch.tensor(torch.inf, dtype=torch.float64)))
