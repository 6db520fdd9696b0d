"""Images in parquet files: `train.parquet` and `test.parquet` with encoded images, `classes.txt` beside them.

The layout is described in data/README.md; it is also how users bring their own images.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from mistrust.data import checksums, pixels
from mistrust.data.source import Decoded, Source
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd

CLASSES = "classes.txt"
PARTS = {"train": "train.parquet", "test": "test.parquet"}
# Rows decoded at a time: bounds the encoded bytes in memory, whatever the length of the file.
BLOCK = 1024
LAST = torch.iinfo(torch.int64).max  # an unsigned column may hold more than this


@dataclass(frozen=True)
class Parquet:
    """Reads a folder in the parquet layout.

    Parameters
    ----------
    parts : the file of each split.
    sums : sha256 of files that must be exactly those, by name; empty for a user's own images.
    crop : whether images larger than the set's size are cut to their centre instead of refused.
    """

    parts: Mapping[str, str] = field(default_factory=lambda: PARTS)
    sums: Mapping[str, str] = field(default_factory=dict)
    crop: bool = False
    version: int = 1

    def files(self, folder: Path, split: str) -> list[Path]:
        """The split's parquet file and the class names."""
        return [folder / self.parts[split], folder / CLASSES] if split in self.parts else []

    def read(self, folder: Path, split: str, source: Source) -> Decoded:
        """Decode a split. Ids are row numbers, those of test counted on from the end of train."""
        path = self._checked(folder, split)
        file = open_file(path)
        channels = source.channels or _declared_channels(path, file)
        fit = pixels.Fit(channels, None if source.size == (0, 0) else source.size, self.crop)
        n = file.metadata.num_rows
        images, labels, row = np.empty(0, np.uint8), np.empty(n, np.int64), 0
        for block in _blocks(path, file):
            for image, label in zip(block["image"].to_pylist(), block["label"].to_pylist(), strict=True):
                if label is None:
                    raise MistrustError(f"{path}: row {row} has no label.")
                if label > LAST:
                    raise MistrustError(
                        f"{path}: row {row} has the label {label}, expected the line of a class, from 0."
                    )
                decoded = pixels.decode(_encoded(path, row, image), fit, f"{path}: row {row}")
                if row == 0:  # the first image fixes what was left open
                    fit = pixels.Fit(decoded.shape[0], (decoded.shape[1], decoded.shape[2]), self.crop, channels == 0)
                    images = np.empty((n, *decoded.shape), np.uint8)
                images[row] = decoded
                labels[row] = label
                row += 1
        if row == 0:
            raise MistrustError(f"{path} holds no images.")
        first = source.first_id(split)
        ids = torch.arange(first, first + n)
        return Decoded(torch.from_numpy(images), torch.from_numpy(labels), ids, class_names(folder / CLASSES))

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """Every column but the image and its label, indexed by id."""
        import pandas as pd

        path = self._checked(folder, split)
        file = open_file(path)
        wanted = [name for name in file.schema_arrow.names if name not in ("image", "label")]
        frame = file.read(columns=wanted).to_pandas()
        first = source.first_id(split)
        frame.index = pd.RangeIndex(first, first + file.metadata.num_rows, name="id")
        return frame

    def _checked(self, folder: Path, split: str) -> Path:
        for path in self.files(folder, split):
            if path.name in self.sums:
                checksums.verify(
                    path,
                    "sha256",
                    self.sums[path.name],
                    "Get the file again; if these are images of your own, give their folder another name.",
                )
        return folder / self.parts[split]


def open_file(path: Path) -> Any:
    """A parquet file of images and labels, opened and its columns checked.

    Raises
    ------
    MistrustError
        It is no parquet file (truncated ones are none either), or lacks a column; the message gives the columns.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # Files written with page checksums (data/README.md shows how) have every page checked.
        file = parquet.ParquetFile(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise MistrustError(f"{path} is truncated, altered or no parquet file: {error}") from error
    schema = file.schema_arrow
    fields = {one.name: one.type for one in schema}
    image, label = fields.get("image"), fields.get("label")
    good = image is not None and pa.types.is_struct(image) and image.get_field_index("bytes") >= 0
    if not good or label is None or not pa.types.is_integer(label):
        shown = ", ".join(f"{name}: {kind}" for name, kind in fields.items())
        raise MistrustError(
            f"{path} has the columns {shown or 'none'}; expected image: struct<bytes: binary, path: string> and "
            "label: int64 (data/README.md has a script that writes such a file)."
        )
    return file


def class_names(path: Path) -> tuple[str, ...]:
    """The lines of a `classes.txt`; the mark that some editors put before the first is no part of it."""
    try:
        return tuple(line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip())
    except UnicodeDecodeError as error:
        raise MistrustError(f"{path} is not UTF-8 text: {error}.") from error


def _blocks(path: Path, file: Any) -> Any:
    import pyarrow as pa

    try:
        yield from file.iter_batches(batch_size=BLOCK, columns=["image", "label"])
    except (pa.ArrowException, OSError) as error:
        raise MistrustError(f"{path} is truncated or altered: {error}. Write or get it again.") from error


def _encoded(path: Path, row: int, image: Any) -> bytes:
    blob = None if image is None else image["bytes"]
    if not blob:
        raise MistrustError(
            f"{path}: row {row} has no image bytes. The file itself must hold each image (a complete PNG, WebP or "
            "JPEG file), a path alone is not enough."
        )
    return blob


def _declared_channels(path: Path, file: Any) -> int:
    said = (file.schema_arrow.metadata or {}).get(b"channels")
    if said is None:
        return 0
    if said not in (b"1", b"3"):
        raise MistrustError(f"{path}: the schema's metadata say channels = {said.decode()}, expected 1 or 3.")
    return int(said)
