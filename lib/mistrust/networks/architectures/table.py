"""The table of architectures, what an entry says, and what several entries are built with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from jaxtyping import Float
from torch import Tensor, nn

from mistrust.errors import MistrustError, check_known
from mistrust.networks.architectures.initial import INITIALS
from mistrust.networks.checks import check_module
from mistrust.networks.recipe import Recipe
from mistrust.registry import Registry


@dataclass(frozen=True)
class Architecture:
    """One kind of network.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section that describe it.
    build : (channels, (height, width), classes) -> a module from scaled images (n, c, h, w) to logits (n, k).
    mean, std : the network sees (image - mean) / std, of images in [0, 1].
    initial : what its layers are filled with first, an entry of `INITIALS`.
    recipe : how its paper trains it.
    published : the recipe of its authors' code, where `recipe` departs from that.
    surprise : the layer that surprise adequacy reads; "" where nobody has said.
    dissector : the layers that Dissector reads, first to last.

    Raises
    ------
    MistrustError
        An `initial` that is in no table.

    Examples
    --------
    >>> entry = ARCHITECTURES["mlm-cnn"]
    >>> entry.recipe.epochs, entry.recipe.rate
    (10, 0.01)
    >>> network = entry.build(1, (28, 28), 10)  # grey images of 28x28 pixels, ten classes
    >>> network(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """

    title: str
    source: str
    build: Callable[[int, tuple[int, int], int], nn.Module]
    mean: float = 0.0
    std: float = 1.0
    initial: str = "torch"
    recipe: Recipe = field(default_factory=Recipe)
    published: Recipe | None = None
    surprise: str = ""
    dissector: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_known("distribution of first weights", self.initial, INITIALS)


ARCHITECTURES = Registry[Architecture]("architecture", "mistrust list architectures")


def parameter_count(network: nn.Module, *, averages: bool = False) -> int:
    """Count a network's weights, frozen ones too; `averages` counts batch normalisation's running ones, as Keras does.

    Raises
    ------
    MistrustError
        What is no torch module, such as a classifier around one.

    Examples
    --------
    >>> parameter_count(torch.nn.Linear(64, 10))
    650
    """
    check_module(network)
    count = sum(p.numel() for p in network.parameters())
    if averages:
        norms = (m for m in network.modules() if isinstance(m, nn.BatchNorm2d))
        count += sum(2 * m.num_features for m in norms)
    return count


def require_size(architecture: str, size: tuple[int, int], least: int) -> None:
    """Refuse images that are too small for a network's convolutions and poolings."""
    if min(size) < least:
        height, width = size
        raise MistrustError(
            f"Architecture '{architecture}' needs images of at least {least}x{least}, these are {height}x{width}. Pad "
            "them, or choose another architecture: `mistrust list architectures`."
        )


def keras_norm(channels: int, epsilon: float = 1e-3) -> nn.BatchNorm2d:
    """Batch normalisation as Keras has it: its momentum 0.99 is torch's 0.01, its epsilon 1e-3 where torch has 1e-5.

    Its averages are slow: after n steps they still hold 0.99^n of their first values, 5 % after 300 steps. A network
    that was trained for fewer may classify its own training images by chance in evaluation mode.
    """
    return nn.BatchNorm2d(channels, eps=epsilon, momentum=0.01)


class GlobalAverage(nn.Module):
    """The mean of each map."""

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c"]:
        """Average over height and width."""
        return x.mean((2, 3))
