"""Looking after the store: what is in it, and clearing out."""

import contextlib
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from filelock import FileLock, Timeout

from mistrust import paths
from mistrust.errors import UnknownName
from mistrust.store.files import (
    Absent,
    Altered,
    check_size,
    leftovers,
    lock_file,
    modified,
    read,
    read_card,
    remove,
    scratch_folder,
    writing,
)
from mistrust.store.specs import MAKERS

# "being made": somebody is at it now. "unfinished": a killed run's checkpoint. "leftover": a broken-off writing.
State = Literal["good", "altered", "old version", "unfinished", "being made", "leftover"]
STATES: tuple[State, ...] = get_args(State)
REMAINS = ("unfinished", "leftover", "being made")
CLEARED: tuple[State, ...] = ("leftover", "unfinished", "old version", "altered")


@dataclass(frozen=True)
class Entry:
    """One thing in the store, or what is left of one; `made` is in seconds since 1970, `note` says what is amiss.

    Examples
    --------
    >>> made(Maker("squares", 1, "tensors"), {"up to": 3}, lambda scratch: {"x": torch.arange(3) ** 2})["x"]
    tensor([0, 1, 4])
    >>> [(one.kind, one.spec, one.version) for one in entries()]
    [('squares', {'up to': 3}, 1)]
    """

    kind: str
    key: str
    state: State
    spec: Any
    version: int | None
    bytes: int
    made: float
    note: str
    folder: Path


def entries(*, thorough: bool = False) -> list[Entry]:
    """All that is in the store, by kind and then from old to new.

    Parameters
    ----------
    thorough : read every file and compare its checksum (else only its card and its size).

    Examples
    --------
    >>> squares = Maker("squares", 1, "tensors")
    >>> for n in (2, 3):
    ...     kept = made(squares, {"up to": n}, lambda scratch: {"x": torch.arange(n) ** 2})
    >>> sorted(one.spec["up to"] for one in entries(thorough=True) if one.state == "good")
    [2, 3]
    """
    found = [entry for folder in _places() for entry in _entries(folder, thorough)]
    return sorted(found, key=lambda one: (one.kind, one.made, one.key))


def seconds(name: str) -> float | None:
    """Processor seconds that a thing took, with all that was made for it meanwhile; None where nobody knows.

    Parameters
    ----------
    name : its key; one that the store lacks took nobody knows how long.

    Examples
    --------
    >>> squares = Maker("squares", 1, "tensors")
    >>> kept = made(squares, {"up to": 3}, lambda scratch: {"x": torch.arange(3) ** 2})
    >>> seconds(key(squares, {"up to": 3})) >= 0
    True
    >>> seconds("0123") is None
    True
    """
    for folder in paths.store().glob(f"*/{name}"):
        with contextlib.suppress(Absent, Altered):
            return read_card(folder).seconds
    return None


def prune(
    *,
    kind: str | None = None,
    older_than: float = 0.0,
    states: Collection[str] = CLEARED,
    dry_run: bool = False,
) -> list[Entry]:
    """Remove what is of no more use; give what was (with `dry_run`, would be) removed.

    What somebody is making at this moment stays.

    Parameters
    ----------
    kind : only things of this kind.
    older_than : only things made at least so many days ago.
    states : which ones: by default broken-off writings, unfinished work, things of a maker's old version, altered
        things; with "good" also what is good (it would be made again when wanted).

    Raises
    ------
    MistrustError
        A kind or a state that does not exist, a folder that cannot be written to.

    Examples
    --------
    >>> kept = made(Maker("squares", 1, "tensors"), {"up to": 3}, lambda scratch: {"x": torch.arange(3) ** 2})
    >>> prune()  # nothing is broken or out of date
    []
    >>> [one.kind for one in prune(kind="squares", states=["good"])], entries()
    (['squares'], [])
    """
    for state in states:
        if state not in STATES:
            raise UnknownName("state of stored things", state, STATES)
    if kind is not None and not (paths.store() / kind).is_dir():
        raise UnknownName("kind of stored things", kind, {one.kind for one in entries()}, "mistrust store list")
    limit = time.time() - older_than * 86400
    chosen = [
        one
        for one in entries(thorough="altered" in states)
        if one.state in states and kind in (None, one.kind) and one.made <= limit
    ]
    return [one for one in chosen if dry_run or _cleared(one)]


def _places() -> Iterator[Path]:
    """The folder of each thing of which anything is there: itself, a checkpoint, or something broken off."""
    store = paths.store()
    for kind in sorted(path for path in store.glob("[!.]*") if path.is_dir()):
        names = {path.name.lstrip(".").partition(".")[0] for path in kind.iterdir() if path.is_dir()}
        yield from (kind / name for name in sorted(names))


def _entries(folder: Path, thorough: bool) -> Iterator[Entry]:
    kind = folder.parent.name
    try:
        card = read(folder)[0] if thorough else check_size(folder)
        current = MAKERS[kind].version if kind in MAKERS else card.version
        state: State = "good" if card.version == current else "old version"
        note = "" if card.version == current else f"maker version {card.version} -> {current}"
        size, when = _size(folder), modified(folder)
        yield Entry(kind, folder.name, state, card.spec, card.version, size, when, note, folder)
    except Altered as error:
        yield Entry(kind, folder.name, "altered", None, None, _size(folder), modified(folder), str(error), folder)
    except Absent:
        pass
    scratch = scratch_folder(folder)
    remains = [path for path in (scratch, *leftovers(folder)) if path.is_dir()]
    if remains:
        state = "unfinished" if scratch.is_dir() else "leftover"
        state = "being made" if _busy(folder) else state
        size, when = sum(map(_size, remains)), max(map(modified, remains))
        yield Entry(kind, folder.name, state, None, None, size, when, "", folder)


def _busy(folder: Path) -> bool:
    try:
        with FileLock(lock_file(folder), fallback_to_soft=False).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a store that we may only read
        return False


def _cleared(entry: Entry) -> bool:
    """Remove one; its lock's file stays, since removing a lock while others wait for it breaks it."""
    folder = entry.folder
    with writing(folder.parent):
        try:
            with FileLock(lock_file(folder), fallback_to_soft=False).acquire(timeout=0):
                rest = (*leftovers(folder), scratch_folder(folder))
                for path in rest if entry.state in REMAINS else (folder,):
                    remove(path)
        except Timeout:
            return False
    return True


def _size(folder: Path) -> int:
    total = 0
    for inner, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # others may be at work here
                total += Path(inner, name).stat().st_size
    return total
