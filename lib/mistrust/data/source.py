"""What one entry of the table of image sets says, and what a reader of its files must offer."""

from collections.abc import Callable, Mapping
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

    @property
    def version(self) -> int:
        """A new number makes the decoded copies of the old reader void."""
        ...

    def files(self, folder: Path, split: str) -> list[Path]:
        """What a split is read from (files, or folders of many), whether it is there or not."""
        ...

    def read(self, folder: Path, split: str, source: "Source") -> Decoded:
        """Decode a split; a file that is damaged or not the expected one is named with both checksums."""
        ...

    def columns(self, folder: Path, split: str, source: "Source") -> "pd.DataFrame":
        """What the files tell about each image beside its label, indexed by id, in the order of `read`."""
        ...


@dataclass(frozen=True)
class Remote:
    """One file to download.

    Attributes
    ----------
    urls : addresses, in the order to try.
    md5 : of the file.
    target : where it is kept, below the folder for downloads.
    unpack : the folder below it where an archive is unpacked, which is then deleted; empty for files used as they are.
    """

    urls: tuple[str, ...]
    md5: str
    target: str
    unpack: str = ""


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
    terms : licence or terms of use.
    cite : whom to cite.
    about : what a reader of results must know about these pixels.
    folders : where it lies below each folder that is searched, in order ("" for that folder itself).
    package : the installed package that brings it, where one does.
    get : how to get it, where there is no download.
    remotes : gives its files to download, where there are any.
    checksums : of the decoded splits, where decoding is exact and the complete files were measured.

    Examples
    --------
    >>> mnist = SOURCES["mnist"]
    >>> mnist.size, mnist.channels, mnist.counts["train"], mnist.counts["test"]
    ((28, 28), 1, 60000, 10000)
    >>> mnist.first_id("test")  # ids go on from those of the training images
    60000
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
    remotes: Callable[[], tuple[Remote, ...]] | None = None
    checksums: Mapping[str, str] = field(default_factory=dict)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that it has."""
        return tuple(split for split in SPLITS if split in self.counts) if self.counts else SPLITS

    def first_id(self, split: str) -> int:
        """The id of a split's first image: 0, or for test the number of training images."""
        return self.counts.get("train", 0) if split == "test" else 0
