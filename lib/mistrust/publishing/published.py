"""The papers' printed numbers: `data/published/<chapter>-<table>.csv`, the columns of rows and `place`."""

import math
from pathlib import Path

import pandas as pd

from mistrust import paths, rows
from mistrust.errors import MistrustError
from mistrust.publishing import sheets
from mistrust.publishing.chapters import Chapter

COLUMNS = (*rows.COLUMNS, "place")
PROFILE = "published"


def published(chapter: Chapter | str) -> pd.DataFrame:
    """All printed numbers of a chapter's paper; no rows when none are written down.

    Raises
    ------
    MistrustError
        What `read` refuses, or two files that give the same number.
    """
    name = chapter if isinstance(chapter, str) else chapter.name
    found = [read(path, name) for path in sorted(paths.published().glob(f"{name}-*.csv"))]
    if not found:
        return rows.check(pd.DataFrame(columns=list(COLUMNS)), extra=("place",))
    return rows.check(pd.concat(found, ignore_index=True), extra=("place",))


def read(path: Path, chapter: str) -> pd.DataFrame:
    """One file of printed numbers.

    Raises
    ------
    MistrustError
        An unknown, missing or doubled column, an empty chapter, table, metric, value or place, another chapter or
        profile than the file's, a table that is not the file's, text where a number belongs, two rows for the same
        thing. Names file and line.
    """
    table = path.stem.removeprefix(f"{chapter}-")
    expected = {"chapter": chapter, "profile": PROFILE, "table": table}
    records = sheets.records(path, COLUMNS, needed=("chapter", "table", "profile", "metric", "value", "place"))
    lines: dict[tuple[str, ...], int] = {}
    for line, row in records:
        for column, value in expected.items():
            if row[column] != value:
                raise MistrustError(f"{path}, line {line}: {column} is '{row[column]}', expected '{value}'.")
        for column in rows.NUMBERS:
            _number(path, line, column, row[column])
        identity = tuple(row[column] for column in rows.IDENTITY)
        if identity in lines:
            raise MistrustError(f"{path}, line {line}: the same thing stands in line {lines[identity]} already.")
        lines[identity] = line
    return rows.check(pd.DataFrame([row for _, row in records], columns=list(COLUMNS)), extra=("place",))


def _number(path: Path, line: int, column: str, text: str) -> None:
    try:
        finite = math.isfinite(float(text or 0))
    except ValueError:
        finite = False
    if not finite:
        raise MistrustError(f"{path}, line {line}: {column} is '{text}', expected a number or nothing.")
