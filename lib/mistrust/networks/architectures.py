"""Architectures as table entries: a name, a source, a builder, and the input scale that the paper used."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod, sqrt

import torch
from torch import nn

from mistrust import random
from mistrust.registry import Registry


@dataclass(frozen=True)
class Architecture:
    """One kind of network.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section that describe it.
    build : (channels, (height, width), classes) -> a module from scaled images (n, c, h, w) to logits (n, k).
    mean, std : the network sees (image - mean) / std, of images in [0, 1].
    """

    title: str
    source: str
    build: Callable[[int, tuple[int, int], int], nn.Module]
    mean: float = 0.0
    std: float = 1.0


ARCHITECTURES = Registry[Architecture]("architecture", "mistrust list architectures")


def mlm_cnn(channels: int, size: tuple[int, int], classes: int) -> nn.Module:
    """Two 3x3 convolutions (16, 32 maps) with ReLU and 2x2 max pooling, 128 units, logits.

    206,922 parameters for 28x28 grey images and ten classes. The paper ends in log-softmax; the classifier keeps
    logits, which give the same softmax and the same loss.
    """
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


def initialise(network: nn.Module, seed: int) -> None:
    """Fill convolutions and linear layers with PyTorch's default distribution, U(-b, b) with b = 1 / sqrt(fan-in).

    The draws are keyed by the seed and the parameter's name, so the same seed gives the same weights on every version
    of torch, and a layer's weights do not depend on the layers before it. Other layers keep their constant defaults.
    """
    for name, layer in network.named_modules():
        if not isinstance(layer, (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)):
            continue
        bound = 1.0 / sqrt(prod(layer.weight.shape[1:]))
        for kind, values in (("weight", layer.weight), ("bias", layer.bias)):
            if values is not None:
                draw = random.generator(seed, f"init/{name}.{kind}").uniform(-bound, bound, tuple(values.shape))
                with torch.no_grad():
                    values.copy_(torch.from_numpy(draw))


def parameter_count(network: nn.Module) -> int:
    """Count the trainable numbers of a network."""
    return sum(p.numel() for p in network.parameters())
