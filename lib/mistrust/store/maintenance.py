"""Looking after the store: what is in it, why a thing would be made (again), and clearing out."""

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from filelock import FileLock, Timeout

from mistrust import paths
from mistrust.errors import UnknownName
from mistrust.store.content import FILES
from mistrust.store.files import (
    CARD,
    Absent,
    Altered,
    Card,
    leftovers,
    lock_file,
    read,
    read_card,
    remove,
    scratch_folder,
    writing,
)
from mistrust.store.making import place
from mistrust.store.specs import MAKERS, Maker, key, leaves, plain

# "being made": somebody holds its lock. "unfinished": a killed run's checkpoint. "leftover": a broken-off writing.
State = Literal["good", "altered", "old version", "unfinished", "being made", "leftover"]
STATES: tuple[State, ...] = get_args(State)
CLEARED: tuple[State, ...] = ("leftover", "unfinished", "old version", "altered")


@dataclass(frozen=True)
class Entry:
    """One thing in the store; `spec` and `version` are None where it says nothing of them; `made` is in seconds."""

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
    """
    found = [_entry(folder, thorough) for folder in _places()]
    return sorted((one for one in found if one is not None), key=lambda one: (one.kind, one.made, one.key))


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


def why(maker: Maker[Any], spec: Mapping[str, Any]) -> list[str]:
    """Why `made` would make this thing: [] when it is there and good.

    Else what differs from the most similar thing of its kind in the store ("recipe.epochs: 8 -> 10", "maker version
    1 -> 2"), "not made yet" where there is none, "begun, not finished" where a killed run left a checkpoint,
    "content altered: ..." where its file is not as it was written.
    """
    folder = place(maker.kind, key(maker, spec))
    try:
        read(folder)
        return []
    except Altered as error:
        return [f"content altered: {error}"]
    except Absent:
        pass
    if scratch_folder(folder).is_dir():
        return ["begun, not finished"]
    wanted = leaves(plain(spec))
    nearest = min((_differences(maker, wanted, card) for card in _cards(maker.kind)), key=len, default=None)
    return nearest or ["not made yet"]


def _differences(maker: Maker[Any], wanted: dict[str, str], card: Card) -> list[str]:
    stored = leaves(card.spec)
    paths_of_both = [*stored, *(path for path in wanted if path not in stored)]
    found = [
        f"{path}: {stored.get(path, 'absent')} -> {wanted.get(path, 'absent')}"
        for path in paths_of_both
        if stored.get(path) != wanted.get(path)
    ]
    return [*found, f"maker version {card.version} -> {maker.version}"] if card.version != maker.version else found


def _cards(kind: str) -> Iterator[Card]:
    """The readable cards of a kind, newest first, so that of equally similar things the newest is named."""
    folders = [path for path in (paths.store() / kind).glob("[!.]*") if path.is_dir()]
    for folder in sorted(folders, key=_time, reverse=True):
        try:
            yield read_card(folder)
        except (Absent, Altered):
            continue


def _places() -> Iterator[Path]:
    """The folder of each thing of which anything is there: itself, a checkpoint, or something broken off."""
    store = paths.store()
    for kind in sorted(path for path in store.glob("[!.]*") if path.is_dir()):
        names = {path.name.lstrip(".").partition(".")[0] for path in kind.iterdir() if path.is_dir()}
        yield from (kind / name for name in sorted(names))


def _entry(folder: Path, thorough: bool) -> Entry | None:
    kind, others = folder.parent.name, [*leftovers(folder)]
    scratch = scratch_folder(folder)
    if scratch.is_dir():
        others.append(scratch)
    card, note = None, ""
    try:
        card = read(folder)[0] if thorough else _checked_size(folder)
        old = kind in MAKERS and MAKERS[kind].version != card.version
        state: State = "old version" if old else "good"
        note = f"maker version {card.version} -> {MAKERS[kind].version}" if old else ""
    except Altered as error:
        state, note = "altered", str(error)
    except Absent:
        if not others:
            return None
        state = "unfinished" if scratch.is_dir() else "leftover"
    if state == "good" and others:
        note = "with leftovers"
    if state != "good" and _busy(folder):
        state = "being made"
    size = sum(_size(path) for path in (folder, *others))
    when = max(map(_time, (folder, *others)))
    spec, version = (card.spec, card.version) if card is not None else (None, None)
    return Entry(kind, folder.name, state, spec, version, size, when, note, folder)


def _checked_size(folder: Path) -> Card:
    card = read_card(folder)
    path = folder / FILES[card.content]
    if not path.is_file() or path.stat().st_size != card.bytes:
        raise Altered(f"{path.name} is missing or has another size")
    return card


def _busy(folder: Path) -> bool:
    lock = FileLock(lock_file(folder))
    try:
        with lock.acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a store that we may only read
        return False


def _cleared(entry: Entry) -> bool:
    folder = entry.folder
    with writing(folder.parent):
        try:
            with FileLock(lock_file(folder)).acquire(timeout=0):
                for path in (folder, *leftovers(folder), scratch_folder(folder)):
                    remove(path)
                lock_file(folder).unlink(missing_ok=True)
        except Timeout:
            return False
    return True


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def _time(folder: Path) -> float:
    for path in (folder / CARD, folder):
        if path.exists():
            return path.stat().st_mtime
    return 0.0
