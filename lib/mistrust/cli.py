"""The command line: `mistrust VERB ...`.

Verbs are read here and done in `mistrust.publishing.commands`, imported when they are called, so that help comes at
once. Exit status: 0 done, 1 a check found something, 2 a mistake that the message explains, 130 interrupted.
"""

import argparse
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TextIO

from mistrust.engine import warm
from mistrust.errors import MistrustError, MistrustWarning, UnknownName
from mistrust.publishing.commands import project
from mistrust.publishing.commands.bytecode import compiling_once
from mistrust.publishing.commands.console import bearing
from mistrust.publishing.commands.parsing import refuse
from mistrust.publishing.commands.verbs import parser

__all__ = ["main", "parser"]

BELOW_ZERO = re.compile(r"-[\d.]")
FORWARDED = ("test", "browser")  # what follows these belongs to pytest


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # a process of its own
        compiling_once()
        bearing(sys.stdout)
    warnings.showwarning = _plainly(warnings.showwarning)
    try:
        return _call(given)
    except MistrustError as error:
        print(f"mistrust: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\nmistrust: interrupted; what is made is kept, and the same command goes on from there.", file=sys.stderr
        )
        return 130
    except BrokenPipeError:  # `mistrust list ... | head`
        sys.stderr.close()
        return 0
    except OSError as error:  # last, for what no place below explains better: a full disk, a folder that is shut
        print(f"mistrust: {error.filename or 'The system'}: {error.strerror or error}.", file=sys.stderr)
        return 2


def _call(given: list[str]) -> int:
    top, verbs = parser()
    if given and not given[0].startswith("-") and given[0] not in verbs:
        raise UnknownName("command", given[0], verbs, "mistrust --help")
    rest: list[str] = []
    if given and given[0] in FORWARDED and not {"-h", "--help"} & set(given):
        given, rest = given[:1], given[1:]
    if given and given[0] == "check" and "--" not in given:
        below = next((place for place, one in enumerate(given) if BELOW_ZERO.match(one)), None)
        if below is not None:  # an answer such as -1/4 or -25% looks like an option
            given = [*given[:below], "--", *given[below:]]
    options, unknown = top.parse_known_args(given)
    if unknown:
        refuse(top, given, unknown)
    if options.action is None:
        top.print_help()
        return 0
    if rest:
        options.rest = rest
    if options.action.startswith(project.ACTIONS):
        project.need(given[0])
    module, _, function = options.action.partition(".")
    if module in ("running", "making") and not getattr(options, "dry_run", False):
        warm(options.engine)  # beside the import below, which takes as long
    try:
        commands = importlib.import_module(f"mistrust.publishing.commands.{module}")
    except ModuleNotFoundError as error:
        if str(error.name).startswith("mistrust"):
            raise
        raise project.lacking(given[0], error) from error
    action: Callable[[argparse.Namespace], int] = getattr(commands, function)
    return action(options)


def _plainly(usual: Callable[..., None]) -> Callable[..., None]:
    """Our own warnings without file and line; others as usual."""

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int,
        file: TextIO | None = None, line: str | None = None,
    ) -> None:  # fmt: skip
        if issubclass(category, MistrustWarning):
            print(f"mistrust: warning: {message}", file=sys.stderr)
        else:
            usual(message, category, filename, lineno, file, line)

    return show


if __name__ == "__main__":
    sys.exit(main())
