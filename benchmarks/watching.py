"""A command, watched from outside: its seconds, processor time and the peak of memory, all its processes together.

And by how much the memory of this very process grows in a call, or that of a copy of it.
"""

import ctypes
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

import psutil

from mistrust import paths

# Of glibc's malloc.h and malloc.c; and from how many bytes on a block is one of the system's own, as glibc begins.
M_MMAP_THRESHOLD, IS_MMAPPED, SIZE, LARGE = -3, 2, ctypes.sizeof(ctypes.c_size_t), 2**17


@dataclass(frozen=True)
class Watched:
    """What a command took.

    Attributes
    ----------
    status : of its end; 0 is good.
    seconds, worked : by the clock, and of processor time where the system tells that of processes that have ended.
    peak : bytes held at most, as far as the looks saw (shared pages counted once on Linux, else once a process).
    """

    status: int
    seconds: float
    worked: float
    peak: int


def watched(
    command: Sequence[str], environment: Mapping[str, str], *, every: float, output: IO[str] | None = None
) -> Watched:
    """Run a command at the project's root, with more in its environment, and look at it every so many seconds."""
    begun, processor, peak = time.perf_counter(), 0.0, 0
    process = psutil.Popen(
        command, cwd=paths.root(), env={**os.environ, **environment}, stdout=output or subprocess.DEVNULL
    )
    while True:
        processor, peak = max(processor, worked(process)), max(peak, held(process))
        try:
            status = process.wait(every)
            return Watched(status, time.perf_counter() - begun, processor, peak)
        except psutil.TimeoutExpired:
            continue


class Growth:
    """By how much this process's memory grows from now on, at its peak.

    What was freed before goes back to the system first: else a call that takes it again would seem to need nothing.
    """

    def __init__(self) -> None:
        self.before: int | None = None
        with suppress(OSError):
            if sys.platform == "linux":
                ctypes.CDLL(None).malloc_trim(0)
            Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
            self.before = _status("VmRSS")

    def megabytes(self) -> float | None:
        """Give it; None where the system does not tell."""
        return None if self.before is None else (_status("VmHWM") - self.before) / 1024


def grown_apart(work: Callable[[], Any], rounds: int) -> float | None:
    """By how many megabytes memory grows in a call, at its peak: the least of some rounds; None where nobody tells.

    Each look is in a copy of this process, made for it, and follows one call that nobody looks at. So what is measured
    finds the same memory whatever was measured before: what is taken once and kept by libraries, and what malloc gives
    back or keeps, which moves with the largest block that was ever freed, are in no two of them the other's.

    Parameters
    ----------
    work : on one thread alone; others are not copied along, and who waits for them waits for ever.
    """
    if sys.platform != "linux":  # no other tells of a peak
        return None
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    copy = context.Process(target=_looked, args=(work, rounds, theirs))
    copy.start()
    theirs.close()
    try:
        found: float | None = ours.recv()
    except EOFError:
        copy.join()
        raise SystemExit(f"What was to be looked at failed, see above (exit status {copy.exitcode}).") from None
    copy.join()
    return found


def _looked(work: Callable[[], Any], rounds: int, told: Connection) -> None:
    """Tell of the least growth over some rounds, after one more."""
    _spend_what_is_free()
    work()
    found: list[float | None] = []
    for _ in range(rounds):
        growth = Growth()
        work()
        found.append(growth.megabytes())
    told.send(None if None in found else min(one for one in found if one is not None))


def _spend_what_is_free() -> None:
    """Take, for good, what malloc holds free, so that from now on large blocks come from the system and go back to it.

    What lies at the end of malloc's own memory it cannot always give back: a call that finds it there would seem to
    need nothing. glibc alone.
    """
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallopt") or not hasattr(libc, "gnu_get_libc_version"):
        return
    os.environ["MALLOC_MMAP_THRESHOLD_"] = str(LARGE)  # `keep_freed_memory` then leaves it so
    libc.mallopt(M_MMAP_THRESHOLD, LARGE)
    libc.malloc.restype = ctypes.c_void_p
    # The word before a block says whether it is the system's.
    while (block := libc.malloc(LARGE)) and not ctypes.c_size_t.from_address(block - SIZE).value & IS_MMAPPED:
        pass


def _status(what: str) -> int:
    """A number of /proc/self/status, in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what))


def held(process: psutil.Process) -> int:
    """Bytes held by a process and all below it now; one that ends meanwhile counts nothing."""
    return sum(getattr(used, "pss", used.rss) for used in _each(process, "memory_full_info"))


def worked(process: psutil.Process) -> float:
    """Seconds of processor time of a process and all below it, also of those that have ended, where that is told."""
    return sum(
        used.user + used.system + getattr(used, "children_user", 0) + getattr(used, "children_system", 0)
        for used in _each(process, "cpu_times")
    )


def _each(process: psutil.Process, what: str) -> Iterator[Any]:
    """What is told of a process and of all below it that have not ended meanwhile."""
    for one in [process, *process.children(recursive=True)]:
        with suppress(psutil.Error):
            yield getattr(one, what)()
