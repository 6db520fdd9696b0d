"""What the networks of the four families share: their recipe, their names, the table of families."""

from collections.abc import Callable

from torch import nn

from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, require_size
from mistrust.networks.recipe import Recipe

# Three halvings of height and width leave a pixel.
LEAST = 8
# One for all, and for fewer steps than any of their papers took: what minutes on one core allow. Keras's first weights
# (Glorot's), for torch's are so small that images fade on their way through a VGG without batch normalisation.
RECIPE = Recipe(epochs=10, batch=64, rate=1e-3, optimiser="adam", schedule="falling")
INITIAL = "keras"

# Names of a family's networks, shallow before deep, narrow before wide.
FAMILIES: dict[str, tuple[str, ...]] = {}


def family_of(network: str) -> str:
    """Give the family of a network; one of no family is its own.

    Examples
    --------
    >>> family_of("vgg9-w16"), family_of("mlm-cnn")
    ('VGG', 'mlm-cnn')
    """
    return next((family for family, of in FAMILIES.items() if network in of), network)


def add(
    family: str,
    source: str,
    networks: tuple[tuple[int, int, Callable[[int, tuple[int, int], int], nn.Module]], ...],
    *,
    surprise: str,
    dissector: tuple[str, ...],
) -> None:
    """Put a family into the tables, each network named for its depth and width: "vgg9-w16".

    Parameters
    ----------
    family : as its paper writes it.
    networks : (layers with weights, maps of the narrowest layer, builder of the network).
    """
    kept = []
    for layers, width, build in networks:
        name = f"{family.lower()}{layers}-w{width}"
        ARCHITECTURES.add(
            name,
            Architecture(
                f"{family} of {layers} layers, {width} maps", source, _checked(name, build),
                mean=0.5, std=0.5,
                initial=INITIAL,
                recipe=RECIPE,
                surprise=surprise,
                dissector=dissector,
            ),
        )  # fmt: skip
        kept.append(name)
    FAMILIES[family] = tuple(kept)


def _checked(
    name: str, build: Callable[[int, tuple[int, int], int], nn.Module]
) -> Callable[[int, tuple[int, int], int], nn.Module]:
    def checked(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
        require_size(name, size, LEAST)
        return build(channels, size, classes)

    return checked
