"""AlexNet for small images: convolutions of growing width between three poolings, then linear layers.

Krizhevsky et al., NIPS 2012, section 3.5: widths 1 : 2.7 : 4 : 4 : 2.7 (here 1 : 2 : 3 : 2 : 2), the first kernel the
largest (here 5x5 without stride), pooling after the first, second and last convolution. It has no dropout and no
response normalisation, so that the families differ in their layers alone.
"""

from collections import OrderedDict
from functools import partial
from math import prod

from torch import nn

from mistrust.networks.architectures.families.family import add


def alexnet(
    channels: int, size: tuple[int, int], classes: int, *, width: int, maps: tuple[int, ...], hidden: int
) -> nn.Module:
    """Convolutions (5x5, then 3x3) with ReLU, three 2x2 max poolings, hidden layers of 8 widths, logits.

    Of 28x28 grey images and ten classes: 71,066 parameters at width 16 and 280,362 at 32 with maps 1, 2, 3, 2 and one
    hidden layer.

    Parameters
    ----------
    width : maps of the first convolution.
    maps : width of each convolution as a multiple of the first's.
    hidden : number of hidden linear layers, at least one; the last is named `hidden`, after its ReLU.
    """
    layers, before = OrderedDict[str, nn.Module](), channels
    pooled = {1: "pool1", 2: "pool2", len(maps): "pool3"}
    for number, times in enumerate(maps, 1):
        kernel = 5 if number == 1 else 3
        layers[f"conv{number}"] = nn.Conv2d(before, times * width, kernel, padding=kernel // 2)
        layers[f"relu{number}"] = nn.ReLU()
        if number in pooled:
            layers[pooled[number]] = nn.MaxPool2d(2)
        before = times * width
    layers["flatten"] = nn.Flatten()
    flat = before * prod(side // 8 for side in size)
    for number in range(1, hidden + 1):
        layers[f"dense{number}"] = nn.Linear(flat, 8 * width)
        layers["hidden" if number == hidden else f"relu_dense{number}"] = nn.ReLU()
        flat = 8 * width
    layers["logits"] = nn.Linear(flat, classes)
    return nn.Sequential(layers)


SHALLOW = partial(alexnet, maps=(1, 2, 3, 2), hidden=1)
DEEP = partial(alexnet, maps=(1, 2, 3, 2, 2), hidden=2)  # five convolutions and three linear layers, as the original
add(
    "AlexNet",
    "Krizhevsky et al. (2012), section 3.5, at the size of small images",
    tuple(
        (layers, width, partial(kind, width=width)) for layers, kind in ((6, SHALLOW), (8, DEEP)) for width in (16, 32)
    ),
    surprise="hidden",
    dissector=("pool1", "pool2", "pool3", "hidden"),
)
