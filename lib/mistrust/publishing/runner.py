"""Run chapters: check everything, make the pieces, execute the notebook, keep what is good.

Nothing runs before every chapter, profile, parameter and notebook was checked. A chapter whose sources did not change
is not run again. A chapter whose piece or cell fails leaves no page: neither a new one nor that of a former run. What
fails for another reason (a scheduler that is gone, a full disk) leaves the former page.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial

from mistrust import progress
from mistrust.engine import PiecesFailed
from mistrust.errors import MistrustError
from mistrust.publishing import chapter_run, freshness, making, notebooks, preflight, site
from mistrust.publishing.chapter_run import NotebookFailed
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.execute import allow, stop
from mistrust.publishing.job import Job, Say


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
    names: Sequence[str], profile: str, assignments: Sequence[str] = (), *, engine_name: str | None = None
) -> list[Job]:
    """The jobs for some chapters, everything checked that can be without making anything.

    What `making.plan` checks, then the notebooks, and all that their pages read.
    """
    jobs = making.plan(names, profile, assignments, engine_name=engine_name)
    for job in jobs:
        notebooks.check(job.chapter, notebooks.load(job.chapter.path))
        preflight.reading(job)
    return jobs


def describe(job: Job, *, force: bool = False) -> str:
    """What running a job would make, for `--dry-run`; makes nothing."""
    chapter = job.chapter
    lines = [f"{chapter.name} ({job.label})", "  parameters"]
    lines += [f"    {name} = {value!r}" for name, value in asdict(job.parameters).items()]
    lines += [f"  left out: {text}" for text in chapter.left_out(job.parameters)]
    lines.append("  pieces")
    for line, name in zip(making.listing(job), making.pieces(job), strict=True):
        reasons = chapter.missing(job.parameters, name)
        lines.append(f"    {line}: {_few(reasons, 3) or 'in the store'}")
    reasons = ["asked for by --force"] if force else freshness.why(chapter, job.parameters)
    lines.append(f"  notebook {chapter.notebook}: " + ("runs: " + _few(reasons) if reasons else "fresh, does not run"))
    lines.append(f"  page {site.page(chapter)}")
    return "\n".join(lines)


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
            rows = making.made(job, engine_name)
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
        making.say_left_out(job, say)
    return bool(reasons)


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
