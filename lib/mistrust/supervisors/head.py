"""The head: a network's last linear layer, for supervisors that change or complete its input."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor, nn

from mistrust.errors import MistrustError
from mistrust.networks import Classifier, Record
from mistrust.networks.sampling import DROPOUTS
from mistrust.supervisors.blocks import blocks, check_width, checked
from mistrust.supervisors.contract import Fitted, Supervisor

# How far logits may be off, as a share of the sum of the absolute products that they are made of: float32 with short
# mantissas in its products (TF32) stays below it, another layer's output does not.
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Head:
    """Weights and biases of a network's last linear layer.

    Attributes
    ----------
    weight : (k, d) float64.
    bias : (k,) float64, zeros where the layer has none.
    """

    weight: Float64[Tensor, "k d"]
    bias: Float64[Tensor, " k"]

    def logits(self, features: Float[Tensor, "n d"]) -> Float64[Tensor, "n k"]:
        """Logits of the features that the layer reads."""
        return features.to(torch.float64) @ self.weight.T + self.bias

    def gives(self, features: Float[Tensor, "n d"], logits: Float[Tensor, "n k"]) -> Bool[Tensor, " n"]:
        """Whether it makes each row's logits of these features, up to rounding."""
        allowed = TOLERANCE * (features.to(torch.float64).abs() @ self.weight.abs().T + self.bias.abs())
        return ((self.logits(features) - logits).abs() <= allowed).all(1)

    def state(self) -> dict[str, Tensor]:
        """As a supervisor keeps it."""
        return {"weight": self.weight, "bias": self.bias}


def find_head(classifier: Classifier, images: Tensor | None = None) -> tuple[str, Head]:
    """Give the last linear layer with one output a class, and its name.

    Parameters
    ----------
    images : where several layers have as many outputs, the one that runs last on these (n, c, h, w) is it, and not the
        one that the network names last.

    Raises
    ------
    MistrustError
        A plain callable; a network without such a layer.
    """
    k = len(classifier.classes)
    heads = [
        (name, layer)
        for name, layer in classifier.layers.items()
        if isinstance(layer, nn.Linear) and layer.out_features == k
    ]
    if not heads:
        raise MistrustError(
            f"Classifier '{classifier.name}' has no linear layer (torch.nn.Linear) with {k} outputs, one per class, so "
            "what it does with its last features is not known. Use a supervisor that reads logits alone, or put the "
            "last layer into the network as a torch.nn.Linear."
        )
    name, layer = heads[-1] if len(heads) == 1 or images is None else _runs_last(classifier, heads, images)
    bias = torch.zeros(k) if layer.bias is None else layer.bias
    # Copies: training that goes on must not change what a supervisor has learnt.
    return name, Head(*(part.detach().to("cpu", torch.float64, copy=True) for part in (layer.weight, bias)))


def _head_of(record: Record) -> tuple[str, Head]:
    return find_head(record.classifier, record.images.images[:1])


@torch.inference_mode()
def _runs_last(classifier: Classifier, layers: list[tuple[str, nn.Linear]], images: Tensor) -> tuple[str, nn.Linear]:
    ran = list[tuple[str, nn.Linear]]()
    handles = [
        layer.register_forward_hook(lambda *_, one=(name, layer): ran.append(one))  # type: ignore[misc]
        for name, layer in layers
    ]
    try:
        classifier(images)
    finally:
        for handle in handles:
            handle.remove()
    return (ran or layers)[-1]


@torch.inference_mode()
def layers_before(record: Record, head: str) -> list[str]:
    """Names of the layers whose output, flat, is what the layer `head` gets, in the order of the pass.

    Seen by passing the record's first two images through the network.
    """
    outputs: dict[str, Tensor] = {}
    inputs: list[Tensor] = []
    modules = {name: layer for name, layer in record.classifier.layers.items() if name}
    names = {layer: name for name, layer in modules.items()}

    def keep(layer: nn.Module, given: tuple[Tensor, ...], named: dict[str, Tensor], output: object) -> None:
        if layer is modules[head]:
            inputs.append(next(iter((*given, *named.values()))).flatten(1))  # it may be called by keyword
        elif isinstance(output, Tensor) and output.ndim > 1:
            name = names[layer]
            outputs.pop(name, None)  # the last call of a layer counts, and its place
            outputs[name] = output.flatten(1).clone()

    handles = [layer.register_forward_hook(keep, with_kwargs=True) for layer in modules.values()]
    try:
        record.classifier(record.images.take(torch.arange(min(2, len(record)))).images)
    finally:
        for handle in handles:
            handle.remove()
    return [name for name, output in outputs.items() if inputs and torch.equal(output, inputs[-1])]


