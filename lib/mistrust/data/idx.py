"""The original files of MNIST and Fashion-MNIST: idx, gzipped or not, checked against torchvision's md5 sums."""

import gzip
import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from mistrust.data import checksums
from mistrust.data.source import Decoded, Remote, Source
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd

PARTS = {"train": "train", "test": "t10k"}
# Types of idx files by numpy's names, big-endian as the format asks.
CODES = {"uint8": (0x08, ">u1"), "int32": (0x0C, ">i4"), "float64": (0x0E, ">f8")}


@dataclass(frozen=True)
class Idx:
    """Reads `train-images-idx3-ubyte.gz` and its three companions, unpacked ones too.

    Parameters
    ----------
    torchvision : the class in `torchvision.datasets` that knows addresses and md5 sums.
    """

    torchvision: str
    version: int = 1

    def files(self, folder: Path, split: str) -> list[Path]:
        """The images and the labels of a split: the gzipped file, or the unpacked one where only that exists."""
        names = (f"{PARTS[split]}-images-idx3-ubyte", f"{PARTS[split]}-labels-idx1-ubyte")
        found = []
        for name in names:
            packed, plain = folder / f"{name}.gz", folder / name
            found.append(plain if plain.is_file() and not packed.is_file() else packed)
        return found

    def read(self, folder: Path, split: str, source: Source) -> Decoded:
        """Decode a split. Ids are positions in the original files: train from 0, test from the end of train."""
        sums = {remote.target.rpartition("/")[2]: remote.md5 for remote in remotes(self.torchvision)}
        pixels, labels = (read(path, sums.get(path.name)) for path in self.files(folder, split))
        if tuple(pixels.shape[1:]) != source.size or labels.ndim != 1:
            raise MistrustError(
                f"{folder}: images of shape {tuple(pixels.shape)} and labels of shape {tuple(labels.shape)}, expected "
                f"(n, {source.size[0]}, {source.size[1]}) and (n,)."
            )
        first = source.first_id(split)
        ids = torch.arange(first, first + len(pixels))
        return Decoded(pixels[:, None], labels.long(), ids, source.classes)

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """No further columns: the files hold pixels and labels."""
        import pandas as pd

        first = source.first_id(split)
        return pd.DataFrame(index=pd.RangeIndex(first, first + source.counts[split], name="id"))


def remotes(kind: str) -> tuple[Remote, ...]:
    """The four files, with the addresses and md5 sums that torchvision knows.

    Parameters
    ----------
    kind : the class in `torchvision.datasets`.
    """
    from torchvision import datasets

    known = getattr(datasets, kind)
    return tuple(
        Remote(tuple(f"{mirror}{name}" for mirror in known.mirrors), md5, f"{kind}/raw/{name}")
        for name, md5 in known.resources
    )


def read(path: Path, md5: str | None = None) -> Tensor:
    """An idx file of unsigned bytes as a uint8 tensor.

    Parameters
    ----------
    path : the file; unpacked on the way where its name ends in `.gz`.
    md5 : what the file's md5 sum must be, where it is known.

    Raises
    ------
    MistrustError
        The file has another md5 sum, cannot be unpacked, is no idx file of bytes, or holds more or less than its
        header says.
    """
    if md5 is not None:
        checksums.verify(path, "md5", md5)
    raw = path.read_bytes()
    if path.suffix == ".gz":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise MistrustError(f"{path} cannot be unpacked: {error}. Delete it and get it again.") from error
    if len(raw) < 4 or raw[:3] != b"\0\0\x08":
        raise MistrustError(f"{path} is no idx file of bytes: it begins with {raw[:4].hex()}, expected 000008.")
    axes = raw[3]
    begin = 4 + 4 * axes
    shape = tuple(np.frombuffer(raw[4:begin], dtype=">i4").tolist()) if len(raw) >= begin else ()
    expected = begin + math.prod(shape)
    if len(shape) != axes or len(raw) != expected:
        raise MistrustError(
            f"{path} is truncated or altered: {len(raw):,} bytes, where its header {shape} asks for {expected:,}. "
            "Delete it and get it again."
        )
    return torch.from_numpy(np.frombuffer(raw, np.uint8, offset=begin).reshape(shape).copy())


def write(path: Path, values: np.ndarray) -> None:
    """Write an array as an idx file, unpacked; `path` must not exist.

    Parameters
    ----------
    path : by custom its name ends in the number of axes and the type: `idx3-ubyte`, `idx1-int`, `idx2-double`.
    values : of uint8, int32 or float64, with one axis or more.
    """
    kind = values.dtype.name
    if kind not in CODES:
        raise MistrustError(f"{path.name}: an array of {kind}, expected one of {', '.join(CODES)} for an idx file.")
    code, stored = CODES[kind]
    with path.open("xb") as file:
        file.write(bytes([0, 0, code, values.ndim]) + np.array(values.shape, ">i4").tobytes())
        file.write(np.ascontiguousarray(values.astype(stored, copy=False)).data)
