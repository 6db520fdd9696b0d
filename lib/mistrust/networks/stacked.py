"""Networks of one architecture as one: the same layer of all members is one batched product.

Made for what is linear layers, activations and dropout. A convolution of M members would be a grouped one, which is
slower than M plain ones (`benchmarks/ensembles.py`), and batch normalisation has averages of its own: both are refused.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mistrust.networks.sampling import parts
from mistrust.networks.training import dropout_seed

# How torch's own generator of a kind of device is read and set.
READ: dict[str, Callable[[torch.device], Tensor]] = {
    "cpu": lambda _: torch.get_rng_state(),
    "cuda": torch.cuda.get_rng_state,
    "mps": lambda _: torch.mps.get_rng_state(),
}
WRITE: dict[str, Callable[[Tensor, torch.device], None]] = {
    "cpu": lambda state, _: torch.set_rng_state(state),
    "cuda": torch.cuda.set_rng_state,
    "mps": lambda state, _: torch.mps.set_rng_state(state),
}


class Draws:
    """The dropout of M members in one epoch: each draws what it draws when it is trained alone.

    Dropout can only draw from torch's own generator, so it is lent to one member after another, each with the state in
    which that member left it. Whoever makes `Draws` lends them the generator: `torch.random.fork_rng`.
    """

    def __init__(self, seeds: Sequence[int], epoch: int, device: torch.device) -> None:
        self._device, self._states = device, list[Tensor]()
        for seed in seeds:
            torch.manual_seed(dropout_seed(seed, epoch))
            self._states.append(READ[device.type](device))

    def factors(self, rate: float, like: Float[Tensor, "m n *d"]) -> Float[Tensor, "m n *d"]:
        """What the members' numbers are multiplied by: 0 with chance `rate`, else 1 / (1 - rate)."""
        ones, drawn = torch.ones(like.shape[1:], dtype=like.dtype, device=self._device), list[Tensor]()
        for member, state in enumerate(self._states):
            WRITE[self._device.type](state, self._device)
            drawn.append(functional.dropout(ones, rate))
            self._states[member] = READ[self._device.type](self._device)
        return torch.stack(drawn)


def stack(network: nn.Module, members: int) -> nn.Module:
    """Give each parameter a first axis of members, in place and not yet filled.

    Names stay, so that a member's state is one row of the stack's. What the layers then compute is `forward`.
    """
    for parameter in network.parameters():
        parameter.data = parameter.new_empty(members, *parameter.shape)
    return network


def forward(stacked: nn.Module, x: Float[Tensor, "m n c h w"], draws: Draws) -> Float[Tensor, "m n k"]:
    """Logits of each member's own images, in training mode."""
    for part in parts(stacked):
        x = LAYERS[type(part)](part, x, draws)
    return x


def _linear(layer: nn.Linear, x: Tensor, _: Draws) -> Tensor:
    rows, weight = x.flatten(1, -2), layer.weight.mT
    products = torch.bmm(rows, weight) if layer.bias is None else torch.baddbmm(layer.bias.unsqueeze(1), rows, weight)
    return products.unflatten(1, x.shape[1:-1])


def _flatten(_: nn.Module, x: Tensor, __: Draws) -> Tensor:
    return x.flatten(2)


def _dropout(layer: nn.Dropout, x: Tensor, draws: Draws) -> Tensor:
    return x * draws.factors(layer.p, x)


def _elementwise(layer: nn.Module, x: Tensor, _: Draws) -> Tensor:
    return layer(x)


# What can be stacked: a layer's kind, and how it goes over (m, n, ...) where the layer itself goes over (n, ...).
LAYERS: dict[type[nn.Module], Callable[..., Tensor]] = {
    nn.Linear: _linear,
    nn.Flatten: _flatten,
    nn.Dropout: _dropout,
    **dict.fromkeys((nn.Identity, nn.ReLU, nn.LeakyReLU, nn.ELU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid), _elementwise),
}


def unstackable(network: nn.Module) -> list[str]:
    """Name the layers that no stack can hold, with their kind: "'conv1' (Conv2d)"; [] where all can be stacked.

    What a module of another kind than `nn.Sequential` does between its layers cannot be known: it is named whole.
    """
    names = {id(module): name for name, module in network.named_modules()}
    return [f"'{names[id(part)]}' ({type(part).__name__})" for part in parts(network) if not _known(part)]


def _known(part: nn.Module) -> bool:
    if isinstance(part, nn.Flatten) and (part.start_dim, part.end_dim) != (1, -1):
        return False
    return type(part) in LAYERS
