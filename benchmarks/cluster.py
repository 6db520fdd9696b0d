"""Does a run whose pieces are spread over Dask workers, one of which is killed, give the rows of one process?

    python benchmarks/cluster.py                                  # two minutes of two cores
    python benchmarks/cluster.py --chapters search,comparison     # others
    python benchmarks/cluster.py --chapters all --no-rows         # print only

A scheduler and three workers are started on the loopback address, and chapters with the profile `smoke` are made over
them (`misclassification` with four networks). Some seconds after the store holds something, the process of the worker
that has worked most is killed (SIGKILL). A run that ended before is told as one of which no worker was killed.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from timing import taken_on

from mistrust import paths, rows
from mistrust.publishing.chapters import CHAPTERS

WORKERS = 3
DEFAULT = "misclassification"
MORE = {DEFAULT: ("-p", "networks=4")}  # the profile's own two pieces would be done before a worker is lost
WORKER = ("--nthreads", "1", "--nworkers", "1", "--memory-limit", "0", "--no-dashboard", "--host", "127.0.0.1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chapters", default=DEFAULT, help="separated by commas, or all")
    parser.add_argument("--after", type=float, default=5, help="seconds from the store's first thing to the kill")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    chapters = list(CHAPTERS) if options.chapters == "all" else options.chapters.split(",")
    for chapter in chapters:
        CHAPTERS[chapter]  # raises, with the nearest name, before anything is made
    for chapter in chapters:
        measures = compared(chapter, options.after)
        print(chapter, *(f"{value:,} {metric}" for metric, value in measures.items()), sep="\n  ", flush=True)
        if not options.no_rows:
            at = "" if chapter == DEFAULT else chapter
            new = [
                {"condition": "dask", "at": at, "metric": metric, "value": value} for metric, value in measures.items()
            ]
            rows.update(
                rows.table(new, chapter="benchmarks", table="cluster", note=taken_on()),
                paths.results() / "benchmarks" / "cluster.csv",
            )


def compared(chapter: str, after: float) -> dict[str, int]:
    """Make a chapter in one process and over workers; gives how many rows there are, and how many are equal."""
    make = ("-m", "mistrust.cli", "make", chapter, "--profile", "smoke", *MORE.get(chapter, ()), "--engine")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        if begun(*make, "inline", folder=one).wait():
            raise SystemExit(f"The run of {chapter} in one process failed.")
        killed = spread(make, many, after)
        files = sorted(Path(one, "build").rglob("*.csv"))
        others = [Path(many) / file.relative_to(one) for file in files]
        equal = [a.is_file() and a.read_bytes() == b.read_bytes() for a, b in zip(others, files, strict=True)]
        count = [len(file.read_text().splitlines()) - 1 for file in files]
    return {
        "rows": sum(count),
        "rows equal": sum(n for n, same in zip(count, equal, strict=True) if same),
        "workers": WORKERS,
        "workers killed": killed,
    }


def spread(make: Sequence[str], folder: str, after: float) -> int:
    """Make the run over a scheduler, and kill one worker in the middle; gives how many were killed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    host, port = address.split(":")
    dask = ("-m", "dask")
    with running([*dask, "scheduler", "--host", host, "--port", port, "--no-dashboard"], folder):
        time.sleep(5)
        workers = [begun(*dask, "worker", f"tcp://{address}", *WORKER, folder=folder) for _ in range(WORKERS)]
        try:
            time.sleep(5)
            run = begun(*make, f"dask://{address}", folder=folder)
            while not any(Path(folder, "store").rglob("*")) and run.poll() is None:
                time.sleep(0.2)
            time.sleep(after)
            killed = lose(workers) if run.poll() is None else 0
            if run.wait():
                raise SystemExit(f"The run over the workers failed: {' '.join(make)}.")
        finally:
            for one in workers:
                one.terminate()
            for one in workers:
                one.wait()
    return killed


def lose(workers: Sequence[subprocess.Popen[bytes]]) -> int:
    """Kill the process that has worked most, which is no idle one; gives how many were killed.

    A nanny starts its worker's process anew; it is the process that a machine would lose.
    """
    found = [one for worker in workers for one in psutil.Process(worker.pid).children()]
    busy = [one for one in found if "spawn_main" in " ".join(one.cmdline())]
    for victim in sorted(busy, key=lambda one: one.cpu_times().user)[-1:]:
        victim.send_signal(signal.SIGKILL)
    return len(busy[:1])


@contextmanager
def running(command: Sequence[str], folder: str) -> Iterator[subprocess.Popen[bytes]]:
    process = begun(*command, folder=folder)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def begun(*command: str, folder: str) -> subprocess.Popen[bytes]:
    store = {"MISTRUST_STORE": f"{folder}/store", "MISTRUST_BUILD": f"{folder}/build", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, *command], cwd=paths.root(), env={**os.environ, **store}, stderr=subprocess.DEVNULL
    )


if __name__ == "__main__":
    main()
