"""Tables that people bring: read as text, columns found by name, each wrong cell named with its line.

A spreadsheet may have written semicolons or tabs in place of commas, and decimal commas with them; both are read.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float64

from mistrust.errors import MistrustError, nearest

SEPARATORS = (",", ";", "\t")
ZEROS = re.compile(r"0*(\d+)(?:\.\w+)?")  # a number as a file is named
SHOWN = 5  # wrong lines that a message names


class MissingColumns(MistrustError):
    """A file lacks needed columns: `heads` are those that it has, `missing` the names of those wanted."""

    def __init__(self, message: str, heads: tuple[str, ...], missing: tuple[str, ...]) -> None:
        super().__init__(message)
        self.heads, self.missing = heads, missing


@dataclass(frozen=True)
class Column:
    """A column that a file must have or may have: its own name, and others that are read as the same."""

    name: str
    also: tuple[str, ...] = ()
    needed: bool = True


@dataclass(frozen=True)
class Sheet:
    """A file's cells as text, under the names that were asked for; row `i` stands in the file's line `lines[i]`."""

    path: Path
    cells: pd.DataFrame
    lines: tuple[int, ...]
    comma: bool = False

    def __len__(self) -> int:
        return len(self.lines)

    def text(self, name: str) -> list[str]:
        """A column's cells, spaces around them dropped."""
        return [str(cell).strip() for cell in self.cells[name]]

    def numbers(self, name: str, fits: Callable[[float], bool], expected: str, out: str) -> Float64[np.ndarray, " n"]:
        """A column's cells as float64.

        Raises
        ------
        MistrustError
            Cells that are empty, no finite numbers, or that do not fit; `expected` and `out` end the message.
        """
        values, wrong = list[float](), list[tuple[int, str]]()
        for i, cell in enumerate(self.text(name)):
            value = self._number(cell)
            if not (isfinite(value) and fits(value)):
                wrong.append((i, cell or "empty"))
            values.append(value)
        if wrong:
            self.refuse(name, wrong, f"expected {expected}. {out}")
        return np.array(values, dtype=np.float64)

    def unique(self, name: str, out: str) -> list[str]:
        """A column's cells, none empty and no two alike.

        Raises
        ------
        MistrustError
            Empty cells or duplicates, with their lines.
        """
        cells, seen = self.text(name), dict[str, int]()
        empty = [(i, "empty") for i, cell in enumerate(cells) if not cell]
        if empty:
            self.refuse(name, empty, "expected a name in each line. Fill them in, or drop these lines.")
        twice = []
        for i, cell in enumerate(cells):
            first = seen.setdefault(cell, i)
            if first != i:
                twice.append((i, f"'{cell}', which stands in line {self.lines[first]}, too"))
        if twice:
            self.refuse(name, twice, f"expected each once. {out}")
        return cells

    def refuse(self, name: str, wrong: Sequence[tuple[int, str]], end: str) -> None:
        """Raise a MistrustError that names the first wrong cells, by line, and says how many there are."""
        said = "; ".join(f"line {self.lines[i]} has {value}" for i, value in wrong[:SHOWN])
        more = f"; and {len(wrong) - SHOWN:,} more" if len(wrong) > SHOWN else ""
        raise MistrustError(f"{self.path}: column '{name}': {said}{more}; {end}")

    def _number(self, cell: str) -> float:
        try:
            return float(cell.replace(",", ".") if self.comma else cell)
        except ValueError:
            return nan


def as_csv(frame: pd.DataFrame) -> str:
    r"""A table as the text of a comma-separated file, with the same line ends on every system.

    Examples
    --------
    >>> as_csv(pd.DataFrame({"id": ["a.png"], "answer": ["wrong"]}))
    'id,answer\na.png,wrong\n'
    """
    return frame.to_csv(index=False, lineterminator="\n")


def dropped_zeros(name: str, known: Iterable[str]) -> str:
    """Give the hint that a spreadsheet made a number of a name that begins with zeros; "" where none of these fits.

    Examples
    --------
    >>> dropped_zeros("7", ["006.png", "007.png"])
    "A spreadsheet has dropped leading zeros: '007.png' would fit '7'. Import the column as text, and save it again."
    >>> dropped_zeros("cat", ["007.png"])
    ''
    """
    if not name.isdecimal():
        return ""
    fitting = (one for one in known if one[:1] == "0" and (m := ZEROS.fullmatch(one)) and m[1] == name)
    whole = next(fitting, None)
    if whole is None:
        return ""
    return (
        f"A spreadsheet has dropped leading zeros: '{whole}' would fit '{name}'. Import the column as text, and save "
        "it again."
    )


