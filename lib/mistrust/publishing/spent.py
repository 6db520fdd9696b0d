"""What the full runs took, chapter by chapter: the processor time that was recorded when their rows were made."""

import pandas as pd

from mistrust.publishing import tables
from mistrust.publishing.acceptance import read_accepted
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.compute import told

HEADS = ("Chapter", "Pieces", "Took")


def html(profile: str = "full") -> str:
    """Give one line per chapter as HTML, with how many pieces were accepted; complete without JavaScript."""
    lines = []
    for chapter in CHAPTERS.values():
        found = read_accepted(chapter, profile)
        about, rows = found or ({}, None)
        pieces, took = len(about.get("pieces", ())), "not run" if rows is None else told(rows, about)
        lines.append(dict(zip(HEADS, (chapter.title, f"{pieces:,}", took), strict=True)))
    return tables.html(pd.DataFrame(lines), f"Recorded time of the accepted rows, profile {profile}")
