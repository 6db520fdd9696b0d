"""Outputs of hidden layers, some images at a time: from a record that holds them, or computed again when asked for.

A small network's first layer gives 21,632 numbers per image; of 80,000 images that is 7 GB. What is too large to keep
is computed once more in every pass, all layers in one forward pass, so memory is bounded by the images asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mistrust.errors import MistrustError, check_known
from mistrust.networks import Classifier, Record, layer_names
from mistrust.networks.checks import check_rows
from mistrust.supervisors.finite import features

# Images in one forward pass.
BLOCK = 256


@torch.no_grad()
def layer_outputs(
    classifier: Classifier, images: Float[Tensor, "n c h w"], layers: Sequence[str]
) -> dict[str, Float[Tensor, "n ..."]]:
    """Outputs of some layers for these images, by name, on the classifier's device; one forward pass.

    Raises
    ------
    MistrustError
        A layer that the network does not have or does not use, or that gives no tensor with one row per image; a
        classifier that wraps a plain callable.
    """
    found: dict[str, Tensor] = {}
    handles = []
    for name in layers:

        def keep(_: nn.Module, __: object, output: Tensor, name: str = name) -> None:
            check_rows(output, name, classifier, len(images))
            # A later layer may write into it. As rows are read: of channels that lie last, flat rows are a second copy.
            found[name] = output.clone(memory_format=torch.contiguous_format)

        handles.append(_module(classifier, name).register_forward_hook(keep))
    try:
        classifier(images)
    finally:
        for handle in handles:
            handle.remove()
    for name in layers:
        if name not in found:
            raise MistrustError(
                f"Layer '{name}' of '{classifier.name}' gave no output: the network does not call it. Name another."
            )
    return found


def _module(classifier: Classifier, name: str) -> nn.Module:
    check_known(f"layer of '{classifier.name}'", name, layer_names(classifier))
    return classifier.module.get_submodule(name)


@dataclass(frozen=True)
class LayerRows:
    """Chosen layers of a record, flat, for any rows in any order.

    Attributes
    ----------
    record : what is read. Layers that it does not hold are computed from its images.
    layers : their names.
    what : who asks, for messages.
    kept : layers that `keep` has computed once.
    """

    record: Record
    layers: tuple[str, ...]
    what: str
    kept: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.streamed:
            _module(self.record.classifier, name)

    @property
    def streamed(self) -> list[str]:
        """The layers that have to be computed."""
        return [name for name in self.layers if name not in self.record.activations and name not in self.kept]

    def __call__(self, rows: Int[Tensor, " m"], layers: Sequence[str] | None = None) -> dict[str, Float[Tensor, "m d"]]:
        """Give some rows of these layers (of all, where none are named), in the order of `rows`, on one device.

        Raises
        ------
        MistrustError
            A number that is NaN or infinite: names the layer.
        """
        wanted = self.layers if layers is None else tuple(layers)
        held, classifier = {**self.record.activations, **self.kept}, self.record.classifier
        found = {name: held[name][rows].flatten(1) for name in wanted if name in held}
        missing = [name for name in wanted if name not in held]
        if missing:
            images = self.record.images.images[rows]
            found |= {n: values.flatten(1) for n, values in layer_outputs(classifier, images, missing).items()}
        for name in wanted:
            # One sum is a quarter of the time that looking at each number takes; where it fails, `features` looks.
            if not bool(torch.isfinite(found[name].sum())):
                features(replace(self.record, activations=found), name, self.what)
        return {name: found[name].to(classifier.device, torch.float32) for name in wanted}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many numbers each layer gives for an image."""
        return {name: values.shape[1] for name, values in self(torch.arange(1)).items()}

    def keep(self, memory: int) -> None:
        """Compute what is missing once for all rows, if it takes at most `memory` bytes: else it is left as it is."""
        missing, sizes, n = self.streamed, self.sizes, len(self.record)
        if not missing or 4 * n * sum(sizes[name] for name in missing) > memory:
            return
        whole = {name: torch.empty(n, sizes[name]) for name in missing}
        for rows in torch.arange(n).split(BLOCK):
            for name, values in self(rows, missing).items():
                whole[name][rows] = values.cpu()
        self.kept.update(whole)
