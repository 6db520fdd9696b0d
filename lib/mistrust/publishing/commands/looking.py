"""`mistrust status`, `list`, `claims`, `rows`, `data` and `store`."""

import time
from argparse import Namespace
from typing import TYPE_CHECKING

from mistrust.errors import MistrustError, check_known
from mistrust.progress import bar
from mistrust.publishing.commands import project
from mistrust.publishing.commands.console import say, size, table
from mistrust.publishing.commands.lists import LISTS, OF_ONE, OF_PROJECT

if TYPE_CHECKING:
    from pandas import DataFrame


def status(options: Namespace) -> int:
    """Say what is fresh or stale, and why."""
    from mistrust.publishing import status as state

    say(state.text(state.status(options.chapter)))
    return 0


def listing(options: Namespace) -> int:
    """List one table."""
    check_known("list", options.what, LISTS, "mistrust list --help")
    if options.what in OF_PROJECT:
        project.need(f"list {options.what}")
    if options.name is not None and options.what not in OF_ONE:
        raise MistrustError(f"`mistrust list {options.what}` takes no name: leave '{options.name}' out.")
    say(LISTS[options.what](options.name))
    return 0


def claims(options: Namespace) -> int:
    """Judge the claims by the accepted rows, or compare the built book with them."""
    from mistrust.publishing.chapters import CHAPTERS
    from mistrust.publishing.profiles import PROFILES

    chapter = options.chapter and CHAPTERS[options.chapter].name
    check_known("profile", options.profile, PROFILES, "mistrust list profiles")
    if options.check:
        return _check_claims(options)
    from mistrust.publishing import claims as ledger  # the tests of all claims, which take seconds to load
    from mistrust.publishing import results

    with bar(len(ledger.claims(chapter)), "claims", "claim") as progress:
        judged = ledger.verdicts(results.everything(options.profile), chapter=chapter, judged=progress.update)
    lines = zip(judged["id"], judged["place"], judged["verdict"], judged["claim"], judged["evidence"], strict=True)
    for name, place, verdict, claim, evidence in lines:
        say(f"{name} ({place}): {verdict}\n    {claim}" + (f"\n    {evidence}" if evidence else ""))
    say(", ".join(f"{count} {word}" for word, count in ledger.counts(judged).items()))
    return 0


def _check_claims(options: Namespace) -> int:
    from mistrust.publishing import ledger, site

    if options.chapter or options.profile != "full":
        raise MistrustError("--check compares the whole book with the full rows: leave chapter and --profile out.")
    if not (site.html() / "index.html").is_file():
        raise MistrustError(f"There is no book in {site.html()}: make it by `mistrust book`.")
    found = ledger.faults(site.html())
    for fault in found:
        say(fault)
    say(
        f"{len(found)} fault{'s' * (len(found) > 1)}"
        if found
        else "Every verdict in the book is the one that the rows give."
    )
    return 1 if found else 0


def accept(options: Namespace) -> int:
    """Copy a run's rows, or pieces' rows, to `data/results`."""
    from mistrust.publishing import results

    for path in results.accept(options.chapter, options.profile, pieces=options.piece, anew=options.anew, say=say):
        say(str(path))
    return 0


def restore(options: Namespace) -> int:
    """Put accepted rows back into the store."""
    from mistrust.publishing.restoring import restore

    restore(options.chapter, options.profile, say=say)
    return 0


def rows_compare(options: Namespace) -> int:
    """Say what moved against the accepted rows, of one chapter or of all that have some."""
    from mistrust.publishing.acceptance import read_accepted
    from mistrust.publishing.chapters import CHAPTERS

    if options.chapter is not None:
        return _compare(options, options.chapter)
    if options.piece:
        raise MistrustError("`mistrust rows compare --piece` needs a chapter: pieces of different ones share names.")
    found, some = 0, False
    for one in CHAPTERS.values():
        if read_accepted(one, options.profile) is None:
            say(f"== {one.name}: no accepted rows of the profile `{options.profile}`")
            continue
        some = True
        say(f"== {one.name}")
        try:
            found = max(found, _compare(options, one.name))
        except MistrustError as error:  # a chapter that was not run hides no other
            say(str(error))
            found = 2
    if not some:
        say(
            f"Nothing to compare with yet: `mistrust rows accept CHAPTER --profile {options.profile}` makes rows of a "
            "run the accepted ones."
        )
    return found


