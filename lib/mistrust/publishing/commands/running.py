"""`mistrust run` and `book`."""

from argparse import Namespace

from mistrust.errors import MistrustError
from mistrust.publishing import preflight, runner, site, staging
from mistrust.publishing.commands.console import say
from mistrust.publishing.commands.making import device
from mistrust.publishing.job import Job
from mistrust.publishing.runner import ChaptersFailed


def run(options: Namespace) -> int:
    """Run chapters, then build the book from all that is executed, and say where the pages are."""
    device(options)
    jobs = runner.plan(options.chapters, options.profile, options.parameters, engine_name=options.engine)
    return _go(jobs, options, pages=not options.no_page)


def book(options: Namespace) -> int:
    """Run every chapter of the table of contents, then build the book."""
    device(options)
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
