"""`mistrust run`, `make` and `book`."""

import os
from argparse import Namespace

from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing import preflight, runner, site, staging
from mistrust.publishing.chapter_run import Job
from mistrust.publishing.commands.console import say
from mistrust.publishing.runner import ChaptersFailed


def run(options: Namespace) -> int:
    """Run chapters, then build the book from all that is executed, and say where the pages are."""
    _device(options)
    jobs = runner.plan(options.chapters, options.profile, options.parameters, engine_name=options.engine)
    return _go(jobs, options, pages=not options.no_page)


def book(options: Namespace) -> int:
    """Run every chapter of the table of contents, then build the book."""
    _device(options)
    names = [chapter.name for chapter in staging.chapters()]
    return _go(runner.plan(names, options.profile, engine_name=options.engine), options, pages=True)


def _go(jobs: list[Job], options: Namespace, *, pages: bool) -> int:
    if options.jobs is not None and options.jobs < 1:
        raise MistrustError(f"--jobs is {options.jobs}, expected at least 1.")
    if options.dry_run:
        for job in jobs:
            say(runner.describe(job, force=options.force))
        return 0
    failed: ChaptersFailed | None = None
    try:
        runner.run(
            jobs,
            parallel=preflight.side_by_side() if options.jobs is None else options.jobs,
            force=options.force,
            strict=options.strict,
            engine_name=options.engine,
            say=say,
        )
    except ChaptersFailed as error:  # the pages of the others are built before it is told
        failed = error
    good = [job for job in jobs if failed is None or job.chapter.name not in failed.failed]
    if pages and good:
        try:
            _build(good, options)
        except MistrustError as error:
            if failed is None:
                raise
            raise MistrustError(f"{failed}\n{error}") from error
    if failed is not None:
        raise failed
    return 0


def _build(good: list[Job], options: Namespace) -> None:
    solutions = not getattr(options, "no_solutions", False)  # `mistrust run` makes the whole book alone
    index, warnings = site.build(strict=options.strict, force=options.force, solutions=solutions)
    for warning in warnings:
        say(warning)
    for path in [index] if options.action.endswith("book") else [site.page(job.chapter) for job in good]:
        say(f"{path}")


def _device(options: Namespace) -> None:
    """What --device asks for holds for this process, its workers and its kernels."""
    if options.device is not None:
        os.environ["MISTRUST_DEVICE"] = options.device


def make(options: Namespace) -> int:
    """Make all pieces of a chapter and its rows, or some pieces, or list the pieces."""
    _device(options)
    (job,) = runner.plan(
        [options.chapter], options.profile, options.parameters, engine_name=options.engine, pages=False,
        at_hand=not options.list,
    )  # fmt: skip
    if options.list:
        for line in runner.listing(job):
            say(line)
        return 0
    runner.say_left_out(job, say)
    if options.piece:
        every = runner.pieces(job)
        for name in [_piece(given, every) for given in options.piece]:  # all names are good before work begins
            rows = runner.make(job, engine_name=options.engine, only=name)
            say(f"{job.chapter.name} ({job.label}), {name}: {len(rows)} rows, kept in the store")
        return 0
    rows = runner.make(job, engine_name=options.engine)
    say(f"{job.chapter.name} ({job.label}): {len(rows)} rows in {runner.rows_folder(job)}")
    return 0


def _piece(given: str, names: list[str]) -> str:
    """A piece by its number (from 1) or name."""
    if given in names:
        return given
    if given.isdigit():
        if 1 <= int(given) <= len(names):
            return names[int(given) - 1]
        raise MistrustError(f"There is no piece {given}: pieces are numbered 1 to {len(names)} (--list lists them).")
    raise UnknownName("piece", given, names)
