"""ResNet for small images, with projected shortcuts.

He et al., CVPR 2016 (arXiv 1512.03385), section 4.2: a convolution, three stages of n blocks, 6 n + 2 layers; section
3.3, option B for the shortcuts: where a stage begins, a 1x1 convolution, as torchvision has it. The paper's own
networks for CIFAR-10 have shortcuts without parameters: `resnet20` is one of them.
"""

from collections import OrderedDict
from functools import partial

from jaxtyping import Float
from torch import Tensor, nn

from mistrust.networks.architectures.families.family import add
from mistrust.networks.architectures.table import GlobalAverage


class Block(nn.Module):
    """Two 3x3 convolutions with batch normalisation, beside the image itself or, where sizes differ, its projection."""

    def __init__(self, channels: int, maps: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, maps, 3, stride, padding=1, bias=False), nn.BatchNorm2d(maps), nn.ReLU(),
            nn.Conv2d(maps, maps, 3, padding=1, bias=False), nn.BatchNorm2d(maps),
        )  # fmt: skip
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != maps:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, maps, 1, stride, bias=False), nn.BatchNorm2d(maps))
        self.relu = nn.ReLU()

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d y x"]:
        """Add the shortcut to what the convolutions give."""
        return self.relu(self.body(x) + self.shortcut(x))


def resnet(channels: int, size: tuple[int, int], classes: int, *, width: int, blocks: int) -> nn.Module:
    """A convolution, three stages of so many blocks (1, 2, 4 widths), the maps averaged, logits.

    Of 28x28 grey images and ten classes: 19,810 parameters with one block at width 8, 44,226 with two, 272,186 with
    three at width 16.

    Parameters
    ----------
    width : maps of the first stage; each further stage has twice as many.
    blocks : of each stage.
    """
    layers = OrderedDict[str, nn.Module](
        conv1=nn.Conv2d(channels, width, 3, padding=1, bias=False), norm1=nn.BatchNorm2d(width), relu1=nn.ReLU()
    )
    before = width
    for stage in range(3):
        maps = width * 2**stage
        first = Block(before, maps, 1 if stage == 0 else 2)
        layers[f"stage{stage + 1}"] = nn.Sequential(first, *(Block(maps, maps, 1) for _ in range(blocks - 1)))
        before = maps
    layers |= OrderedDict[str, nn.Module](pooled=GlobalAverage(), logits=nn.Linear(before, classes))
    return nn.Sequential(layers)


add(
    "ResNet",
    "He et al. (2016), sections 3.3 and 4.2",
    tuple(
        (6 * blocks + 2, width, partial(resnet, width=width, blocks=blocks))
        for blocks, width in ((1, 8), (1, 16), (2, 8), (3, 8), (3, 16))
    ),
    surprise="pooled",
    dissector=("stage1", "stage2", "stage3", "pooled"),
)
