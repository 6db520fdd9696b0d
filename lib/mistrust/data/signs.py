"""Traffic signs as ppm files: GTSRB as torchvision unpacks it, and the Belgian classification set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from mistrust.data import pixels
from mistrust.data.source import Decoded, Remote, Source
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd

# Where torchvision's own GTSRB class gets the three archives (it keeps address and sums inside a method).
GTSRB = "https://sid.erda.dk/public/archives/daaeac0d7ce1152aea9b61d9f1e19370/"
GTSRB_FILES = {
    "GTSRB-Training_fixed.zip": "513f3c79a4c5141765e10e952eaa2478",
    "GTSRB_Final_Test_Images.zip": "c7e4e6327067d32654124b0fe9e82185",
    "GTSRB_Final_Test_GT.zip": "fe31e9c9270bbcd7b84b7f21a9d9d9e5",
}


@dataclass(frozen=True)
class Signs:
    """Reads ppm files from class folders, or from one folder with a table of labels.

    Parameters
    ----------
    parts : the folders in which a split may lie, the first that exists counts.
    tables : the csv file with the labels of a split whose images lie in no class folders.
    numbers : what the numbers in a file name such as `00012_00003.ppm` are.
    first_test : the id of the first test image.
    """

    parts: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, str] = field(default_factory=dict)
    numbers: tuple[str, str] = ("track", "frame")
    first_test: int = 0
    version: int = 1

    def files(self, folder: Path, split: str) -> list[Path]:
        """The folders of images (their times change when a file is added or removed) and the table of labels."""
        root = self._root(folder, split)
        if split in self.tables:
            return [folder / self.tables[split], root]
        return [root, *sorted(path for path in root.iterdir() if path.is_dir())] if root.is_dir() else [root]

    def read(self, folder: Path, split: str, source: Source) -> Decoded:
        """Decode a split: each whole image resized to the set's size, bilinear without antialiasing.

        Ids count the files in order of class and name (of the table of labels, where there is one).
        """
        listed = self._listed(folder, split)
        images = np.empty((len(listed), 3, *source.size), np.uint8)
        for row, (path, _) in enumerate(listed):
            images[row] = shrink(pixels.decode(path.read_bytes(), pixels.Fit(channels=3), str(path)), source.size)
        labels = torch.tensor([label for _, label in listed], dtype=torch.int64)
        return Decoded(
            torch.from_numpy(images), labels, torch.from_numpy(self._ids(split, len(listed))), source.classes
        )

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """The numbers in the file names, and width, height and region of interest where annotations are there."""
        import pandas as pd

        listed = self._listed(folder, split)
        names = [path.stem.split("_") for path, _ in listed]
        numbered = self.numbers if len(names[0]) == 2 else ("index",)
        if all(len(parts) == len(numbered) and all(map(str.isdecimal, parts)) for parts in names):
            frame = pd.DataFrame([[int(part) for part in parts] for parts in names], columns=list(numbered))
        else:
            frame = pd.DataFrame({"file": [path.name for path, _ in listed]})
        notes = self._annotations(folder, split, listed)
        if notes is not None:
            frame = pd.concat([frame, notes], axis=1)
        frame.index = pd.Index(self._ids(split, len(listed)), name="id")
        return frame

    def _root(self, folder: Path, split: str) -> Path:
        roots = [folder / part for part in self.parts[split]]
        return next((root for root in roots if root.is_dir()), roots[0])

    def _ids(self, split: str, n: int) -> np.ndarray:
        first = self.first_test if split == "test" else 0
        return np.arange(first, first + n, dtype=np.int64)

    def _listed(self, folder: Path, split: str) -> list[tuple[Path, int]]:
        root = self._root(folder, split)
        if split in self.tables:
            table = _table(folder / self.tables[split])
            return [(root / name, int(label)) for name, label in zip(table["Filename"], table["ClassId"], strict=True)]
        found = [
            (path, _label(one))
            for one in sorted(path for path in root.iterdir() if path.is_dir())
            for path in sorted(one.glob("*.ppm"))
        ]
        if not found:
            raise MistrustError(f"{root} holds no ppm files in class folders (00000/, 00001/, ...).")
        return found

    def _annotations(self, folder: Path, split: str, listed: list[tuple[Path, int]]) -> "pd.DataFrame | None":
        import pandas as pd

        if split in self.tables:
            table = _table(folder / self.tables[split])
        else:
            tables = [path.parent / f"GT-{path.parent.name}.csv" for path, _ in listed]
            tables = list(dict.fromkeys(tables))
            if not all(path.is_file() for path in tables):
                return None
            table = pd.concat([_table(path).assign(folder=path.parent.name) for path in tables])
            table = table.set_index(["folder", "Filename"])
            table = table.reindex([(path.parent.name, path.name) for path, _ in listed])
        wanted = {"Width": "width", "Height": "height"} | {
            f"Roi.{e}": f"roi_{e.lower()}" for e in ("X1", "Y1", "X2", "Y2")
        }
        return table[list(wanted)].rename(columns=wanted).reset_index(drop=True)


def shrink(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """A uint8 image (channels, height, width) resized bilinearly without antialiasing, rounded to uint8.

    The same as `torch.nn.functional.interpolate`, whose threads cost many times the work on images as small as these.
    """
    values = image.astype(np.float32)
    for axis, length in ((1, size[0]), (2, size[1])):
        old = image.shape[axis]
        at = np.clip((np.arange(length) + 0.5) * old / length - 0.5, 0, old - 1)
        before = at.astype(int)
        after = np.minimum(before + 1, old - 1)
        weight = (at - before).astype(np.float32).reshape((-1, 1) if axis == 1 else (1, -1))
        values = values.take(before, axis) * (1 - weight) + values.take(after, axis) * weight
    return np.rint(values).astype(np.uint8)


def gtsrb_remotes() -> tuple[Remote, ...]:
    """The archives of training images, test images and test labels."""
    return tuple(
        Remote((f"{GTSRB}{name}",), md5, f"downloads/{name}", unpack="gtsrb") for name, md5 in GTSRB_FILES.items()
    )


def _table(path: Path) -> "pd.DataFrame":
    import pandas as pd

    try:
        table = pd.read_csv(path, sep=";")
        table[["Filename", "Width", "Height", "ClassId"]]
    except (OSError, ValueError, KeyError) as error:
        raise MistrustError(f"{path} is no table of labels (Filename;Width;Height;...;ClassId): {error}") from error
    return table


def _label(folder: Path) -> int:
    if not folder.name.isdigit():
        raise MistrustError(f"{folder}: the folders of images are named by class number (00000, 00001, ...).")
    return int(folder.name)
