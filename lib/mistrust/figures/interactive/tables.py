"""A table that its heads sort."""

import math
import re
from collections.abc import Mapping, Sequence
from html import escape

from mistrust.errors import MistrustError, UnknownName
from mistrust.figures.interactive.frame import Interactive

Cell = float | int | str | None


def table(
    columns: Mapping[str, Sequence[Cell]],
    *,
    title: str,
    alt: str,
    texts: Mapping[str, Sequence[str]] | None = None,
    shades: Mapping[str, tuple[float, float]] | None = None,
    digits: int = 3,
    missing: str = "not run",
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """A table of named columns; a press on a head sorts by it, a second press turns the order round.

    Parameters
    ----------
    columns : name to values, equally many each; the first column names the rows. Numbers sort as numbers, texts by
        the alphabet; None and NaN stand last in both orders.
    texts : what is shown in place of a column's values ("0.91 (0.88 to 0.93)"); the order stays that of the values.
    shades : columns of numbers that are shown as a heat map, each with the values of its lightest and darkest cell;
        what lies outside has the colour of the nearer end.
    digits : decimals of fractions without a text.
    missing : what an empty cell says.
    static, caption, links : as in `Interactive`.

    Raises
    ------
    MistrustError
        No columns, columns of unequal length, a column that mixes numbers and texts, texts or shades for an unknown
        column, shades of texts, or between two equal values.

    Examples
    --------
    >>> shown = table({"scorer": ["Max Softmax", "DSA"], "AUROC": [0.93, None]}, title="Scorers",
    ...               alt="Table of two scorers; DSA was not run.")
    >>> "0.930" in shown.body, "not run" in shown.body
    (True, True)
    >>> table({"AUROC": [0.93, "high"]}, title="Scorers", alt="Table of two scorers and what each found.")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Column 'AUROC' mixes numbers and texts: ...
    """
    if not columns:
        raise MistrustError("A table needs at least one column.")
    shown = texts or {}
    for name in shown:
        if name not in columns:
            raise UnknownName("column", name, columns)
    names = list(columns)
    count = len(columns[names[0]])
    for name, values in (*columns.items(), *shown.items()):
        if len(values) != count:
            raise MistrustError(f"Column '{name}' has {len(values)} entries, '{names[0]}' has {count}.")
    numeric = {name: _numeric(name, columns[name]) for name in names}
    for name, (low, high) in (shades or {}).items():
        if name not in columns:
            raise UnknownName("column", name, columns)
        if not numeric[name] or low == high:
            raise MistrustError(f"Column '{name}' cannot be shaded from {low} to {high}: numbers, and two values.")
    heads = "".join(
        f'<th scope="col"{_class(numeric[name])} data-sort="{"number" if numeric[name] else "text"}">'
        f"<span>{escape(name)}</span></th>"
        for name in names
    )
    lines = []
    for i in range(count):
        cells = []
        for j, name in enumerate(names):
            value = columns[name][i]
            text = _whole(shown[name][i] if name in shown else _text(value, digits, missing))
            tag, scope = ("th", ' scope="row"') if j == 0 else ("td", "")
            shade = _shade(value, shades[name]) if shades and name in shades else ""
            cells.append(
                f"<{tag}{scope}{_class(numeric[name], bool(shade))}{shade}{_key(value)}>{escape(text)}</{tag}>"
            )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    body = (
        f'<div class="mt-scroll"><table class="mt-sortable"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    return Interactive("table", title, alt, body, {}, None, static, caption, links or {})


def _empty(value: Cell) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _numeric(name: str, values: Sequence[Cell]) -> bool:
    """True for numbers, False for texts; a mixture has no order."""
    kinds = {isinstance(value, str) for value in values if not _empty(value)}
    if len(kinds) > 1:
        raise MistrustError(f"Column '{name}' mixes numbers and texts: give numbers, and `texts` to show beside them.")
    return kinds == {False}


def _text(value: Cell, digits: int, missing: str) -> str:
    if value is None or _empty(value):
        return missing
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _whole(text: str) -> str:
    """A number and its unit, "262 µs", stay on one line; longer texts may break."""
    return text.replace(" ", "\u00a0") if re.fullmatch(r"[\d.,]+ \S{1,2}", text) else text


def _key(value: Cell) -> str:
    if value is None or _empty(value):
        return ""
    return f' data-key="{escape(value if isinstance(value, str) else repr(float(value)))}"'


def _class(numeric: bool, shaded: bool = False) -> str:
    names = " ".join(name for name, yes in (("mt-number", numeric), ("mt-shaded", shaded)) if yes)
    return f' class="{names}"' if names else ""


def _shade(value: Cell, ends: tuple[float, float]) -> str:
    if _empty(value) or value is None or isinstance(value, str):
        return ""
    low, high = ends
    return f' style="--v:{min(1.0, max(0.0, (value - low) / (high - low))):.3f}"'
