"""`Decoders`: what labels, sampling and composition need of a stack of trained autoencoders, and nothing more."""

from collections.abc import Sequence
from typing import Protocol, Self

from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError


class Identity(Protocol):
    """Which autoencoder one is: the positions of its two classes, first < second, and the seed it was trained with."""

    @property
    def first(self) -> int: ...  # noqa: D102
    @property
    def second(self) -> int: ...  # noqa: D102
    @property
    def seed(self) -> int: ...  # noqa: D102


class Decoders(Protocol):
    """G decoders with their discriminators, in evaluation mode.

    Everything is batched: entry g of an argument goes to decoder g and to no other. Latent points of any floating
    type on any device are taken; what comes back lies where the decoders live. A point's result depends on that
    point alone, and `decode` can be differentiated by `torch.func.jvp`.

    Examples
    --------
    Anything with these methods will do. Here two pixels that show the latent point:

    >>> class Plain:
    ...     members, latent, shape, classes = (Member(0, 1),), 2, (1, 1, 2), ("cat", "dog")
    ...
    ...     def decode(self, z):
    ...         return z.double().sigmoid()
    ...
    ...     def logits(self, z):
    ...         return torch.stack([-z[..., 0], z[..., 0]], -1).double()
    ...
    ...     def take(self, index):
    ...         return self
    >>> points = draw(Plain(), 0.25, 5)
    >>> bool((gap(points.p) < 0.25).all())  # neither a cat nor a dog
    True
    """

    @property
    def members(self) -> Sequence[Identity]:
        """Which decoder each is."""
        ...

    @property
    def latent(self) -> int:
        """L, the number of dimensions of the latent space."""
        ...

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of an image; D is their product."""
        ...

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of all classes, of which each decoder knows two."""
        ...

    def decode(self, z: Float[Tensor, "G n L"]) -> Float[Tensor, "G n D"]:
        """Give the images at these latent points, in [0, 1]."""
        ...

    def logits(self, z: Float[Tensor, "G n L"]) -> Float[Tensor, "G n 2"]:
        """Give the discriminator's logits of "drawn from the prior" with the first and with the second class."""
        ...

    def take(self, index: Sequence[int], /) -> Self:
        """Give the decoders at these positions, in this order."""
        ...


def names(decoders: Decoders) -> list[str]:
    """Name every decoder by its class positions and its seed ("3-8-0"): what its draws are keyed by.

    Raises
    ------
    MistrustError
        Two decoders of the same classes and seed: their draws would be the same, too.
    """
    found = [f"{one.first}-{one.second}-{one.seed}" for one in decoders.members]
    twice = next((one for one in found if found.count(one) > 1), None) if len(set(found)) < len(found) else None
    if twice is not None:
        raise MistrustError(
            f"Decoder '{twice}' (first class - second class - seed) occurs {found.count(twice)} times. Each must have "
            "a seed of its own among those of its pair."
        )
    return found


def title(decoders: Decoders, index: int) -> str:
    """Describe one decoder in a message: "3/8 (seed 0)"."""
    one = decoders.members[index]
    return f"{decoders.classes[one.first]}/{decoders.classes[one.second]} (seed {one.seed})"
