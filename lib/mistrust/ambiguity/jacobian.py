"""How fast the image changes at a latent point: the weights by which cells are drawn (paper, section V-B3).

All points of all decoders go through one pass a block. For the Jacobian that pass is forward mode: a decoder takes
each point by itself, so one tangent that points along axis i everywhere gives column i of every point's Jacobian. L
forward passes do, whatever the number of pixels, where reverse mode would want one per pixel.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.ambiguity.decoders import Decoders
from mistrust.registry import Registry

# Numbers that a block of images may hold, tangents included; and the points that a block should hold of each decoder:
# where there are many decoders, a few are taken at a time, since a batch of few points costs most of its time in calls.
BLOCK, POINTS = 2**20, 64


@dataclass(frozen=True)
class Weight:
    """One rule.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section, or the reference's code.
    apply : (decode, points (G, n, L)) -> (G, n), not negative.
    """

    title: str
    source: str
    apply: Callable[[Callable[[Tensor], Tensor], Tensor], Tensor]


WEIGHTS = Registry[Weight]("rule for weights")


def weights(decoders: Decoders, z: Float[Tensor, "G n L"], rule: str = "jacobian") -> Float[Tensor, "G n"]:
    """Give the weight of latent points: the more the image changes there, the higher.

    Parameters
    ----------
    decoders : G decoders.
    z : (G, n, L) points, those in row g for decoder g.
    rule : "jacobian": Frobenius norm of the decoder's Jacobian, what the paper's differences of images tend to;
        "differences": the same by central differences of images; "energy": norm of the gradient of the sum of squared
        pixels, as the reference's code has it; "uniform": 1.

    Returns
    -------
    (G, n) float64: change of the image (Euclidean, pixels in [0, 1]) by latent unit. Memory does not grow with n.

    Raises
    ------
    MistrustError
        An unknown rule.

    Examples
    --------
    >>> from mistrust.data import load
    >>> made = trained(load("digits", "train"), [Member(4, 9)], training=Training(epochs=5, batch=64))
    >>> points = torch.tensor([[[0.0, 0.0], [1.0, 1.0]]])
    >>> exact, differences = weights(made, points), weights(made, points, "differences")
    >>> torch.allclose(exact, differences, rtol=0.01)
    True
    """
    apply = WEIGHTS[rule].apply
    (group, n, latent), (channels, height, width) = z.shape, decoders.shape
    held = channels * height * width * (1 + latent)
    few = min(group, max(1, BLOCK // (held * POINTS)))
    step = max(1, BLOCK // (held * few))
    found = torch.empty((group, n), dtype=torch.float64)
    with torch.no_grad():
        z = z.to(decoders.decode(z[:, :1]))  # to the decoders' own precision, which differences choose their step by
        for first in range(0, group, few):
            these = list(range(first, min(first + few, group)))
            some = decoders if few == group else decoders.take(these)
            for start in range(0, n, step):
                found[these, start : start + step] = apply(some.decode, z[these, start : start + step]).double().cpu()
    return found


def pushed(
    decode: Callable[[Tensor], Tensor], z: Float[Tensor, "G n L"]
) -> tuple[Float[Tensor, "G n D"], Float[Tensor, "L G n D"]]:
    """Give images and Jacobians, axis by axis, in forward mode; the images are computed once for all axes."""
    z, latent = z.contiguous(), z.shape[-1]  # forward mode takes no expanded points
    axes = torch.eye(latent, dtype=z.dtype, device=z.device)[:, None, None, :].expand(latent, *z.shape)

    def push(axis: Tensor) -> tuple[Tensor, Tensor]:
        image, column = torch.func.jvp(decode, (z,), (axis,))[:2]
        return image, column

    with warnings.catch_warnings():
        # The first use of forward mode compiles parts of torch by a way that torch itself has declared old.
        warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", FutureWarning)
        images, columns = torch.func.vmap(push)(axes)
    return images[0], columns


def _jacobian(decode: Callable[[Tensor], Tensor], z: Tensor) -> Tensor:
    columns = pushed(decode, z)[1]
    return columns.square().sum(-1, dtype=torch.float64).sum(0).sqrt()


def _energy(decode: Callable[[Tensor], Tensor], z: Tensor) -> Tensor:
    def energy(points: Tensor) -> Tensor:
        return decode(points).square().sum()

    # One number per point: here reverse mode is the short way.
    return torch.func.grad(energy)(z).double().norm(dim=-1)


def differences(
    decode: Callable[[Tensor], Tensor], z: Float[Tensor, "G n L"], step: float | None = None
) -> Float[Tensor, "G n"]:
    """Give the norm over axes of |x(z + step) - x(z - step)| / (2 step).

    Parameters
    ----------
    step : in latent units; when not given, the cube root of the points' precision (0.005 for float32), which balances
        rounding against curvature.
    """
    if step is None:
        step = torch.finfo(z.dtype).eps ** (1 / 3)
    squares = torch.zeros(z.shape[:-1], dtype=torch.float64, device=z.device)
    for axis in torch.eye(z.shape[-1], dtype=z.dtype, device=z.device) * step:
        moved = decode(z + axis) - decode(z - axis)
        squares = squares + moved.square().sum(-1, dtype=torch.float64).to(z.device)
    return squares.sqrt() / (2 * step)


_PAPER = "Weiss et al., section V-B3"
WEIGHTS.add("jacobian", Weight("Jacobian of the decoder", f"{_PAPER}, in the limit of small steps", _jacobian))
WEIGHTS.add("differences", Weight("differences of images", _PAPER, differences))
WEIGHTS.add("energy", Weight("gradient of image energy", "the reference's code", _energy))
WEIGHTS.add("uniform", Weight("all cells alike", "for comparison", lambda decode, z: torch.ones(z.shape[:-1])))
