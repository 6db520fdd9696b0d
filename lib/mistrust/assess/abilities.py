"""What can be asked of a model: gradients, a layer, a last linear layer, dropout; and why not, where it cannot."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, UnknownName
from mistrust.networks import DROPOUTS, Classifier, Record, layer_names, observe
from mistrust.networks.sampling import has_active_dropout
from mistrust.supervisors.head import find_head, layers_before

# What a part or a supervisor may need, in the words of the report.
NEEDS: dict[str, str] = {
    "model": "the model itself",
    "gradients": "gradients of the model",
    "layer": "the output of a hidden layer",
    "head": "the model's last linear layer",
    "dropout": "dropout layers",
    "train": "training images",
    "scale": "logits on their own scale",
    "members": "further models of the same classes (an ensemble)",
    "training": "a training of its own",
}
WIDEST = 8192  # numbers per image in a layer that is taken for features without being asked for


@dataclass(frozen=True)
class Abilities:
    """What there is.

    Attributes
    ----------
    lacks : why not, for each entry of `NEEDS` that there is not.
    layer : name of the layer that supervisors read; "" where there is none.
    """

    lacks: Mapping[str, str] = field(default_factory=dict)
    layer: str = ""

    def missing(self, needs: tuple[str, ...]) -> str:
        """The sentence on what is missing, "" where nothing is."""
        return "; ".join(f"needs {NEEDS[need]}, and {self.lacks[need]}" for need in needs if need in self.lacks)


def abilities(
    classifier: Classifier,
    images: ImageSet,
    *,
    outputs: str,
    train: bool,
    no_layers: str = "",
    no_gradients: str = "",
    layer: str = "",
) -> Abilities:
    """Find out by trying what can be asked of a model.

    Parameters
    ----------
    images : a few.
    outputs : what it gives ("logits", "probabilities", "log-probabilities").
    train : whether there are training images.
    no_layers, no_gradients : why layers cannot be read, and why there are no gradients, if that is known.
    layer : the layer to read; "": what the last linear layer reads, or else the last hidden layer.

    Raises
    ------
    MistrustError
        A layer that was asked for and is not there.
    """
    lacks: dict[str, str] = {
        "members": "one model was given",
        "training": "that takes minutes (in Python: mistrust.supervisors.Monitor)",
    }
    if outputs != "logits":
        lacks["scale"] = f"the model gives {outputs}"
    if not train:
        lacks["train"] = "no folder was named by --train"
    few = images.take(slice(0, 2))
    reason = no_gradients or _no_gradients(classifier, few)
    if reason:
        lacks["gradients"] = reason
    network = classifier.network
    if isinstance(network, torch.jit.ScriptModule):
        no_layers = no_layers or "TorchScript does not let its layers be read (torch has no hooks for it)"
    if not isinstance(network, nn.Module) or no_layers:
        reason = no_layers or "a plain callable has no layers"
        lacks |= dict.fromkeys(("layer", "head"), reason) | {"dropout": reason}
        if layer:
            raise MistrustError(f"--layer {layer}: {reason}. Leave it out.")
        return Abilities(lacks)
    if not any(isinstance(part, DROPOUTS) for part in network.modules()):
        lacks["dropout"] = "the model has none"
    elif not has_active_dropout(network):
        lacks["dropout"] = "those of the model have no rate between 0 and 1"
    elif not _samples(classifier, few):
        lacks["dropout"] = "the model does not call its own, or not with one row per image"
    chosen, head = _layer(classifier, few, layer)
    if not chosen:
        lacks["layer"] = "no layer of the model gives one row of numbers per image"
    if head:
        lacks["head"] = head
    return Abilities(lacks, chosen)


def _samples(classifier: Classifier, few: ImageSet) -> bool:
    """Whether passes with dropout on can be drawn."""
    try:
        observe(classifier, few, samples=2)
    except MistrustError:
        return False
    return True


def _no_gradients(classifier: Classifier, few: ImageSet) -> str:
    """Why there are none; "" where there are."""
    if not isinstance(classifier.network, nn.Module):
        return "a plain callable has none"
    try:
        with torch.enable_grad():
            pixels = few.floats().clone().requires_grad_()
            outputs = classifier(pixels)
            if not outputs.requires_grad:
                return "the model's outputs do not follow from its input by differentiable steps"
            slope = torch.autograd.grad(outputs.double().logsumexp(1).sum() - outputs.double().sum(), pixels)[0]
    except MistrustError:
        raise
    except Exception as error:  # whatever a backward pass of somebody's model raises
        return f"a backward pass fails ({type(error).__name__})"
    good = bool(torch.isfinite(slope).all()) and bool((slope != 0).any())
    return "" if good else "the model's gradients are zero or not finite"


def _layer(classifier: Classifier, few: ImageSet, wanted: str) -> tuple[str, str]:
    """The layer to read, and why the head cannot be used with it ("" where it can)."""
    outputs = _outputs(classifier, few)
    if wanted:
        if wanted not in layer_names(classifier):
            raise UnknownName("layer of the model", wanted, layer_names(classifier))
        if wanted not in outputs:
            raise MistrustError(f"--layer {wanted} gives no rows of numbers, one per image: {', '.join(outputs)} do.")
    try:
        name, _ = find_head(classifier, few.images[:1])
        before = layers_before(Record(few, classifier, outputs[list(outputs)[-1]][:, :0]), name)
    except MistrustError:
        before = list[str]()
    if wanted:
        return wanted, "" if wanted in before else f"layer {wanted} is not what it reads"
    if before:
        return before[-1], ""
    k = len(classifier.classes)
    hidden = [name for name, output in outputs.items() if output.shape[1] != k and output.shape[1] <= WIDEST]
    return (hidden[-1] if hidden else ""), "no layer was found whose output a last torch.nn.Linear reads"


@torch.inference_mode()
def _outputs(classifier: Classifier, few: ImageSet) -> dict[str, Tensor]:
    """Outputs of all layers that give one row per image, flat, in the order of the pass."""
    found: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[[nn.Module, Any, Any], None]:
        def hook(_: nn.Module, __: Any, output: Any) -> None:
            if isinstance(output, Tensor) and output.ndim > 1 and len(output) == len(few):
                found.pop(name, None)
                found[name] = output.flatten(1)

        return hook

    handles = [part.register_forward_hook(keep(name)) for name, part in classifier.layers.items() if name]
    try:
        logits = classifier(few.images)
    finally:
        for handle in handles:
            handle.remove()
    return {**found, **({} if found else {"": logits})}
