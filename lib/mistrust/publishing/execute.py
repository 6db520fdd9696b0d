"""Run one notebook by papermill in a process of its own.

A process of its own, because papermill changes the working folder of the whole process, kernels write to the parent's
stderr, and several chapters run at once. The child ends, and ends its kernel, when the process that started it is
gone, even when that one was killed.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mistrust import paths

# What the child says on its stdout, one line each, as JSON after this mark.
MARK = "::mistrust "
KERNEL = "python3"


def environment(work: Path) -> dict[str, str]:
    """The environment of a kernel: the caller's, with our folders made absolute and personal settings left out."""
    own = {
        "MISTRUST_ROOT": str(paths.root()),
        "MISTRUST_STORE": str(paths.store()),
        "MISTRUST_CACHE": str(paths.cache()),
        "MISTRUST_BUILD": str(paths.build()),
        "MISTRUST_PROGRESS": "0",
        "MISTRUST_ENGINE": "inline",  # the pieces are in the store by now: nothing is worth a process
        "OMP_NUM_THREADS": "1",  # as a piece has: two threads on cores that are at work take many times as long as one
        "IPYTHONDIR": str(work / "ipython"),  # start-up files and history of the user are not part of a chapter
        "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),  # this environment's kernel, before any other
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONUTF8": "1",  # Windows' own encoding has not all letters of our pages
        "PYTHONHASHSEED": "0",  # the order of sets in printed text
        "SOURCE_DATE_EPOCH": "0",  # matplotlib's dates in SVG
        "COLUMNS": "120",
    }
    data = os.environ.get("MISTRUST_DATA")
    if data:
        own["MISTRUST_DATA"] = str(Path(data).expanduser().resolve())
    return {**os.environ, **own}


# Children at work, and whether they are being stopped: an interrupt reaches the main thread only.
_children: set[subprocess.Popen[str]] = set()
_stopping = threading.Event()


class Stopped(Exception):
    """The run was stopped from outside: it neither succeeded nor failed."""


def allow() -> None:
    """Let notebooks be run (again, after a `stop`)."""
    _stopping.clear()


def stop() -> None:
    """End all children and their kernels; every `execute` at work raises `Stopped`."""
    _stopping.set()
    for child in list(_children):
        if child.stdin:
            child.stdin.close()


@dataclass(frozen=True)
class Ended:
    """How a run ended: "" or why papermill stopped, and the index of the last cell that was begun (-1: none)."""

    trouble: str
    begun: int


def execute(source: Path, output: Path, *, cwd: Path, work: Path, on_cell: Callable[[], object]) -> Ended:
    """Run `source` in `cwd` and write what ran to `output`.

    Parameters
    ----------
    work : an existing folder for what the kernel leaves.
    on_cell : called after each code cell, for a progress bar.
    """
    if _stopping.is_set():
        raise Stopped
    command = [sys.executable, "-m", "mistrust.publishing.execute", str(source), str(output), str(cwd)]
    trouble: str | None = None
    begun = -1
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as noise:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # its end tells the child that we are gone
            stdout=subprocess.PIPE,
            stderr=noise,
            encoding="utf-8",
            errors="replace",
            env=environment(work),
            start_new_session=True,  # Ctrl-C reaches us alone; we end the child
        )
        _children.add(child)
        try:
            for line in child.stdout or ():
                if line.startswith(MARK):
                    said: Mapping[str, Any] = json.loads(line[len(MARK) :])
                    if "end" in said:
                        trouble = str(said["end"])
                    elif "begun" in said:
                        begun = int(said["begun"])
                    else:
                        on_cell()
        finally:
            if child.stdin:
                child.stdin.close()
            child.wait()
            _children.discard(child)
        if _stopping.is_set():
            raise Stopped
        if trouble is None:
            noise.seek(0)
            rest = [line.rstrip() for line in noise if line.strip()]
            trouble = (
                "\n  ".join(rest[-5:]) or f"the process that ran the notebook ended with status {child.returncode}"
            )
    return Ended(trouble, begun)


def _tell(**said: Any) -> None:
    sys.stdout.write(MARK + json.dumps(said) + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """Wait for the end of stdin, then kill what this process started, and itself."""
    sys.stdin.read()
    import psutil  # comes with ipykernel

    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(1)


def _child(source: str, output: str, cwd: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    ran: Any = nbformat.read(source, as_version=4)

    def begun(cell: Mapping[str, Any], cell_index: int) -> None:
        if cell_index == 0:
            nbformat.write(ran, output)  # it did start, whatever becomes of this process
        ran.cells[cell_index] = cell  # papermill fills it in
        if cell["cell_type"] == "code":
            _tell(begun=cell_index)

    def done(cell: Mapping[str, Any], cell_index: int) -> None:
        if cell["cell_type"] == "code":
            _tell(done=cell_index)

    end = ""
    try:
        papermill.execute_notebook(
            source,
            output,
            kernel_name=KERNEL,
            cwd=cwd,
            progress_bar=False,
            request_save_on_cell_execute=False,  # it writes the whole notebook twice a cell: seconds
            start_timeout=180,
            on_cell_start=begun,
            on_cell_complete=done,
        )
    except PapermillExecutionError as error:
        end = f"{error.ename}: {error.evalue}"
    except Exception as error:
        end = f"{type(error).__name__}: {error}"
        if Path(output).is_file():
            nbformat.write(ran, output)
    _tell(end=end)


if __name__ == "__main__":
    _child(*sys.argv[1:])
