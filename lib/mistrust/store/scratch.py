"""Unfinished work: one checkpoint that a killed run goes on from."""

import hashlib
import shutil
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mistrust.errors import MistrustWarning
from mistrust.store.content import decode_tensors, encode_tensors
from mistrust.store.files import write_whole, writing

if TYPE_CHECKING:
    import torch

ENDING = ".safetensors"
# Seconds between checkpoints on the disk: hundreds of short epochs would spend a tenth of their time on writing.
APART = 1.0


class Scratch:
    """One checkpoint of unfinished work, written whole, checked when read, removed when the thing is finished.

    A loop of short steps asks whether one is `due()`: then a kill costs a second more than the step that was under way.

    Parameters
    ----------
    folder : where it lies; None keeps it in memory alone (for work outside the store).

    Examples
    --------
    >>> scratch = Scratch(None)
    >>> scratch.load() is None
    True
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._memory: bytes | None = None
        self._last = time.monotonic()

    def load(self) -> "dict[str, torch.Tensor] | None":
        """The last checkpoint, or None where there is none; a damaged one is named in a warning and left out."""
        if self.folder is None:
            return None if self._memory is None else decode_tensors(self._memory)
        for path in self.folder.glob(".*.part"):
            path.unlink(missing_ok=True)  # killed while writing it
        # The name holds the number and the checksum of the bytes: the last good one counts.
        for path in sorted(self.folder.glob(f"*{ENDING}"), reverse=True):
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() == path.name.removesuffix(ENDING).partition("-")[2]:
                return decode_tensors(data)
            warnings.warn(
                f"The checkpoint {path} is damaged: it is left out, and the work goes on without it.",
                MistrustWarning,
                stacklevel=2,
            )
            path.unlink(missing_ok=True)
        return None

    def due(self) -> bool:
        """Whether the last one, or the beginning, is a second ago; in memory, where nothing is written, always."""
        return self.folder is None or time.monotonic() - self._last >= APART

    def save(self, tensors: "Mapping[str, torch.Tensor]") -> None:
        """Keep these tensors as the checkpoint, in place of the one before."""
        data = encode_tensors(tensors, "A checkpoint")
        if self.folder is None:
            self._memory = data
            return
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            old = sorted(self.folder.glob(f"*{ENDING}"))
            number = int(old[-1].name.partition("-")[0]) + 1 if old else 0
            new = self.folder / f"{number:08d}-{hashlib.sha256(data).hexdigest()}{ENDING}"
            # Not forced to the disk: a kill does no harm, and after a power cut the checksum tells.
            write_whole(new, data, lasting=False)
            for path in old:
                path.unlink(missing_ok=True)
        self._last = time.monotonic()

    def clear(self) -> None:
        """Forget the checkpoint."""
        self._memory = None
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