def read_sheet(
    path: str | Path, what: str, wanted: Iterable[Column], renamed: Mapping[str, str] | None = None
) -> Sheet:
    """Read a comma-separated file of which certain columns are wanted.

    Names count without case, spaces, hyphens and underscores; columns that nobody asked for keep the file's names.

    Parameters
    ----------
    path : the file, UTF-8.
    what : what it is, for messages ("scores file").
    wanted : the columns that it must or may have.
    renamed : the file's own name of a wanted column, where it has another: {"confidence": "softmax"}.

    Raises
    ------
    MistrustError
        No file, no table, needed columns missing (`MissingColumns`: all, with the nearest), a column twice, a line
        with too many cells.
    """
    path, wanted = Path(path), list(wanted)
    rows, lines, separator = _rows(path, what)
    heads = [head.strip() for head in rows[0]]
    if [name for name in heads if name and heads.count(name) > 1]:
        twice = sorted({name for name in heads if name and heads.count(name) > 1})
        raise MistrustError(f"{path}: the {what} has column '{twice[0]}' twice: drop or rename one.")
    found = _found(path, what, heads, wanted, renamed or {})
    taken = set(found.values())  # a column that another takes the name of is none that anybody asked for
    names = [found.get(i, f"{head} (other)" if head in taken else head) for i, head in enumerate(heads)]
    frame = pd.DataFrame(rows[1:], columns=names, dtype=object)
    return Sheet(path, frame, tuple(lines[1:]), comma=separator == ";")


def _rows(path: Path, what: str) -> tuple[list[list[str]], list[int], str]:
    """Cells of all lines that hold any, the lines' numbers, and what separates them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
        if "\0" in text:  # UTF-16 without a mark at its beginning: each second byte is zero
            raise UnicodeError
    except UnicodeError as error:
        raise MistrustError(f"{path}: the {what} is not UTF-8 text: save it as 'CSV UTF-8'.") from error
    except OSError as error:
        raise MistrustError(f"{path}: the {what} cannot be read ({error.strerror or error}).") from error
    head = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=head.count)
    rows, lines = list[list[str]](), list[int]()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        at = lines[-1] + 1 if lines else 1
        raise MistrustError(
            f"{path}: from line {at} on it is no table ({error}): is a quotation mark opened there and never closed?"
        ) from error
    if len(rows) < 2:
        raise MistrustError(f"{path}: the {what} has no rows: expected a line of column names, and one line per image.")
    width = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            raise MistrustError(
                f"{path}: line {line} has {len(row)} cells under {width} column names: quote a cell that holds "
                f"'{separator}'."
            )
    return [(row + [""] * width)[:width] for row in rows], lines, separator


def _found(path: Path, what: str, heads: list[str], wanted: list[Column], renamed: Mapping[str, str]) -> dict[int, str]:
    """Where each wanted column stands: position to its own name; those that the user named are found first."""
    known = [head for head in heads if head]
    found, missing = dict[int, str](), dict[str, tuple[str, str | None]]()
    if unknown := [name for name in renamed if name not in {column.name for column in wanted}]:
        columns = ", ".join(column.name for column in wanted)
        raise MistrustError(f"--column {unknown[0]}=...: the {what} has no use for such a column. It reads: {columns}.")
    for column in sorted(wanted, key=lambda one: one.name not in renamed):
        own = renamed.get(column.name)
        names = (own,) if own is not None else (column.name, *column.also)
        keys = [_key(name) for name in names]
        at = [i for i, head in enumerate(heads) if head == own or _key(head) in keys]
        exact = [i for i in at if _key(heads[i]) == keys[0]]  # its own name before another that is read as the same
        free = [i for i in (exact or at) if i not in found]
        if own is not None and at and not free:
            raise MistrustError(f"--column names '{own}' for {found[at[0]]} and for {column.name}: each has its own.")
        if free:
            found[free[0]] = column.name
        elif at and column.needed:
            raise MistrustError(
                f"{path}: the {what} needs a column for {column.name}, and --column has given '{heads[at[0]]}' to "
                f"{found[at[0]]}. Name another: --column {column.name}=OTHER. Its columns: {', '.join(known)}."
            )
        elif column.needed or own is not None:
            # A column that serves for another is no misspelling of this one.
            others = {_key(name) for one in wanted if one is not column for name in (one.name, *one.also)}
            heard = {head.lower(): head for head in known if _key(head) not in others}
            near = heard.get(next(filter(None, (nearest(one, heard) for one in names)), ""))
            missing[column.name] = names[0], near
    if missing:
        raise MissingColumns(_without(path, what, known, missing), tuple(known), tuple(missing))
    return found


def _without(path: Path, what: str, known: list[str], missing: Mapping[str, tuple[str, str | None]]) -> str:
    """Which columns are missing, all at once, what comes near to them, and the way out."""
    heads = f"Its columns: {', '.join(known) or 'none'}."
    if len(missing) == 1:
        ((column, (name, near)),) = missing.items()
        hint = f" Nearest: '{near}'." if near else ""
        way = f"Rename one, or name it: --column {_typed(column, near or 'OTHER')}"
        return f"{path}: the {what} has no column '{name}'.{hint} {heads} {way}"
    listed = ", ".join(f"'{name}'" + (f" (nearest: '{near}')" if near else "") for name, near in missing.values())
    return f"{path}: the {what} has no columns {listed}. {heads} Rename them, or name each: --column NAME=OTHER"


def _typed(name: str, other: str) -> str:
    """NAME=OTHER as a shell reads it: in quotes where there are spaces."""
    return f"'{name}={other}'" if " " in name + other else f"{name}={other}"


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()
