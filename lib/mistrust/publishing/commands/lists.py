"""What `mistrust list` lists: one entry of `LISTS` each."""

import textwrap
from collections.abc import Callable

from mistrust.errors import MistrustError
from mistrust.publishing.commands.console import table


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


def _supervisors(name: str | None) -> str:
    from mistrust.supervisors import FAMILIES, SUPERVISORS, described

    if name is not None:
        return described(name)
    families = list(FAMILIES)
    cards = sorted(
        ((name, one.card) for name, one in SUPERVISORS.items()), key=lambda one: families.index(one[1].family)
    )
    found = [(name, card.title, card.family, ", ".join(card.reads), card.paper) for name, card in cards]
    rest = "\nAll of one, with its parameters, cost and limits: mistrust list supervisors NAME"
    return table(found, ("supervisor", "title", "family", "needs", "paper")) + rest


def _searches(_: str | None) -> str:
    from mistrust.search import SEARCHES

    found = [
        (name, one.title, "adapts" if one.adaptive else "fixed order", one.source) for name, one in SEARCHES.items()
    ]
    return table(found, ("search", "title", "", "source"))


def _mechanisms(_: str | None) -> str:
    from mistrust.search.mechanisms import MECHANISMS

    found = [(name, ", ".join(one.doses), one.title, one.about) for name, one in MECHANISMS.items()]
    return table(found, ("mechanism", "doses", "title", "about"))


def _distances(_: str | None) -> str:
    from mistrust.search.attack import DISTANCES

    found = [
        (name, one.title, "gradients" if one.gradients else "labels", one.source) for name, one in DISTANCES.items()
    ]
    return table(found, ("distance", "title", "needs", "source"))


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


OF_ONE = ("parameters", "profiles", "claims", "supervisors")
OF_PROJECT = ("profiles", "claims")  # read from files that the installed library does not hold
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
    "mechanisms": _mechanisms,
    "distances": _distances,
    "claims": _claims,
}
