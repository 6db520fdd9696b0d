"""The two images that the boundary attack proposes: one on a sphere round the original, one from there towards it."""

import torch
from jaxtyping import Float64
from torch import Tensor

TINY = 1e-300  # against a division by a length of 0


def proposals(
    original: Float64[Tensor, "n d"],
    current: Float64[Tensor, "n d"],
    direction: Float64[Tensor, "n d"],
    spherical: Float64[Tensor, " n"],
    source: Float64[Tensor, " n"],
) -> tuple[Float64[Tensor, "n d"], Float64[Tensor, "n d"]]:
    """Give q and r of each image (Brendel, Rauber and Bethge, ICLR 2018, arXiv 1712.04248, section 2; foolbox 2.0.0).

    With u = original - current and n its length: the direction is made orthogonal to u and `spherical` n long; q is
    original + (direction - u) / sqrt(1 + spherical²), clipped; r goes from q towards the original by `source` n, and
    by what clipping has left of q beyond the sphere, never away from it, clipped.

    Parameters
    ----------
    direction : standard normal numbers; their length does not matter.
    spherical, source : step sizes, shares of the distance.
    """
    u = original - current
    square = (u * u).sum(1)
    some = square.clamp_min(TINY)
    along = (direction * u).sum(1)
    # |direction - its part along u|² by Pythagoras, without making it.
    across = (direction * direction).sum(1) - along**2 / some
    shrink = (1 + spherical**2).rsqrt()
    scale = shrink * spherical * (square / across.clamp_min(TINY)).sqrt()
    back = scale * along / some + shrink
    q = torch.addcmul(original, direction, scale[:, None]).addcmul_(u, back[:, None], value=-1).clamp_(0, 1)
    toward = torch.sub(original, q, out=u)
    length, distance = (toward * toward).sum(1).sqrt(), square.sqrt()
    share = (source * distance + length - distance).clamp_min(0) / length.clamp_min(TINY)
    return q, torch.addcmul(q, toward, share[:, None]).clamp_(0, 1)
