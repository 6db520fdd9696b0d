"""ResNet-20, the smallest residual network of He et al. for 32x32 colour images (arXiv 1512.03385, section 4.2).

The paper on safety monitors (Ferreira et al., PRDC 2021, section V) names its one small network as a limitation. This
one is a stronger classifier, made for images of this size, and can still be trained without a GPU.
"""

from collections import OrderedDict

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, GlobalAverage
from mistrust.networks.recipe import Recipe

# (maps, stride of the first block) of the three stages.
STAGES = ((16, 1), (32, 2), (64, 2))


class Block(nn.Module):
    """Two 3x3 convolutions with batch normalisation, beside a shortcut without parameters (option A of the paper)."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.stride, self.more = stride, width - channels
        self.body = nn.Sequential(
            nn.Conv2d(channels, width, 3, stride, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip
        self.relu = nn.ReLU()

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d y x"]:
        """Add the image itself, every `stride`-th pixel of it, its new maps being zero."""
        shortcut = functional.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.more))
        return self.relu(self.body(x) + shortcut)


def resnet20(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """ResNet-20: a convolution, three stages of three blocks (16, 32, 64 maps), 64 averaged maps, logits.

    269,722 parameters for 32x32 colour images of 10 classes, the 0.27 million of the paper's table 6.
    """
    before = STAGES[0][0]
    layers = OrderedDict[str, nn.Module](
        conv1=nn.Conv2d(channels, before, 3, padding=1, bias=False), norm1=nn.BatchNorm2d(before), relu1=nn.ReLU()
    )
    for number, (width, stride) in enumerate(STAGES, 1):
        blocks = (Block(before, width, stride), Block(width, width, 1), Block(width, width, 1))
        layers[f"stage{number}"] = nn.Sequential(*blocks)
        before = width
    layers |= OrderedDict[str, nn.Module](pooled=GlobalAverage(), logits=nn.Linear(before, classes))
    return nn.Sequential(layers)


ARCHITECTURES.add(
    "resnet20",
    Architecture(
        "ResNet-20 for small images", "He et al. (2016), section 4.2", resnet20,
        mean=0.5, std=0.5,
        # Not its paper's, which takes 64,000 steps of flipped and shifted images: what minutes on one core allow.
        recipe=Recipe(epochs=10, batch=64, rate=1e-3, optimiser="adam", schedule="falling"),
        surprise="pooled",
        dissector=("stage1", "stage2", "pooled"),
    ),
)  # fmt: skip
