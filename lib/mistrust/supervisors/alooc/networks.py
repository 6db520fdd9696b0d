"""Refiner and discriminator of ALOOC, for G classes at once.

Sabokrou, Khalooei, Fathy and Adeli, "Adversarially learned one-class classifier for novelty detection", CVPR 2018, in
the form of its common Keras port, which the published sizes of Ferreira and others (PRDC 2021, table VII) fit: a
decoder that repeats pixels where the original has transposed convolutions, and a logistic function where it has tanh.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, prod, sqrt

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.supervisors.alooc.layers import leaky_, normalised, same, strided, widened

PARTS = ("refiner", "discriminator")
ENCODER, DECODER, JUDGE = (32, 64, 128), (16, 16, 32), (16, 32, 64, 128)
Weights = Mapping[str, Tensor]
# Mean and variance of the channels of each normalised layer of the encoder.
Statistics = Sequence[tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Design:
    """Sizes of one class's two networks, for images of a shape.

    The encoder halves sides three times, rounding up; the decoder doubles them three times, with a convolution of 3x3
    before the last that loses a pixel at every border where the result still covers the image (28), and none where it
    would not (32: as published it could rebuild 28x28 alone). What is rebuilt beyond the image is cut off.

    Attributes
    ----------
    channels, height, width : of the images.

    Examples
    --------
    >>> Design(1, 28, 28).padding, Design(3, 32, 32).padding  # as published, and so that 32 pixels are covered
    ((0, 0), (1, 1))
    >>> Design(1, 28, 28).shapes("refiner")["encoder.0.kernel"]
    (32, 1, 5, 5)
    """

    channels: int
    height: int
    width: int

    def __post_init__(self) -> None:
        if min(self.channels, self.height, self.width) < 1:
            raise MistrustError(f"{self}: channels, height and width are at least 1.")

    @property
    def padding(self) -> tuple[int, int]:
        """Zeros around the image that the convolution of 3x3 reads, down and across: 0 or 1."""
        down, across = (0 if side <= 8 * ceil(side / 8) - 4 else 1 for side in (self.height, self.width))
        return down, across

    def shapes(self, part: str) -> dict[str, tuple[int, ...]]:
        """Shape of each parameter of a part, by name."""
        found: dict[str, tuple[int, ...]] = {}
        if part == "refiner":
            for i, (a, b) in enumerate(zip((self.channels, *ENCODER), ENCODER, strict=False)):
                found |= _convolution(f"encoder.{i}", a, b, 5) | {f"encoder.{i}.gain": (b,), f"encoder.{i}.shift": (b,)}
            widths = (ENCODER[-1], *DECODER, self.channels)
            for i, kernel in enumerate((5, 5, 3, 5)):
                found |= _convolution(f"decoder.{i}", widths[i], widths[i + 1], kernel)
            return found
        height, width = self.height, self.width
        for i, (a, b) in enumerate(zip((self.channels, *JUDGE), JUDGE, strict=False)):
            found |= _convolution(f"judge.{i}", a, b, 5)
            found |= {f"judge.{i}.gain": (b,), f"judge.{i}.shift": (b,)} if i else {}
            height, width = ceil(height / 2), ceil(width / 2)
        return found | {"head.kernel": (1, JUDGE[-1] * height * width), "head.bias": (1,)}

    def size(self, part: str) -> int:
        """Count the parameters that are learnt in a part."""
        return sum(map(prod, self.shapes(part).values()))

    def initial(self, part: str, seed: int, name: str) -> dict[str, Tensor]:
        """First parameters of a class's part, float64: Glorot's uniform weights, zero biases, normalisation at 1."""
        found: dict[str, Tensor] = {}
        for key, shape in self.shapes(part).items():
            if len(shape) == 1:
                found[key] = torch.full(shape, float(key.endswith("gain")), dtype=torch.float64)
                continue
            bound = sqrt(6 / (prod(shape[2:]) * (shape[0] + shape[1])))
            draw = random.generator(seed, f"{name}/init/{part}/{key}").uniform(-bound, bound, shape)
            found[key] = torch.from_numpy(draw)
        return found


def _convolution(name: str, inward: int, outward: int, kernel: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.kernel": (outward, inward, kernel, kernel), f"{name}.bias": (outward,)}


def encoded(
    weights: Weights,
    x: Float[Tensor, "n gc h w"],
    statistics: Statistics | None = None,
    share: Float[Tensor, "n g"] | None = None,
    layers: int = 3,
) -> Float[Tensor, "n gd h2 w2"]:
    """The encoder up to a layer's convolution, or whole for `layers` 3."""
    for i in range(layers):
        x = strided(x, weights[f"encoder.{i}.kernel"], weights[f"encoder.{i}.bias"])
        given = None if statistics is None else statistics[i]
        x = leaky_(normalised(x, weights[f"encoder.{i}.gain"], weights[f"encoder.{i}.shift"], given, share))
    return x


def refined(
    weights: Weights,
    design: Design,
    x: Float[Tensor, "n gc h w"],
    statistics: Statistics | None = None,
    share: Float[Tensor, "n g"] | None = None,
) -> Float[Tensor, "n gc h w"]:
    """Logits of the rebuilt pixels.

    Parameters
    ----------
    statistics : what the encoder normalises by; None takes the batch's own.
    share : weight of each network's images in those, see `layers.moments`.
    """
    hidden = encoded(weights, x, statistics, share)
    hidden = functional.relu(same(hidden, weights["decoder.0.kernel"], weights["decoder.0.bias"]))
    steps = (
        partial(widened, padding=(2, 2)),
        partial(widened, padding=design.padding),
        partial(widened, padding=(2, 2)),
    )
    for i, step in enumerate(steps, 1):
        hidden = step(hidden, weights[f"decoder.{i}.kernel"], weights[f"decoder.{i}.bias"])
        hidden = functional.relu(hidden) if i < len(steps) else hidden
    return hidden[:, :, : design.height, : design.width]


def judged(
    weights: Weights, x: Float[Tensor, "m gc h w"], share: Float[Tensor, "n g"] | None = None, batches: int = 1
) -> Float[Tensor, "m g"]:
    """The discriminator's logits: above 0 where it takes an image for real.

    Parameters
    ----------
    share : weight of each network's images in what a batch of n is normalised by, see `layers.moments`.
    batches : equally large parts of x that are normalised apart: m = n batches.
    """
    for i in range(len(JUDGE)):
        x = strided(x, weights[f"judge.{i}.kernel"], weights[f"judge.{i}.bias"])
        if i:
            gain, shift = weights[f"judge.{i}.gain"], weights[f"judge.{i}.shift"]
            each = [normalised(part, gain, shift, None, share) for part in x.chunk(batches)]
            x = torch.cat(each) if batches > 1 else each[0]
        x = leaky_(x)
    head = weights["head.kernel"]
    flat = x.reshape(len(x), len(head), -1)
    return torch.einsum("ngd,gd->ng", flat, head[:, 0]) + weights["head.bias"][:, 0]
