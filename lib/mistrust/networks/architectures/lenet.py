"""LeNets: the one that the paper on safety monitors describes, and two that its authors' code has instead.

Ferreira et al., "Benchmarking Safety Monitors for Image Classifiers with Machine Learning" (PRDC 2021), section IV B:
"a LeNet", "around 100,000 parameters and 128 neurons in the last hidden layer", for 28x28 colour images of 43 classes
(GTSRB) and 32x32 ones of 10 (CIFAR-10). Its code (`PRDC_2021_SUT_module`, `src/Classes/ml_architectures`) has a Keras
network of 331,307 parameters and a PyTorch LeNet-5 of 47,531 and 62,006, neither with 128 neurons there.
LeNet-5 itself: LeCun et al., Proceedings of the IEEE 86 (1998), section II B.

In all of them the layer `hidden` is the last hidden one, after its ReLU.
"""

from collections import OrderedDict
from dataclasses import replace
from typing import NamedTuple

from torch import nn

from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, require_size
from mistrust.networks.recipe import Recipe

SOURCE = "Ferreira et al. (PRDC 2021), section IV B"
CODE = "Ferreira et al. (PRDC 2021), the authors' code"
# LeNets do not pad, for 28x28 and 32x32. Of fewer pixels than this nothing would be left after the last convolution:
# there each of them keeps the size, and 4x4 is what two poolings still take.
UNPADDED, LEAST = 16, 4


class Stage(NamedTuple):
    """A convolution of a square kernel with ReLU, 2x2 max pooling or none, and dropout or none."""

    maps: int
    kernel: int
    pooled: bool = True
    dropout: float = 0.0


def lenet(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """Two 5x5 convolutions (16, 32 maps) with ReLU and 2x2 max pooling, 128 units with ReLU, dropout 0.5, logits.

    85,259 parameters for 28x28 colour images of 43 classes and 117,866 for 32x32 ones of 10: the paper's two sets, one
    on either side of its 100,000 (122,123 for 43 classes at 32x32). It names neither kernels nor maps nor how many
    hidden layers there are: kernels and poolings are LeNet-5's, the other numbers and the dropout are ours.

    Raises
    ------
    MistrustError
        Images of less than 4 pixels a side.
    """
    layers, flat = _features("farm-lenet", channels, size, Stage(16, 5), Stage(32, 5))
    layers |= OrderedDict[str, nn.Module](
        dense1=nn.Linear(flat, 128), hidden=nn.ReLU(), dropout=nn.Dropout(0.5), logits=nn.Linear(128, classes)
    )
    return nn.Sequential(layers)


def lenet_keras(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """The network behind ALOOC and the boxes on GTSRB: three convolutions, 256 units, dropout, logits.

    331,307 parameters for 28x28 colour images of 43 classes.

    Raises
    ------
    MistrustError
        Images of less than 4 pixels a side.
    """
    stages = Stage(32, 5, pooled=False), Stage(64, 3, dropout=0.25), Stage(64, 3, dropout=0.25)
    layers, flat = _features("farm-lenet-keras", channels, size, *stages)
    layers |= OrderedDict[str, nn.Module](
        dense1=nn.Linear(flat, 256), hidden=nn.ReLU(), dropout=nn.Dropout(0.5), logits=nn.Linear(256, classes)
    )
    return nn.Sequential(layers)


def lenet_pytorch(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """The network behind ODIN: LeNet-5 with ReLU and max pooling, 120 and 84 units, logits.

    47,531 parameters for 28x28 colour images of 43 classes, 62,006 for 32x32 ones of 10.

    Raises
    ------
    MistrustError
        Images of less than 4 pixels a side.
    """
    layers, flat = _features("farm-lenet-pytorch", channels, size, Stage(6, 5), Stage(16, 5))
    layers |= OrderedDict[str, nn.Module](
        dense1=nn.Linear(flat, 120), relu_dense1=nn.ReLU(),
        dense2=nn.Linear(120, 84), hidden=nn.ReLU(),
        logits=nn.Linear(84, classes),
    )  # fmt: skip
    return nn.Sequential(layers)


def _features(
    name: str, channels: int, size: tuple[int, int], *stages: Stage
) -> tuple[OrderedDict[str, nn.Module], int]:
    """Layers up to the flattening, and how many numbers per image then is."""
    require_size(name, size, LEAST)
    height, width = size
    padded = min(size) < UNPADDED
    layers = OrderedDict[str, nn.Module]()
    for number, stage in enumerate(stages, 1):
        layers[f"conv{number}"] = nn.Conv2d(channels, stage.maps, stage.kernel, padding=padded * (stage.kernel // 2))
        layers[f"relu{number}"] = nn.ReLU()
        lost = 0 if padded else stage.kernel - 1
        channels, height, width = stage.maps, height - lost, width - lost
        if stage.pooled:
            layers[f"pool{number}"] = nn.MaxPool2d(2)
            height, width = height // 2, width // 2
        if stage.dropout:
            layers[f"dropout{number}"] = nn.Dropout(stage.dropout)
    layers["flatten"] = nn.Flatten()
    return layers, channels * height * width


# Ours, for the paper names none; measured on both of its sets.
OURS = Recipe(epochs=20, batch=64, rate=1e-3, optimiser="adam", schedule="falling")
# As coded, but for the 30 % of the training images that the code holds out (`published`), and for ODIN's network's
# images, which are not shuffled there.
KERAS = Recipe(epochs=10, batch=32, rate=1e-3, optimiser="adam")
PYTORCH = Recipe(epochs=30, batch=100, rate=5e-4, optimiser="adam", epsilon=1e-8)
ARCHITECTURES.add(
    "farm-lenet",
    Architecture(
        "LeNet of the safety monitors",
        SOURCE,
        lenet,
        mean=0.5,
        std=0.5,
        recipe=OURS,
        surprise="hidden",
        dissector=("pool1", "pool2", "hidden"),
    ),
)
ARCHITECTURES.add(
    "farm-lenet-keras",
    Architecture(
        "Keras LeNet of the safety monitors' code", CODE, lenet_keras,
        initial="keras",
        recipe=KERAS,
        published=replace(KERAS, validation=0.3),
        surprise="hidden",
    ),
)  # fmt: skip
ARCHITECTURES.add(
    "farm-lenet-pytorch",
    Architecture(
        "PyTorch LeNet-5 of the safety monitors' code", CODE, lenet_pytorch,
        # What its published weights for CIFAR-10 expect (accuracy 0.63; 0.33 on the images in [0, 1] that it was fed).
        mean=0.5, std=0.5,
        recipe=PYTORCH,
        published=replace(PYTORCH, validation=0.3),
        surprise="hidden",
    ),
)  # fmt: skip
