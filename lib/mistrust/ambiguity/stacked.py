"""Sizes and arithmetic of many 2-class regularized adversarial autoencoders at once: parameters stacked (G, ...).

Source: AmbiGuess (Weiss et al.), section V.B.1; sizes as in the authors' code. What frameworks set silently is set
here by name: Glorot-uniform weights, zero biases, LeakyReLU slope 0.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from mistrust import random
from mistrust.errors import MistrustError

PARTS = ("encoder", "decoder", "discriminator")
Weights = dict[str, Tensor]


@dataclass(frozen=True)
class Design:
    """Sizes of one autoencoder: three networks of two hidden layers each.

    Attributes
    ----------
    pixels : numbers in an image, D.
    classes : width of the one-hot class that the discriminator reads (the image set's classes, not 2).
    latent : dimensions of the latent space, L.
    hidden : units of every hidden layer.
    slope : LeakyReLU's, for negative inputs.
    dropout : share of hidden outputs that are dropped in training, after every hidden layer; below 1.

    Examples
    --------
    >>> design = Design(pixels=28 * 28)
    >>> design.shapes("encoder")["encoder.0.weight"], design.shapes("decoder")["decoder.0.weight"]
    ((784, 128), (2, 128))
    """

    pixels: int
    classes: int = 10
    latent: int = 2
    hidden: int = 128
    slope: float = 0.3
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if min(self.pixels, self.latent, self.hidden) < 1 or self.classes < 2:
            raise MistrustError(f"{self}: pixels, latent and hidden are at least 1, classes at least 2.")
        if not 0 <= self.dropout < 1:
            raise MistrustError(f"dropout is {self.dropout}, expected a share from 0 to below 1 (the paper's: 0.1).")

    def shapes(self, part: str) -> dict[str, tuple[int, ...]]:
        """Shape of each weight (in, out) and bias (out,) of a part, by name, in the order of the layers."""
        ends = {
            "encoder": (self.pixels, self.latent),
            "decoder": (self.latent, self.pixels),
            "discriminator": (self.latent + self.classes, 1),
        }[part]
        widths = (ends[0], self.hidden, self.hidden, ends[1])
        made: dict[str, tuple[int, ...]] = {}
        for layer in range(3):
            made[f"{part}.{layer}.weight"] = widths[layer : layer + 2]
            made[f"{part}.{layer}.bias"] = widths[layer + 1 : layer + 2]
        return made

    def size(self, part: str) -> int:
        """Count the parameters of a part."""
        return sum(map(prod, self.shapes(part).values()))

    def views(self, part: str, flat: Float[Tensor, "g p"]) -> Weights:
        """The weights of a part by name, (G, in, out) and (G, out), as views of its flat parameters."""
        shapes = self.shapes(part)
        pieces = flat.split([prod(shape) for shape in shapes.values()], 1)
        return {name: piece.unflatten(1, shape) for (name, shape), piece in zip(shapes.items(), pieces, strict=True)}


class Seeded(Protocol):
    """Who has a name and a seed, from which first weights are drawn: a member, for one."""

    @property
    def name(self) -> str:
        """What tells it from others."""
        ...

    @property
    def seed(self) -> int:
        """Which of many of this name."""
        ...


def initial(design: Design, member: Seeded, part: str) -> Float[Tensor, " p"]:
    """Flat initial parameters of one member's part, float64: Glorot uniform weights, zero biases."""
    pieces = []
    for name, shape in design.shapes(part).items():
        if len(shape) == 1:
            pieces.append(torch.zeros(shape, dtype=torch.float64))
            continue
        bound = sqrt(6 / sum(shape))
        draw = random.generator(member.seed, f"{member.name}/init/{name}").uniform(-bound, bound, shape)
        pieces.append(torch.from_numpy(draw).flatten())
    return torch.cat(pieces)


def affine(weights: Mapping[str, Tensor], name: str, x: Float[Tensor, "g n i"]) -> Float[Tensor, "g n o"]:
    """One layer of all members."""
    return torch.baddbmm(weights[f"{name}.bias"].unsqueeze(1), x, weights[f"{name}.weight"])


def after_first(
    weights: Mapping[str, Tensor],
    part: str,
    hidden: Float[Tensor, "g n h"],
    slope: float,
    masks: Sequence[Tensor] | None = None,
) -> Float[Tensor, "g n o"]:
    """The rest of a network, from what its first layer gives before the LeakyReLU.

    `masks` are dropout's factors after the two hidden layers, (G, n, hidden): 0 or 1 / (1 - dropout).
    """
    for layer in (1, 2):
        hidden = functional.leaky_relu(hidden, slope)
        if masks is not None:
            hidden = hidden * masks[layer - 1]
        hidden = affine(weights, f"{part}.{layer}", hidden)
    return hidden


def network(
    weights: Mapping[str, Tensor],
    part: str,
    x: Float[Tensor, "g n i"],
    slope: float,
    masks: Sequence[Tensor] | None = None,
) -> Float[Tensor, "g n o"]:
    """A whole part: "encoder" gives z, "decoder" and "discriminator" give logits."""
    return after_first(weights, part, affine(weights, f"{part}.0", x), slope, masks)


def two_class(weights: Mapping[str, Tensor], pairs: Int[Tensor, "g 2"], latent: int) -> Weights:
    """Weights of discriminators that read z and a one-hot of the pair's two classes: (G, L + 2, hidden) first.

    The rows of all other classes never see anything but 0, whatever the image.
    """
    first = weights["discriminator.0.weight"]
    rows = torch.cat([torch.arange(latent, device=first.device).expand(len(pairs), -1), latent + pairs], 1)
    taken = first.gather(1, rows.unsqueeze(2).expand(-1, -1, first.shape[2]))
    return {**weights, "discriminator.0.weight": taken}


def told(
    weights: Mapping[str, Tensor], design: Design, z: Float[Tensor, "g n l"], pairs: Int[Tensor, "g 2"]
) -> Float[Tensor, "g n 2"]:
    """The discriminator's logits for z with the first and with the second class of each member's pair."""
    ours = two_class(weights, pairs, design.latent)
    one_hot = torch.eye(2, dtype=z.dtype, device=z.device)
    given = (torch.cat([z, row.expand(*z.shape[:2], -1)], 2) for row in one_hot)
    return torch.cat([network(ours, "discriminator", x, design.slope) for x in given], 2)
