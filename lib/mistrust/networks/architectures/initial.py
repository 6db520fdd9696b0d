"""First weights by name: what frameworks fill layers with differs, and neither says so."""

from collections.abc import Callable
from math import prod, sqrt

import numpy as np
import torch
from torch import Tensor, nn

from mistrust import random
from mistrust.errors import check_known
from mistrust.networks.checks import check_module


def _torch(weight: Tensor) -> tuple[float, float]:
    bound = 1.0 / sqrt(prod(weight.shape[1:]))
    return bound, bound


def _keras(weight: Tensor) -> tuple[float, float]:
    field = prod(weight.shape[2:])
    return sqrt(6.0 / (field * (weight.shape[0] + weight.shape[1]))), 0.0


# Half the width of the uniform distribution of a layer's weights (out, in, ...), and of its biases. "torch" is
# PyTorch's default, 1 / sqrt(fan-in) for both; "keras" that of Keras, Glorot's sqrt(6 / (fan-in + fan-out)) with biases
# of zero (Glorot and Bengio 2010, equation 16; a convolution's fans count its kernel's area).
INITIALS: dict[str, Callable[[Tensor], tuple[float, float]]] = {"torch": _torch, "keras": _keras}

AT_ONCE = 1 << 16  # draws made together: they stay in the processor's cache


def initialise(network: nn.Module, seed: int, initial: str = "torch") -> None:
    """Fill convolutions and linear layers with uniform draws of the width that `INITIALS` gives.

    The draws are keyed by the seed and the parameter's name, so the same seed gives the same weights on every version
    of torch, and a layer's weights do not depend on the layers before it. Other layers keep their constant defaults.

    Raises
    ------
    MistrustError
        What is no torch module; an `initial` that is in no table.

    Examples
    --------
    >>> first, second, third = (torch.nn.Linear(3, 2) for _ in range(3))
    >>> initialise(first, seed=0)
    >>> initialise(second, seed=0)
    >>> initialise(third, seed=1)
    >>> torch.equal(first.weight, second.weight), torch.equal(first.weight, third.weight)
    (True, False)
    """
    check_module(network)
    check_known("distribution of first weights", initial, INITIALS)
    for name, layer in network.named_modules():
        if not isinstance(layer, (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)):
            continue
        bounds = INITIALS[initial](layer.weight)
        for kind, values, bound in zip(("weight", "bias"), (layer.weight, layer.bias), bounds, strict=True):
            if values is not None:
                _fill(values.detach(), random.generator(seed, f"init/{name}.{kind}"), bound)


def _fill(values: Tensor, draws: np.random.Generator, bound: float) -> None:
    """Fill with draws uniform in [-bound, bound), part by part: a large array takes three times as long."""
    whole = values if values.is_contiguous() else torch.empty(values.shape, dtype=values.dtype, device=values.device)
    for part in whole.view(-1).split(AT_ONCE):
        part.copy_(torch.from_numpy(draws.uniform(-bound, bound, len(part))))
    if whole is not values:
        values.copy_(whole)
