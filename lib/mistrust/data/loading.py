"""`load` and `columns`: from a set's name to its images."""

from typing import TYPE_CHECKING, Any

from mistrust.data import cache, places
from mistrust.data.imageset import ImageSet
from mistrust.data.source import Source
from mistrust.data.sources import SOURCES
from mistrust.errors import MistrustError, UnknownName

if TYPE_CHECKING:
    import pandas as pd


def load(name: str, split: str) -> ImageSet:
    """The images of a named set, decoded once and kept in `data/cache/decoded`.

    Parameters
    ----------
    name : an entry of `SOURCES`, or the name of a folder of your own images (see data/README.md).
    split : "train" or "test".

    Returns
    -------
    ImageSet
        uint8 images, memory-mapped from the decoded copy. Writing to them changes neither file nor other processes.

    Raises
    ------
    MistrustError
        An unknown name or split, files that are nowhere, truncated or altered ones. Nothing is ever downloaded:
        `get` does that.

    Examples
    --------
    >>> digits = load("digits", "test")
    >>> digits.images.shape, digits.classes[:3]
    (torch.Size([500, 1, 8, 8]), ('0', '1', '2'))
    """
    source = entry(name, split)
    place = places.find(source, split)
    made_from = None if place is None else _made_from(source, place, split)
    try:
        kept = cache.read(name, split, made_from, source.checksums.get(split))
    except MistrustError as error:
        if place is None:
            raise
        cache.LOG.warning("%s It is being decoded again.", error)
        kept = None
    if kept is not None:
        return kept
    if place is None or made_from is None:
        raise places.absent(source, split)
    images = _decoded(source, place, split)
    cache.write(images, split, made_from)
    return images


def columns(name: str, split: str) -> "pd.DataFrame":
    """What the files of a set tell about each image beside its label: track, frame, pole, region of interest, ...

    Returns
    -------
    DataFrame
        One row per image, in the order of `load`, indexed by id; without columns where a set has none.

    Raises
    ------
    MistrustError
        As `load`; and where only a decoded copy of the set is left.

    Examples
    --------
    >>> table = columns("digits", "test")
    >>> len(table), list(table.columns)  # one row per image; these images come with nothing but labels
    (500, [])
    """
    source = entry(name, split)
    place = places.find(source, split)
    if place is None:
        raise places.absent(source, split)
    return source.reader.columns(place.folder, split, source)


def entry(name: str, split: str | None = None) -> Source:
    """The entry of a set, from the table or a user's own folder; refuses a split that it has not."""
    source = SOURCES[name] if name in SOURCES else places.own_source(name)
    if source is None:
        for folder in places.named(name):
            raise MistrustError(
                f"{folder} holds neither train.parquet nor test.parquet: data/README.md has a script that makes them."
            )
        raise UnknownName("data set", name, [*SOURCES, *places.own_names()], "mistrust data list")
    if split is not None and split not in source.splits:
        raise MistrustError(f"'{name}' has no part '{split}'. It has: {', '.join(source.splits)}.")
    return source


def _made_from(source: Source, place: places.Place, split: str) -> list[Any]:
    """What a decoded copy depends on, without reading the files: which they are, their sizes and times."""
    reader = source.reader
    stamps: list[Any] = [type(reader).__name__, reader.version, source.channels, *source.size, source.first_id(split)]
    for path in reader.files(place.folder, split):
        about = path.stat()
        stamps.append([str(path), about.st_size, about.st_mtime_ns])
    return stamps


def _decoded(source: Source, place: places.Place, split: str) -> ImageSet:
    decoded = source.reader.read(place.folder, split, source)
    try:
        images = ImageSet(source.name, decoded.images, decoded.labels, decoded.ids, decoded.classes)
    except MistrustError as error:
        raise MistrustError(f"{place.folder} ({split}): {error}") from error
    count = source.counts.get(split, len(images))
    if len(images) != count:
        raise MistrustError(
            f"{place.folder} holds {len(images):,} images in the {split} part of '{source.name}', expected {count:,}. "
            "Was it unpacked completely? Delete it and get it again."
        )
    expected = source.checksums.get(split)
    if expected is not None and images.checksum != expected:
        raise MistrustError(
            f"The {split} part of '{source.name}' in {place.folder} is altered: its content has checksum "
            f"{images.checksum}, expected {expected}. Get it again; other pixels need another name (data/README.md)."
        )
    return images
