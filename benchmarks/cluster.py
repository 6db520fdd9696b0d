"""Does a run whose pieces are spread over Dask workers, one of which is killed, give the rows of one process?

    python benchmarks/cluster.py              # two minutes of two cores
    python benchmarks/cluster.py --no-rows    # print only

A scheduler and three workers are started on the loopback address; `misclassification` with the profile `smoke` and four
networks is made over them, and the process of one worker is killed (SIGKILL) as soon as the store holds something.
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
from platform import machine

import psutil

from mistrust import paths, rows

MAKE = ("make", "misclassification", "--profile", "smoke", "-p", "networks=4")
WORKER = ("--nthreads", "1", "--nworkers", "1", "--memory-limit", "0", "--no-dashboard", "--host", "127.0.0.1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        begun("-m", "mistrust.cli", *MAKE, "--engine", "inline", folder=one).wait()
        killed = spread(many)
        files = sorted(Path(one, "build").rglob("*.csv"))
        equal = [file.read_bytes() == (Path(many) / file.relative_to(one)).read_bytes() for file in files]
        count = [len(file.read_text().splitlines()) - 1 for file in files]
    measures = {
        "rows": sum(count),
        "rows equal": sum(n for n, same in zip(count, equal, strict=True) if same),
        "workers": 3,
        "workers killed": killed,
    }
    print(*(f"{value:,} {metric}" for metric, value in measures.items()), sep="\n")
    if not options.no_rows:
        new = [{"condition": "dask", "metric": metric, "value": value} for metric, value in measures.items()]
        rows.update(
            rows.table(new, chapter="benchmarks", table="cluster", note=f"{machine()}, {os.cpu_count()} cores"),
            paths.results() / "benchmarks" / "cluster.csv",
        )


def spread(folder: str) -> int:
    """Make the run over a scheduler, and kill one worker in the middle; gives how many were killed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    host, port = address.split(":")
    dask = ("-m", "dask")
    with running([*dask, "scheduler", "--host", host, "--port", port, "--no-dashboard"], folder):
        time.sleep(5)
        with running([*dask, "worker", f"tcp://{address}", *WORKER], folder) as first:
            others = [begun(*dask, "worker", f"tcp://{address}", *WORKER, folder=folder) for _ in range(2)]
            try:
                time.sleep(5)
                run = begun("-m", "mistrust.cli", *MAKE, "--engine", f"dask://{address}", folder=folder)
                while not any(Path(folder, "store").rglob("*")) and run.poll() is None:
                    time.sleep(0.2)
                time.sleep(5)
                # The nanny starts the worker's process anew; it is the process that a machine would lose.
                victims = [
                    one for one in psutil.Process(first.pid).children() if "spawn_main" in " ".join(one.cmdline())
                ]
                for victim in victims[:1]:
                    victim.send_signal(signal.SIGKILL)
                if run.wait():
                    raise SystemExit("The run over the workers failed.")
            finally:
                for one in others:
                    one.terminate()
    return len(victims[:1])


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
