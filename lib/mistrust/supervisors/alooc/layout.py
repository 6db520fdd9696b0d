"""How a CPU has images and kernels in memory: a network's channels of a pixel, or of a tap, one after the other.

Shapes stay what they are. Most of oneDNN's grouped convolutions take a third to nine tenths of the time so, and windows
are runs of numbers that are copied whole. Other devices have their own ways and get what they are given.
"""

import torch
from jaxtyping import Float
from torch import Tensor


def laid_out(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The same numbers: images (n, g c, h, w) lie as (n, h, w, g, c), kernels (g, o, i, k, k) as (g, o, k, k, i)."""
    if x.device.type != "cpu" or x.dim() not in (4, 5):
        return x
    if x.dim() == 4:
        return x.contiguous(memory_format=torch.channels_last)
    return x.permute(0, 1, 3, 4, 2).contiguous().permute(0, 1, 4, 2, 3)


def as_it_lies(x: Float[Tensor, "..."], like: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """A parameter, or what belongs to one, with its axes in the order that `like` has in memory: none is moved there.

    Examples
    --------
    >>> kernel = laid_out(torch.zeros(1, 2, 3, 5, 5))
    >>> kernel.is_contiguous(), as_it_lies(kernel, kernel).is_contiguous()
    (False, True)
    """
    return x if like.is_contiguous() else x.permute(0, 1, 3, 4, 2)
