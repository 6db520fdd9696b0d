"""What stands and what does not: of each chapter its last run, its accepted rows and its page, and why."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mistrust.errors import MistrustError, NotHere
from mistrust.parameters import Checked
from mistrust.progress import bar
from mistrust.publishing import freshness, profiles, results
from mistrust.publishing.acceptance import about_accepted, about_run, chapter_of
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.manifests import Manifest, changes, manifest, parameter_differences

State = Literal["fresh", "stale", "partial", "unchecked", "none"]


@dataclass(frozen=True)
class Status:
    """The state of one thing of a chapter.

    Attributes
    ----------
    part : "run rows", "accepted rows" or "page".
    profile : the profile that it has, "custom", or "" where there is nothing.
    state : "fresh"; "stale"; "partial" (fresh, but only some pieces were accepted); "unchecked" (what it was made
        from is not on this machine); "none".
    why : the reasons, one text each; empty when fresh.
    """

    chapter: str
    part: str
    profile: str
    state: State
    why: tuple[str, ...] = ()


def status(chapter: Chapter | str | None = None) -> list[Status]:
    """Tell the state of all chapters, or of one: its last run, each profile's accepted rows, its page.

    Nothing is made or changed; data sets and files of rows are read for their checksums, and no row is parsed. What is
    damaged is stale, what cannot be checked here is unchecked, and says why.
    """
    found: list[Status] = []
    asked = list(CHAPTERS.values()) if chapter is None else [chapter_of(chapter)]
    with bar(len(asked), "status", "chapter") as progress:  # data sets that nothing has read yet are decoded first
        for one in asked:
            found.append(_run(one))
            accepted = results.accepted_profiles(one)
            found.extend(_accepted(one, profile) for profile in accepted)
            if not accepted:
                found.append(Status(one.name, "accepted rows", "", "none", ("never accepted",)))
            found.append(_page(one))
            progress.update()
    return found


def _run(chapter: Chapter) -> Status:
    try:
        about = about_run(chapter)
        if about is None:
            return Status(chapter.name, "run rows", "", "none", ("not run yet",))
        why = _differences(chapter, about)
    except MistrustError as error:
        return Status(chapter.name, "run rows", "", _lacking(error), (str(error),))
    return Status(chapter.name, "run rows", about["profile"], "stale" if why else "fresh", tuple(why))


def _accepted(chapter: Chapter, profile: str) -> Status:
    try:
        about = about_accepted(chapter, profile) or {}
        why = _differences(chapter, about)
        if not why and not about["complete"]:
            whole = chapter.counted(profiles.profile(chapter, profile))
            lacking = [name for name in whole if name not in about["pieces"]]
            missing = f"not accepted yet: {', '.join(lacking)}" if lacking else "the whole run is not accepted yet"
            return Status(chapter.name, "accepted rows", profile, "partial", (missing,))
    except MistrustError as error:
        return Status(chapter.name, "accepted rows", profile, _lacking(error), (str(error),))
    return Status(chapter.name, "accepted rows", profile, "stale" if why else "fresh", tuple(why))


def _page(chapter: Chapter) -> Status:
    record = freshness.read(chapter)
    if not record:
        return Status(chapter.name, "page", "", "none", ("not run yet",))
    if "failed" in record:
        return Status(chapter.name, "page", "", "none", (f"the last run failed: {record['failed']}",))
    profile = record.get("profile", profiles.CUSTOM)
    try:
        why = freshness.why(chapter, _parameters(chapter, profile, record))
    except MistrustError as error:
        return Status(chapter.name, "page", profile, _lacking(error), (str(error),))
    return Status(chapter.name, "page", profile, "stale" if why else "fresh", tuple(why))


def _lacking(error: MistrustError) -> State:
    """The state of what an error kept from being compared: images that lie elsewhere make nothing stale."""
    return "unchecked" if isinstance(error, NotHere) else "stale"


def _differences(chapter: Chapter, about: Manifest) -> list[str]:
    """In what rows differ from their profile as it is now, and from today's makers and inputs."""
    profile = about["profile"]
    parameters = _parameters(chapter, profile, about)
    return parameter_differences(about, profile, parameters) + changes(about, manifest(chapter, parameters))


def _parameters(chapter: Chapter, profile: str, about: Manifest) -> Checked:
    """The profile's parameters as they are now; custom ones are compared with themselves."""
    if profile in profiles.names(chapter):
        return profiles.profile(chapter, profile)
    return profiles.checked(chapter, about["parameters"])


def text(found: Sequence[Status] | None = None) -> str:
    """The states as lines for a terminal: one per part, each reason on lines of its own beneath."""
    lines = []
    for one in status() if found is None else found:
        profile = f" ({one.profile})" if one.profile else ""
        lines.append(f"{one.chapter}: {one.part}{profile}: {one.state}")
        lines.extend(textwrap.indent(reason, "    ") for reason in one.why)
    return "\n".join(lines)
