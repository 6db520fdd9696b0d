"""Tables of instances: which column is what, under the names that people give them."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

from mistrust.errors import MistrustError, nearest
from mistrust.search.pool import Pool

# What a column holds -> the names that it may have, the first being the usual one. Capitals do not matter.
NAMES = {
    "ids": ("i", "id", "ids", "instance"),
    "confidence": ("c", "confidence", "conf"),
    "error": ("error", "errors", "wrong", "misclassified", "e"),
    "distance": ("mae", "distance", "adversarial distance"),
    "clusters": ("cluster", "clusters", "arm"),
    "residual": ("residual", "residuals"),
}
# What a pool can do without: unusable ones need not stop a search that does not read them.
OPTIONAL = ("distance", "clusters", "residual", "features")
FEATURE = re.compile(r"x_?(\d+)", re.IGNORECASE)
FEATURES = "x1, x2, ... (or x_1, x_2, ...)"  # as messages call them


@dataclass(frozen=True, eq=False)
class Columns:
    """What a table holds.

    Attributes
    ----------
    pool : the fields of a `Pool` by name.
    error : (n,) the answers, if they are there.
    unusable : optional columns that are there and no pool can hold, by field or name: why.
    """

    pool: dict[str, Any]
    error: Bool[np.ndarray, " n"] | None
    unusable: dict[str, str]


def read(frame: pd.DataFrame, *, answers: bool = False, above: float = 0.0) -> Columns:
    """Read a table with the columns i, x1, x2, ..., c, error, MAE, cluster, residual, in any order.

    Only c is needed; without i, rows are numbered from 1 on. Clusters are whole numbers, or text, which is numbered in
    alphabetical order ("c2" before "c10"). Any other column of finite numbers becomes a score of its name. Optional
    columns that no pool can hold are named with the reason (`unusable`) and left out. Where some confidences are above
    `above`, the other rows are left out first, whatever their columns hold.

    Raises
    ------
    MistrustError
        No confidence, or with `answers` no errors (the nearest column is named); one thing under two names; ids,
        confidences or errors that no pool can have.
    """
    names = [str(name) for name in frame.columns]
    plain = [name.strip().lower() for name in names]
    place: dict[str, int] = {}
    for what, known in NAMES.items():
        at = [i for i, name in enumerate(plain) if name in known]
        if len(at) > 1:
            raise MistrustError(f"Two columns hold the {what}: {' and '.join(names[i] for i in at)}. Keep one.")
        if at:
            place[what] = at[0]
    for what in ("confidence", *(["error"] if answers else [])):
        if what not in place:
            near = nearest(NAMES[what][0] if len(NAMES[what][0]) > 1 else what, [plain[i] for i in range(len(plain))])
            hint = f" Did you mean '{names[plain.index(near)]}'?" if near else ""
            raise MistrustError(
                f"The table has no column '{NAMES[what][0]}' ({what}; also read: {', '.join(NAMES[what][1:])}).{hint} "
                f"It has: {', '.join(names) or 'none'}."
            )
    numbered = _numbered(names)
    sure = place["confidence"]
    keep = _above(_numbers(frame.iloc[:, sure], names[sure]), above)
    frame = frame[keep]
    found: dict[str, np.ndarray] = {}
    unusable: dict[str, str] = {}
    for what, i in place.items():
        take = {"clusters": _labels, "ids": _ids}.get(what, _numbers)
        try:
            found[what] = take(frame.iloc[:, i], names[i])
        except MistrustError as error:
            if what not in OPTIONAL:
                raise
            unusable[what] = str(error)
    base: dict[str, Any] = {"ids": found.get("ids", np.flatnonzero(keep) + 1), "confidence": found["confidence"]}
    Pool(**base)
    given: dict[str, Any] = {name: found[name] for name in OPTIONAL if name in found}
    try:
        if numbered:
            columns = [_numbers(frame.iloc[:, i], names[i]) for _, i in sorted(numbered.items())]
            given["features"] = np.column_stack(columns)
    except MistrustError as error:
        unusable["features"] = str(error)
    rest = {name: frame.iloc[:, i] for i, name in enumerate(names) if i not in {*place.values(), *numbered.values()}}
    scores = {
        name: _numbers(one, name).astype(np.float64) for name, one in rest.items() if pd.api.types.is_numeric_dtype(one)
    }
    for name, one in (*given.items(), *scores.items()):
        more: dict[str, Any] = {name: one} if name in given else {"scores": {name: one}}
        try:
            Pool(**base, **more)
        except MistrustError as error:
            unusable[name] = str(error)
    pool = base | {name: one for name, one in given.items() if name not in unusable}
    pool["scores"] = {name: one for name, one in scores.items() if name not in unusable}
    return Columns(pool, _flags(found["error"]) if "error" in found else None, unusable)


def _above(confidence: np.ndarray, limit: float) -> Bool[np.ndarray, " n"]:
    """Which rows are read; all where none is above the limit, or where confidences are none: the pool says so."""
    keep = np.asarray(confidence > limit, dtype=bool)
    usable = bool(((confidence > 0) & (confidence <= 1)).all())
    return keep if usable and keep.any() else np.ones(len(confidence), dtype=bool)


def called(what: str) -> str:
    """Give the names that a column of a field may have, for messages.

    Examples
    --------
    >>> called("distance"), called("features")
    ("'mae', 'distance' or 'adversarial distance'", 'x1, x2, ... (or x_1, x_2, ...)')
    """
    if what not in NAMES:
        return FEATURES
    *first, last = [f"'{name}'" for name in NAMES[what]]
    return f"{', '.join(first)} or {last}"


def _numbered(names: list[str]) -> dict[int, int]:
    """Which feature stands in which column."""
    found: dict[int, int] = {}
    for i, name in enumerate(names):
        match = FEATURE.fullmatch(name.strip())
        if match is None:
            continue
        if int(match[1]) in found:
            raise MistrustError(
                f"Two columns hold feature {int(match[1])}: {names[found[int(match[1])]]} and {name}. Keep one."
            )
        found[int(match[1])] = i
    return found


def _numbers(column: "pd.Series[Any]", name: str) -> np.ndarray:
    try:
        numeric = pd.to_numeric(column, errors="raise")
        missing = numeric.isna().any()  # pandas' own NA is no number; NaN is
        values = numeric.to_numpy(dtype=np.float64, na_value=np.nan) if missing else numeric.to_numpy()
    except (TypeError, ValueError) as error:
        raise MistrustError(f"The column '{name}' must be numbers: {error}.") from None
    return np.asarray(values, dtype=np.int64) if values.dtype.kind == "b" else np.asarray(values)


def _ids(column: "pd.Series[Any]", name: str) -> np.ndarray:
    try:
        return _numbers(column, name)
    except MistrustError:
        text = next((one for one in column if isinstance(one, str)), None)
        raise MistrustError(
            f"The column '{name}' holds ids that are no whole numbers ({text!r}): name it otherwise, such as 'file'. "
            "Rows are then numbered from 1 on, and the numbers that a search gives are the rows' own."
        ) from None


def _labels(column: "pd.Series[Any]", name: str) -> np.ndarray:
    """Clusters as numbers: text as its place in alphabetical order, NaN where there is none."""
    try:
        return _numbers(column, name)
    except MistrustError:
        missing = column.isna()
        other = next((one for one in column[~missing] if not isinstance(one, str)), None)
        if other is not None:
            raise MistrustError(
                f"The column '{name}' must be all whole numbers or all text, and has {other!r}."
            ) from None
        given = ["" if none else one.strip() for one, none in zip(column, missing, strict=True)]
        place = {one: i for i, one in enumerate(sorted({*given} - {""}, key=_counted))}
        return np.array([place.get(one, np.nan) for one in given])


def _counted(label: str) -> tuple[list[tuple[int, str]], str]:
    """What puts "c2" before "c10": digits by the number that they are."""
    parts = re.split(r"(\d+)", label)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts], label


def _flags(values: np.ndarray) -> Bool[np.ndarray, " n"]:
    if not np.isin(values, (0, 1)).all():
        bad = values[~np.isin(values, (0, 1))][0]
        raise MistrustError(f"Errors must be 0 (right) or 1 (wrong), got {bad}.")
    return values.astype(bool)
