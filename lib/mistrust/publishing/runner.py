"""Run chapters: check everything, make the pieces, execute the notebook, keep what is good.

Nothing runs before every chapter, profile, parameter and notebook was checked. A chapter whose sources did not change
is not run again. A chapter whose piece or cell fails leaves no page: neither a new one nor that of a former run. What
fails for another reason (a scheduler that is gone, a full disk) leaves the former page.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pandas as pd

from mistrust import paths, progress
from mistrust.engine import PiecesFailed
from mistrust.errors import MistrustError
from mistrust.pieces import gather
from mistrust.publishing import chapter_run, freshness, notebooks, preflight, profiles, results, site
from mistrust.publishing.chapter_run import Job, NotebookFailed, Say
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.execute import allow, stop


class ChaptersFailed(MistrustError):
    """Some chapters did not run to their end; the others are kept.

    Parameters
    ----------
    failed : why, by chapter.
    withdrawn : those whose page was taken away, since it is the chapter that failed.
    """

    def __init__(self, failed: Mapping[str, str], withdrawn: Collection[str]) -> None:
        lines = [f"{name}: {why}" for name, why in failed.items()]
        gone = [name for name in failed if name in withdrawn]
        kept = [name for name in failed if name not in withdrawn]
        if gone:
            lines.append(f"No page was made for {' and '.join(gone)}, and a former one was taken away.")
        if kept:
            lines.append(f"No page was made for {' and '.join(kept)}; a former one is as it was.")
        super().__init__("\n".join(lines))
        self.failed = dict(failed)


def plan(
    names: Sequence[str],
    profile: str,
    assignments: Sequence[str] = (),
    *,
    engine_name: str | None = None,
    pages: bool = True,
    at_hand: bool = True,
) -> list[Job]:
    """The jobs for some chapters, everything checked that can be without making anything.

    Names, profile, parameters with the data they name, notebooks, engine and device.

    Parameters
    ----------
    assignments : `key=value` texts; every one of the chapters must have each of these parameters.
    engine_name : see `mistrust.engine.map`.
    pages : the jobs are to make pages, so that what a page reads is checked, too.
    at_hand : the data must be here; to list what would be made of them they need not.
    """
    jobs = []
    for chapter in [CHAPTERS[name] for name in dict.fromkeys(names)]:
        parameters = profiles.profile(chapter, profile)
        changed = profiles.parse(chapter, assignments)
        if changed:
            parameters = profiles.checked(chapter, {**asdict(parameters), **changed})
        notebooks.check(chapter, notebooks.load(chapter.path))
        jobs.append(Job(chapter, parameters, profiles.profile_of(chapter, parameters)))
    preflight.machine(engine_name)
    for job in jobs:
        preflight.computing(job, at_hand=at_hand)
        if pages:
            preflight.reading(job)
    return jobs


def describe(job: Job, *, force: bool = False) -> str:
    """What running a job would make, for `--dry-run`; makes nothing."""
    module, chapter = job.chapter.module(), job.chapter
    lines = [f"{chapter.name} ({job.label})", "  parameters"]
    lines += [f"    {name} = {value!r}" for name, value in asdict(job.parameters).items()]
    lines += [f"  left out: {text}" for text in chapter.left_out(job.parameters)]
    lines.append("  pieces")
    for line, name in zip(listing(job), pieces(job), strict=True):
        reasons = module.missing(job.parameters, name)
        lines.append(f"    {line}: {_few(reasons, 3) or 'in the store'}")
    reasons = ["asked for by --force"] if force else freshness.why(chapter, job.parameters)
    lines.append(f"  notebook {chapter.notebook}: " + ("runs: " + _few(reasons) if reasons else "fresh, does not run"))
    lines.append(f"  page {site.page(chapter)}")
    return "\n".join(lines)


def pieces(job: Job) -> list[str]:
    """The names of a job's pieces, in order."""
    return list(job.chapter.module().pieces(job.parameters))


def listing(job: Job) -> list[str]:
    """A line a piece: its number, from 1, its name, and whether it only prepares others."""
    prepares = set(job.chapter.preparing(job.parameters))
    return [
        f"{number} {name}{' (prepares others)' if name in prepares else ''}"
        for number, name in enumerate(pieces(job), start=1)
    ]


def rows_folder(job: Job) -> Path:
    """Where the rows of a job's run are kept."""
    return paths.run_rows() / job.chapter.name


def make(job: Job, *, engine_name: str | None = None, only: str | None = None) -> pd.DataFrame:
    """Make the pieces of a job through the engine, then all its rows, kept under `_build/rows`.

    Parameters
    ----------
    engine_name : see `mistrust.engine.map`.
    only : one piece by name; then only its rows are given, and nothing is written but the store.
    """
    preflight.ready(engine_name)
    return _made(job, engine_name, only)


