"""`load` and `columns`: from a set's name to its images."""

from typing import TYPE_CHECKING, Any

from mistrust.data import cache, places
from mistrust.data.imageset import ImageSet
from mistrust.data.source import Source
from mistrust.data.sources import SOURCES
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd


def load(name: str, split: str) -> ImageSet:
    """The images of a named set.

    Parameters
    ----------
    name : an entry of `SOURCES`, or the name of a folder of your own images (see data/README.md).
    split : "train" or "test".

    Returns
    -------
    ImageSet
        uint8 images. The same checksum on every machine.

    Raises
    ------
    MistrustError
        An unknown name or split, files that are nowhere, truncated or altered ones. Nothing is ever downloaded:
        `get` does that.
    """
    source = _source(name, split)
    place = places.find(source, split)
    made_from = None if place is None else _made_from(source, place, split)
    try:
        kept = cache.read(name, split, made_from)
    except MistrustError as error:
        if place is None:
            raise
        cache.LOG.warning("%s It is being decoded again.", error)
        kept = None
    if kept is not None:
        return kept
    if place is None:
        raise places.absent(source, split)
    images = _decoded(source, place, split)
    cache.write(images, split, _made_from(source, place, split))
    return images


def columns(name: str, split: str) -> "pd.DataFrame":
    """What the files of a set tell about each image beside its label: track, frame, pole, region of interest, ...

    Returns
    -------
    DataFrame
        One row an image, in the order of `load`, indexed by id; without columns where a set has none.

    Raises
    ------
    MistrustError
        As `load`; and where only a decoded copy of the set is left.
    """
    source = _source(name, split)
    place = places.find(source, split)
    if place is None:
        raise places.absent(source, split)
    return source.reader.columns(place.folder, split, source)


def _source(name: str, split: str) -> Source:
    source = SOURCES[name]
    if split not in source.splits:
        raise MistrustError(f"'{name}' has no part '{split}'. It has: {', '.join(source.splits)}.")
    return source


def _made_from(source: Source, place: places.Place, split: str) -> list[Any]:
    """What a decoded copy depends on, without reading the files: which they are, their sizes and times."""
    stamps: list[Any] = [type(source.reader).__name__, source.reader.version]
    for path in source.reader.files(place.folder, split):
        about = path.stat()
        stamps.append([str(path), about.st_size, about.st_mtime_ns])
    return stamps


def _decoded(source: Source, place: places.Place, split: str) -> ImageSet:
    decoded = source.reader.read(place.folder, split, source)
    images = ImageSet(source.name, decoded.images, decoded.labels, decoded.ids, decoded.classes)
    expected = source.checksums.get(split)
    if expected is not None and images.checksum != expected:
        raise MistrustError(
            f"The {split} part of '{source.name}' from {place.folder} is not the known one: its content has checksum "
            f"{images.checksum}, expected {expected}. Different pixels need a different name (see data/README.md)."
        )
    return images
