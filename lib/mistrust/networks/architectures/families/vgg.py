"""VGG for small images: nothing but 3x3 convolutions, in groups that end in pooling and double the width.

Simonyan and Zisserman, ICLR 2015 (arXiv 1409.1556), table 1: the first three groups of column A (1, 1, 2 convolutions)
and of column D, VGG16 (2, 2, 3), then one hidden linear layer. No dropout, so that the families differ in their layers
alone.
"""

from collections import OrderedDict
from functools import partial
from math import prod

from torch import nn

from mistrust.networks.architectures.families.family import add


def vgg(channels: int, size: tuple[int, int], classes: int, *, width: int, groups: tuple[int, ...]) -> nn.Module:
    """Three groups of 3x3 convolutions with ReLU (1, 2, 4 widths), a 2x2 max pooling each, 8 widths hidden, logits.

    Of 28x28 grey images and ten classes: 183,866 parameters at width 16 and 731,754 at 32 with groups of 2, 2, 3.

    Parameters
    ----------
    width : maps of the first group; each further group has twice as many.
    groups : convolutions of each group, three numbers.
    """
    layers, before = OrderedDict[str, nn.Module](), channels
    for group, convolutions in enumerate(groups, 1):
        maps = width * 2 ** (group - 1)
        for number in range(1, convolutions + 1):
            layers[f"conv{group}_{number}"] = nn.Conv2d(before, maps, 3, padding=1)
            layers[f"relu{group}_{number}"] = nn.ReLU()
            before = maps
        layers[f"pool{group}"] = nn.MaxPool2d(2)
    flat = before * prod(side // 8 for side in size)
    layers |= OrderedDict[str, nn.Module](
        flatten=nn.Flatten(),
        dense1=nn.Linear(flat, 8 * width), hidden=nn.ReLU(),
        logits=nn.Linear(8 * width, classes),
    )  # fmt: skip
    return nn.Sequential(layers)


add(
    "VGG",
    "Simonyan and Zisserman (2015), table 1, at the size of small images",
    tuple(
        (sum(groups) + 2, width, partial(vgg, width=width, groups=groups))
        for groups in ((1, 1, 2), (2, 2, 3))
        for width in (16, 32)
    ),
    surprise="hidden",
    dissector=("pool1", "pool2", "pool3", "hidden"),
)