def _made(job: Job, engine_name: str | None, only: str | None = None) -> pd.DataFrame:
    module = job.chapter.module()
    names = [only] if only is not None else pieces(job)
    label = f"{job.chapter.name}: pieces"
    try:
        made = gather(module.piece, module.missing, job.parameters, names, label=label, engine_name=engine_name)
    except PiecesFailed as error:  # in a message the chapter is named already
        raise PiecesFailed("pieces", error.failures, error.results) from error.__cause__
    if only is not None:
        return made
    with _reading():
        rows: pd.DataFrame = module.rows(job.parameters)
    results.save_run(job.chapter, job.parameters, rows)
    return rows


def run(
    jobs: Sequence[Job],
    *,
    parallel: int = 1,
    force: bool = False,
    strict: bool = False,
    engine_name: str | None = None,
    say: Say,
) -> None:
    """Run jobs: pieces one chapter after the other (they fill the machine), notebooks `parallel` at a time.

    Parameters
    ----------
    force : run chapters that are fresh, too.
    strict : a warning on a notebook's stderr fails its chapter.

    Raises
    ------
    ChaptersFailed
        Names every chapter that failed and why; the others are done.
    """
    preflight.ready(engine_name)
    failed: dict[str, str] = {}
    withdrawn: set[str] = set()
    waiting = [job for job in jobs if _needed(job, force, strict, say)]
    ready = []
    for job in waiting:
        started = time.monotonic()
        try:
            rows = _made(job, engine_name)
        except (MistrustError, OSError) as error:
            failed[job.chapter.name] = str(error)
            if isinstance(error, PiecesFailed):  # any other error says nothing about the chapter
                chapter_run.withdraw(job.chapter, str(error))
                withdrawn.add(job.chapter.name)
            continue
        say(f"{job.chapter.name}: {len(rows)} rows in {time.monotonic() - started:.0f} s")
        ready.append(job)
    cells = sum(_cells(job.chapter) for job in ready)
    if ready:
        allow()
        with (
            progress.bar(cells, "notebooks", "cell") as bar,
            ThreadPoolExecutor(max_workers=max(1, parallel)) as pool,
        ):
            try:
                finished = pool.map(partial(_try, on_cell=bar.update, strict=strict, say=say), ready)
                for job, error in zip(ready, finished, strict=True):
                    if error is not None:
                        failed[job.chapter.name] = str(error)
                    if isinstance(error, NotebookFailed):
                        withdrawn.add(job.chapter.name)
            except BaseException:  # an interrupt, too: the pool would wait for notebooks that nobody wants any more
                stop()
                raise
    if failed:
        raise ChaptersFailed(failed, withdrawn)


def _needed(job: Job, force: bool, strict: bool, say: Say) -> bool:
    reasons = ["asked for"] if force else freshness.why(job.chapter, job.parameters)
    if strict and not reasons and freshness.read(job.chapter).get("warnings"):
        reasons = ["its warnings are errors now"]
    if not reasons:
        say(f"{job.chapter.name} ({job.label}): fresh, not run again")
    else:
        say(f"{job.chapter.name} ({job.label}): runs, because: {_few(reasons)}")
        say_left_out(job, say)
    return bool(reasons)


def say_left_out(job: Job, say: Say) -> None:
    """Name what is not run of what was asked for: a run that is smaller than its profile says so."""
    for text in job.chapter.left_out(job.parameters):
        say(f"{job.chapter.name} ({job.label}): left out: {text}")


def _few(reasons: Sequence[str], most: int = 5) -> str:
    more = f", and {len(reasons) - most} more" if len(reasons) > most else ""
    return ", ".join(reasons[:most]) + more


def _try(job: Job, *, on_cell: Callable[[], object], strict: bool, say: Say) -> Exception | None:
    """Execute one notebook; gives why it failed, or None. Its page is taken away when the notebook itself failed."""
    started = time.monotonic()
    try:
        with chapter_run.alone(job.chapter, say):
            warned = chapter_run.publish(job, on_cell=on_cell, strict=strict)
    except (MistrustError, OSError) as error:  # a full disk costs no other chapter
        if isinstance(error, NotebookFailed):
            chapter_run.withdraw(job.chapter, str(error))
        return error
    for warning in warned:
        say(f"{job.chapter.name}: {warning}")
    say(f"{job.chapter.name}: notebook run in {time.monotonic() - started:.0f} s")
    return None


def _cells(chapter: Chapter) -> int:
    return sum(cell.cell_type == "code" for cell in notebooks.load(chapter.path).cells)


@contextmanager
def _reading() -> Iterator[None]:
    """While rows are only read from the store: no processes, no bars."""
    quiet = {"MISTRUST_ENGINE": "inline", "MISTRUST_PROGRESS": "0"}
    before = {name: os.environ.get(name) for name in quiet}
    os.environ.update(quiet)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
