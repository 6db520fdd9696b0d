"""The network of the MLM paper."""

from math import prod

from torch import nn

from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, require_size


def mlm_cnn(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """Two 3x3 convolutions (16, 32 maps) with ReLU and 2x2 max pooling, 128 units, logits.

    206,922 parameters for 28x28 grey images and ten classes. The paper ends in log-softmax; the classifier keeps
    logits, which give the same softmax and the same loss.
    """
    require_size("mlm-cnn", size, 4)  # halved twice
    flat = 32 * prod(s // 4 for s in size)
    return nn.Sequential(
        nn.Conv2d(channels, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(flat, 128), nn.ReLU(),
        nn.Linear(128, classes),
    )  # fmt: skip


ARCHITECTURES.add(
    "mlm-cnn", Architecture("CNN of the MLM paper", "Sikar et al., section 3.1", mlm_cnn, mean=0.5, std=0.5)
)
