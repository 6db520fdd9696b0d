"""One piece of work on its way to a worker and back, as bytes, whatever carries them.

Functions and pieces travel by cloudpickle, so that they may stand in a script or a notebook; nothing of it is kept.
"""

import os
import pickle
import socket
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cloudpickle

from mistrust.engine.failures import Failure
from mistrust.engine.threads import pin
from mistrust.errors import MistrustWarning

HOUSE = "MISTRUST_"  # what the names of the house's settings begin with
FOLDERS = ("MISTRUST_ROOT", "MISTRUST_STORE", "MISTRUST_CACHE", "MISTRUST_BUILD", "MISTRUST_DATA")
# What a piece may end with; a keyboard interrupt is for the whole call.
CAUGHT = (Exception, SystemExit)


@dataclass(frozen=True)
class Task:
    """A piece with its place, its name and what is done with it."""

    index: int
    name: str
    function: Callable[[Any], Any]
    piece: Any
    threads: int


@dataclass(frozen=True)
class Parcel:
    """A task packed for the way; all parcels of a call share the bytes of their function."""

    task: Task
    function: bytes
    piece: bytes

    def data(self) -> bytes:
        """All that a worker needs."""
        return pickle.dumps((_environment(), socket.gethostname(), self.task.threads, self.function, self.piece))


@dataclass(frozen=True)
class Outcome:
    """What came of a task: a value or a failure, and the house's warnings on the way."""

    index: int
    value: Any = None
    failure: Failure | None = None
    warnings: list[str] = field(default_factory=list)


class _Worker(threading.local):
    """Whether this thread is at a piece, and the warnings of the house that it has raised there."""

    def __init__(self) -> None:
        self.inside = False
        self.warnings: list[str] = []


_worker = _Worker()


class _Settings:
    """The house's settings of this process, and how many pieces are under way in it by those of their askers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pieces = 0
        self.own: dict[str, str] = {}


_settings = _Settings()
# A worker with several threads is given several pieces at once, which would share the settings and torch's generator.
_one_at_a_time = threading.RLock()


def inside() -> bool:
    """Whether this is called by a piece in a worker."""
    return _worker.inside


def failed(task: Task, error: BaseException) -> Outcome:
    """The outcome of a piece that raised this error."""
    return Outcome(task.index, failure=Failure(task.name, type(error).__name__, str(error), error))


def died(task: Task, why: str) -> Outcome:
    """The outcome of a piece whose process ended before it did."""
    return Outcome(task.index, failure=Failure(task.name, "", why))


def pack(tasks: list[Task]) -> tuple[list[Parcel], list[Outcome]]:
    """The parcels, and the failures of those tasks that cannot be sent to another process."""
    parcels: list[Parcel] = []
    refused: list[Outcome] = []
    functions: dict[int, bytes] = {}
    for task in tasks:
        try:
            if id(task.function) not in functions:
                functions[id(task.function)] = cloudpickle.dumps(task.function)
            parcels.append(Parcel(task, functions[id(task.function)], cloudpickle.dumps(task.piece)))
        except Exception as error:
            text = (
                f"it cannot be sent to another process ({type(error).__name__}: {error}); the engine 'inline' takes it"
            )
            refused.append(Outcome(task.index, failure=Failure(task.name, "MistrustError", text, error)))
    return parcels, refused


def execute(packed: bytes) -> bytes:
    """Do a packed task in a worker; the answer is its packed outcome."""
    environment, asker, threads, packed_function, packed_piece = pickle.loads(packed)
    with _one_at_a_time, _set(environment), _at_a_piece() as heard:
        pin(threads)
        try:
            function, piece = cloudpickle.loads(packed_function), cloudpickle.loads(packed_piece)
            pin(threads)  # once more: loading the function may have loaded torch
            value = function(piece)
        except CAUGHT as error:
            return _packed_error(error, heard, asker)
        try:
            return cloudpickle.dumps((True, value, heard))
        except Exception as error:
            error.add_note("The result of the piece could not be sent back.")
            return _packed_error(error, heard, asker)


def outcome(task: Task, answer: bytes) -> Outcome:
    """The outcome of a task from a worker's answer."""
    try:
        good, content, heard = cloudpickle.loads(answer)
    except Exception as error:
        return Outcome(
            task.index, failure=Failure(task.name, type(error).__name__, f"unreadable answer: {error}", error)
        )
    if good:
        return Outcome(task.index, content, warnings=heard)
    kind, message, trace, packed = content
    return Outcome(task.index, failure=Failure(task.name, kind, message, _error(packed, trace)), warnings=heard)


def _packed_error(error: BaseException, heard: list[str], asker: str) -> bytes:
    trace = "".join(traceback.format_exception(error))
    try:
        # Not the error itself: pickle would call its class with the message alone, which many refuse.
        packed = cloudpickle.dumps((type(error), error.args, vars(error)))
    except Exception:
        packed = b""
    there = "" if socket.gethostname() == asker else f" (on {socket.gethostname()})"
    return cloudpickle.dumps((False, (type(error).__name__, f"{error}{there}", trace, packed), heard))


def _error(packed: bytes, trace: str) -> BaseException | None:
    """The error that a worker caught, or None where it does not survive the way."""
    try:
        kind, args, state = cloudpickle.loads(packed)
        error = kind.__new__(kind, *args)
        vars(error).update(state)
    except Exception:
        return None
    if not isinstance(error, BaseException):
        return None
    error.add_note(f"In the worker:\n{trace}")
    return error


def _environment() -> dict[str, str]:
    """The house's settings for a worker: its folders do not depend on where the worker stands."""
    settings = _of_the_house()
    for name in FOLDERS:
        if settings.get(name):
            settings[name] = str(Path(settings[name]).expanduser().resolve())
    return {**settings, "MISTRUST_PROGRESS": "0"}


def without_settings() -> None:
    """Forget the house's settings that this process has begun with: those of its askers come with each piece."""
    _put({})


@contextmanager
def _set(environment: dict[str, str]) -> Iterator[None]:
    """Have an asker's settings, and beside them those that the worker was started with, which it has again afterwards.

    A worker may be at several pieces at once, in threads that share its environment: the last one puts it back.
    """
    with _settings.lock:
        if not _settings.pieces:
            _settings.own = _of_the_house()
        _settings.pieces += 1
        _put({**_settings.own, **environment})
    try:
        yield
    finally:
        with _settings.lock:
            _settings.pieces -= 1
            if not _settings.pieces:
                _put(_settings.own)


def _of_the_house() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(HOUSE)}


def _put(settings: dict[str, str]) -> None:
    """Let these be the house's settings, and no others."""
    for name in _of_the_house().keys() - settings.keys():
        del os.environ[name]
    os.environ.update(settings)


@contextmanager
def _at_a_piece() -> Iterator[list[str]]:
    """Marks this thread as being at a piece and keeps its `MistrustWarning`s, to be given where the call was made."""
    _listen()
    heard: list[str] = []
    _worker.inside, _worker.warnings = True, heard
    try:
        yield heard
    finally:
        _worker.inside = False


def _listen() -> None:
    """Put an ear between warnings and stderr, once; a filter would be shared by all threads."""
    shown = warnings.showwarning
    if getattr(shown, "of_mistrust", False):
        return

    def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        if _worker.inside and issubclass(category, MistrustWarning):
            _worker.warnings.append(str(message))
        else:
            shown(message, category, *where, **more)

    show.of_mistrust = True  # type: ignore[attr-defined]
    warnings.showwarning = show
