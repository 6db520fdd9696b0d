"""What a page is made of: paragraphs, tables, heat maps, pictures, galleries; each gives its HTML, all of it inline."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mistrust.figures.interactive.frame import check_alt
from mistrust.figures.style import Picture
from mistrust.figures.told import brief, in_full


class Block(Protocol):
    """Something on the page."""

    def html(self) -> str:
        """Give its HTML."""
        ...


@dataclass(frozen=True)
class Text:
    """A paragraph of plain text."""

    words: str

    def html(self) -> str:
        """Give the paragraph."""
        return f"<p>{escape(self.words)}</p>"


@dataclass(frozen=True)
class Table:
    """A table; the first column names the rows, the others hold numbers unless `words` says so."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False

    def html(self) -> str:
        """Give the table, in a box that scrolls where it is wider than the page."""
        heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in self.heads)
        body = "".join(
            f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in others)}</tr>'
            for first, *others in self.rows
        )  # fmt: skip
        kind = ' class="words"' if self.words else ""
        return _scrolled(
            f"<table{kind}{_named(self.caption)}><thead><tr>{heads}</tr></thead>"
            f"<tbody>{body}</tbody></table>", self.caption,
        )  # fmt: skip


@dataclass(frozen=True)
class Heat:
    """A table of numbers with colours, from `low` to `high`; what is None stays empty.

    Attributes
    ----------
    corner : head of the first column.
    write : how many decimals; a number in per cent where `percent`.
    marked : (row, column) of cells with a frame.
    """

    caption: str
    corner: str
    down: Sequence[str]
    across: Sequence[str]
    values: Sequence[Sequence[float | None]]
    low: float
    high: float
    decimals: int = 2
    percent: bool = False
    marked: frozenset[tuple[int, int]] = frozenset()

    def html(self) -> str:
        """Give the table."""
        heads = "".join(f'<th scope="col"><span>{escape(head)}</span></th>' for head in (self.corner, *self.across))
        lines = []
        for i, (name, values) in enumerate(zip(self.down, self.values, strict=True)):
            cells = "".join(self._cell(value, (i, j) in self.marked) for j, value in enumerate(values))
            lines.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
        return _scrolled(
            f'<table class="heat"{_named(self.caption)}><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table>", self.caption,
        )  # fmt: skip

    def _cell(self, value: float | None, marked: bool) -> str:
        if value is None or np.isnan(value):
            return "<td></td>"
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        text = f"{100 * value:.{self.decimals}f}" if self.percent else f"{value:.{self.decimals}f}"
        named, told = (' class="marked"', '<span class="visually-hidden">, framed</span>') if marked else ("", "")
        return f'<td{named} style="--v:{share:.3f}">{text}{told}</td>'


@dataclass(frozen=True)
class Drawn:
    """A picture of `mistrust.figures`, with its alt text and caption."""

    picture: Picture

    def html(self) -> str:
        """Give the figure, the picture inline."""
        svg, told, caption = self.picture.svg, self.picture.alt, self.picture.caption
        data = base64.b64encode(svg[svg.find("<svg") :].encode()).decode("ascii")
        return (
            f'<figure><img class="drawn" alt="{escape(brief(told))}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{escape(caption)}{in_full(told, caption.partition('. ')[0].removesuffix('.'))}</figcaption>"
            "</figure>"
        )


@dataclass(frozen=True)
class Shot:
    """One image of a gallery: uint8 (c, h, w), its alt text, and lines beneath it."""

    pixels: NDArray[np.uint8]
    alt: str
    lines: tuple[str, ...]
    wrong: bool = False


@dataclass(frozen=True)
class Gallery:
    """Images with words beneath."""

    caption: str
    shots: Sequence[Shot]

    def html(self) -> str:
        """Give the figure with all images inline."""
        items = []
        for shot in self.shots:
            check_alt(shot.alt)
            lines = "".join(f"<span>{escape(line)}</span>" for line in shot.lines)
            kind = ' class="wrong"' if shot.wrong else ""
            items.append(f'<li{kind}><img alt="{escape(shot.alt)}" src="{uri(shot.pixels)}">{lines}</li>')
        return (
            f'<figure class="gallery"><figcaption>{escape(self.caption)}</figcaption><ul>{"".join(items)}</ul></figure>'
        )


@dataclass(frozen=True)
class Folded:
    """Blocks that stand behind a line, until it is opened."""

    summary: str
    blocks: Sequence[Block]

    def html(self) -> str:
        """Give the fold."""
        return (
            f"<details><summary>{escape(self.summary)}</summary>{''.join(one.html() for one in self.blocks)}</details>"
        )


@dataclass(frozen=True)
class Link:
    """A link to a file beside the page, with words after it."""

    to: str
    words: str
    after: str = ""

    def html(self) -> str:
        """Give the paragraph."""
        return f'<p><a href="{escape(self.to)}">{escape(self.words)}</a>{escape(self.after)}</p>'


LONGEST = 160  # pixels on the longer side of an image on the page


def picture(pixels: NDArray[np.uint8]) -> Image.Image:
    """An image of (c, h, w) with one channel or three."""
    plain = pixels[0] if len(pixels) == 1 else pixels.transpose(1, 2, 0)
    return Image.fromarray(np.ascontiguousarray(plain))


def uri(pixels: NDArray[np.uint8]) -> str:
    """An image (c, h, w) as a data URI, scaled down where it is large."""
    image = picture(pixels)
    large = max(image.size) > LONGEST
    if large:
        image.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    if large:
        image.save(file, "JPEG", quality=88)
    else:
        image.save(file, "PNG", optimize=True)
    return f"data:image/{'jpeg' if large else 'png'};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def _named(caption: str) -> str:
    """The attribute by which a table has its caption's name: the caption itself stands outside, where it stays put."""
    return f' aria-label="{escape(caption)}"'


def _scrolled(table: str, caption: str) -> str:
    """A box that scrolls sideways, also by keys, beneath its caption, which does not."""
    told = escape(caption)
    box = f'<div class="scroll" tabindex="0" role="region" aria-label="{told}">{table}</div>'
    return f'<p class="caption">{told}</p>{box}'
