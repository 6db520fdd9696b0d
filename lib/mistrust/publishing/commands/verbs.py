"""The parser of `mistrust VERB ...`: every command, what it is for, and its options.

A verb names the function that does it ("running.run" is `mistrust.publishing.commands.running.run`); nothing heavy is
imported here, so that help comes at once.
"""

import argparse
import textwrap
from typing import Any

from mistrust import __version__
from mistrust.publishing.commands import ambiguous_parser, assess_parser, examples, search_parser
from mistrust.publishing.commands.parsing import Parser

EXAMPLES = """examples:
  mistrust book                                       run what changed, build the book in _build/html
  mistrust serve                                      read it in a browser
  mistrust run misclassification -p networks=4        a chapter with other parameters, and its page
  mistrust list parameters misclassification          what can be set, with types, ranges and help
  mistrust make misclassification --profile full --piece 3     one piece of a long experiment, without Jupyter
  mistrust ambiguous make mnist --out FOLDER          a data set of ambiguous images, labelled, for use elsewhere
  mistrust search --images FOLDER --scores FILE --out FOLDER   the images to label first, and a page to label them on
  mistrust assess --model FILE --images FOLDER --out FOLDER    a report on a classifier of your own
  mistrust status                                     what is fresh, what is stale, and why
"""


