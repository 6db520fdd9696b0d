"""`mistrust make`."""

import os
from argparse import Namespace

from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing import making
from mistrust.publishing.commands.console import say


def device(options: Namespace) -> None:
    """What --device asks for holds for this process, its workers and its kernels."""
    if options.device is not None:
        os.environ["MISTRUST_DEVICE"] = options.device


def make(options: Namespace) -> int:
    """Make all pieces of a chapter and its rows, or some pieces, or list the pieces."""
    device(options)
    (job,) = making.plan(
        [options.chapter], options.profile, options.parameters, engine_name=options.engine, at_hand=not options.list
    )
    if options.list:
        for line in making.listing(job):
            say(line)
        return 0
    making.say_left_out(job, say)
    if options.piece:
        every = making.pieces(job)
        chosen = list(dict.fromkeys(_piece(given, every) for given in options.piece))
        making.make(job, engine_name=options.engine, only=chosen)
        for name in chosen:
            rows = job.chapter.module().piece(job.parameters, name)
            say(f"{job.chapter.name} ({job.label}), {name}: {len(rows)} rows, kept in the store")
        return 0
    rows = making.make(job, engine_name=options.engine)
    say(f"{job.chapter.name} ({job.label}): {len(rows)} rows in {making.rows_folder(job)}")
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
