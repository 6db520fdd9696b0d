"""The reproducibility checklist of a chapter, from its accepted rows: data, networks, error bars, versions."""

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd

from mistrust.publishing import profiles
from mistrust.publishing.acceptance import WHOLE, chapter_of, read_accepted
from mistrust.publishing.chapters import CHAPTERS, Chapter

# What an interval of the rows covers, by their column `over`; what stays fixed is all else.
OVER = {
    "": "pairs of classes vary, of one network",
    "images": "test images vary: drawn again from those at hand (bootstrap), or by the count's exact interval; the "
    "network is one",
    "models": "networks vary: trained again from other first weights and orders, on the same training images",
    "both": "networks and test images vary",
    "faults": "faults vary: the benchmark sets of a category",
    "queries": "what was asked varies: the images that a search chose",
}


def checklist(chapter: Chapter | str, profile: str = "full") -> list[tuple[str, str]]:
    """Give questions and answers; one answer, "no rows are accepted yet", where there are none."""
    one = chapter_of(chapter)
    found = read_accepted(one, profile)
    if found is None:
        return [("Rows", "none are accepted yet, so that no number of a full run stands in the chapter")]
    about, rows = found
    known = one.module().pieces(profiles.profile(one, profile))
    return [
        ("Rows", _rows(rows, about, known)),
        ("Data", ", ".join(f"{name} ({_sum})" for name, _sum in sorted(about["inputs"].items()))),
        ("Networks", _networks(rows)),
        ("What varies in the error bars", _bars(rows)),
        ("Made with", _versions(about["versions"])),
        ("Remake a piece", f'mistrust rows compare {one.name} --profile {profile} --piece "{_first(about, known)}"'),
    ]  # fmt: skip


def _first(about: Mapping[str, Any], known: list[str]) -> str:
    """The first accepted piece; where an image set is missing here, its pieces are not among the known ones."""
    accepted = [name for name in about["versions"] if name != WHOLE]
    return next((name for name in known if not accepted or name in accepted), next(iter(accepted), ""))


def html(name: str, profile: str = "full") -> str:
    """Give the checklist of a chapter as a table.

    Raises
    ------
    UnknownName
        There is no such chapter.
    """
    lines = "".join(
        f'<tr><th scope="row">{escape(question)}</th><td>{_code(question, escape(answer))}</td></tr>'
        for question, answer in checklist(CHAPTERS[name], profile)
    )
    title = escape(CHAPTERS[name].title)
    return (
        '<div class="mistrust-scroll" role="region" tabindex="0" '
        f'aria-label="Checklist: {title}"><table class="mistrust-table mt-checklist"><tbody>{lines}</tbody></table>'
        "</div>"
    )


def _code(question: str, answer: str) -> str:
    return f"<code>{answer}</code>" if question == "Remake a piece" else answer


def _rows(rows: pd.DataFrame, about: Mapping[str, Any], known: list[str]) -> str:
    done = "all pieces" if about["complete"] else f"{len(set(about['versions']) & set(known))} of {len(known)} pieces"
    return f"{len(rows):,} numbers in {rows['table'].nunique()} tables, {done}"


def _networks(rows: pd.DataFrame) -> str:
    single = rows[rows["seed"].notna() & ~rows["network"].isin(["", "all"])]
    by = single.groupby(["network", "data"])["seed"].nunique()
    if not len(by):
        return "none has a row of its own"
    least, most = by.min(), by.max()
    count = f"{least}" if least == most else f"{least} to {most}"
    kinds = single["network"].nunique()
    return f"{kinds} architecture{'s' * (kinds > 1)}; of each on each image set {count}, from seeds of their own"


def _bars(rows: pd.DataFrame) -> str:
    barred = rows[rows["low"].notna()]
    told = []
    for over, count in barred["over"].value_counts().items():
        tables = ", ".join(sorted(set(barred[barred["over"] == over]["table"])))
        told.append(f"{count:,} intervals (tables {tables}): {OVER[str(over)]}")
    return "; ".join([*told, f"{int(rows['low'].isna().sum()):,} numbers have none"])


def _versions(versions: Mapping[str, Mapping[str, str]]) -> str:
    every = sorted({", ".join(f"{name} {version}" for name, version in one.items()) for one in versions.values()})
    return "; or ".join(every)
