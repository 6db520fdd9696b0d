"""A command line's mistakes: the nearest word where one stands in no list."""

import argparse
import re
from collections.abc import Iterable
from typing import NoReturn

from mistrust.errors import nearest


class Parser(argparse.ArgumentParser):
    """A parser that names the nearest word where one stands in no list."""

    def error(self, message: str) -> NoReturn:
        """End with the usage, the mistake, and the nearest command where a command does not exist."""
        wrong = re.search(r"invalid choice: '([^']*)'", message)
        super().error(message + _hint(wrong[1], _commands(self)) if wrong else message)


def refuse(top: argparse.ArgumentParser, given: list[str], unknown: list[str]) -> NoReturn:
    """End with the usage of the command that was called, and the nearest of its options."""
    called = top
    for word in given:
        called = _commands(called).get(word, called)
    options = called._option_string_actions  # argparse has no public list of them
    hints = "".join(_hint(word.partition("=")[0], options) for word in unknown if word.startswith("-"))
    called.error(f"unrecognized arguments: {' '.join(unknown)}{hints}")


def given(options: argparse.Namespace, parser: argparse.ArgumentParser) -> dict[str, str]:
    """The options that have another value than where they are left out: their names in the code, and as they are typed.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--budget", type=int, default=50), parser.add_argument("--class", dest="critical")
    >>> given(parser.parse_args(["--class", "cat"]), parser)
    {'critical': '--class'}
    """
    found = vars(options)
    flags = {action.dest: flag for flag, action in parser._option_string_actions.items() if action.dest in found}
    return {name: flag for name, flag in flags.items() if found[name] != parser.get_default(name)}


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found.update(action.choices)
    return found


def _hint(word: str, known: Iterable[str]) -> str:
    near = nearest(word, known)
    return f". Did you mean '{near}'?" if near else ""
