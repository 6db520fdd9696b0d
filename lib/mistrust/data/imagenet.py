"""ImageNet's validation images as torchvision lays them out: `val/n01440764/*.JPEG`, a folder for each class.

One image a class is read, the first by file name: the whole part would take 10 GB decoded.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from mistrust.data.source import Decoded, Source
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd

CLASSES = 1000
ENDINGS = (".jpeg", ".jpg", ".png")


@dataclass(frozen=True)
class ImageNetFolder:
    """Reads `val` below the folder.

    Parameters
    ----------
    side : pixels of the shorter side after resizing, and of the square that is kept: what the largest of torchvision's
        networks starts from (Inception v3), so that smaller ones only ever shrink it.
    """

    side: int = 342
    version: int = 1

    def files(self, folder: Path, split: str) -> list[Path]:
        """The folder of class folders."""
        return [folder / "val"] if split == "test" else []

    def read(self, folder: Path, split: str, source: Source) -> Decoded:
        """Decode one image of each class. Labels are ImageNet's, ids those of the class.

        Class names are the folders' own with torchvision's words, for two names occur twice.
        """
        chosen = self._chosen(folder / "val")
        images = np.empty((len(chosen), 3, self.side, self.side), np.uint8)
        for row, path in enumerate(chosen.values()):
            images[row] = _square(path, self.side)
        labels = torch.tensor(list(chosen))
        return Decoded(torch.from_numpy(images), labels, labels.clone(), _names(_folders(folder / "val")))

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """The file of each image, below `val`."""
        import pandas as pd

        chosen = self._chosen(folder / "val")
        files = [str(path.relative_to(folder / "val")) for path in chosen.values()]
        return pd.DataFrame({"file": files}, index=pd.Index(list(chosen), name="id"))

    def _chosen(self, val: Path) -> dict[int, Path]:
        found = {}
        for label, name in enumerate(_folders(val)):
            files = sorted(path for path in (val / name).iterdir() if path.suffix.lower() in ENDINGS)
            if not files:
                raise MistrustError(
                    f"{val / name} holds no image ({', '.join(ENDINGS)}). Unpack the validation images again; some of "
                    "them alone can be read as a set of your own (data/README.md)."
                )
            found[label] = files[0]
        return found


def _folders(val: Path) -> list[str]:
    names = sorted(path.name for path in val.iterdir() if path.is_dir())
    if len(names) != CLASSES:
        raise MistrustError(
            f"{val} has {len(names):,} class folders, expected {CLASSES:,}, named n01440764 and so on: labels are "
            "their order. torchvision.datasets.ImageNet(FOLDER, split='val') makes them from the official archive."
        )
    return names


def _names(folders: list[str]) -> tuple[str, ...]:
    from torchvision.models import AlexNet_Weights

    words = AlexNet_Weights.IMAGENET1K_V1.meta["categories"]
    return tuple(f"{folder} {word}" for folder, word in zip(folders, words, strict=True))


def _square(path: Path, side: int) -> np.ndarray:
    """The centre of an image whose shorter side was resized, as torchvision's transforms do; (3, side, side)."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            colour = image.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise MistrustError(f"{path} is no complete image: {error}. Unpack it again.") from error
    width, height = colour.size
    short = min(width, height)
    colour = colour.resize((side * width // short, side * height // short), Image.Resampling.BILINEAR)
    left, top = (colour.width - side) // 2, (colour.height - side) // 2
    return np.asarray(colour.crop((left, top, left + side, top + side))).transpose(2, 0, 1)
