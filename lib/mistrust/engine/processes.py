"""Pieces on processes of this machine.

Each worker is a process with a pipe of its own, so that a death costs the piece that was in it and no other; a pool
from the standard library loses the whole call.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator
from multiprocessing.connection import Connection, wait
from typing import Any

from mistrust.engine.memory import keep_freed_memory
from mistrust.engine.scripts import main_hidden
from mistrust.engine.threads import environment
from mistrust.engine.work import Outcome, Parcel, Task, died, execute, outcome, pack, without_settings

# Workers are forked from a server that has these loaded: importing them takes seconds, for each worker of each call.
# Where forking is not safe (macOS) or not known (Windows) they are started anew.
LOADED = ["torch._dynamo", "pandas", "scipy.stats"]  # the first comes with torch's optimizers
START = "forkserver" if sys.platform == "linux" else "spawn"
# A piece whose worker died is tried again when all others are done, alone, so often: then it is the piece.
ALONE = 2


def run(tasks: list[Task], workers: int) -> Generator[Outcome, None, None]:
    """The outcomes as they come."""
    parcels, refused = pack(tasks)
    yield from refused
    killed: list[Parcel] = []
    for parcel, answer in _answers(parcels, workers):
        if isinstance(answer, bytes):
            yield outcome(parcel.task, answer)
        else:
            killed.append(parcel)
    for parcel in killed:
        for _ in range(ALONE):
            ((_, answer),) = _answers([parcel], 1)
            if isinstance(answer, bytes):
                yield outcome(parcel.task, answer)
                break
        else:
            yield died(parcel.task, f"its process {answer}, {ALONE + 1} times, {ALONE} of them while it ran alone")


def _answers(parcels: list[Parcel], workers: int) -> Generator[tuple[Parcel, bytes | str], None, None]:
    """Each parcel with its answer or, where its worker died, how it died."""
    todo = deque(parcels)
    idle: list[_Worker] = []
    busy: dict[Any, tuple[_Worker, Parcel]] = {}
    try:
        while todo or busy:
            while todo and len(busy) < workers:
                parcel = todo.popleft()
                worker = idle.pop() if idle else _Worker(parcel.task.threads)
                busy[worker.pipe] = worker, parcel
                with contextlib.suppress(OSError):  # a worker that is dead already is found below
                    worker.pipe.send_bytes(parcel.data())
            for pipe in wait(list(busy)):
                worker, parcel = busy[pipe]
                try:
                    answer: bytes | str = worker.pipe.recv_bytes()
                    idle.append(worker)
                except (EOFError, OSError):
                    answer = worker.end()
                del busy[pipe]
                yield parcel, answer
        for worker in idle:
            worker.pipe.close()  # all at once, then wait for each
    finally:
        for worker in (*idle, *(worker for worker, _ in busy.values())):
            worker.end()


def warm() -> None:
    """Start the server that workers are forked from: it loads torch while this process does the same."""
    if START == "forkserver":
        from multiprocessing import forkserver

        multiprocessing.get_context(START).set_forkserver_preload(LOADED)
        with main_hidden(), environment(1):
            forkserver.ensure_running()


class _Worker:
    """A process that does one task after the other."""

    def __init__(self, threads: int) -> None:
        context = multiprocessing.get_context(START)
        if START == "forkserver":
            context.set_forkserver_preload(LOADED)  # heard before the server starts only
        self.pipe, theirs = context.Pipe()
        # A daemon: an asker that is interrupted while it ends its workers would else wait for their pieces at its exit.
        self.process = context.Process(target=serve, args=(theirs,), name="mistrust-worker", daemon=True)
        with main_hidden(), environment(threads):
            self.process.start()
        theirs.close()  # ours alone: when the worker dies, reading ends

    def end(self) -> str:
        """Make an end, at once where it is at work, and say how it ended."""
        idle = self.pipe.closed
        self.pipe.close()
        self.process.join(2 if idle else 0.5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        code = self.process.exitcode
        self.process.close()
        if code is not None and code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"


def serve(pipe: Connection) -> None:
    """Do the tasks that come through the pipe until it is closed; never outlive the process that asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group: the asker makes the end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    keep_freed_memory()
    without_settings()  # the server that workers are forked from has had those of its first asker ever since
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(execute(pipe.recv_bytes()))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
