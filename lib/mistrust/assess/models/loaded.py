"""`Loaded`: a model as it was read, and what makes its outputs one tensor."""

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mistrust.errors import MistrustError

LONGEST = 400  # characters of another library's error that a message repeats


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model as it was read.

    Attributes
    ----------
    network : a torch module, or a callable from float32 images (n, c, h, w) to (n, k).
    kind : what it is, in words ("TorchScript").
    name : what the report calls it.
    checksum : sha256 (its first 20 hex digits) of the file that it came from.
    notices : what was found and set right on the way.
    no_layers : why its layers cannot be read; "" where they can.
    batch : the only number of images that it takes at a time; 0 for any.
    no_gradients : why there are none, if that is known without trying.
    training : modules of it that came in training mode, by name ("" is the whole); they are in evaluation mode now.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("mine.py").write_text("import torch; network = torch.nn.Flatten()")
    >>> loaded = read_model("mine.py:network")
    >>> loaded.kind, loaded.name, loaded.batch
    ('torch module', 'network', 0)
    """

    network: Callable[[Tensor], Tensor]
    kind: str
    name: str
    checksum: str
    notices: tuple[str, ...] = ()
    no_layers: str = ""
    batch: int = 0
    no_gradients: str = ""
    training: tuple[str, ...] = ()


def checksum(path: Path) -> str:
    """sha256 of a file, its first 20 hex digits."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()[:20]


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Let imports find what lies in a folder, as `python FILE` would."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def in_short(error: Exception) -> str:
    """Kind and words of another library's error, for a message that repeats it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # TorchScript ends with what was wrong, onnxruntime with an advice.
    told = lines[-1] if any("Traceback" in line for line in lines) else " ".join(lines)[:LONGEST]
    return f"{type(error).__name__}: {told}"


def as_tensor(output: Any) -> Tensor:
    """The tensor in what a model gives: itself, an array, `.logits`, an entry "logits", or the only one of several.

    Raises
    ------
    MistrustError
        None of these.
    """
    if isinstance(output, Tensor):
        return output
    if isinstance(output, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(output))
    inner = output.get("logits") if isinstance(output, Mapping) else getattr(output, "logits", None)
    if inner is None and isinstance(output, (tuple, list)) and len(output) == 1:
        inner = output[0]
    if inner is None:
        raise MistrustError(
            f"The model gives a {type(output).__name__}, expected one tensor or array of shape (images, classes). "
            "Wrap it in a function that gives the logits alone, and name that: --model FILE.py:NAME."
        )
    return as_tensor(inner)


class Plain(nn.Module):
    """A module whose outputs are made one tensor; layers and gradients stay."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, images: Tensor) -> Tensor:
        """Logits (n, k) of images (n, c, h, w)."""
        return as_tensor(self.inner(images))


class Sized(nn.Module):
    """A model that takes one number of images only: others are cut, and the last part filled up with black ones."""

    def __init__(self, inner: Callable[[Tensor], Any], size: int) -> None:
        super().__init__()
        self.inner, self.size = inner, size

    def forward(self, images: Tensor) -> Tensor:
        """Logits (n, k) of images (n, c, h, w)."""
        return torch.cat([as_tensor(self.inner(filled))[: len(some)] for some, filled in self._parts(images)])

    def _parts(self, images: Tensor) -> list[tuple[Tensor, Tensor]]:
        short = [self.size - len(some) for some in images.split(self.size)]
        return [
            (some, torch.cat([some, some.new_zeros(left, *some.shape[1:])]) if left else some)
            for some, left in zip(images.split(self.size), short, strict=True)
        ]


def callable_of(function: Callable[[Tensor], Any], home: Path | None = None) -> Callable[[Tensor], Tensor]:
    """A function whose outputs are made one tensor; what lies in a folder is found when it imports as it runs."""

    def call(images: Tensor) -> Tensor:
        with beside(home) if home else nullcontext():
            return as_tensor(function(images))

    return call
