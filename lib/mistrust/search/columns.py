"""Tables of instances: which column is what, under the names that people give them."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

from mistrust.errors import MistrustError, nearest

# What a column holds -> the names that it may have, the first being the usual one. Capitals do not matter.
NAMES = {
    "ids": ("i", "id", "ids", "instance"),
    "confidence": ("c", "confidence", "conf"),
    "error": ("error", "errors", "wrong", "misclassified", "e"),
    "distance": ("mae", "distance", "adversarial distance"),
    "clusters": ("cluster", "clusters", "arm"),
    "residual": ("residual", "residuals"),
}
FEATURE = re.compile(r"x_?(\d+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Columns:
    """What a table holds: the fields of a `Pool` by name, and the answers (n,), if they are there."""

    pool: dict[str, Any]
    error: Bool[np.ndarray, " n"] | None


def read(frame: pd.DataFrame, *, answers: bool = False) -> Columns:
    """Read a table with the columns i, x1, x2, ..., c, error, MAE, cluster, residual, in any order.

    Only c is needed; without i, rows are numbered from 1 on. Any other column of finite numbers becomes a score of its
    name.

    Raises
    ------
    MistrustError
        No confidence, or with `answers` no errors (the nearest column is named); one thing under two names; a column
        that is not numbers; errors that are not 0 or 1.
    """
    names = [str(name) for name in frame.columns]
    plain = [name.strip().lower() for name in names]
    found: dict[str, np.ndarray] = {}
    used: set[int] = set()
    for what, known in NAMES.items():
        at = [i for i, name in enumerate(plain) if name in known]
        if len(at) > 1:
            raise MistrustError(f"Two columns hold the {what}: {' and '.join(names[i] for i in at)}. Keep one.")
        if at:
            used.add(at[0])
            found[what] = _numbers(frame.iloc[:, at[0]], names[at[0]])
    for what in ("confidence", *(["error"] if answers else [])):
        if what not in found:
            near = nearest(NAMES[what][0] if len(NAMES[what][0]) > 1 else what, [plain[i] for i in range(len(plain))])
            hint = f" Did you mean '{names[plain.index(near)]}'?" if near else ""
            raise MistrustError(
                f"The table has no column '{NAMES[what][0]}' ({what}; also read: {', '.join(NAMES[what][1:])}).{hint} "
                f"It has: {', '.join(names) or 'none'}."
            )
    numbered = {int(match[1]): i for i, name in enumerate(plain) if (match := FEATURE.fullmatch(name))}
    pool: dict[str, Any] = {name: values for name, values in found.items() if name != "error"}
    pool.setdefault("ids", np.arange(1, len(frame) + 1))
    if numbered:
        pool["features"] = np.column_stack([_numbers(frame.iloc[:, i], names[i]) for _, i in sorted(numbered.items())])
    rest = {name: frame.iloc[:, i] for i, name in enumerate(names) if i not in used | set(numbered.values())}
    numbers = {
        name: _numbers(one, name).astype(np.float64) for name, one in rest.items() if pd.api.types.is_numeric_dtype(one)
    }
    pool["scores"] = {name: values for name, values in numbers.items() if bool(np.all(np.isfinite(values)))}
    return Columns(pool, _flags(found["error"]) if "error" in found else None)


def _numbers(column: "pd.Series[Any]", name: str) -> np.ndarray:
    try:
        values = pd.to_numeric(column, errors="raise").to_numpy()
    except (TypeError, ValueError) as error:
        raise MistrustError(f"The column '{name}' must be numbers: {error}.") from None
    return np.asarray(values, dtype=np.int64) if values.dtype.kind == "b" else np.asarray(values)


def _flags(values: np.ndarray) -> Bool[np.ndarray, " n"]:
    if not np.isin(values, (0, 1)).all():
        bad = values[~np.isin(values, (0, 1))][0]
        raise MistrustError(f"Errors must be 0 (right) or 1 (wrong), got {bad}.")
    return values.astype(bool)
