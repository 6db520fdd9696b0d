"""Models that torch wrote: TorchScript, `torch.export`, and pickled modules, which are read only where trusted."""

import inspect
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from mistrust.assess.models.loaded import Loaded, checksum
from mistrust.errors import MistrustError


def from_script(path: Path, trust: bool) -> Loaded:
    """Read a TorchScript file; it holds its own code, which runs in torch's interpreter."""
    with warnings.catch_warnings():  # torch says that TorchScript is old; whoever wrote the file knows
        warnings.simplefilter("ignore")
        network = torch.jit.load(str(path), map_location="cpu")
    return Loaded(
        network, "TorchScript", path.stem, checksum(path), evaluated(network),
        "TorchScript does not let its layers be read (torch has no hooks for it)",
    )  # fmt: skip


def from_export(path: Path, trust: bool) -> Loaded:
    """Read a `torch.export` file."""
    program = torch.export.load(str(path))
    try:
        network: nn.Module = torch.export.unflatten(program)
        no_layers = ""
    except Exception:  # not every graph can be given its modules back
        network, no_layers = _Flat(program.module()), "this torch.export file does not say which layers it had"
    _ = evaluated(network)
    batch = next(
        (int(node.meta["val"].shape[0]) for node in program.graph.nodes
         if node.op == "placeholder" and node.name in program.graph_signature.user_inputs
         and isinstance(node.meta.get("val"), Tensor) and isinstance(node.meta["val"].shape[0], int)), 0,
    )  # fmt: skip
    return Loaded(network, "torch.export", path.stem, checksum(path), (), no_layers, batch)


def from_pickle(path: Path, trust: bool) -> Loaded:
    """Read a pickled module; a file of weights alone is named as what it is.

    Raises
    ------
    MistrustError
        Not trusted; weights without a network; anything but a module.
    """
    try:
        content: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # what weights_only does not allow: a module, or anything else
        if not trust:
            raise MistrustError(
                f"{path} is pickled: reading it runs whatever code it holds. If you made it yourself, or trust who "
                "did, add --trust; else ask for a TorchScript, torch.export or ONNX file."
            ) from error
        try:
            content = torch.load(path, map_location="cpu", weights_only=False)
        except (ImportError, AttributeError) as missing:
            raise MistrustError(
                f"{path} needs code that is not here ({missing}): start the command in the folder of that code, or "
                "give a TorchScript, torch.export or ONNX file."
            ) from missing
    if isinstance(content, nn.Module):
        return Loaded(content, "pickled torch module", path.stem, checksum(path), evaluated(content))
    if isinstance(content, Mapping):
        raise MistrustError(
            f"{path} holds {len(content)} entries (such as '{next(iter(content), '')}') and no network: weights "
            "alone. Write a function that makes the network and loads them, and name it: --model FILE.py:NAME."
        )
    way = f" {predicting('it')}" if hasattr(content, "predict_proba") else ""
    raise MistrustError(f"{path} holds a {type(content).__name__}, expected a torch module.{way}")


def predicting(name: str) -> str:
    """Say how a model with scikit-learn's `predict_proba` is handed over.

    Examples
    --------
    >>> print(predicting("forest"))
    A model with predict_proba reads rows of features: write a function that makes these of images, such as `def
    model(images): return forest.predict_proba(images.flatten(1).numpy())`, and name it: --model FILE.py:model.
    """
    return (
        "A model with predict_proba reads rows of features: write a function that makes these of images, such as `def "
        f"model(images): return {name}.predict_proba(images.flatten(1).numpy())`, and name it: --model FILE.py:model."
    )


# How modules call the strength of what they do in training mode alone; at zero they do nothing.
STRENGTHS = ("p", "dropout", "drop_prob", "drop_rate")
SETTERS = ("__init__", "train", "eval")  # methods that may name the flag to set it


def evaluated(network: nn.Module) -> tuple[str, ...]:
    """Put a module into evaluation mode; say so where a part was not whose answers hang on it.

    Examples
    --------
    >>> evaluated(nn.Sequential(nn.Linear(4, 2), nn.Softmax(1)))  # made anew, and so in training mode
    ()
    >>> evaluated(nn.Sequential(nn.Linear(4, 2), nn.Dropout(0.5)))[0].partition(":")[0]
    "The model was in training mode (Dropout '1')"
    """
    training = [
        f"{getattr(part, 'original_name', type(part).__name__)}{f' {name!r}' if name else ', the whole model'}"
        for name, part in network.named_modules() if part.training and _minds(part)
    ]  # fmt: skip
    network.eval()
    if not training:
        return ()
    told = "; ".join(training[:3]) + (f"; and {len(training) - 3} more" if len(training) > 3 else "")
    return (
        f"The model was in training mode ({told}): what is done in training alone, such as dropout, would have changed "
        "its answers. It was put into evaluation mode here; do the same where you use it (model.eval()).",
    )


def _minds(part: nn.Module) -> bool:
    """Whether what a module computes, its parts left aside, hangs on its training flag.

    A flag alone says nothing: a `Sequential` hands it on, and a wrapper made around a network that is in evaluation
    mode has it.
    """
    if any(isinstance(strength := getattr(part, name, None), (int, float)) and not strength for name in STRENGTHS):
        return False
    if getattr(part, "running_mean", part) is None:  # statistics of the batch in either mode
        return False
    if isinstance(part, torch.jit.ScriptModule):
        return "self.training" in getattr(part, "code", "")
    own = [
        one for kind in type(part).__mro__ if issubclass(kind, nn.Module) and kind is not nn.Module
        for name, one in vars(kind).items() if name not in SETTERS and inspect.isfunction(one)
    ]  # fmt: skip
    return any("training" in one.__code__.co_names for one in own)


class _Flat(nn.Module):
    """An exported graph, which refuses to be told that it is in evaluation mode, behind a module that does not."""

    def __init__(self, graph: nn.Module) -> None:
        super().__init__()
        self._graph = (graph,)  # in a tuple, so that it is no part of this module

    def forward(self, images: Tensor) -> Tensor:
        return self._graph[0](images)
