"""The two small classifiers of the AmbiGuess paper: a convolutional and a fully connected one.

Weiss et al., "Generating and Detecting True Ambiguity" (arXiv 2207.10495), section VI A; layers and training from the
authors' code (`supervisor_benchmark/model_architectures.py`), since the paper gives neither. Layers carry names: a
Keras layer that has an activation gives what our `relu` layer gives.
"""

from collections import OrderedDict
from dataclasses import replace
from math import prod

from torch import nn

from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, require_size
from mistrust.networks.recipe import Recipe

SOURCE = "Weiss et al. (AmbiGuess), section VI A, and its authors' code"
# Keras's own Adam. A tenth of the images is held out, and in the reference nothing is decided by it.
ADAM = Recipe(epochs=15, batch=128, rate=1e-3, optimiser="adam", epsilon=1e-7, validation=0.1)


def convolutional(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """Two unpadded 3x3 convolutions (32, 64 maps) with ReLU and 2x2 max pooling, dropout 0.5, logits.

    34,826 parameters for 28x28 grey images and ten classes. On images of 8 or 9 pixels, for which the network was not
    made, one pixel a map is left at the second pooling, which then passes it on.

    Raises
    ------
    MistrustError
        Images of less than 8 pixels a side.
    """
    require_size("ambiguess-conv", size, 8)
    before = [(side - 2) // 2 - 2 for side in size]  # what the second pooling gets
    kernel = (min(2, before[0]), min(2, before[1]))
    flat = 64 * prod(side // k for side, k in zip(before, kernel, strict=True))
    return nn.Sequential(
        OrderedDict[str, nn.Module](
            conv1=nn.Conv2d(channels, 32, 3), relu1=nn.ReLU(), pool1=nn.MaxPool2d(2),
            conv2=nn.Conv2d(32, 64, 3), relu2=nn.ReLU(), pool2=nn.MaxPool2d(kernel),
            flatten=nn.Flatten(), dropout=nn.Dropout(0.5),
            logits=nn.Linear(flat, classes),
        )
    )  # fmt: skip


def connected_as_coded(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """Linear layers of 512, 512 and 64 units with dropout 0.2 after the first two, and no activation: linear.

    698,058 parameters for 28x28 grey images and ten classes. In evaluation mode its logits are one matrix times the
    image, so that it tells apart what multinomial logistic regression does.
    """
    return nn.Sequential(
        OrderedDict[str, nn.Module](
            flatten=nn.Flatten(),
            dense1=nn.Linear(channels * prod(size), 512), dropout1=nn.Dropout(0.2),
            dense2=nn.Linear(512, 512), dropout2=nn.Dropout(0.2),
            dense3=nn.Linear(512, 64),
            logits=nn.Linear(64, classes),
        )
    )  # fmt: skip


def connected(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """The fully connected network with ReLU after each hidden layer, as its description lets one expect."""
    return nn.Sequential(
        OrderedDict[str, nn.Module](
            flatten=nn.Flatten(),
            dense1=nn.Linear(channels * prod(size), 512), relu1=nn.ReLU(), dropout1=nn.Dropout(0.2),
            dense2=nn.Linear(512, 512), relu2=nn.ReLU(), dropout2=nn.Dropout(0.2),
            dense3=nn.Linear(512, 64), relu3=nn.ReLU(),
            logits=nn.Linear(64, classes),
        )
    )  # fmt: skip


ARCHITECTURES.add(
    "ambiguess-conv",
    Architecture(
        "Convolutional net of AmbiGuess", SOURCE, convolutional,
        initial="keras",
        recipe=ADAM,
        # Not shuffled: of nominal images followed by ambiguous ones, only ambiguous ones are held out.
        published=replace(ADAM, validation_rows="last"),
        surprise="flatten",
        dissector=("relu1", "pool1", "relu2", "pool2"),
    ),
)  # fmt: skip
ARCHITECTURES.add(
    "ambiguess-fc",
    Architecture(
        "Fully connected net of AmbiGuess as coded (linear)", SOURCE, connected_as_coded,
        initial="keras",
        recipe=replace(ADAM, epochs=30),
        surprise="dense2",
        dissector=("dense1", "dense2"),
    ),
)  # fmt: skip
ARCHITECTURES.add(
    "ambiguess-fc-relu",
    Architecture(
        "Fully connected net of AmbiGuess with ReLU", SOURCE, connected,
        initial="keras",
        recipe=replace(ADAM, epochs=30),
        surprise="relu2",
        dissector=("relu1", "relu2"),
    ),
)  # fmt: skip
