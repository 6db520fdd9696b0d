"""Stored things as files: whole or not at all, checked at every reading.

A kind's folder holds, for a thing with key K: `K/` (the thing), `.K.lock` (who makes it), `.K.scratch/` (its
unfinished work), `.K.*.part` (being written) and `.K.*.gone` (being removed). What begins with a dot is never read
as a thing.
"""

import contextlib
import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mistrust import paths
from mistrust.errors import StoreError
from mistrust.store.content import FILES
from mistrust.store.specs import key_of

CARD = "entry.json"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
THERE = (errno.EEXIST, errno.ENOTEMPTY)
SHUT = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST)


class Absent(Exception):
    """There is no such thing."""


class Altered(Exception):
    """There is such a thing, but not as it was written; the text says what differs."""


class Unreadable(Altered):
    """There is such a thing, and this process cannot read it now: that is no sign that it was altered."""


@dataclass(frozen=True)
class Card:
    """What `entry.json` says of a thing.

    `sha256` and `bytes` are its file's, `types` a table's column types, `seconds` the processor time that went into it
    and all that was made for it meanwhile; of a thing that a killed run began, the time since it went on.
    """

    kind: str
    version: int
    spec: Any
    content: str
    sha256: str
    bytes: int
    types: list[str]
    seconds: float | None = None

    def text(self) -> str:
        """The file's text, with a checksum of itself."""
        body = dict(vars(self))
        if self.seconds is None:  # things are older than this line of their cards
            del body["seconds"]
        check = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        return json.dumps({**body, "check": check}, sort_keys=True, indent=1) + "\n"


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turns the disk's refusals into errors that name the folder and the way out."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in FULL:
            way = "Free some space there, or name a folder on another disk with MISTRUST_STORE."
            raise StoreError(f"No space left for the store in {folder} ({reason}). {way} {SAFE}") from error
        if error.errno in SHUT:
            way = "Make the folder writable, or name one that is with MISTRUST_STORE."
            raise StoreError(f"The store's folder {folder} cannot be written to ({reason}). {way} {SAFE}") from error
        if error.errno == errno.ENOSYS:
            reason = f"{reason}; it has no locks: a file system of a cluster may want to be mounted with flock"
        way = "Name another folder with MISTRUST_STORE."
        raise StoreError(f"The store's folder {folder} could not be used ({reason}). {way} {SAFE}") from error


SAFE = "What was made before is as it was."


def write_whole(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Write a file under a temporary name and rename it; nothing is left of a failed try.

    With `lasting` the bytes are on the disk itself before the name is, so that the file also outlives a power cut.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def keep(folder: Path, card: Card, data: bytes) -> None:
    """Write a thing beside its place and move it there, whole."""
    temporary = beside(folder, "part")
    try:
        temporary.mkdir(parents=True)
        write_whole(temporary / FILES[card.content], data)
        write_whole(temporary / CARD, card.text().encode())
        _settle(temporary)
        temporary.rename(folder)
        _settle(folder.parent)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if not (isinstance(error, OSError) and error.errno in THERE and _stands(folder)):
            raise


def _stands(folder: Path) -> bool:
    """Whether a good thing is there: where locks hold on one machine only, another may have been faster."""
    try:
        check_size(folder)
    except (Absent, Altered):
        return False
    return True


def beside(folder: Path, ending: str) -> Path:
    """A new hidden name beside a thing's folder."""
    return folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.{ending}")


def _settle(folder: Path) -> None:
    """Put a folder's own entries on the disk (systems that cannot open folders do without)."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_card(folder: Path) -> Card:
    """The card of a thing; raises `Absent`, or `Altered` where it is not as it was written."""
    if not folder.is_dir():
        raise Absent
    text = _bytes(folder / CARD)
    try:
        fields = json.loads(text)
        fields.pop("check")
        card = Card(**fields)
        same = card.text().encode() == text and key_of(card.kind, card.version, card.spec) == folder.name
        same = same and card.content in FILES  # another version may know more
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        same = False
        card = None
    if card is None or not same:
        raise Altered(f"{CARD} is not as it was written")
    return card


def read(folder: Path) -> tuple[Card, bytes]:
    """A thing's card and bytes, checked; raises `Absent` or `Altered`."""
    card = read_card(folder)
    path = folder / FILES[card.content]
    data = _bytes(path)
    if len(data) != card.bytes:
        raise Altered(f"{path.name} has {len(data)} bytes, expected {card.bytes}")
    found = hashlib.sha256(data).hexdigest()
    if found != card.sha256:
        raise Altered(f"{path.name} has checksum {found[:12]}, expected {card.sha256[:12]}")
    return card, data


def check_size(folder: Path) -> Card:
    """A thing's card, where its file is there and has its size; raises `Absent` or `Altered`."""
    card = read_card(folder)
    path = folder / FILES[card.content]
    if path.is_file() and path.stat().st_size == card.bytes:
        return card
    if folder.is_dir():
        raise Altered(f"{path.name} is missing or has another size")
    raise Absent


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if path.parent.is_dir():
            raise Altered(f"{path.name} is missing") from None
        raise Absent from None  # removed this moment
    except OSError as error:  # no sign that it was altered: it must not be thrown away
        kind = Altered if error.errno == errno.EISDIR else Unreadable
        raise kind(f"{path.name} cannot be read ({error.strerror})") from error


def remove(folder: Path) -> None:
    """Remove a folder: out of sight at once, then for good."""
    gone = folder if folder.name.startswith(".") else beside(folder, "gone")
    if gone != folder:
        with contextlib.suppress(FileNotFoundError):
            folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def place(kind: str, name: str) -> Path:
    """The folder of a thing."""
    return paths.store() / kind / name


def modified(folder: Path) -> float:
    """When a thing was made, or last touched where it has no card, in seconds; 0 where it is gone."""
    for path in (folder / CARD, folder):
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_mtime
    return 0.0


def leftovers(folder: Path) -> list[Path]:
    """What broken-off writings and removals of one thing left beside it."""
    return [*folder.parent.glob(f".{folder.name}.*.part"), *folder.parent.glob(f".{folder.name}.*.gone")]


def scratch_folder(folder: Path) -> Path:
    """Where unfinished work on a thing lies."""
    return folder.with_name(f".{folder.name}.scratch")


def lock_file(folder: Path) -> Path:
    """The file that is locked by whoever makes a thing."""
    return folder.with_name(f".{folder.name}.lock")
