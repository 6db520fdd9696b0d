"""Tidy results: one row a number, the same columns for every chapter.

Figures, tables, claims and prose read rows and nothing else. Empty cells are empty strings (text) or NaN (numbers);
a number that was not measured has no row.
"""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError, nearest

TEXT = ("chapter", "table", "profile", "data", "network", "method", "condition", "at", "metric", "over", "made", "note")
NUMBERS = ("level", "seed", "value", "low", "high", "n")
# The order in files. `condition` is kind/name ("clean", "perturbed/brightness"), `at` a cell ("4>9", "query=20"),
# `over` what the interval covers ("images", "models", "both"), `made` the key of the thing that the value came from.
COLUMNS = (
    "chapter", "table", "profile", "data", "network", "method", "condition", "level", "at", "seed",
    "metric", "value", "low", "high", "over", "n", "made", "note",
)  # fmt: skip
TEXT_TYPE = pd.Series([""], dtype="object").astype(str).dtype  # pandas 2 and 3 differ in it
if isinstance(TEXT_TYPE, pd.StringDtype):  # Python's own strings: looking one up in Arrow's makes it anew each time
    TEXT_TYPE = pd.StringDtype("python", na_value=np.nan)  # type: ignore[arg-type]
TABLE = re.compile(r"[a-z0-9][a-z0-9_-]*")
# What makes a row that row: two rows that agree in all of these are an error.
IDENTITY = ("chapter", "table", "profile", "data", "network", "method", "condition", "level", "at", "seed", "metric")


def table(records: Iterable[Mapping[str, Any]], **common: Any) -> pd.DataFrame:
    """A frame of rows with all columns, in order, checked.

    Parameters
    ----------
    records : one mapping a row; columns left out are empty.
    common : values that all rows share ("chapter", "data", ...), unless a record has its own.

    Raises
    ------
    MistrustError
        A column that does not exist (the nearest one is named), a row without table, metric or value, a table whose
        name cannot be a file's, two rows for the same thing.

    Examples
    --------
    >>> frame = table([{"seed": 0, "value": 0.9}, {"seed": 1, "value": 0.8}], table="accuracy", metric="accuracy")
    >>> frame[["table", "seed", "value"]].values.tolist()
    [['accuracy', 0.0, 0.9], ['accuracy', 1.0, 0.8]]
    """
    return check(pd.DataFrame([{**common, **record} for record in records]))


def check(frame: pd.DataFrame, extra: tuple[str, ...] = ()) -> pd.DataFrame:
    """The same rows with all columns in order; refuses what `table` refuses. `extra` allows further columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"table": ["accuracy"], "metric": ["accuracy"], "value": ["0.5"]})
    >>> check(frame)["value"].tolist()
    [0.5]
    >>> check(frame.rename(columns={"value": "valeu"}))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Rows have no column 'valeu'. Did you mean 'value'? ...
    """
    allowed = (*COLUMNS, *extra)
    for column in frame.columns:
        if column not in allowed:
            near = nearest(str(column), allowed)
            hint = f" Did you mean '{near}'?" if near else ""
            raise MistrustError(f"Rows have no column '{column}'.{hint} Columns: {', '.join(allowed)}.")
    index = pd.RangeIndex(len(frame))
    full = pd.DataFrame({column: _numbers(frame, column, index) if column in NUMBERS else _texts(frame, column, index)
                         for column in allowed}, index=index)  # fmt: skip
    missing = [c for c in ("table", "metric") if (full[c] == "").any()]
    if missing or full["value"].isna().any():
        raise MistrustError(f"Every row needs a table, a metric and a value: {', '.join(missing) or 'value'} is empty.")
    for name in full["table"].unique():  # told when the first rows are made, not when all are written
        if not TABLE.fullmatch(name):
            raise MistrustError(
                f"The table '{name}' cannot be a file name: use small letters, digits, '-' and '_', a letter or a "
                "digit first."
            )
    twice = full.duplicated(list(IDENTITY), keep=False)
    if twice.any():
        first = full.loc[twice, list(IDENTITY)].iloc[0].to_dict()
        raise MistrustError(f"Two rows for the same thing: {first}. Rows must differ in one of {', '.join(IDENTITY)}.")
    return full


def _numbers(frame: pd.DataFrame, column: str, index: pd.RangeIndex) -> pd.Series:
    """A column as float64, empty text as NaN; one that is so already is taken as it is, which is many times faster."""
    given = frame[column].to_numpy() if column in frame.columns else None
    if given is not None and given.dtype == "float64":
        return pd.Series(given.copy(), index=index)
    numbers = pd.Series(given, index=index, dtype="object").replace("", None)
    return pd.to_numeric(numbers, errors="raise").astype("float64")


def _texts(frame: pd.DataFrame, column: str, index: pd.RangeIndex) -> pd.Series:
    """A column as text, what is missing as ""; one that is so already is taken as it is."""
    given = frame[column] if column in frame.columns else pd.Series("", index=index)
    if given.dtype == TEXT_TYPE and not given.hasnans:
        return given.set_axis(index)
    text = pd.Series(given.to_numpy(), index=index, dtype="object")
    return text.where(text.notna(), "").astype(str).astype(TEXT_TYPE)


def ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in the order of their identity.

    Examples
    --------
    >>> frame = table([{"seed": 1, "value": 0.8}, {"seed": 0, "value": 0.9}], table="accuracy", metric="accuracy")
    >>> ordered(frame)["value"].tolist()
    [0.9, 0.8]
    """
    return frame.sort_values(list(IDENTITY), kind="stable", na_position="first")


def text(frame: pd.DataFrame, without: Sequence[str] = ()) -> str:
    """The rows as csv text, equal for equal rows: sorted, ten significant digits, Unix line ends.

    Parameters
    ----------
    without : columns that the text leaves out, since its reader knows them.

    Examples
    --------
    >>> lines = text(table([{"value": 1 / 3}], table="accuracy", metric="accuracy")).splitlines()
    >>> lines[1]
    ',accuracy,,,,,,,,,accuracy,0.3333333333,,,,,,'
    """
    shown = ordered(frame)
    for column in NUMBERS:
        shown[column] = [_number(v) for v in shown[column]]
    buffer = io.StringIO()
    shown.drop(columns=list(without)).to_csv(buffer, index=False, lineterminator="\n")
    return buffer.getvalue()


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value + 0.0:.10g}"  # + 0.0: no minus before a zero


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a csv file, whole or not at all.

    Examples
    --------
    >>> from pathlib import Path
    >>> write(table([{"value": 0.5}], table="accuracy", metric="accuracy"), Path("results/accuracy.csv"))
    >>> len(read(Path("results/accuracy.csv")))
    1
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(text(frame).encode())  # as text, Windows would end lines otherwise, and checksums differ
    temporary.replace(path)


def update(frame: pd.DataFrame, path: Path) -> None:
    """Add rows to a csv file; a row for the same thing as one of the file takes its place.

    Examples
    --------
    >>> from pathlib import Path
    >>> path, common = Path("accuracy.csv"), {"table": "accuracy", "metric": "accuracy"}
    >>> write(table([{"seed": 0, "value": 0.5}, {"seed": 1, "value": 0.6}], **common), path)
    >>> update(table([{"seed": 1, "value": 0.9}], **common), path)
    >>> read(path)["value"].tolist()
    [0.5, 0.9]
    """
    old = read(path) if path.exists() else empty()
    both = pd.concat([old, check(frame)], ignore_index=True)
    write(check(both.drop_duplicates(list(IDENTITY), keep="last").reset_index(drop=True)), path)


def read(path: Path, extra: tuple[str, ...] = ()) -> pd.DataFrame:
    """Read rows from a csv file and check them; the error names the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> write(table([{"value": 0.5}], table="accuracy", metric="accuracy"), Path("accuracy.csv"))
    >>> read(Path("accuracy.csv"))[["table", "value"]].values.tolist()
    [['accuracy', 0.5]]
    """
    try:
        return check(cells(path), extra)
    except (MistrustError, ValueError) as error:
        raise MistrustError(f"{path}: {error}") from error


def as_written(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows as a file would give them back: numbers with the digits that it keeps, so that levels meet.

    Examples
    --------
    >>> frame = table([{"value": 1 / 3}], table="accuracy", metric="accuracy")
    >>> as_written(frame)["value"].tolist()
    [0.3333333333]
    """
    return check(pd.read_csv(io.StringIO(text(frame)), dtype=TEXT_TYPE, keep_default_na=False))


def cells(path: Path) -> pd.DataFrame:
    """The cells of a csv file as text, unchecked: several files of one table are put together, then checked once.

    Examples
    --------
    >>> from pathlib import Path
    >>> write(table([{"value": 0.5}], table="accuracy", metric="accuracy"), Path("accuracy.csv"))
    >>> cells(Path("accuracy.csv"))["value"].tolist()  # text, as it stands in the file
    ['0.5']
    """
    return pd.read_csv(path, dtype=TEXT_TYPE, keep_default_na=False)


def select(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns equal the wanted values (a list means any of them).

    Raises
    ------
    MistrustError
        A column that does not exist; the nearest one is named.

    Examples
    --------
    >>> frame = table([{"seed": 0, "value": 0.9}, {"seed": 1, "value": 0.8}], table="accuracy", metric="accuracy")
    >>> select(frame, seed=1)["value"].tolist()
    [0.8]
    """
    keep = np.ones(len(frame), dtype=bool)  # not a Series, whose &= costs as much as the comparison
    for column, value in wanted.items():
        keep &= column_of(frame, column).isin(value if isinstance(value, (list, tuple, set)) else [value]).to_numpy()
    return frame[keep]


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of rows; one that does not exist is refused, and the nearest one named.

    Examples
    --------
    >>> frame = table([{"seed": 0, "value": 0.9}], table="accuracy", metric="accuracy")
    >>> column_of(frame, "valeu")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Rows have no column 'valeu'. Did you mean 'value'?
    """
    if name not in frame.columns:
        near = nearest(name, list(frame.columns))
        raise MistrustError(f"Rows have no column '{name}'." + (f" Did you mean '{near}'?" if near else ""))
    return frame[name]


def empty() -> pd.DataFrame:
    """No rows, all columns.

    Examples
    --------
    >>> len(empty()), list(empty().columns) == list(COLUMNS)
    (0, True)
    """
    return check(pd.DataFrame(columns=list(COLUMNS)))
