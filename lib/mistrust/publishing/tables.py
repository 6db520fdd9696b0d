"""Tables as HTML that a screen reader can walk through: a caption, and heads that say what they are heads of."""

from html import escape

import pandas as pd


def html(frame: pd.DataFrame, caption: str, *, heads: int = 1, kind: str = "") -> str:
    """A frame as an HTML table; all text is escaped.

    Parameters
    ----------
    frame : cells are shown by `str`; column names are the heads of the columns.
    caption : says what the table shows, in plain text.
    heads : how many columns, from the left, are heads of their row (`<th scope="row">`).
    kind : a class of the table beside `mistrust-table`, for the style sheet.

    Notes
    -----
    A wide table scrolls by itself and not the page, so its frame can be focused and has a name (WCAG 2.1.1).
    """
    columns = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in frame.columns)
    lines = []
    for values in frame.itertuples(index=False, name=None):
        cells = [escape(str(value)) for value in values]
        lines.append(
            "<tr>"
            + "".join(f'<th scope="row">{cell}</th>' for cell in cells[:heads])
            + "".join(f"<td>{cell}</td>" for cell in cells[heads:])
            + "</tr>"
        )
    classes = " ".join(filter(None, ("mistrust-table", kind)))
    return (
        f'<div class="mistrust-scroll" style="overflow-x: auto" role="region" tabindex="0" '
        f'aria-label="{escape(caption)}">'
        f'<table class="{escape(classes)}"><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{columns}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody></table></div>"
    )
