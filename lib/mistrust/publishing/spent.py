"""What the full runs took, chapter by chapter: the processor time that was recorded when their rows were made."""

import pandas as pd

from mistrust.publishing import tables
from mistrust.publishing.acceptance import read_accepted
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.compute import parts

HEADS = ("Chapter", "Pieces", "Hours of one processor core")
NOT_RECORDED = "not recorded"


def hours(chapter: Chapter, profile: str = "full") -> str:
    """Give the recorded hours of a whole run; "not recorded" where they lack a part, since a sum of some is no cost."""
    found = read_accepted(chapter, profile)
    if found is None or not found[0]["complete"]:
        return NOT_RECORDED
    known = found[0].get("core seconds", {})
    return f"{sum(known.values()) / 3600:.1f}" if known and set(parts(found[1])) <= set(known) else NOT_RECORDED


def html(profile: str = "full") -> str:
    """Give a line a chapter as HTML, with how many pieces were accepted; complete without JavaScript."""
    lines = []
    for chapter in CHAPTERS.values():
        found = read_accepted(chapter, profile)
        pieces = f"{len(found[0]['pieces']):,}" if found else "0"
        lines.append(dict(zip(HEADS, (chapter.title, pieces, hours(chapter, profile)), strict=True)))
    return tables.html(pd.DataFrame(lines), f"Recorded time of the accepted rows, profile {profile}")
