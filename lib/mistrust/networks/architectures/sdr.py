"""The network of the paper on high-confidence errors, and a smaller one that a laptop trains within minutes.

Bennette, Maurer and Sisti, "Harnessing Adversarial Distances to Discover High-Confidence Errors" (IJCNN 2020, arXiv
2006.16055); layers and training from the authors' code (`afrl-ri/adversarialDistance`, `modelMaker`), since the paper
gives neither: eight convolutions and three linear layers.
"""

from collections import OrderedDict
from functools import partial
from typing import NamedTuple

from torch import nn

from mistrust.networks.architectures.table import ARCHITECTURES, Architecture
from mistrust.networks.recipe import Recipe

SOURCE = "Bennette, Maurer and Sisti (IJCNN 2020), section V A, and its authors' code"


class Widths(NamedTuple):
    """Maps of the four blocks, and units of the two hidden linear layers."""

    blocks: tuple[int, int, int, int]
    units: int


def eight_and_three(channels: int, size: tuple[int, int], classes: int, *, widths: Widths) -> nn.Module:
    """Four blocks of two padded 3x3 convolutions with ReLU and 2x2 max pooling, two hidden layers, logits.

    Dropout 0.5 follows each hidden layer. With the paper's widths 2,287,394 parameters for 64x64 colour images of two
    classes, 1,500,962 for 32x32 ones. Of images below 16 pixels a side one pixel a map is left before the last
    pooling, which then passes it on.
    """
    layers = OrderedDict[str, nn.Module]()
    height, width = size
    for block, maps in enumerate(widths.blocks, 1):
        for half in (1, 2):
            layers[f"conv{block}_{half}"] = nn.Conv2d(channels, maps, 3, padding=1)
            layers[f"relu{block}_{half}"] = nn.ReLU()
            channels = maps
        kernel = (min(2, height), min(2, width))
        layers[f"pool{block}"] = nn.MaxPool2d(kernel)
        height, width = height // kernel[0], width // kernel[1]
    layers |= OrderedDict[str, nn.Module](
        flatten=nn.Flatten(),
        dense1=nn.Linear(channels * height * width, widths.units), relu_dense1=nn.ReLU(), dropout1=nn.Dropout(0.5),
        dense2=nn.Linear(widths.units, widths.units), hidden=nn.ReLU(), dropout2=nn.Dropout(0.5),
        logits=nn.Linear(widths.units, classes),
    )  # fmt: skip
    return nn.Sequential(layers)


# As coded for the cats and dogs: 40 epochs, 10 for the faces and 75 for the shoes.
PAPER = Recipe(epochs=40, batch=128, rate=1e-4, optimiser="adam", penalty=0.01)
ARCHITECTURES.add(
    "sdr-cnn",
    Architecture(
        "CNN of the paper on high-confidence errors", SOURCE,
        partial(eight_and_three, widths=Widths((32, 64, 128, 256), 256)),
        std=1 / 255,  # the network sees 0 to 255, as its authors' does
        initial="keras",
        recipe=PAPER,
        surprise="hidden",
    ),
)  # fmt: skip
# Ours: half the width, scaled inputs and ten times the rate, so that a training takes minutes on one core.
SMALL = Recipe(epochs=10, batch=64, rate=1e-3, optimiser="adam", schedule="falling")
ARCHITECTURES.add(
    "sdr-cnn-small",
    Architecture(
        "CNN of the paper on high-confidence errors, half as wide", SOURCE,
        partial(eight_and_three, widths=Widths((16, 32, 64, 128), 128)),
        mean=0.5, std=0.5,
        initial="keras",
        recipe=SMALL,
        surprise="hidden",
    ),
)  # fmt: skip
