"""ResNet-50 as Keras builds it, with the head of the AmbiGuess paper.

He et al. (arXiv 1512.03385), table 1, by `keras.applications.ResNet50`: the stride stands in a block's first 1x1
convolution (torchvision puts it into the 3x3) and convolutions have biases. The reference starts from ImageNet's
weights; those of this variant come with Keras alone, so here it is trained from scratch.
"""

from collections import OrderedDict
from dataclasses import replace

from jaxtyping import Float
from torch import Tensor, nn

from mistrust.networks.architectures.ambiguess import ADAM, SOURCE
from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, GlobalAverage, keras_norm

# (width, blocks, stride of the first block) of the four stages.
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
EPSILON = 1.001e-5


class Tripled(nn.Module):
    """One channel three times, as the reference feeds grey images to a network for colour; others pass."""

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d h w"]:
        """Repeat the only channel."""
        return x.expand(-1, 3, -1, -1) if x.shape[1] == 1 else x


class Block(nn.Module):
    """1x1, 3x3 and 1x1 convolution with batch normalisation, beside a shortcut; the first of a stage projects it."""

    def __init__(self, channels: int, width: int, stride: int, projected: bool) -> None:
        super().__init__()
        out = 4 * width
        self.shortcut = nn.Sequential()
        if projected:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride), keras_norm(out, EPSILON))
        self.body = nn.Sequential(
            nn.Conv2d(channels, width, 1, stride), keras_norm(width, EPSILON), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1), keras_norm(width, EPSILON), nn.ReLU(),
            nn.Conv2d(width, out, 1), keras_norm(out, EPSILON),
        )  # fmt: skip
        self.relu = nn.ReLU()

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d y x"]:
        """Add the shortcut to what the convolutions give."""
        return self.relu(self.shortcut(x) + self.body(x))


def resnet50(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """ResNet-50, its 2,048 averaged maps, 256 and 125 units with ReLU and dropout 0.2 each, logits.

    24,145,641 numbers for grey images and ten classes, of which 53,120 are batch normalisation's running averages.
    Images of 28x28 reach the end as one pixel a map.
    """
    width = 64
    layers = OrderedDict[str, nn.Module](
        tripled=Tripled(),
        conv1=nn.Conv2d(3 if channels == 1 else channels, width, 7, 2, padding=3),
        norm1=keras_norm(width, EPSILON),
        relu1=nn.ReLU(),
        pool1=nn.MaxPool2d(3, 2, padding=1),
    )
    before = width
    for number, (width, blocks, stride) in enumerate(STAGES, 2):
        stage = [Block(before if i == 0 else 4 * width, width, stride if i == 0 else 1, i == 0) for i in range(blocks)]
        layers[f"stage{number}"] = nn.Sequential(*stage)
        before = 4 * width
    layers |= OrderedDict[str, nn.Module](
        pooled=GlobalAverage(),
        dense1=nn.Linear(before, 256), relu_dense1=nn.ReLU(), dropout1=nn.Dropout(0.2),
        dense2=nn.Linear(256, 125), relu_dense2=nn.ReLU(), dropout2=nn.Dropout(0.2),
        logits=nn.Linear(125, classes),
    )  # fmt: skip
    return nn.Sequential(layers)


ARCHITECTURES.add(
    "resnet50-v1",
    Architecture(
        "ResNet-50 of AmbiGuess, from scratch", SOURCE, resnet50,
        initial="keras",
        recipe=replace(ADAM, epochs=30),
        surprise="relu_dense2",
        dissector=("relu_dense1", "relu_dense2"),
    ),
)  # fmt: skip
