"""The cheap screen: the margin on a grid of points of each segment.

A grid may step over a dip: its smallest margin is an upper bound of the segment's. Exact is `Region.lowest`.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from mistrust.inputs.limits import whole
from mistrust.robustness.regions.region import Region, check_samples

POINTS = 101
# Segments whose grids are laid out at a time.
SEGMENTS = 64


def lowest_on_grid(
    region: Region, starts: Float[Tensor, "m ..."], ends: Float[Tensor, "m ..."], points: int = POINTS
) -> tuple[Float[Tensor, " m"], Float[Tensor, " m"]]:
    """Smallest margin on a grid of each segment, and where in [0, 1] it is (the first of equals).

    Parameters
    ----------
    points : of the grid, both ends among them.

    Returns
    -------
    lowest, at : (m,) each; `lowest` is an upper bound of the smallest margin on the segment.

    Examples
    --------
    >>> region = WORLDS["annulus"].region()
    >>> lowest, at = lowest_on_grid(region, torch.tensor([[-2.0, 0.0]]), torch.tensor([[2.0, 0.0]]), points=5)
    >>> lowest, at  # points at 0, 1/4, 1/2, ...: the middle of the hole is half-way
    (tensor([-1.], dtype=torch.float64), tensor([0.5000], dtype=torch.float64))
    """
    t = torch.linspace(0, 1, whole("points", points, 2), dtype=region.dtype, device=starts.device)
    lowest, at = [starts.new_zeros(0, dtype=region.dtype)], [t[:0]]
    for a, b in zip(starts.split(SEGMENTS), ends.split(SEGMENTS), strict=True):
        if not len(a):
            break
        share = t.view(1, -1, *[1] * (a.ndim - 1))
        there = torch.lerp(a.to(t)[:, None], b.to(t)[:, None], share)
        margins = region(there.flatten(0, 1)).view(len(a), -1).to(a.device)
        found = margins.min(1)
        lowest.append(found.values)
        at.append(t[found.indices])
    return torch.cat(lowest), torch.cat(at)


def screen(region: Region, samples: Float[Tensor, "n ..."], points: int = POINTS) -> Float[Tensor, "n n"]:
    """Smallest margin on a grid of the segment between any two samples; on the diagonal each sample's own margin.

    Parameters
    ----------
    samples : (n, ...) of one class; images in [0, 1].
    points : of a grid. n (n - 1) / 2 times as many forward passes are made.

    Raises
    ------
    MistrustError
        Samples outside of the region's box.

    Examples
    --------
    Two samples of one disk, and one of the other. Half-way between the disks the margin is -1:

    >>> region = WORLDS["disks"].region()
    >>> screen(region, torch.tensor([[-2.0, 0.0], [-2.5, 0.0], [2.0, 0.0]])).round(decimals=1)
    tensor([[ 1.0000,  0.5000, -1.0000],
            [ 0.5000,  0.5000, -1.0000],
            [-1.0000, -1.0000,  1.0000]], dtype=torch.float64)
    """
    check_samples(region, samples)
    first, second = pairs(len(samples)).to(samples.device)
    lowest = torch.diag(region(samples).to(samples.device))
    # A few samples' segments at a time: all pairs of images would be n / 2 times the images.
    for i, j in zip(first.split(SEGMENTS), second.split(SEGMENTS), strict=True):
        if len(i):
            found, _ = lowest_on_grid(region, samples[i], samples[j], points)
            lowest[i, j] = lowest[j, i] = found
    return lowest


def pairs(n: int) -> Int64[Tensor, "2 m"]:
    """All pairs of n samples, the lower first."""
    return torch.triu_indices(n, n, 1)
