"""`made`: from the store, or newly made, one maker of a thing at a time; `put`: what was made before."""

import hashlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mistrust import progress
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.side_by_side import clock
from mistrust.store.content import decode, encode
from mistrust.store.files import (
    Absent,
    Altered,
    Card,
    Unreadable,
    keep,
    leftovers,
    lock_file,
    place,
    read,
    remove,
    scratch_folder,
    writing,
)
from mistrust.store.scratch import Scratch
from mistrust.store.specs import C, Maker, key, plain

# Seconds of waiting for another process after which it is said.
PATIENCE = 3.0


class _Held(threading.local):
    """The things that this thread is making: one that needs itself would wait for itself for ever."""

    def __init__(self) -> None:
        self.folders: list[Path] = []


_held = _Held()


def made(maker: Maker[C], spec: Mapping[str, Any], make: Callable[[Scratch], C]) -> C:
    """The thing that `spec` describes: from the store, or made by `make` and kept there.

    Whoever wants the same thing while it is being made waits and loads it. A thing whose file is not as it was
    written is named in a warning and made again. What is returned was read back from what was written, so the first
    call gives what later ones give.

    Parameters
    ----------
    maker : the kind of thing.
    spec : all that the thing depends on: text, numbers, true, false, None, lists, mappings, dataclasses; data by
        their checksums.
    make : makes it; gets the thing's `Scratch`, to go on from where a killed run stopped.

    Raises
    ------
    MistrustError
        A spec or a content that cannot be kept, a full disk, a folder that cannot be written to.

    Examples
    --------
    The second call finds what the first one kept:

    >>> squares, calls = Maker("squares", 1, "tensors"), []
    >>> def work(scratch):
    ...     calls.append("working")
    ...     return {"x": torch.arange(4) ** 2}
    >>> first, second = (made(squares, {"up to": 4}, work) for _ in range(2))
    >>> second["x"], calls
    (tensor([0, 1, 4, 9]), ['working'])
    """
    folder = place(maker.kind, key(maker, spec))
    try:
        return _loaded(folder)
    except (Absent, Altered):
        pass  # looked at again below, where nobody else is at it
    with _alone(folder):
        try:
            return _loaded(folder)
        except Absent:
            pass
        except Unreadable as error:
            raise MistrustError(f"In {folder}, {error}. Nothing was changed there.") from error
        except Altered as error:
            warnings.warn(
                f"Stored thing {maker.kind}/{folder.name} was altered ({error}): it is made again. Folder: {folder}",
                MistrustWarning,
                stacklevel=2,
            )
        _clear(folder)
        scratch = Scratch(scratch_folder(folder))
        start = clock()
        content = make(scratch)
        content = _kept(folder, maker, spec, content, round(clock() - start, 3))
        scratch.clear()
        return content


def put(maker: Maker[C], spec: Mapping[str, Any], content: C, seconds: float | None = None) -> bool:
    """Keep a thing that was made elsewhere, or before; what the store has already stays as it is.

    Parameters
    ----------
    maker, spec : see `made`.
    content : what `made` would give for them: a mapping of tensors, or a table, as the maker has it.
    seconds : of processor time that it took, where that is known.

    Returns
    -------
    Whether the store lacked it, or had it altered.

    Raises
    ------
    MistrustError
        As `made`.

    Examples
    --------
    >>> squares = Maker("squares", 1, "tensors")
    >>> put(squares, {"up to": 2}, {"x": torch.tensor([0, 1])}), put(squares, {"up to": 2}, {"x": torch.tensor([9])})
    (True, False)
    >>> made(squares, {"up to": 2}, lambda scratch: {})["x"]
    tensor([0, 1])
    """
    folder = place(maker.kind, key(maker, spec))
    with _alone(folder):
        try:
            read(folder)
            return False
        except Unreadable as error:
            raise MistrustError(f"In {folder}, {error}. Nothing was changed there.") from error
        except (Absent, Altered):
            pass
        _clear(folder)
        _kept(folder, maker, spec, content, seconds)
        Scratch(scratch_folder(folder)).clear()
        return True


def _clear(folder: Path) -> None:
    """Remove what is altered or broken off, before a thing is made there."""
    with writing(folder.parent):
        for path in (folder, *leftovers(folder)):
            remove(path)


def _kept(folder: Path, maker: Maker[C], spec: Mapping[str, Any], content: C, seconds: float | None) -> C:
    """Write a thing, whole, and give what reading it back gives."""
    data, types = encode(content, maker.content, f"What maker '{maker.kind}' made")
    back: C = decode(data, maker.content, types)
    sha256 = hashlib.sha256(data).hexdigest()
    card = Card(maker.kind, maker.version, plain(spec), maker.content, sha256, len(data), types, seconds)
    with writing(folder.parent):
        keep(folder, card, data)
    return back


def _loaded(folder: Path) -> Any:
    card, data = read(folder)
    return decode(data, card.content, card.types)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds the thing's lock; the system frees it when the process dies."""
    if folder in _held.folders:
        raise MistrustError(f"Stored thing {folder.parent.name}/{folder.name} needs itself in order to be made.")
    lock = FileLock(lock_file(folder), fallback_to_soft=False)
    with writing(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=PATIENCE)
        except Timeout:
            _say_wait(folder)
            lock.acquire()
    _held.folders.append(folder)
    try:
        yield
    finally:
        _held.folders.remove(folder)
        lock.release()


def _say_wait(folder: Path) -> None:
    """Say on stderr what is waited for. No warning: nothing is wrong, and a strict run must not fail by it."""
    if progress.shown():
        thing = f"{folder.parent.name}/{folder.name}"
        sys.stderr.write(f"mistrust: waits for another process that makes {thing} (and goes on when that ends).\n")
        sys.stderr.flush()