def _compare(options: Namespace, chapter: str) -> int:
    from mistrust.publishing import moved
    from mistrust.publishing.sides import sides

    old, new, like, beside = sides(chapter, options.profile, pieces=options.piece, folder=options.other)
    found = moved.moved(old, new, like)
    counted = moved.counts(found)
    heads = [word for word in moved.WORDS if counted[word].any()]
    lines = [(name, *(f"{count:,}" for count in counted.loc[name, heads])) for name in counted.index]
    say(table([*lines, ("all", *(f"{counted[word].sum():,}" for word in heads))], ("table", *heads)))
    for word in heads:
        say(f"{word}: {moved.SAID[word]}{_of_networks(found) if word == 'drawn' else ''}")
    far = moved.farthest(found)
    if len(far):
        say("\nOutside both intervals, farthest first:")
    for line in far.to_dict("records"):
        where = " ".join(
            str(line[k]) for k in ("table", "data", "network", "method", "condition", "at", "metric") if line[k]
        )
        before = _barred(line["old"], line["low"], line["high"])
        say(f"  {where}: {before}, now {_barred(line['new'], line['new_low'], line['new_high'])}")
    worse = int(counted[list(moved.BAD)].to_numpy().sum())
    say(f"{len(found) - worse:,} of {len(found):,} numbers reproduce.")
    if beside:
        say(f"{beside:,} more rows were not compared: the accepted files hold what follows from them, or nothing.")
    return 1 if worse else 0


def _of_networks(found: "DataFrame") -> str:
    """How many networks an interval of "drawn" rests on: of three it is five deviations wide on either side."""
    told = found.loc[found["word"] == "drawn", "networks"]
    least, most = int(told.min()), int(told.max())
    return f", {least} of them" if least == most else f", {least} to {most} of them"


def _barred(value: float, low: float, high: float) -> str:
    return f"{value:.4g} ({low:.4g} to {high:.4g})" if low == low and high == high else f"{value:.4g}"


def data_list(options: Namespace) -> int:
    """Say what image sets there are, where they were found or how to get them."""
    say(LISTS["data"](None))
    return 0


def data_get(options: Namespace) -> int:
    """Download an image set."""
    from mistrust.data import get

    found = get(options.name)
    say(f"{found.name}: {found.title}, {found.where}")
    say(f"terms: {found.terms}; cite: {found.cite}")
    return 0


def store_list(options: Namespace) -> int:
    """Say what the store holds."""
    from mistrust import paths, store

    found = store.entries(thorough=options.check)
    now = time.time()
    rows = [
        (one.kind, one.key, one.state, size(one.bytes), f"{(now - one.made) / 86400:.1f} days", one.note)
        for one in found
    ]
    say(table(rows, ("kind", "key", "state", "size", "age", "note")))
    say(f"{len(found)} things, {size(sum(one.bytes for one in found))}, in {paths.store()}")
    return 0


def store_prune(options: Namespace) -> int:
    """Remove what is of no more use."""
    from mistrust import store
    from mistrust.store.maintenance import CLEARED

    gone = store.prune(
        kind=options.kind,
        older_than=options.older_than,
        states=(*CLEARED, "good") if options.good else CLEARED,
        dry_run=options.dry_run,
    )
    for one in gone:
        say(f"{one.kind}/{one.key}  {one.state}  {size(one.bytes)}")
    word = "would be removed" if options.dry_run else "removed"
    say(f"{len(gone)} things {word}, {size(sum(one.bytes for one in gone))}")
    return 0
