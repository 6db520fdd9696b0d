"""What one entry of the table of image sets says, and what reads its files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from torch import Tensor

if TYPE_CHECKING:
    import pandas as pd

SPLITS = ("train", "test")


@dataclass(frozen=True)
class Decoded:
    """What a reader gives: uint8 images (n, channels, height, width), labels and ids (n,), and class names."""

    images: Tensor
    labels: Tensor
    ids: Tensor
    classes: tuple[str, ...]


class Reader(Protocol):
    """Reads one kind of files. `folder` is the folder where the set was found."""

    # A new number makes decoded copies of older readers void.
    version: int

    def files(self, folder: Path, split: str) -> list[Path]:
        """Every file that the pixels, labels or ids of a split depend on, whether it is there or not."""
        ...

    def read(self, folder: Path, split: str, source: "Source") -> Decoded:
        """Decode a split; a file that is damaged or not the expected one is named with both checksums."""
        ...

    def columns(self, folder: Path, split: str, source: "Source") -> "pd.DataFrame":
        """What the files tell about each image beside its label, indexed by id."""
        ...


@dataclass(frozen=True)
class Remote:
    """One file to download: addresses in the order to try, md5, and where it belongs below the download folder."""

    urls: tuple[str, ...]
    md5: str
    target: str


@dataclass(frozen=True)
class Source:
    """One image set.

    Attributes
    ----------
    name : the name it is loaded by. Different pixels have different names.
    title : what it is, in a few words.
    classes : class names, by label; empty where a file beside the images tells them.
    channels : 1 (grey) or 3 (colour); 0 where the files tell.
    size : height and width in pixels; (0, 0) where the files tell.
    counts : images in each split that exists; empty where the files tell.
    reader : what decodes its files.
    folders : where it lies below each folder that is searched, in order ("" for that folder itself).
    package : the installed package that brings it, where one does.
    terms : licence or terms of use.
    cite : whom to cite.
    about : what a reader of results must know about these pixels.
    get : how to get it, where there is no download.
    checksums : the checksums of the decoded splits, where decoding is exact and complete files were measured.
    """

    name: str
    title: str
    classes: tuple[str, ...]
    channels: int
    size: tuple[int, int]
    counts: Mapping[str, int]
    reader: Reader
    terms: str
    cite: str
    about: str
    folders: tuple[str, ...] = ()
    package: str = ""
    get: str = ""
    checksums: Mapping[str, str] = field(default_factory=dict)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that it has."""
        return tuple(split for split in SPLITS if split in self.counts) if self.counts else SPLITS
