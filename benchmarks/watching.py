"""A command, watched from outside: its seconds, processor time and the peak of memory, all its processes together."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

import psutil

from mistrust import paths


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


def held(process: psutil.Process) -> int:
    """Bytes held by a process and all below it now; one that ends meanwhile counts nothing."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            used = one.memory_full_info()
        except psutil.Error:
            continue
        total += getattr(used, "pss", used.rss)
    return total


def worked(process: psutil.Process) -> float:
    """Seconds of processor time of a process and all below it, also of those that have ended, where that is told."""
    total = 0.0
    for one in [process, *process.children(recursive=True)]:
        try:
            used = one.cpu_times()
        except psutil.Error:
            continue
        total += used.user + used.system + getattr(used, "children_user", 0) + getattr(used, "children_system", 0)
    return total
