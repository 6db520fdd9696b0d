"""`mistrust status`, `list`, `claims`, `rows`, `data` and `store`."""

import textwrap
import time
from argparse import Namespace
from collections.abc import Callable

from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing.commands.console import say, size, table


def status(options: Namespace) -> int:
    """Say what is fresh or stale, and why."""
    from mistrust.publishing import status as state

    say(state.text(state.status(options.chapter)))
    return 0


def listing(options: Namespace) -> int:
    """List one table."""
    if options.what not in LISTS:
        raise UnknownName("list", options.what, LISTS, "mistrust list --help")
    if options.chapter is not None and options.what not in BY_CHAPTER:
        raise MistrustError(f"`mistrust list {options.what}` takes no chapter: leave '{options.chapter}' out.")
    say(LISTS[options.what](options.chapter))
    return 0


def _chapters(_: str | None) -> str:
    from mistrust.publishing.chapters import CHAPTERS

    return table([(one.name, one.notebook, one.title) for one in CHAPTERS.values()], ("chapter", "notebook", "title"))


def _parameters(name: str | None) -> str:
    from mistrust.publishing import profiles
    from mistrust.publishing.chapters import CHAPTERS

    if name is None:
        raise MistrustError(f"Whose parameters? `mistrust list parameters CHAPTER`; chapters: {', '.join(CHAPTERS)}.")
    return profiles.describe(CHAPTERS[name])


def _profiles(name: str | None) -> str:
    from mistrust.publishing import profiles
    from mistrust.publishing.chapters import CHAPTERS

    tables = profiles.read()
    lines = []
    for chapter in [CHAPTERS[name]] if name else CHAPTERS.values():
        for profile in profiles.names(chapter):
            values = tables[chapter.name][profile]
            shown = ", ".join(f"{key} = {value!r}" for key, value in values.items()) or "the defaults"
            lines.append(
                textwrap.fill(
                    f"{chapter.name} {profile}: {shown}", 110, subsequent_indent="    ", break_long_words=False
                )
            )
    return "\n".join(lines)


def _architectures(_: str | None) -> str:
    from mistrust.networks import ARCHITECTURES

    found = [(name, one.title, one.source) for name, one in ARCHITECTURES.items()]
    return table(found, ("architecture", "title", "source"))


def _perturbations(_: str | None) -> str:
    from mistrust.inputs import PERTURBATIONS

    found = [(name, len(one.levels), one.title, one.source) for name, one in PERTURBATIONS.items()]
    return table(found, ("perturbation", "levels", "title", "source"))


def _corruptions(_: str | None) -> str:
    from mistrust.inputs import CORRUPTIONS

    found = [(name, len(one.levels), one.severity, one.title, one.source) for name, one in CORRUPTIONS.items()]
    return table(found, ("corruption", "severities", "published", "title", "source"))


def _faults(_: str | None) -> str:
    from mistrust.inputs import FAULTS

    found = [
        (name, one.category, one.levels or "-", ", ".join(map(str, one.severities)) or "-", one.title, one.source)
        for name, one in FAULTS.items()
    ]
    return table(found, ("fault", "category", "severities", "benchmark", "title", "source"))


def _benchmark_sets(_: str | None) -> str:
    from mistrust.monitoring.benchmark_sets import BENCHMARK_SETS

    found = [(name, one.nominal, one.condition, one.severity or "-") for name, one in BENCHMARK_SETS.items()]
    return table(found, ("benchmark set", "nominal", "condition", "severity"))


def _supervisors(_: str | None) -> str:
    from mistrust.supervisors import FAMILIES, SUPERVISORS

    families = list(FAMILIES)
    cards = sorted(
        ((name, one.card) for name, one in SUPERVISORS.items()), key=lambda one: families.index(one[1].family)
    )
    found = [
        (name, card.title, card.family, ", ".join(dict.fromkeys((*card.needs, *card.fits))), card.paper)
        for name, card in cards
    ]
    return table(found, ("supervisor", "title", "family", "needs", "paper"))


def _searches(_: str | None) -> str:
    from mistrust.search import SEARCHES

    found = [
        (name, one.title, "adapts" if one.adaptive else "fixed order", one.source) for name, one in SEARCHES.items()
    ]
    return table(found, ("search", "title", "", "source"))


def _claims(name: str | None) -> str:
    from mistrust.publishing import claims
    from mistrust.publishing.chapters import CHAPTERS

    found = [(one.id, one.place, one.test, one.claim) for one in claims.claims(chapter=name and CHAPTERS[name].name)]
    return table(found, ("id", "place", "test", "claim"))


def _data(_: str | None) -> str:
    from mistrust.data import listing as available

    def count(number: int | None) -> str:
        return "?" if number is None else f"{number:,}"

    found = [
        (one.name, one.title, count(one.train), count(one.test), one.size, "here" if one.found else "-", one.where)
        for one in available()
    ]
    return table(found, ("name", "title", "train", "test", "pixels", "", "where, or how to get it"))


BY_CHAPTER = ("parameters", "profiles", "claims")
LISTS: dict[str, Callable[[str | None], str]] = {
    "chapters": _chapters,
    "parameters": _parameters,
    "profiles": _profiles,
    "data": _data,
    "architectures": _architectures,
    "perturbations": _perturbations,
    "corruptions": _corruptions,
    "faults": _faults,
    "benchmark-sets": _benchmark_sets,
    "supervisors": _supervisors,
    "searches": _searches,
    "claims": _claims,
}


def claims(options: Namespace) -> int:
    """Judge the claims by the accepted rows."""
    import pandas as pd

    from mistrust.publishing import claims as ledger
    from mistrust.publishing import results
    from mistrust.publishing.chapters import CHAPTERS
    from mistrust.publishing.profiles import PROFILES

    chapter = options.chapter and CHAPTERS[options.chapter].name
    if options.profile not in PROFILES:
        raise UnknownName("profile", options.profile, PROFILES, "mistrust list profiles")
    frames = [results.evidence(one, options.profile) for one in CHAPTERS.values()]
    judged = ledger.verdicts(pd.concat(frames, ignore_index=True), chapter=chapter)
    lines = zip(judged["id"], judged["place"], judged["verdict"], judged["claim"], judged["evidence"], strict=True)
    for name, place, verdict, claim, evidence in lines:
        say(f"{name} ({place}): {verdict}\n    {claim}" + (f"\n    {evidence}" if evidence else ""))
    say(", ".join(f"{count} {word}" for word, count in ledger.counts(judged).items()))
    return 0


def accept(options: Namespace) -> int:
    """Copy a run's rows, or pieces' rows, to `data/results`."""
    from mistrust.publishing import results

    for path in results.accept(options.chapter, options.profile, pieces=options.piece, anew=options.anew):
        say(str(path))
    return 0


def data_list(options: Namespace) -> int:
    """Say what image sets there are, where they were found or how to get them."""
    say(_data(None))
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
