"""One chapter's notebook: filled in, run, judged, cleaned, and put in place with one rename.

What failed is kept apart, under `_build/executed/failed/`, where no book is made from.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import nbformat
from filelock import FileLock, Timeout

from mistrust import paths
from mistrust.errors import MistrustError
from mistrust.publishing import freshness, normalise, notebooks, site
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.execute import execute
from mistrust.publishing.job import Job, Say

# A kernel is told which ports to take that were free a moment ago; where another program was faster it ends before any
# cell (jupyter_client issue 276, papermill issue 511). The next start takes other ports.
UNBORN, STARTS = "Kernel died before replying to kernel_info", 3


class NotebookFailed(MistrustError):
    """It is the notebook that went wrong, not the machine it ran on: its former page no longer stands."""


def publish(job: Job, *, on_cell: Callable[[], object], strict: bool = False) -> list[str]:
    """Execute a job's notebook and put it where books are made from; gives the warnings that cells wrote to stderr.

    Raises
    ------
    NotebookFailed
        A cell failed, the kernel died, a figure lacks its words, or under `strict` a cell warned. What was in place
        before is left alone.
    MistrustError
        The notebook did not start.
    """
    chapter, target = job.chapter, freshness.executed(job.chapter)
    sources = freshness.sources(chapter, job.parameters)  # before the run: what changes meanwhile counts as changed
    work = paths.build() / "executed" / "work" / chapter.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    notebook = notebooks.load(chapter.path)
    notebooks.check(chapter, notebook)
    notebooks.fill(notebook, asdict(job.parameters), chapter.path)
    nbformat.write(notebook, work / "in.ipynb")
    out = work / "out.ipynb"
    for _ in range(STARTS):
        ended = execute(work / "in.ipynb", out, cwd=chapter.path.parent, work=work, on_cell=on_cell)
        if out.is_file() or UNBORN not in ended.trouble:
            break
    if not out.is_file():
        raise MistrustError(f"the notebook did not start\n  {ended.trouble}")
    done = notebooks.load(out)
    failed = normalise.failure(done, ended.trouble, ended.begun)
    if failed:
        kept = _keep_failed(chapter, out)
        raise NotebookFailed(f"{failed}\n  as far as it ran: {kept}")
    warned = normalise.alarms(done)
    if warned and strict:
        raise NotebookFailed("warnings, which are errors under --strict\n  " + "\n  ".join(warned))
    normalise.clean(done)
    try:
        normalise.place_figures(done)
    except MistrustError as error:
        raise NotebookFailed(str(error)) from error
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(done, work / "clean.ipynb")
    (work / "clean.ipynb").replace(target)
    page = {"page": freshness.digest(target), "rows": freshness.run_rows(chapter), "warnings": warned}
    freshness.write(chapter, {"chapter": chapter.name, "profile": job.label, **sources, **page})
    shutil.rmtree(work, ignore_errors=True)
    return warned


def _keep_failed(chapter: Chapter, out: Path) -> Path:
    kept = paths.build() / "executed" / "failed" / chapter.path.name
    kept.parent.mkdir(parents=True, exist_ok=True)
    out.replace(kept)
    return kept


def withdraw(chapter: Chapter, reason: str) -> None:
    """Take away the page of a chapter that failed, and remember why."""
    freshness.executed(chapter).unlink(missing_ok=True)
    freshness.write(chapter, {"chapter": chapter.name, "failed": reason})
    site.withdraw(chapter)


@contextmanager
def alone(chapter: Chapter, say: Say) -> Iterator[None]:
    """One run of a chapter at a time in one build folder; the system frees the lock of a process that dies."""
    lock = FileLock(paths.build() / "executed" / f".{chapter.name}.lock")
    Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say(f"{chapter.name}: another run of it is at work here; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
