"""Tables as HTML that a screen reader can walk through: a caption, and heads that say what they are heads of."""

from collections.abc import Mapping, Sequence
from html import escape
from math import isnan

import pandas as pd

EMPTY = "–"


def html(
    frame: pd.DataFrame,
    caption: str,
    *,
    heads: int = 1,
    kind: str = "",
    lines: Sequence[Mapping[str, str]] = (),
    shown: int | None = None,
) -> str:
    """A frame as an HTML table; all text is escaped.

    Parameters
    ----------
    frame : cells are shown by `str`, NaN by a dash; column names are the heads of the columns.
    caption : says what the table shows, in plain text.
    heads : how many columns, from the left, are heads of their row (`<th scope="row">`).
    kind : a class of the table beside `mistrust-table`, for the style sheet.
    lines : attributes of each line ("id", "data-..."); none, or as many as the frame has lines.
    shown : letters of a cell that are shown, about; the rest unfolds. None shows all.

    Notes
    -----
    A wide table scrolls by itself and not the page, so its frame can be focused and has a name (WCAG 2.1.1).
    """
    columns = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in frame.columns)
    body = []
    attributes = lines or [{}] * len(frame)
    for values, own in zip(frame.itertuples(index=False, name=None), attributes, strict=True):
        cells = [EMPTY if isinstance(value, float) and isnan(value) else escape(str(value)) for value in values]
        body.append(
            "<tr"
            + "".join(f' {name}="{escape(text)}"' for name, text in own.items())
            + ">"
            + "".join(f'<th scope="row">{cell}</th>' for cell in cells[:heads])
            + "".join(f"<td>{_folded(cell, shown)}</td>" for cell in cells[heads:])
            + "</tr>"
        )
    classes = " ".join(filter(None, ("mistrust-table", kind)))
    return (
        f'<div class="mistrust-scroll" style="overflow-x: auto" role="region" tabindex="0" '
        f'aria-label="{escape(caption)}">'
        f'<table class="{escape(classes)}"><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{columns}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody></table></div>"
    )


def _folded(cell: str, shown: int | None) -> str:
    """A cell, escaped as it is, whose end unfolds where it is much longer than what is shown."""
    if shown is None or len(cell) < 1.5 * shown:
        return cell
    end = cell.rfind(" ", 0, shown)
    if end < 0:
        return cell
    return f"<details><summary>{cell[:end]} …</summary>{cell[end + 1 :]}</details>"
