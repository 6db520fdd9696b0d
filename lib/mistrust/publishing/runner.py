"""Run chapters: check everything, make the pieces, execute the notebook, keep what is good.

Nothing runs before every chapter, profile, parameter and notebook was checked. A chapter whose sources did not change
is not run again. A chapter that fails leaves no page: neither a new one nor that of a former run.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pandas as pd

from mistrust import engine, paths, progress
from mistrust.errors import MistrustError
from mistrust.publishing import chapter_run, freshness, notebooks, profiles, results, site
from mistrust.publishing.chapter_run import Job, Say
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.execute import allow, stop


class ChaptersFailed(MistrustError):
    """Some chapters did not run to their end; the others are kept."""


def plan(names: Sequence[str], profile: str, assignments: Sequence[str] = ()) -> list[Job]:
    """The jobs for some chapters, everything checked: names, profile, parameters, and their notebooks.

    Parameters
    ----------
    assignments : `key=value` texts; every one of the chapters must have each of these parameters.
    """
    jobs = []
    for chapter in [CHAPTERS[name] for name in dict.fromkeys(names)]:
        parameters = profiles.profile(chapter, profile)
        changed = profiles.parse(chapter, assignments)
        if changed:
            parameters = profiles.checked(chapter, {**asdict(parameters), **changed})
        notebooks.check(chapter, notebooks.load(chapter.path))
        jobs.append(Job(chapter, parameters, profiles.profile_of(chapter, parameters)))
    return jobs


def describe(job: Job, *, force: bool = False) -> str:
    """What running a job would make, for `--dry-run`; makes nothing."""
    module, chapter = job.chapter.module(), job.chapter
    lines = [f"{chapter.name} ({job.label})", "  parameters"]
    lines += [f"    {name} = {value!r}" for name, value in asdict(job.parameters).items()]
    lines.append("  pieces")
    known = getattr(module, "missing", None)  # an experiment may tell why a piece has to be made
    for number, name in enumerate(pieces(job), start=1):
        reasons = known(job.parameters, name) if known else ["made unless the store has it"]
        lines.append(f"    {number} {name}: {'; '.join(reasons) or 'in the store'}")
    reasons = ["asked for by --force"] if force else freshness.why(chapter, job.parameters)
    lines.append(f"  notebook {chapter.notebook}: " + ("runs: " + _few(reasons) if reasons else "fresh, does not run"))
    lines.append(f"  page {site.page(chapter)}")
    return "\n".join(lines)


def pieces(job: Job) -> list[str]:
    """The names of a job's pieces, in order."""
    return list(job.chapter.module().pieces(job.parameters))


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
    module = job.chapter.module()
    names = [only] if only is not None else pieces(job)
    function = partial(module.piece, job.parameters)
    frames = engine.map(function, names, names=names, engine=engine_name, label=f"{job.chapter.name}: pieces")
    if only is not None:
        frame: pd.DataFrame = frames[0]
        return frame
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
    writable(paths.build())
    failed: dict[str, str] = {}
    waiting = [job for job in jobs if _needed(job, force, strict, say)]
    ready = []
    for job in waiting:
        started = time.monotonic()
        try:
            rows = make(job, engine_name=engine_name)
        except MistrustError as error:
            failed[job.chapter.name] = str(error)
            chapter_run.withdraw(job.chapter, str(error))
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
                failed.update({job.chapter.name: why for job, why in zip(ready, finished, strict=True) if why})
            except BaseException:  # an interrupt, too: the pool would wait for notebooks that nobody wants any more
                stop()
                raise
    if failed:
        listed = "\n".join(f"{name}: {why}" for name, why in failed.items())
        pages = " and ".join(failed)
        raise ChaptersFailed(f"{listed}\nNo page was made for {pages}, and a former one was taken away.")


def writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to, before anything is made."""
    probe = folder / f".probe-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise MistrustError(
            f"The folder {folder} cannot be written to ({error.strerror}): make it writable, or name another one by "
            "MISTRUST_BUILD=folder. Nothing was run."
        ) from error


def _needed(job: Job, force: bool, strict: bool, say: Say) -> bool:
    reasons = ["asked for"] if force else freshness.why(job.chapter, job.parameters)
    if strict and not reasons and freshness.read(job.chapter).get("warnings"):
        reasons = ["its warnings are errors now"]
    if not reasons:
        say(f"{job.chapter.name} ({job.label}): fresh, not run again")
    else:
        say(f"{job.chapter.name} ({job.label}): runs, because: {_few(reasons)}")
    return bool(reasons)


def _few(reasons: Sequence[str], most: int = 5) -> str:
    more = f", and {len(reasons) - most} more" if len(reasons) > most else ""
    return ", ".join(reasons[:most]) + more


def _try(job: Job, *, on_cell: Callable[[], object], strict: bool, say: Say) -> str:
    """Execute one notebook; gives "" or why it failed, and takes its page away then."""
    started = time.monotonic()
    try:
        with chapter_run.alone(job.chapter, say):
            warned = chapter_run.publish(job, on_cell=on_cell, strict=strict)
    except (MistrustError, OSError) as error:  # a full disk is the chapter's failure too, and costs no other one
        chapter_run.withdraw(job.chapter, str(error))
        return str(error)
    for warning in warned:
        say(f"{job.chapter.name}: {warning}")
    say(f"{job.chapter.name}: notebook run in {time.monotonic() - started:.0f} s")
    return ""


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
