"""Layers of many networks at once: images (n, G c, h, w), kernels (G, out, in, k, k), one convolution for all.

What the layers do is Keras's: "same" padding puts what is odd on the far end, batch normalisation adds 0.001.
"""

from functools import cache
from math import ceil, prod

import torch
from jaxtyping import Float, Float64
from torch import Tensor
from torch.nn import functional

from mistrust.supervisors.alooc.windows import convolved

NORM = 1e-3  # what batch normalisation adds to a variance
SLOPE = 0.3  # LeakyReLU's, for negative inputs
# Up to so many outputs, from so many channels on, a CPU multiplies windows: measured on 1 to 128 images of 11 networks.
FEW, MANY = 16, 64


def strided(
    x: Float[Tensor, "n gi h w"], kernel: Float[Tensor, "g o i 5 5"], bias: Float[Tensor, "g o"]
) -> Float[Tensor, "n go h2 w2"]:
    """Convolution with stride 2 and "same" padding: sides are halved, rounded up."""
    down, across = (max(2 * (ceil(side / 2) - 1) + kernel.shape[3] - side, 0) for side in x.shape[2:])
    sides = (across // 2, across - across // 2, down // 2, down - down // 2)
    outputs = prod(ceil(side / 2) for side in x.shape[2:])
    if x.device.type == "cpu" and outputs <= FEW and kernel.shape[2] >= MANY:
        return convolved(x, kernel, bias, 2, sides)
    even = sides[0] == sides[1] and sides[2] == sides[3]  # the convolution's own zeros need no larger image
    padding, x = ((sides[2], sides[0]), x) if even else ((0, 0), functional.pad(x, sides))
    return functional.conv2d(x, kernel.flatten(0, 1), bias.flatten(), 2, padding, groups=len(kernel))


def same(
    x: Float[Tensor, "n gi h w"], kernel: Float[Tensor, "g o i k k"], bias: Float[Tensor, "g o"]
) -> Float[Tensor, "n go h w"]:
    """Convolution that keeps the size."""
    reach = kernel.shape[3] // 2
    return functional.conv2d(x, kernel.flatten(0, 1), bias.flatten(), padding=reach, groups=len(kernel))


def widened(
    x: Float[Tensor, "n gi h w"],
    kernel: Float[Tensor, "g o i k k"],
    bias: Float[Tensor, "g o"],
    padding: tuple[int, int],
) -> Float[Tensor, "n go h2 w2"]:
    """Every pixel twice in both directions, then a convolution, without ever making the larger image.

    An output pixel at 2 i + r reads input pixels i + floor((r + t - padding) / 2) for the taps t: for both r a
    smaller kernel on the small image, whose outputs are interleaved. Sums are the same, and a few times fewer.

    Parameters
    ----------
    padding : zeros around the larger image, down and across.
    """
    (down, above), (across, left) = (_phases(kernel.shape[3], p) for p in padding)
    small = torch.einsum("goiuv,asu,btv->gaboist", kernel, down.to(kernel), across.to(kernel)).flatten(0, 3)
    biases = bias[:, None].expand(-1, 4, -1).flatten()
    found = functional.conv2d(x, small, biases, padding=(above, left), groups=len(kernel))
    return _interleaved(found, len(kernel))


def _interleaved(x: Float[Tensor, "n gabo h w"], networks: int) -> Float[Tensor, "n go h2 w2"]:
    """Put each pixel's outputs for both rows a and both columns b where they belong.

    torch's pixel_shuffle moves single numbers; where images lie as `layout.laid_out` has them, channels are runs.
    """
    parts = x.permute(0, 2, 3, 1).unflatten(3, (networks, 2, 2, -1)).permute(0, 1, 4, 2, 5, 3, 6)
    return parts.flatten(5).flatten(3, 4).flatten(1, 2).permute(0, 3, 1, 2)


@cache
def _phases(k: int, padding: int) -> tuple[Float64[Tensor, "2 s k"], int]:
    """Which tap counts for which offset of the small image, for both places of an output; and the zeros around it."""
    offsets = [[(r + t - padding) // 2 for t in range(k)] for r in (0, 1)]
    first, last = min(map(min, offsets)), max(map(max, offsets))
    found = torch.zeros(2, last - first + 1, k, dtype=torch.float64)
    for r, places in enumerate(offsets):
        for t, place in enumerate(places):
            found[r, place - first, t] = 1
    return found, -first


def moments(
    x: Float[Tensor, "n gc h w"], share: Float[Tensor, "n g"] | None = None
) -> tuple[Float[Tensor, " gc"], Float[Tensor, " gc"]]:
    """Mean and variance of every channel over images and pixels.

    Parameters
    ----------
    share : weight of each network's images, summing to 1 over them; None: all alike.
    """
    if share is None:
        variance, mean = torch.var_mean(x, (0, 2, 3), correction=0)
        return mean, variance
    each = share.repeat_interleave(x.shape[1] // share.shape[1], 1)
    mean = (x.mean((2, 3)) * each).sum(0)
    off = (x - mean[:, None, None]).square().mean((2, 3))
    return mean, (off * each).sum(0)


def normalised(
    x: Float[Tensor, "n gc h w"],
    gain: Float[Tensor, "g c"],
    shift: Float[Tensor, "g c"],
    given: tuple[Tensor, Tensor] | None,
    share: Float[Tensor, "n g"] | None,
) -> Float[Tensor, "n gc h w"]:
    """Batch normalisation, each network by its own images: by a given mean and variance (g, c), or by the batch's."""
    if given is None and share is None:
        # Past the check of nn.functional: one image of one pixel has the variance 0, and gives the shift.
        return torch.batch_norm(x, gain.flatten(), shift.flatten(), None, None, True, 0.0, NORM, False)
    mean, variance = moments(x, share) if given is None else (one.flatten() for one in given)
    scale = gain.flatten() * (variance + NORM).rsqrt()
    return torch.addcmul((shift.flatten() - mean * scale)[:, None, None], x, scale[:, None, None])


def leaky_(x: Tensor) -> Tensor:
    """LeakyReLU, written over what it is given: no layer needs for its gradient what it gave."""
    return functional.leaky_relu(x, SLOPE, inplace=True)
