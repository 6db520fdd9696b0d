"""What is at hand: the list of all sets, and where each was found."""

from dataclasses import dataclass

from mistrust.data import cache, places
from mistrust.data.loading import entry
from mistrust.data.source import Source
from mistrust.data.sources import SOURCES
from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Availability:
    """One set in plain fields, for tables.

    Attributes
    ----------
    name, title : what it is called and what it is.
    train, test : numbers of images; 0 where it has no such part, None where only the files would tell.
    size : "28x28 grey".
    classes : number of classes, None where only a file beside the images tells.
    found : whether every part is here.
    where : where it is, or how to get it.
    terms, cite, about : licence or terms, whom to cite, what to know about the pixels.

    Examples
    --------
    >>> digits = next(one for one in listing() if one.name == "digits")
    >>> digits.train, digits.test, digits.size, digits.classes
    (1297, 500, '8x8 grey', 10)
    """

    name: str
    title: str
    train: int | None
    test: int | None
    size: str
    classes: int | None
    found: bool
    where: str
    terms: str
    cite: str
    about: str


def listing() -> list[Availability]:
    """Every set of the table, then folders of the user's own images, each with where it is or how to get it.

    Looks only whether files are there; `load` checks what is in them.

    Examples
    --------
    >>> sorted((one.name, one.size) for one in listing() if one.name in ("cifar10", "digits", "mnist"))
    [('cifar10', '32x32 colour'), ('digits', '8x8 grey'), ('mnist', '28x28 grey')]
    """
    return [availability(name) for name in [*SOURCES, *(name for name in places.own_names() if name not in SOURCES)]]


def availability(name: str) -> Availability:
    """One set; a folder of the user's own that cannot be read is listed with what is wrong."""
    try:
        source = entry(name)
    except MistrustError as error:
        if name not in places.own_names():
            raise
        return Availability(name, "your own images", None, None, "", None, False, str(error), "", "", "")
    found = {split: _where(source, split) for split in source.splits}
    return Availability(
        name=name,
        title=source.title,
        train=_count(source, "train"),
        test=_count(source, "test"),
        size=_size(source),
        classes=len(source.classes) or None,
        found=all(found.values()),
        where=_shown(source, found),
        terms=source.terms,
        cite=source.cite,
        about=source.about,
    )


def _where(source: Source, split: str) -> str:
    place = places.find(source, split)
    if place is not None:
        return place.shown
    # What was decoded once stays usable, though its files are gone.
    return "data/cache/decoded" if cache.file(source.name, split).is_file() else ""


def _shown(source: Source, found: dict[str, str]) -> str:
    where = list(dict.fromkeys(found.values()))
    if not any(where):
        return places.way(source)
    if len(where) == 1:
        return where[0]
    parts = [f"{split}: {place or 'not here'}" for split, place in found.items()]
    return ", ".join(parts) + ("" if all(where) else f" ({places.way(source)})")


def _count(source: Source, split: str) -> int | None:
    return source.counts.get(split, 0) if source.counts else None


def _size(source: Source) -> str:
    if source.size == (0, 0):
        return "as the files are"
    height, width = source.size
    return f"{height}x{width} {'grey' if source.channels == 1 else 'colour'}"
