"""The reproducibility checklist of a chapter, from its accepted rows: data, networks, error bars, versions."""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd

from mistrust.publishing import profiles
from mistrust.publishing.acceptance import chapter_of, read_accepted
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.compute import told
from mistrust.publishing.remade import SHORT, minutes

# Tables of an ensemble's further networks and of what else was only prepared for others: they may have seeds of their
# own, and are none of the networks that are compared.
PREPARED = ("members", "prepared")
# What an interval of the rows covers, by their column `over`; what stays fixed is all else.
OVER = {
    "": "pairs of classes vary; the networks are those at hand",
    "images": "test images vary: drawn again from those at hand (bootstrap), or by the count's exact interval; the "
    "network is one",
    "models": "networks vary: trained again from other first weights and orders, on the same training images",
    "both": "networks and test images vary",
    "classes": "classes vary, drawn again from those of the image set (bootstrap); the networks are those at hand",
    "faults": "faults vary: the benchmark sets of a category",
    "queries": "what was asked varies: the images that a search chose",
    "oracles": "made-up answers vary: right and wrong drawn anew from probabilities that are known",
}
# Where a chapter's seed enters more than first weights and orders, or other models than one architecture's vary.
OVER_IN = {
    ("ambiguity", "models"): "networks or autoencoders vary: trained again from other first weights, orders and noise, "
    "on the same training images; in acceptance, autoencoders, diversity, labels and reach some rows are over "
    "autoencoders of several pairs of classes",
    ("monitoring", "models"): "networks vary: trained again from other first weights and orders, on the same training "
    "images; for each of them monitors are fitted, test images are parted into those that set thresholds and those "
    "that are judged, and faults are drawn; an ensemble's further members are the same for all",
    ("robustness", "models"): "networks vary: trained again from other first weights and orders, on the same training "
    "images; in relations the architectures vary",
    ("search", "models"): "networks vary: trained again from other first weights and orders, and on training images "
    "drawn anew, as are those for calibration and for the search; the draws of two networks overlap",
    ("supervisors", "models"): "networks vary: trained again from other first weights and orders, on the same nominal "
    "and ambiguous training images; adversarial images are made against each of them; an ensemble's further members "
    "are the same for all",
    ("comparison", "models"): "networks vary: trained again from other first weights and orders, on the same training "
    "images; for each of them test images are parted into those that set limits and those that are judged, and bad "
    "inputs are drawn; an ensemble's further members are the same for all",
}


def varies(chapter: str, over: str) -> str:
    """What varies in a chapter's intervals whose column `over` says this."""
    return OVER_IN.get((chapter, over), OVER[over])


def checklist(chapter: Chapter | str, profile: str = "full") -> list[tuple[str, str]]:
    """Give questions and answers; one answer, "no rows are accepted yet", where there are none."""
    one = chapter_of(chapter)
    found = read_accepted(one, profile)
    if found is None:
        return [("Rows", "none are accepted yet, so that no number of a full run stands in the chapter")]
    about, rows = found
    return [
        ("Rows", _rows(rows, about, _counted(one, profile, about))),
        ("Data", ", ".join(f"{name} ({_sum})" for name, _sum in sorted(about["inputs"].items()))),
        ("Networks", _networks(rows)),
        ("What varies in the error bars", _bars(rows)),
        ("Made with", _versions(about["versions"])),
        ("Computing time", told(rows, about)),
        ("Remake a piece", _remake(one.name, profile, about)),
    ]  # fmt: skip


def _remake(chapter: str, profile: str, about: Mapping[str, Any]) -> str:
    """The command for the first short piece that was accepted, with the minutes where they were measured."""
    piece = next((one for one in SHORT.get(chapter, ()) if one in about["pieces"]), None)
    if piece is None:
        return f"no short piece; `mistrust make {chapter} --profile {profile} --list` lists all"
    took = minutes(chapter, piece)
    told = "its time was not measured" if took is None else f"{took:.1f} minutes of one core"
    return (
        f'`MISTRUST_STORE=$(mktemp -d) mistrust rows compare {chapter} --profile {profile} --piece "{piece}"`, {told}'
    )


def html(name: str, profile: str = "full") -> str:
    """Give the checklist of a chapter as a table.

    Raises
    ------
    UnknownName
        There is no such chapter.
    """
    lines = "".join(
        f'<tr><th scope="row">{escape(question)}</th><td>{_code(escape(answer))}</td></tr>'
        for question, answer in checklist(CHAPTERS[name], profile)
    )
    title = escape(CHAPTERS[name].title)
    return (
        '<div class="mistrust-scroll" role="region" tabindex="0" '
        f'aria-label="Checklist: {title}"><table class="mistrust-table mt-checklist"><tbody>{lines}</tbody></table>'
        "</div>"
    )


def _code(text: str) -> str:
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def _counted(chapter: Chapter, profile: str, about: Mapping[str, Any]) -> int:
    """How many pieces were accepted, but for those that only prepare others."""
    prepared = chapter.preparing(profiles.profile(chapter, profile)) if not about["complete"] else ()
    return len(set(about["pieces"]) - set(prepared))


def _rows(rows: pd.DataFrame, about: Mapping[str, Any], counted: int) -> str:
    # Not "of so many": how many pieces there are depends on the image sets at hand where the book is built.
    done = "all pieces" if about["complete"] else f"{counted:,} pieces, others lack"
    return f"{len(rows):,} numbers in {rows['table'].nunique()} tables, {done}"


def _networks(rows: pd.DataFrame) -> str:
    single = rows[rows["seed"].notna() & ~rows["network"].isin(["", "all"]) & ~rows["table"].isin(PREPARED)]
    by = single.groupby(["network", "data"])["seed"].nunique()
    if not len(by):
        return "none has a row of its own"
    least, most = by.min(), by.max()
    count = f"{least}" if least == most else f"{least} to {most}"
    kinds = single["network"].nunique()
    return f"{kinds} architecture{'s' * (kinds > 1)}; of each on each image set {count}, from seeds of their own"


def _bars(rows: pd.DataFrame) -> str:
    barred, chapter = rows[rows["low"].notna()], str(rows["chapter"].iloc[0])
    told = []
    for over, count in barred["over"].value_counts().items():
        tables = ", ".join(sorted(set(barred[barred["over"] == over]["table"])))
        told.append(f"{count:,} intervals (tables {tables}): {varies(chapter, str(over))}")
    return "; ".join([*told, f"{int(rows['low'].isna().sum()):,} numbers have none"])


def _versions(versions: Mapping[str, Mapping[str, str]]) -> str:
    every = sorted({", ".join(f"{name} {version}" for name, version in one.items()) for one in versions.values()})
    return "; or ".join(every)
