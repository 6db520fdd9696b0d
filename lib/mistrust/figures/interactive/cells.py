"""Two kinds made of cells: a matrix of values, and a plane of images."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.figures.interactive.frame import Interactive
from mistrust.figures.interactive.sprites import Sprite, place, sprite

Pictures = Mapping[tuple[int, int], Sequence[int]]


def grid(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    alt: str,
    row_title: str = "row",
    column_title: str = "column",
    value_title: str = "value",
    digits: int = 2,
    intervals: tuple[ArrayLike, ArrayLike] | None = None,
    interval_title: str = "interval",
    notes: Mapping[tuple[int, int], str] | None = None,
    images: ArrayLike | Sprite | None = None,
    pictures: Pictures | None = None,
    labels: Sequence[str] = (),
    low: float | None = None,
    high: float | None = None,
    missing: str = "no value",
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """A matrix whose cells tell their value, their interval, and show the images behind them.

    Parameters
    ----------
    values : (rows, columns), finite numbers; NaN for a cell without a value (a diagonal that is left out).
    rows, columns : the names of rows and columns, shown as heads.
    row_title, column_title, value_title : what a row, a column and a value are ("true class", "nearest class").
    digits : decimals shown.
    intervals : lower and upper ends, each (rows, columns); NaN where there is none.
    interval_title : what an interval is ("95% interval over images").
    notes : a sentence more for some cells, by (row, column).
    images : the pictures that cells may show: uint8 (n, height, width[, 3]), or a `Sprite`.
    pictures : for each (row, column) the indices of its images.
    labels : one text alternative an image ("a 4, brightness level 7"); needed with images.
    low, high : the values of the palest and the strongest colour; None for the smallest and largest.
    missing : what a cell without a value says.
    static, caption, links : as in `Interactive`; without `static` the table of values itself stands.

    Raises
    ------
    MistrustError
        Shapes that do not fit, infinite values, an index outside the images, images without labels.

    Examples
    --------
    >>> confused = [[np.nan, 0.3], [0.1, np.nan]]
    >>> shown = grid(confused, ["4", "9"], ["4", "9"], title="Mix-ups", alt="4 is taken for 9 more often than 9 for 4.",
    ...              row_title="true class", column_title="answer", value_title="share")
    >>> [cell["say"] for cell in shown.data["cells"][:2]]
    ['True class 4, answer 4: no value.', 'True class 4, answer 9: share 0.300.']
    """
    matrix = _matrix(values, (len(rows), len(columns)), "values")
    ends = None if intervals is None else tuple(_matrix(e, matrix.shape, "intervals") for e in intervals)
    sheet = _sheet(images, labels)
    shown = pictures or {}
    for at in (*shown, *(notes or {})):
        if not (0 <= at[0] < len(rows) and 0 <= at[1] < len(columns)):
            raise MistrustError(f"There is no cell {at} in a grid of {len(rows)} rows and {len(columns)} columns.")
    if shown and sheet is None:
        raise MistrustError("`pictures` names images by index: give the images too.")
    for index in {i for list_ in shown.values() for i in list_}:
        place(sheet, index) if sheet else None
    found = matrix[np.isfinite(matrix)]
    bottom = float(found.min()) if low is None and found.size else (low or 0.0)
    top = float(found.max()) if high is None and found.size else (high or 1.0)

    data: list[dict[str, Any]] = []
    lines: list[str] = []
    for i, row in enumerate(rows):
        cells = [f'<th scope="row">{escape(row)}</th>']
        for j, column in enumerate(columns):
            value = matrix[i, j]
            text = "–" if math.isnan(value) else f"{value:.{digits}f}"
            words = missing if math.isnan(value) else f"{value_title} {value:.{digits + 1}f}"
            if ends is not None and not math.isnan(value) and not math.isnan(ends[0][i, j]):
                words += f", {interval_title} {ends[0][i, j]:.{digits + 1}f} to {ends[1][i, j]:.{digits + 1}f}"
            say = f"{row_title} {row}, {column_title} {column}: {words}."
            if notes and (i, j) in notes:
                say += f" {notes[i, j]}"
            data.append({"say": say[:1].upper() + say[1:], "images": [int(k) for k in shown.get((i, j), ())]})
            cells.append(f"<td{_shade(value, bottom, top)}>{text}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    heads = "".join(f'<th scope="col">{escape(c)}</th>' for c in columns)
    body = (
        f'<div class="mt-main"><p class="mt-axes">Down: {escape(row_title)}. Across: {escape(column_title)}.</p>'
        f'<div class="mt-scroll"><table class="mt-cells"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{_scale(value_title, bottom, top, digits)}</div>"
    )
    content = {"cells": data, "labels": list(labels), "width": len(columns), **_sheet_data(sheet)}
    return Interactive("grid", title, alt, body, content, sheet, static, caption, links or {})


def plane(
    images: ArrayLike | Sprite,
    probabilities: ArrayLike,
    classes: Sequence[str],
    *,
    columns: int,
    title: str,
    alt: str,
    row_title: str = "row",
    column_title: str = "column",
    row_values: Sequence[str] | None = None,
    column_values: Sequence[str] | None = None,
    digits: int = 2,
    named: int = 3,
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """A field of images, each with the probabilities of its classes: a latent plane, a sweep of two parameters.

    Parameters
    ----------
    images : uint8 (n, height, width[, 3]) row by row, or a `Sprite` of `columns` columns.
    probabilities : (n, classes) in [0, 1].
    classes : the classes' names.
    columns : images in a row; n must be a multiple of it.
    row_values, column_values : where a row or column lies ("-1.5"); None for 1, 2, 3, ...
    named : how many classes, most probable first, a cell names.

    Raises
    ------
    MistrustError
        Shapes that do not fit, probabilities outside [0, 1], a number of images that fills no rectangle.

    Examples
    --------
    >>> images = np.zeros((2, 8, 8), np.uint8)
    >>> shown = plane(images, [[0.9, 0.1], [0.2, 0.8]], ["4", "9"], columns=2, title="From 4 to 9",
    ...               alt="Two images, the left one a 4, the right one a 9.", column_title="z0")
    >>> [cell["say"] for cell in shown.data["cells"]]
    ['Row 1, z0 1: 4 with 0.90, 9 with 0.10.', 'Row 1, z0 2: 9 with 0.80, 4 with 0.20.']
    """
    sheet = images if isinstance(images, Sprite) else sprite(images, columns)
    rows = sheet.count // columns
    if sheet.columns != columns or rows * columns != sheet.count:
        raise MistrustError(
            f"A plane is a full rectangle: {sheet.count} images in {columns} columns do not fill it"
            f" (sprite of {sheet.columns} columns)."
        )
    shares = _matrix(probabilities, (sheet.count, len(classes)), "probabilities")
    if np.isnan(shares).any() or shares.min() < 0 or shares.max() > 1:
        raise MistrustError("Probabilities must lie in [0, 1], without NaN. Logits? Use their softmax.")
    down = _names(row_values, rows, "row_values")
    across = _names(column_values, columns, "column_values")
    data: list[dict[str, Any]] = []
    tiles: list[str] = []
    for index in range(sheet.count):
        i, j = divmod(index, columns)
        order = np.argsort(-shares[index], kind="stable")[:named]
        bars = [[classes[c], round(float(shares[index, c]), 4), f"{shares[index, c]:.{digits}f}"] for c in order]
        shares_said = ", ".join(f"{name} with {text}" for name, _, text in bars)
        say = f"{row_title} {down[i]}, {column_title} {across[j]}: {shares_said}."
        data.append({"say": say[:1].upper() + say[1:], "bars": bars})
        start, end = ('<div class="mt-row">' if j == 0 else ""), ("</div>" if j == columns - 1 else "")
        tiles.append(f'{start}<span class="mt-thumb" style="{place(sheet, index)}"></span>{end}')
    field = f'role="img" aria-label="{escape(alt)}" style="--across:{columns}"'
    body = (
        f'<div class="mt-main"><div class="mt-plane" {field}>{"".join(tiles)}</div>'
        f'<p class="mt-axes">Down: {escape(row_title)} {escape(down[0])} to {escape(down[-1])}.'
        f" Across: {escape(column_title)} {escape(across[0])} to {escape(across[-1])}.</p>"
    )
    content = {"cells": data, "width": columns, **_sheet_data(sheet)}
    return Interactive("plane", title, alt, body, content, sheet, static, caption, links or {})


def _matrix(values: ArrayLike, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.shape != shape or 0 in shape:
        raise MistrustError(f"`{what}` has shape {matrix.shape}, expected {shape}: one number per cell.")
    if np.isinf(matrix).any():
        raise MistrustError(f"`{what}` holds an infinite value; a cell without a value is NaN.")
    return matrix


def _sheet(images: ArrayLike | Sprite | None, labels: Sequence[str]) -> Sprite | None:
    if images is None:
        return None
    sheet = images if isinstance(images, Sprite) else sprite(images)
    if len(labels) != sheet.count or not all(label.strip() for label in labels):
        raise MistrustError(
            f"{sheet.count} images need {sheet.count} labels that say what they show, got {len(labels)}."
        )
    return sheet


def _sheet_data(sheet: Sprite | None) -> dict[str, Any]:
    return {"columns": sheet.columns} if sheet else {}


def _names(given: Sequence[str] | None, count: int, what: str) -> list[str]:
    names = [str(i + 1) for i in range(count)] if given is None else list(given)
    if len(names) != count:
        raise MistrustError(f"`{what}` has {len(names)} entries, expected {count}.")
    return names


def _shade(value: float, low: float, high: float) -> str:
    """The attributes that colour a cell; the style sheet makes it one that fits light and dark."""
    if math.isnan(value):
        return ' class="mt-empty"'
    share = min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.0
    return f' style="--v:{share:.3f}"'


def _scale(title: str, low: float, high: float, digits: int) -> str:
    ends = f"{low:.{digits}f}", f"{high:.{digits}f}"
    return (
        f'<p class="mt-scale">{escape(title)}: {ends[0]} <span aria-hidden="true" class="mt-ramp"></span> {ends[1]}</p>'
    )
