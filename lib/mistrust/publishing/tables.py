"""Tables as HTML that a screen reader can walk through: a caption, and heads that say what they are heads of."""

from collections.abc import Mapping, Sequence
from html import escape
from math import isnan

import pandas as pd

EMPTY = "–"
# Widths in the size of letters: of one on average, and what a column of texts and its head have at least.
LETTER, TEXT, HEAD = 0.6, 7.5, 5.5
# Width of the page in that size, and more letters than a cell of a few words has.
PAGE, SENTENCE = 49, 80


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
    A wide table scrolls by itself and not the page, so its frame can be focused and has a name (WCAG 2.1.1). One of
    sentences side by side, too many for a page, has its cells one below the other, each after its column's name.
    """
    names = [escape(str(name)) for name in frame.columns]
    longest = [max((len(_text(value)) for value in frame.iloc[:, place]), default=0) for place in range(len(names))]
    least = [_least(str(name), letters) for name, letters in zip(frame.columns, longest, strict=True)]
    stacked = not kind and sum(least) > PAGE and sum(letters > SENTENCE for letters in longest) > 1
    body = []
    attributes = lines or [{}] * len(frame)
    for values, own in zip(frame.itertuples(index=False, name=None), attributes, strict=True):
        cells = [escape(_text(value)) for value in values]
        said = [
            f' data-head="{name}"' + ' class="mt-sentence"' * (letters > SENTENCE) if stacked and cell else ""
            for name, cell, letters in zip(names, cells, longest, strict=True)
        ]
        body.append(
            "<tr"
            + "".join(f' {name}="{escape(text)}"' for name, text in own.items())
            + ">"
            + "".join(f'<th scope="row">{cell}</th>' for cell in cells[:heads])
            + "".join(f"<td{said[i]}>{_folded(cells[i], shown)}</td>" for i in range(heads, len(cells)))
            + "</tr>"
        )
    columns = "".join(
        f'<th scope="col" style="--least: {em:.1f}em">{name}</th>' for name, em in zip(names, least, strict=True)
    )
    classes = " ".join(filter(None, ("mistrust-table", kind, "mistrust-stacked" if stacked else "")))
    return (
        f'<div class="mistrust-scroll" style="overflow-x: auto" role="region" tabindex="0" '
        f'aria-label="{escape(caption)}">'
        f'<table class="{escape(classes)}"><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{columns}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody></table></div>"
    )


def _text(value: object) -> str:
    return EMPTY if isinstance(value, float) and isnan(value) else str(value)


def _least(head: str, longest: int) -> float:
    """Least width of a column, in the size of its letters: numbers stand close, texts have room for some words."""
    return max(min(LETTER * longest, TEXT), min(LETTER * len(head), HEAD))


def _folded(cell: str, shown: int | None) -> str:
    """A cell, escaped as it is, whose end unfolds where it is much longer than what is shown."""
    if shown is None or len(cell) < 1.5 * shown:
        return cell
    end = cell.rfind(" ", 0, shown)
    if end < 0:
        return cell
    return f"<details><summary>{cell[:end]} …</summary>{cell[end + 1 :]}</details>"