def read_head(record: Record, layer: str, what: str) -> Head:
    """Give the head, after looking that it makes the record's logits of a layer's output.

    Raises
    ------
    MistrustError
        It does not: the message names the layer to record.
    """
    name, head = _head_of(record)
    features = checked(record, layer, what)
    d = head.weight.shape[1]
    if features.shape[1] == d and _all_given(head, features, record.logits):
        return head
    before = layers_before(record, name)
    if layer in before:
        raise MistrustError(
            f"{what}: the last linear layer '{name}' does not make the record's logits of layer '{layer}'. Either "
            "something comes after it (take it off, so that the network gives logits), or its weights have changed "
            "since: observe the images again."
        )
    raise MistrustError(
        f"{what} reads what the last linear layer '{name}' gets, {d} numbers per image; layer '{layer}' gives "
        f"{features.shape[1]}, and they do not make the record's logits. {_advice(record, before, name)}"
    )


def _all_given(head: Head, features: Tensor, logits: Tensor) -> bool:
    return all(bool(head.gives(features[rows], logits[rows]).all()) for rows in blocks(len(features)))


def feature_layer(record: Record) -> str:
    """Name the layer whose output, flat, is what the last linear layer gets, and lasts: dropout only passes it on.

    Seen by passing the record's first two images through the network.

    Raises
    ------
    MistrustError
        No layer's output is just that.
    """
    head, _ = _head_of(record)
    found = _lasting(record, layers_before(record, head))
    if found is None:
        raise MistrustError(f"What does the last linear layer '{head}' get? {_nothing_before(head)}")
    return found


def _lasting(record: Record, before: list[str]) -> str | None:
    """The last of these layers that is no dropout; the last one where all are."""
    module = record.classifier.module
    lasting = [name for name in before if not isinstance(module.get_submodule(name), DROPOUTS)]
    return next(reversed(lasting or before), None)


def _nothing_before(head: str) -> str:
    return f"No layer's output is just that: put one, such as torch.nn.Flatten, in front of '{head}'."


def _advice(record: Record, before: list[str], head: str) -> str:
    name = _lasting(record, before)
    if name is None:
        return _nothing_before(head)
    return f'Record it with observe(classifier, images, layers=["{name}"]) and name it: layer="{name}".'


class OfHead(Supervisor):
    """A supervisor that reads the features before the last linear layer, and that layer; scoring needs no network."""

    def _layers(self, record: Record) -> tuple[str, ...]:
        held = tuple(record.activations)
        if not getattr(self, "layer", "") and len(held) != 1:
            name, _ = _head_of(record)
            raise MistrustError(
                f"{self.card.title} reads what the last linear layer '{name}' gets, and this record holds "
                f"{', '.join(held) or 'no layer'}. {_advice(record, layers_before(record, name), name)}"
            )
        return super()._layers(record)

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        head = read_head(record, layers[0], self.card.title)
        return {**head.state(), **self._learn(record.layer(layers[0]).flatten(1), head, layers[0])}

    def _learn(self, features: Float[Tensor, "n d"], head: Head, layer: str) -> Mapping[str, Tensor]:
        """Give what is learnt beyond the head; nothing where nothing is."""
        return {}

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        features = checked(record, learnt.layers[0], self.card.title)
        head = Head(learnt.state["weight"], learnt.state["bias"])
        check_width(features, head.weight.shape[1], learnt, self.card.title)
        if not _all_given(head, features, record.logits):
            raise MistrustError(
                f"{self.card.title}: the weights that it was fitted on do not make this record's logits of layer "
                f"'{learnt.layers[0]}'. The record is of another network, or of the same after more training: fit it "
                "again."
            )
        return self._suspicion(features, head, learnt)

    @abstractmethod
    def _suspicion(self, features: Float[Tensor, "n d"], head: Head, learnt: Fitted) -> Float64[Tensor, " n"]:
        """Give the scores."""
