"""CIFAR-10 complete, from the files that torchvision downloads, through torchvision's own loader."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mistrust.data import checksums
from mistrust.data.source import Decoded, Remote, Source
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd


def cifar10() -> Any:
    """The class of torchvision, imported when needed."""
    from torchvision.datasets import CIFAR10

    return CIFAR10


@dataclass(frozen=True)
class Cifar:
    """Reads `cifar-10-batches-py` below the folder.

    Parameters
    ----------
    dataset : gives the torchvision class, which knows the file names and md5 sums.
    batches : the names of the files. (Known without torchvision, whose import takes seconds, for looking whether
        they are there.)
    """

    dataset: Callable[[], Any] = cifar10
    batches: tuple[str, ...] = (*(f"data_batch_{k}" for k in range(1, 6)), "test_batch", "batches.meta")
    version: int = 1

    def files(self, folder: Path, split: str) -> list[Path]:
        """All batches: torchvision checks them together, whichever split is asked for."""
        return [folder / "cifar-10-batches-py" / name for name in self.batches]

    def read(self, folder: Path, split: str, source: Source) -> Decoded:
        """Decode a split. Ids are positions in the original order, those of test counted on from the end of train."""
        kind = self.dataset()
        for name, md5 in [*kind.train_list, *kind.test_list, (kind.meta["filename"], kind.meta["md5"])]:
            # Before torchvision, whose error names no file, and before anything is unpickled.
            checksums.verify(folder / kind.base_folder / name, "md5", md5)
        original = kind(root=str(folder), train=split == "train", download=False)
        if tuple(original.classes) != source.classes:
            raise MistrustError(f"{source.name}: classes are {original.classes}, expected {list(source.classes)}.")
        images = torch.from_numpy(np.ascontiguousarray(original.data.transpose(0, 3, 1, 2)))
        first = source.first_id(split)
        return Decoded(
            images, torch.as_tensor(original.targets), torch.arange(first, first + len(images)), source.classes
        )

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """No further columns."""
        import pandas as pd

        first = source.first_id(split)
        return pd.DataFrame(index=pd.RangeIndex(first, first + source.counts[split], name="id"))


def remotes() -> tuple[Remote, ...]:
    """The archive, as torchvision knows it."""
    kind = cifar10()
    return (Remote((kind.url,), kind.tgz_md5, f"downloads/{kind.filename}", unpack="."),)
