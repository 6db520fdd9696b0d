"""The three columns of every table in the book: the paper, our full run, this run."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.image_sets import TITLES
from mistrust.publishing import tables

BY = ("condition", "level", "at", "metric")
NOT_PRINTED = "not printed"
NOT_RUN = "not run"


def compare(
    published: pd.DataFrame,
    full: pd.DataFrame,
    run: pd.DataFrame,
    select: Mapping[str, Any],
    *,
    paper: Mapping[str, Any] | None = None,
    by: Sequence[str] = BY,
    names: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Lay the paper, our full run and this run side by side, all cells as text.

    Parameters
    ----------
    published, full, run : rows; any of them may have none.
    select : which of our rows, column -> value or list of values. Without "seed", the rows of single networks are
        left out (their mean has no seed).
    paper : which of the paper's rows; left out: as `select`, without "seed". Printed numbers stand in tables of our
        names; where they are printed is in their column `place`.
    by : the columns that tell the lines apart; those that are empty in every line are not shown.
    names : other heads for them ("at" -> "images").

    Returns
    -------
    One line for each thing that any of the three has, in the order of levels and names; the columns of `by`, then
    "the paper", "our full run", "this run", the last two heads with profile, data and n. A cell reads
    "value [low, high]"; what is missing reads "not printed" (the paper) or "not run" (ours).

    Raises
    ------
    MistrustError
        An unknown column; two rows of one source for the same line (name a further column in `by` or `select`).
    """
    ours = {"seed": float("nan"), **select} if "seed" not in by else dict(select)
    theirs = dict(paper) if paper is not None else {c: v for c, v in select.items() if c != "seed"}
    sources = [
        ("the paper", _lines(tidy.select(published, **theirs), by, "the paper"), NOT_PRINTED),
        ("our full run", _lines(tidy.select(full, **ours), by, "our full run"), NOT_RUN),
        ("this run", _lines(tidy.select(run, **ours), by, "this run"), NOT_RUN),
    ]
    keys = sorted({key for _, lines, _ in sources for key in lines}, key=_order)
    shown = [i for i in range(len(by)) if any(key[i] != "" for key in keys)]
    frame = pd.DataFrame({(names or {}).get(by[i], by[i]): [_head_cell(key[i]) for key in keys] for i in shown})
    for title, lines, missing in sources:
        cells = [cell(lines[key], as_printed=missing == NOT_PRINTED) if key in lines else missing for key in keys]
        frame[head(title, list(lines.values()))] = cells
    return frame


def html(frame: pd.DataFrame, caption: str) -> str:
    """What `compare` gives as an accessible table."""
    return tables.html(frame, caption, heads=max(1, len(frame.columns) - 3), kind="mistrust-compare")


def head(title: str, lines: Sequence[Mapping[str, Any]]) -> str:
    """A column's head: "our full run (full, MNIST, n = 10,000)"; the paper and a column without rows: the title."""
    if not lines or lines[0]["profile"] == "published":
        return title
    titled = [{"profile": line["profile"], "data": TITLES.get(line["data"], line["data"])} for line in lines]
    parts = [", ".join(dict.fromkeys(line[c] for line in titled if line[c])) for c in ("profile", "data")]
    for networks in (True, False):  # what one column may have both of: means over networks, and single ones
        some = [line for line in lines if (line["over"] == "models") == networks]
        counted = sorted({int(line["n"]) for line in some if not math.isnan(line["n"])})
        if counted:
            least, most = f"{counted[0]:,}", f"{counted[-1]:,}"
            span = least if least == most else f"{least} to {most}"
            parts.append(f"{span} {'network' if span == '1' else 'networks'}" if networks else f"n = {span}")
    return f"{title} ({', '.join(part for part in parts if part)})"


def cell(line: Mapping[str, Any], *, as_printed: bool = False) -> str:
    """The text of a cell: value and, where there is one, the interval, as exact as the interval allows.

    One without width, of networks that agree to the last digit, is none: it tells nothing of further ones.
    """
    value, low, high = (float(line[name]) for name in ("value", "low", "high"))
    if as_printed:
        return number(value) if value == int(value) else f"{value:.10g}"
    if not low < high:  # NaN is no end
        return number(value)
    digits = _decimals(high - low)
    if digits is None:
        return f"{number(value)} [{number(low)}, {number(high)}]"
    return f"{value:,.{digits}f} [{low:,.{digits}f}, {high:,.{digits}f}]"


def number(value: float) -> str:
    """A number alone: whole ones in full with thousands, others with four significant digits."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def _decimals(width: float) -> int | None:
    """Decimals that show two significant digits of half an interval; None where that is no plain number."""
    if width <= 0 or not math.isfinite(width):
        return None
    digits = 1 - math.floor(math.log10(width / 2))
    return max(digits, 0) if digits <= 6 else None


def _lines(frame: pd.DataFrame, by: Sequence[str], title: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for record in frame.to_dict("records"):
        line = {str(column): value for column, value in record.items()}
        key = tuple("" if isinstance(line[c], float) and math.isnan(line[c]) else line[c] for c in by)
        if key in found:
            differs = [c for c in tidy.IDENTITY if line[c] == line[c] and line[c] != found[key][c]]
            raise MistrustError(
                f"Two rows of {title} for the line {dict(zip(by, key, strict=True))}; they differ in "
                f"{', '.join(differs) or 'nothing'}: name it in `by`, or choose one of them by `select`."
            )
        found[key] = line
    return found


def _order(key: tuple[Any, ...]) -> tuple[tuple[int, float, str], ...]:
    """Empty cells first, numbers by size, texts by the alphabet."""
    return tuple((0, part, "") if isinstance(part, float) else (int(part != ""), 0.0, str(part)) for part in key)


def _head_cell(part: Any) -> str:
    return number(part) if isinstance(part, float) else str(part)
