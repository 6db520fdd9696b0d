"""Where image sets are looked for, in order, and what to say when one is nowhere."""

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from mistrust import paths
from mistrust.data.source import Source
from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Place:
    """A folder that holds a split of a set: `shown` is its name for readers, without a machine's own paths."""

    folder: Path
    shown: str


def bases() -> list[Place]:
    """The folders that are searched, in order; a folder that does not exist is left out.

    The one named by `MISTRUST_DATA`, `data/cache`, and `shared/data` beside the project.
    """
    named = os.environ.get("MISTRUST_DATA")
    found = [Place(Path(named).expanduser().resolve(), "MISTRUST_DATA")] if named else []
    found += [Place(paths.cache(), "data/cache"), Place(paths.root().parent / "shared" / "data", "../shared/data")]
    return [base for base in found if base.folder.is_dir()]


def candidates(source: Source) -> list[Place]:
    """Every folder where the set could lie, in the order of search, there or not."""
    found = [
        Place(base.folder / folder, f"{base.shown}/{folder}" if folder else base.shown)
        for base in bases()
        for folder in source.folders
    ]
    if source.package:
        spec = importlib.util.find_spec(source.package)
        if spec is not None and spec.origin is not None:
            found.append(Place(Path(spec.origin).parent, f"inside {source.package}"))
    return found


def find(source: Source, split: str) -> Place | None:
    """The first place that has every file of the split, or None."""
    for place in candidates(source):
        if place.folder.is_dir():
            files = source.reader.files(place.folder, split)
            if files and all(path.is_file() for path in files):
                return place
    return None


def absent(source: Source, split: str) -> MistrustError:
    """The error for a split that is nowhere: where it was looked for, and the ways to get it."""
    looked = []
    for place in candidates(source):
        missing = [path.name for path in source.reader.files(place.folder, split) if not path.is_file()]
        if place.folder.is_dir() and missing:
            looked.append(f"{place.folder} (lacks {', '.join(missing[:4])})")
    named = os.environ.get("MISTRUST_DATA")
    ways = [source.get or f"`mistrust data get {source.name}` downloads it"]
    if source.folders and source.folders[0]:
        ways.append(
            f"or put its files into {Path(named) if named else 'FOLDER'}/{source.folders[0]}/"
            + ("" if named else " and set MISTRUST_DATA=FOLDER")
        )
    where = f" Looked in {'; '.join(looked)}." if looked else ""
    return MistrustError(
        f"The {split} part of '{source.name}' ({source.title}) is not here.{where} "
        f"{ways[0][0].upper()}{ways[0][1:]}{', ' + ways[1] if len(ways) > 1 else ''}. "
        "data/README.md describes the layouts; `mistrust data list` shows what is at hand."
    )
