"""How deep a network is: the layers with weights on the longest path from the image to the logits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from mistrust.errors import MistrustError
from mistrust.networks.checks import check_module

# What counts as a layer: batch normalisation has weights, too, but no paper counts it.
WEIGHTED = (
    functional.linear, functional.bilinear,
    functional.conv1d, functional.conv2d, functional.conv3d,
    functional.conv_transpose1d, functional.conv_transpose2d, functional.conv_transpose3d,
)  # fmt: skip


@torch.no_grad()
def depth(network: nn.Module, shape: tuple[int, int, int]) -> int:
    """Count the convolutions and linear layers on the longest path.

    As papers count: 8 in AlexNet, 16 in VGG16, 152 in ResNet-152, 48 in Inception v3. Layers beside each other count
    once, those of a shortcut only where the shortcut is the longer way. The network runs once in evaluation mode on one
    black image of its device, "meta" included, where that costs nothing; its training mode is put back.

    Parameters
    ----------
    shape : (channels, height, width) of an image.

    Raises
    ------
    MistrustError
        What is no torch module; a network that gives something other than one tensor.

    Examples
    --------
    >>> nn = torch.nn
    >>> depth(nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10)), (1, 8, 8))
    2
    """
    check_module(network)
    training = {module: module.training for module in network.modules()}
    image = torch.zeros(1, *shape, device=next((p.device for p in network.parameters()), None))
    try:
        with _Counting() as counting:
            logits = network.eval()(image)
    finally:
        for module, mode in training.items():
            module.training = mode
    if not isinstance(logits, Tensor):
        raise MistrustError(
            f"The network gives a {type(logits).__name__}, expected one tensor of logits. Wrap it in a module that "
            "gives the logits alone."
        )
    return counting.behind(logits)


class _Counting(TorchFunctionMode):
    """Keeps, for every tensor that comes out of a function, how many layers lie behind it."""

    def __init__(self) -> None:
        super().__init__()
        # By identity, since tensors compare by value; holding them keeps an identity from being given again.
        self._layers: dict[int, tuple[Tensor, int]] = {}

    def behind(self, tensor: Tensor) -> int:
        """Layers behind a tensor; none behind one that no function gave."""
        return self._layers.get(id(tensor), (tensor, 0))[1]

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = dict(kwargs or {})
        given = func(*args, **options)
        before = max((self.behind(one) for one in _tensors((args, options))), default=0)
        for tensor in _tensors(given):
            self._layers[id(tensor)] = tensor, before + (func in WEIGHTED)
        return given


def _tensors(found: object) -> Iterator[Tensor]:
    """All tensors in nested sequences and mappings."""
    if isinstance(found, Tensor):
        yield found
    elif isinstance(found, Mapping):
        yield from _tensors(list(found.values()))
    elif isinstance(found, Sequence) and not isinstance(found, str):
        for one in found:
            yield from _tensors(one)
