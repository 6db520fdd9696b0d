"""DenseNet with squeeze-and-excitation, as the AmbiGuess paper uses it.

Huang et al. (arXiv 1608.06993) with the gates of Hu et al. (arXiv 1709.01507) after each dense block and the
transition; sizes from the authors' code (`model_utils/densenet.py`): blocks of 6 and 12 units that grow by 32 maps,
16 maps at the start, dropout 0.1 after each convolution of a unit and of the transition, no compression.
"""

from collections import OrderedDict
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mistrust.networks.architectures.ambiguess import ADAM, SOURCE
from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, GlobalAverage, keras_norm, require_size

STEM, GROWTH, BLOCKS, DROPOUT, RATIO = 16, 32, (6, 12), 0.1, 16


class Unit(nn.Module):
    """Batch normalisation, ReLU, 1x1 convolution to 128 maps, the same with 3x3 to 32, joined to what came in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            keras_norm(channels), nn.ReLU(), nn.Conv2d(channels, 4 * GROWTH, 1, bias=False), nn.Dropout(DROPOUT),
            keras_norm(4 * GROWTH), nn.ReLU(), nn.Conv2d(4 * GROWTH, GROWTH, 3, padding=1, bias=False),
            nn.Dropout(DROPOUT),
        )  # fmt: skip

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d h w"]:
        """Append 32 maps."""
        return torch.cat((x, self.body(x)), 1)


class Gate(nn.Module):
    """Squeeze-and-excitation: each map is scaled by a number in (0, 1) that the means of all maps decide."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.average = GlobalAverage()
        self.squeeze = nn.Linear(channels, channels // RATIO)
        self.relu = nn.ReLU()
        self.excite = nn.Linear(channels // RATIO, channels)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c h w"]:
        """Scale the maps."""
        scale = self.sigmoid(self.excite(self.relu(self.squeeze(self.average(x)))))
        return x * scale[:, :, None, None]


def densenet(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """Stem, two dense blocks with a transition between them, gates, 592 averaged maps, logits.

    1,465,993 numbers for grey images and ten classes, of which 16,608 are batch normalisation's running averages.

    Raises
    ------
    MistrustError
        Images of less than 5 pixels a side.
    """
    require_size("densenet-se", size, 5)
    middle = STEM + BLOCKS[0] * GROWTH
    end = middle + BLOCKS[1] * GROWTH
    transition = nn.Sequential(
        keras_norm(middle), nn.ReLU(), nn.Conv2d(middle, middle, 1, bias=False), nn.Dropout(DROPOUT), nn.AvgPool2d(2)
    )
    return nn.Sequential(
        OrderedDict[str, nn.Module](
            conv1=nn.Conv2d(channels, STEM, 7, 2, padding=3, bias=False),
            norm1=keras_norm(STEM), relu1=nn.ReLU(), pool1=nn.MaxPool2d(3, 2, padding=1),
            block1=nn.Sequential(*(Unit(STEM + i * GROWTH) for i in range(BLOCKS[0]))), gate1=Gate(middle),
            transition=transition, gate_transition=Gate(middle),
            block2=nn.Sequential(*(Unit(middle + i * GROWTH) for i in range(BLOCKS[1]))), gate2=Gate(end),
            norm2=keras_norm(end), relu2=nn.ReLU(),
            pooled=GlobalAverage(),
            logits=nn.Linear(end, classes),
        )
    )  # fmt: skip


ARCHITECTURES.add(
    "densenet-se",
    Architecture(
        "DenseNet with squeeze-and-excitation of AmbiGuess", SOURCE, densenet,
        initial="keras",
        recipe=replace(ADAM, batch=256),
        surprise="pooled",
        dissector=(
            "gate1.squeeze", "gate1.excite",
            "gate_transition.squeeze", "gate_transition.excite",
            "gate2.squeeze", "gate2.excite",
        ),
    ),
)  # fmt: skip
