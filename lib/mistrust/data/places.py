"""Where image sets are looked for, in order, and what to say when one is nowhere."""

import importlib.util
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

from mistrust import paths
from mistrust.data import own
from mistrust.data.source import Source
from mistrust.errors import MistrustWarning, NotHere


@dataclass(frozen=True)
class Place:
    """A folder to search: `shown` is its name for readers, without a machine's own paths."""

    folder: Path
    shown: str


def bases() -> list[Place]:
    """The folders that are searched, in order; one that does not exist is left out.

    The one named by `MISTRUST_DATA`, `data/cache`, and `shared/data` beside the project. When `MISTRUST_DATA` names
    no folder, a `MistrustWarning` says so, once.
    """
    named = os.environ.get("MISTRUST_DATA")
    if named and not Path(named).expanduser().is_dir():
        warnings.warn(
            f"MISTRUST_DATA names {named}, which is no folder, so no images are looked for there. Correct it, or "
            "unset it.",
            MistrustWarning,
            stacklevel=1,  # this line and no caller's, so that it is said once
        )
    found = [Place(Path(named).expanduser().resolve(), "MISTRUST_DATA")] if named else []
    found += [Place(paths.cache(), "data/cache"), Place(paths.root().parent / "shared" / "data", "../shared/data")]
    return [base for base in found if base.folder.is_dir()]


def own_source(name: str) -> Source | None:
    """The entry for a user's own folder of this name, or None."""
    return own.source(name, [base.folder for base in bases()])


def own_names() -> list[str]:
    """The names of folders in the parquet layout."""
    return own.names([base.folder for base in bases()])


def named(name: str) -> list[Path]:
    """The folders of this name below those that are searched."""
    return [base.folder / name for base in bases() if own.plain(name) and (base.folder / name).is_dir()]


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
    """The first place that has everything that the split is read from, or None."""
    for place in candidates(source):
        files = source.reader.files(place.folder, split)
        if files and all(path.exists() for path in files):
            return place
    return None


def way(source: Source) -> str:
    """How to get a set, as the rest of a sentence."""
    if source.remotes is not None:
        return f"`mistrust data get {source.name}` downloads it"
    return f"it comes with the package {source.package}" if source.package else source.get


def absent(source: Source, split: str) -> NotHere:
    """The error for a split that is nowhere: where a part of it was found, and the ways to get it."""
    partly = []
    for place in candidates(source):
        files = source.reader.files(place.folder, split)
        missing = [str(path.relative_to(place.folder)) for path in files if not path.exists()]
        if len(missing) < len(files):
            partly.append(f"{place.folder} lacks {', '.join(missing[:4])}.")
    named = os.environ.get("MISTRUST_DATA")
    if named and not Path(named).expanduser().is_dir():
        partly.append(f"MISTRUST_DATA names {named}, which is no folder.")
    ways = way(source)
    if source.folders:
        folder = f"{named or 'FOLDER'}/{source.folders[0]}"
        ways += f"; or put its files into {folder}/" + ("" if named else " and set MISTRUST_DATA=FOLDER")
    return NotHere(
        " ".join(
            [
                f"The {split} part of '{source.name}' ({source.title}) is not here.",
                *partly,
                f"{ways[0].upper()}{ways[1:]}.",
                "data/README.md describes the layouts, `mistrust data list` shows what is at hand.",
            ]
        )
    )
