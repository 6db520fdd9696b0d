"""Reading a committed csv file strictly: every mistake is named with its file and line."""

import csv
from collections.abc import Sequence
from pathlib import Path

from mistrust.errors import MistrustError, nearest


def records(path: Path, columns: Sequence[str], *, needed: Sequence[str] = ()) -> list[tuple[int, dict[str, str]]]:
    """The rows of a csv file as (line in the file, column -> text); cells are stripped of blanks at their ends.

    Parameters
    ----------
    path : a csv file in UTF-8 whose first line names the columns.
    columns : the columns that the file has, all of them, in any order.
    needed : the columns that may not be empty in any row.

    Raises
    ------
    MistrustError
        No such file, not UTF-8, an unknown column (the nearest known one is named), a missing or doubled column,
        a row with more or fewer cells than the head, an empty cell in a needed column. Names file and line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            head = [name.strip() for name in next(reader, [])]
            _check_head(path, head, columns)
            found = []
            for cells in reader:
                if not cells:  # a blank line
                    continue
                if len(cells) != len(head):
                    raise MistrustError(
                        f"{path}, line {reader.line_num}: {len(cells)} cells, expected {len(head)} as in the first "
                        "line. A cell that holds a comma needs quotation marks."
                    )
                row = dict(zip(head, (cell.strip() for cell in cells), strict=True))
                for name in needed:
                    if not row[name]:
                        raise MistrustError(
                            f"{path}, line {reader.line_num}: '{name}' is empty. Every row needs {', '.join(needed)}."
                        )
                found.append((reader.line_num, row))
            return found
    except FileNotFoundError:
        raise MistrustError(f"{path} does not exist. It is a committed file: `git checkout` brings it back.") from None
    except UnicodeDecodeError as error:
        raise MistrustError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8.") from None
    except csv.Error as error:
        raise MistrustError(f"{path}: {error}. Are its quotation marks in pairs?") from None


def _check_head(path: Path, head: Sequence[str], columns: Sequence[str]) -> None:
    for name in head:
        if name not in columns:
            near = nearest(name, columns)
            hint = f" Did you mean '{near}'?" if near else ""
            raise MistrustError(f"{path}, line 1: unknown column '{name}'.{hint} Columns: {', '.join(columns)}.")
        if head.count(name) > 1:
            raise MistrustError(f"{path}, line 1: the column '{name}' stands there twice.")
    missing = [name for name in columns if name not in head]
    if missing:
        raise MistrustError(
            f"{path}, line 1: the column {', '.join(map(repr, missing))} is missing. Columns: {', '.join(columns)}."
        )
