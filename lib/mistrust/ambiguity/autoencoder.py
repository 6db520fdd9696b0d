"""`Autoencoders`: G trained 2-class regularized adversarial autoencoders, and what they answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import Design, Weights, network, told
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Autoencoders:
    """G trained autoencoders; everything in evaluation mode (no dropout), differentiable: see `Decoders`.

    Points and images of any floating type on any device are taken; what comes back lies where the weights are.

    Attributes
    ----------
    design : their sizes.
    members : pair and seed of each.
    shape : (channels, height, width) of an image; D is their product.
    classes : names of all classes of the image set.
    weights : by name ("encoder.0.weight"), each stacked (G, in, out) or (G, out).
    report : one row per member, in order: `gates.measure` says its columns.

    Examples
    --------
    After five epochs (the paper has 80) they decode, though nothing that one would show:

    >>> from mistrust.data import load
    >>> made = trained(load("digits", "train"), [Member(4, 9)], training=Training(epochs=5, batch=64))
    >>> images = made.decode(torch.zeros(1, 7, 2))  # seven points between the classes
    >>> images.shape, bool((images >= 0).all() and (images <= 1).all())
    (torch.Size([1, 7, 64]), True)
    >>> made.logits(torch.zeros(1, 7, 2)).shape  # of a 4, and of a 9
    torch.Size([1, 7, 2])
    """

    design: Design
    members: tuple[Member, ...]
    shape: tuple[int, int, int]
    classes: tuple[str, ...]
    weights: Weights
    report: "pd.DataFrame"

    def __len__(self) -> int:
        return len(self.members)

    @property
    def latent(self) -> int:
        """L, the number of dimensions of the latent space."""
        return self.design.latent

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Positions of each member's two classes."""
        return [(member.first, member.second) for member in self.members]

    def encode(self, x: Float[Tensor, "g n d"]) -> Float[Tensor, "g n l"]:
        """Latent points of flat images in [0, 1], n for each member."""
        return network(self.weights, "encoder", self._stacked(x, self.design.pixels, "images"), self.design.slope)

    def decode(self, z: Float[Tensor, "g n l"]) -> Float[Tensor, "g n d"]:
        """Flat images in [0, 1] of latent points, n for each member."""
        z = self._stacked(z, self.design.latent, "latent points")
        return network(self.weights, "decoder", z, self.design.slope).sigmoid()

    def logits(self, z: Float[Tensor, "g n l"]) -> Float[Tensor, "g n 2"]:
        """The discriminator's logits of latent points, taken for the first and for the second class of the pair."""
        z = self._stacked(z, self.design.latent, "latent points")
        return told(self.weights, self.design, z, torch.tensor(self.pairs, device=z.device))

    def take(self, index: Tensor | Sequence[int] | slice) -> "Autoencoders":
        """These members, in this order: positions, a mask of G truth values, or a slice."""
        if not isinstance(index, slice):
            index = torch.as_tensor(index)
            index = index if len(index) else index.long()  # an empty list has become floats
        places = torch.arange(len(self))[index].tolist()
        return replace(
            self,
            members=tuple(self.members[i] for i in places),
            weights={name: values[places] for name, values in self.weights.items()},
            report=self.report.iloc[places].reset_index(drop=True),
        )

    def to(self, device: str | torch.device) -> "Autoencoders":
        """The same on another device."""
        return replace(self, weights={name: values.to(device) for name, values in self.weights.items()})

    def _stacked(self, x: Tensor, width: int, what: str) -> Tensor:
        if x.ndim != 3 or x.shape[0] != len(self) or x.shape[2] != width:
            raise MistrustError(
                f"{what} have shape {tuple(x.shape)}, expected ({len(self)}, n, {width}): n for each of the "
                f"{len(self)} autoencoders. The same for all: x.expand({len(self)}, -1, -1)."
            )
        return x.to(self.weights["encoder.0.bias"])