def parser() -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser and the names of its verbs."""
    top = Parser(
        prog="mistrust",
        description="When not to trust an image classifier: run the chapters, build the book, look after what is made.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"mistrust {__version__}")
    top.set_defaults(action=None, rest=[])
    verbs = top.add_subparsers(title="commands", metavar="COMMAND")
    _running(verbs)
    _tools(verbs)
    _check(verbs)
    _house(verbs)
    _looking(verbs)
    return top, list(verbs.choices)


def _running(verbs: Any) -> None:
    run = _verb(
        verbs, "run", "running.run", "run chapters and make their pages",
        "Everything is checked before anything runs. A chapter whose notebook, parameters, inputs and code did not "
        "change is not run again. What a killed run made is kept: the same command makes the rest. A failing "
        "chapter leaves no page.",
    )  # fmt: skip
    run.add_argument("chapters", nargs="+", metavar="CHAPTER", help="see: mistrust list chapters")
    _profile(run)
    _parameters(run)
    _how(run)
    run.add_argument("--no-page", action="store_true", help="execute the notebook only; build no page")

    make = _verb(
        verbs, "make", "making.make", "run a chapter's experiment without Jupyter",
        "Makes the pieces of an experiment, which the store keeps, and its rows in _build/rows. With --piece it makes "
        "some pieces only: so long runs can be split over days or machines.",
    )  # fmt: skip
    make.add_argument("chapter", metavar="CHAPTER", help="see: mistrust list chapters")
    _profile(make)
    _parameters(make)
    which = make.add_mutually_exclusive_group()
    which.add_argument(
        "--piece", action="append", metavar="N", help="make this piece only: its number or name; repeat for more"
    )
    which.add_argument("--list", action="store_true", help="list the pieces, make none")
    _engine(make)

    book = _verb(
        verbs, "book", "running.book", "run every chapter that changed and build the book",
        "The chapters are those of _toc.yml, all with the same profile; to set single parameters run a chapter by "
        "itself: mistrust run CHAPTER -p name=value.",
    )  # fmt: skip
    _profile(book)
    _how(book)
    book.add_argument(
        "--no-solutions",
        action="store_true",
        help="build the book to hand out, without solutions of exercises, in _build/handout; the other stays",
    )


def _tools(verbs: Any) -> None:
    """What readers call on a classifier of their own; each has its options and examples in a module beside this."""
    ambiguous = _verbs(_verb(verbs, "ambiguous", None, "make truly ambiguous images of a labelled set"))
    for group, name, tool in (
        (ambiguous, "make", ambiguous_parser), (verbs, "search", search_parser), (verbs, "assess", assess_parser),
    ):  # fmt: skip
        made = _verb(group, name, tool.ACTION, tool.HELP, tool.MORE)
        made.formatter_class, made.epilog = argparse.RawDescriptionHelpFormatter, tool.EXAMPLES
        made.description = textwrap.fill(made.description or "", 110)
        tool.add_options(made)


def _check(verbs: Any) -> None:
    check = _verb(
        verbs, "check", "check.check", "judge an answer to an exercise of the book",
        "Says whether it is right and why, else gives a hint. Without an exercise, lists them; without an answer, says "
        "what is asked.",
    )  # fmt: skip
    check.add_argument("exercise", nargs="?", metavar="EXERCISE", help="its name, or CHAPTER/NAME")
    check.add_argument(
        "answer", nargs="*", metavar="NUMBER", help="the answer: 0.25, 1/4 or 25%%, as many as are asked"
    )


def _house(verbs: Any) -> None:
    serve = _verb(verbs, "serve", "house.serve", "show the built book at an address of this machine")
    serve.add_argument("--port", type=int, default=8000, help="port, the next free one when it is taken (default 8000)")
    _verb(verbs, "clean", "house.clean", "delete what runs left in _build; the store stays (see: mistrust store prune)")
    lint = _verb(verbs, "lint", "house.lint", "check style, types, import contracts and workflows")
    lint.add_argument("--fix", action="store_true", help="mend what can be mended by itself")
    _verb(verbs, "test", "house.test", "run the tests; further arguments go to pytest")
    _verb(verbs, "browser", "house.browser", "check the built book in a real browser; further arguments go to pytest")
    release = _verb(
        verbs, "release", "release.release", "make a wheel of the library and one zip of the book",
        "Refuses a clone with changes, and a book that is missing, stale or of another version. Uses no network.",
    )  # fmt: skip
    _profile(release)
    release.add_argument("--out", metavar="FOLDER", help="a folder of its own (default dist/VERSION)")
    release.add_argument("--dirty", action="store_true", help="also with changes that are in no commit")


def _looking(verbs: Any) -> None:
    status = _verb(verbs, "status", "looking.status", "say for each chapter what is fresh or stale, and why")
    status.add_argument("chapter", nargs="?", metavar="CHAPTER", help="one chapter only")

    listing = _verb(verbs, "list", "looking.listing", "list what there is")
    listing.add_argument(
        "what", metavar="WHAT",
        help="chapters, parameters, profiles, data, architectures, perturbations, corruptions, faults, benchmark-sets, "
        "supervisors, searches, mechanisms, distances or claims",
    )  # fmt: skip
    listing.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="the chapter whose parameters, profiles or claims, or one supervisor",
    )

    claims = _verb(verbs, "claims", "looking.claims", "judge the papers' claims by the accepted rows")
    claims.add_argument("chapter", nargs="?", metavar="CHAPTER", help="one chapter's claims only")
    claims.add_argument("--profile", default="full", metavar="P", help="judge by the accepted rows of this profile")
    claims.add_argument(
        "--check", action="store_true",
        help="compare the built book with the full rows: exit status 1 where a verdict or a count differs, or where a "
        "claim or a test has no other half",
    )  # fmt: skip

    rows = _verb(verbs, "rows", None, "look after rows")
    group = _verbs(rows)
    accept = _verb(
        group, "accept", "looking.accept", "commit a run's rows to data/results",
        "Only when every parameter of the run equals the profile.",
    )  # fmt: skip
    accept.add_argument("chapter", metavar="CHAPTER", help="see: mistrust list chapters")
    accept.add_argument("--profile", metavar="P", help="refuse rows of another profile (for pieces: full)")
    accept.add_argument("--piece", action="append", metavar="NAME", help="accept this piece only; repeat for more")
    accept.add_argument("--anew", action="store_true", help="with --piece: drop what was accepted before")
    restore = _verb(
        group, "restore", "looking.restore", "put accepted rows back into the store",
        "A run then makes only what they lack: a new part of an experiment is measured alone, where the store is not "
        "the one that the accepted run filled.",
    )  # fmt: skip
    restore.add_argument("chapter", metavar="CHAPTER", help="see: mistrust list chapters")
    restore.add_argument("--profile", default="full", metavar="P", help="of these rows (default full)")
    compare = _verb(
        group, "compare", "looking.rows_compare", "say what moved against the accepted rows",
        "Compares the last run with the rows accepted in data/results, number by number: equal, within an interval, or "
        "beyond it. With --piece only these pieces are made and compared, which takes minutes where a whole run takes "
        "hours. Exit status 1 where a number moved, or rows are lacking, 2 where nothing could be compared.",
    )  # fmt: skip
    compare.add_argument("chapter", nargs="?", metavar="CHAPTER", help="all that have accepted rows, if left out")
    compare.add_argument("--profile", default="full", metavar="P", help="of both (default full)")
    other = compare.add_mutually_exclusive_group()
    other.add_argument("--piece", action="append", default=[], metavar="NAME", help="this piece only; repeat for more")
    other.add_argument(
        "--with", dest="other", metavar="FOLDER", help="rows accepted elsewhere: a folder like data/results"
    )

    data = _verbs(_verb(verbs, "data", None, "image sets"))
    _verb(data, "list", "looking.data_list", "say what is at hand, from where, how many images")
    get = _verb(data, "get", "looking.data_get", "download an image set, or say how to get it")
    get.add_argument("name", metavar="NAME", help="see: mistrust data list")

    store = _verbs(_verb(verbs, "store", None, "things made once and kept"))
    listed = _verb(store, "list", "looking.store_list", "say what the store holds")
    listed.add_argument("--check", action="store_true", help="read every file and compare its checksum")
    prune = _verb(store, "prune", "looking.store_prune", "remove unfinished, altered and outdated things")
    prune.add_argument("--kind", metavar="K", help="only things of this kind")
    prune.add_argument("--older-than", type=float, default=0.0, metavar="DAYS", help="only things at least this old")
    prune.add_argument("--good", action="store_true", help="good things, too: they are made again when wanted")
    prune.add_argument("--dry-run", action="store_true", help="say what would be removed")


def _verb(verbs: Any, name: str, action: str | None, help: str, more: str = "") -> argparse.ArgumentParser:
    description = f"{help[0].upper()}{help[1:]}. {more}".strip()
    below = examples.EXAMPLES.get(action or "")
    # With examples the text is laid out here: argparse would run their lines together.
    made: argparse.ArgumentParser = verbs.add_parser(
        name, help=help, description=textwrap.fill(description, 110) if below else description,
        epilog=f"examples:{below}" if below else None,
        formatter_class=argparse.RawDescriptionHelpFormatter if below else argparse.HelpFormatter,
    )  # fmt: skip
    if action is not None:
        made.set_defaults(action=action)
    return made


def _verbs(parent: argparse.ArgumentParser) -> Any:
    return parent.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _profile(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--profile", default="quick", metavar="P", help="smoke, quick, full or paper (default quick)")


def _parameters(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "-p", "--parameter", dest="parameters", action="append", default=[], metavar="NAME=VALUE",
        help="set one parameter; repeat for more; lists as a,b (see: mistrust list parameters CHAPTER)",
    )  # fmt: skip


def _engine(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--engine", metavar="E",
        help="where pieces are made: inline, processes, local (Dask on this machine), auto, or a Dask scheduler as "
        "tcp://HOST:PORT or dask://HOST:PORT",
    )  # fmt: skip
    verb.add_argument(
        "--device",
        metavar="D",
        help="where networks compute: cpu, cuda, mps (untried); default: auto, cuda or else cpu",
    )


def _how(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--dry-run", action="store_true", help="say what would be made; make nothing")
    verb.add_argument(
        "--jobs", "-j", type=int, metavar="N", help="notebooks run at a time (default: as cores and memory allow)"
    )
    verb.add_argument("--force", action="store_true", help="run chapters and build pages that are fresh, too")
    verb.add_argument("--strict", action="store_true", help="warnings are errors")
    _engine(verb)
