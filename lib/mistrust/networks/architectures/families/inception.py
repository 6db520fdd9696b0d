"""Inception for small images: blocks of four branches side by side.

Szegedy et al., CVPR 2016 (arXiv 1512.00567), figure 5: a 1x1 convolution, a 3x3, two 3x3 in place of a 5x5, and average
pooling before a 1x1, each behind a 1x1 that narrows and with batch normalisation, as in torchvision's Inception v3.
Without its second output, which only helps in training.
"""

from collections import OrderedDict
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mistrust.networks.architectures.families.family import add
from mistrust.networks.architectures.table import GlobalAverage


def convolution(channels: int, maps: int, kernel: int) -> nn.Sequential:
    """A convolution that keeps the size, batch normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(channels, maps, kernel, padding=kernel // 2, bias=False), nn.BatchNorm2d(maps), nn.ReLU()
    )


class Block(nn.Module):
    """Four branches of 1, 1, 1/2 and 1/2 widths, joined to three widths of maps."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        half = width // 2
        self.branch1 = convolution(channels, width, 1)
        self.branch3 = nn.Sequential(convolution(channels, width, 1), convolution(width, width, 3))
        self.branch5 = nn.Sequential(
            convolution(channels, half, 1), convolution(half, half, 3), convolution(half, half, 3)
        )
        self.branch_pool = nn.Sequential(nn.AvgPool2d(3, 1, padding=1), convolution(channels, half, 1))

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d h w"]:
        """Join the branches' maps."""
        return torch.cat((self.branch1(x), self.branch3(x), self.branch5(x), self.branch_pool(x)), 1)


def inception(channels: int, size: tuple[int, int], classes: int, *, width: int, blocks: int) -> nn.Module:
    """A 3x3 convolution, two stages of so many blocks (1 and 2 widths) with 2x2 max pooling before each, logits.

    Of 28x28 grey images and ten classes, at width 16: 53,562 parameters with two blocks a stage, 82,842 with three.

    Parameters
    ----------
    width : maps of the first convolution, an even number.
    blocks : of each stage.
    """
    layers = OrderedDict[str, nn.Module](stem=convolution(channels, width, 3))
    before = width
    for stage, branch in enumerate((width, 2 * width), 1):
        layers[f"pool{stage}"] = nn.MaxPool2d(2)
        layers[f"stage{stage}"] = nn.Sequential(
            *(Block(before if i == 0 else 3 * branch, branch) for i in range(blocks))
        )
        before = 3 * branch
    layers |= OrderedDict[str, nn.Module](pooled=GlobalAverage(), logits=nn.Linear(before, classes))
    return nn.Sequential(layers)


add(
    "Inception",
    "Szegedy et al. (2016), figure 5, at the size of small images",
    tuple(
        (6 * blocks + 2, width, partial(inception, width=width, blocks=blocks))
        for blocks in (2, 3)
        for width in (8, 16)
    ),
    surprise="pooled",
    dissector=("stage1", "stage2", "pooled"),
)
