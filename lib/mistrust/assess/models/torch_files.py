"""Models that torch wrote: TorchScript, and `torch.export` and pickled modules, which are read only where trusted."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from mistrust.assess.models.loaded import Loaded, beside, checksum
from mistrust.assess.models.training_mode import evaluated
from mistrust.errors import MistrustError

OLD_MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19"  # how files begin that torch wrote before it wrote archives


def from_script(path: Path, trust: bool) -> Loaded:
    """Read a TorchScript file; it holds its own code, which runs in torch's interpreter."""
    with warnings.catch_warnings():  # torch says that TorchScript is old; whoever wrote the file knows
        warnings.simplefilter("ignore")
        network = torch.jit.load(str(path), map_location="cpu")
    return Loaded(
        network, "TorchScript", path.stem, checksum(path), training=evaluated(network),
        no_layers="TorchScript does not let its layers be read (torch has no hooks for it)",
    )  # fmt: skip


def from_export(path: Path, trust: bool) -> Loaded:
    """Read a `torch.export` file.

    torch unpickles the example inputs and constants in it and evaluates its shapes as Python, whatever they hold.

    Raises
    ------
    MistrustError
        Not trusted.
    """
    if not trust:
        raise _untrusted(f"{path} is a torch.export file: torch reads such a file by running")
    program = torch.export.load(str(path))
    try:
        network: nn.Module = torch.export.unflatten(program)
        no_layers = ""
    except Exception:  # not every graph can be given its modules back
        network, no_layers = _Flat(program.module()), "this torch.export file does not say which layers it had"
    network.eval()
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
        with warnings.catch_warnings():  # that a file is not of the usual protocol tells its reader nothing
            warnings.simplefilter("ignore")
            content: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # what weights_only does not allow: a module, or anything else
        if not trust:
            raise _untrusted(f"{path} is pickled: reading it runs") from error
        try:
            with beside(path.resolve().parent), beside(Path.cwd()):
                content = torch.load(path, map_location="cpu", weights_only=False)
        except (ImportError, AttributeError) as missing:
            raise MistrustError(
                f"{path} needs code that is not here ({missing}): start the command in the folder of that code, or "
                "give a TorchScript, torch.export or ONNX file. A class of a script or notebook (`__main__`) has to "
                "move into a file that can be imported, and the model has to be saved from there."
            ) from missing
    if isinstance(content, nn.Module):
        return Loaded(content, "pickled torch module", path.stem, checksum(path), training=evaluated(content))
    if isinstance(content, Mapping):
        raise MistrustError(
            f"{path} holds {len(content)} entries (such as '{next(iter(content), '')}') and no network: weights "
            "alone. Write a function that makes the network and loads them, and name it: --model FILE.py:NAME."
        )
    way = f" {predicting('it')}" if hasattr(content, "predict_proba") else ""
    raise MistrustError(f"{path} holds a {type(content).__name__}, expected a torch module.{way}")


def from_other_pickle(path: Path, trust: bool) -> Loaded:
    """Say how a model is handed over that torch did not write; it is not read, trusted or not.

    Raises
    ------
    MistrustError
        Always.
    """
    raise MistrustError(
        f"{path} is a pickle that torch did not write (pickle.dump and joblib.dump write such). Read it in "
        f"a file of your own, and name what it holds: --model FILE.py:NAME. {predicting('it')}"
    )


def predicting(name: str) -> str:
    """Say how a model with scikit-learn's `predict_proba` is handed over.

    Examples
    --------
    >>> predicting("forest").partition(", such as ")[0]
    'A model with predict_proba reads rows of features: write a function that makes these of images'
    """
    return (
        "A model with predict_proba reads rows of features: write a function that makes these of images, such as `def "
        f"model(images): return {name}.predict_proba(images.flatten(1).numpy())`, and name it: --model FILE.py:model."
    )


def _untrusted(what: str) -> MistrustError:
    return MistrustError(
        f"{what} whatever code it holds. If you made it yourself, or trust who did, add --trust; else ask for a "
        "TorchScript or ONNX file."
    )


class _Flat(nn.Module):
    """An exported graph, which refuses to be told that it is in evaluation mode, behind a module that does not."""

    def __init__(self, graph: nn.Module) -> None:
        super().__init__()
        self._graph = (graph,)  # in a tuple, so that it is no part of this module

    def forward(self, images: Tensor) -> Tensor:
        return self._graph[0](images)
