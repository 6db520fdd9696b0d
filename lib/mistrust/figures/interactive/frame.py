"""What all interactive figures share: the frame, the text alternative, the inline data, the identifier."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from mistrust.errors import MistrustError
from mistrust.figures.interactive.sprites import Sprite

FILE_NAME = re.compile(r"^\S+\.(png|svg|jpe?g|gif|webp|pdf|ipynb|html?)$", re.IGNORECASE)
HASH = re.compile(r"\b[0-9a-f]{16,}\b", re.IGNORECASE)
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Interactive:
    """A figure for the page: `html()` is all of it, and a notebook shows it as it is.

    Attributes
    ----------
    kind : "grid", "plane", "table", "polar", "stepper" or "choice".
    title : shown above the figure.
    alt : what the picture shows, in words, for those who do not see it.
    body : HTML that is complete without JavaScript.
    data : what the script needs beyond the body; goes in as JSON.
    sheet : the images, if there are any.
    static : SVG text, PNG bytes or HTML that stands in the body's place without JavaScript; None keeps the body.
    caption : a sentence beneath, plain text.
    links : words and addresses beneath the caption ("rows of this figure").
    shown : of which image sets and networks it is, where the rows that it was given may be of others as well.

    Examples
    --------
    >>> from dataclasses import replace
    >>> shown = table({"scorer": ["a", "b"]}, title="Scorers", alt="Table of two scorers, a and b.")
    >>> shown
    Interactive table: Scorers. Table of two scorers, a and b.
    >>> shown.html()[:35], shown.id == replace(shown, caption="By name.").id
    ('<figure class="mistrust mt-table" i', False)
    >>> table({"scorer": ["a", "b"]}, title="Scorers", alt="scorers.png")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The alt text 'scorers.png' looks like a file name: ...
    """

    kind: str
    title: str
    alt: str
    body: str
    data: Mapping[str, Any] = field(default_factory=dict)
    sheet: Sprite | None = None
    static: str | bytes | None = None
    caption: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    shown: str = ""

    def __post_init__(self) -> None:
        check_alt(self.alt)
        if not self.title.strip():
            raise MistrustError(f"An interactive {self.kind} needs a title: say what it shows.")

    @property
    def id(self) -> str:
        """The figure's identifier on the page: a hash of all that it holds, so equal figures have equal ones."""
        uri = self.sheet.uri if self.sheet else ""
        static = self.static if isinstance(self.static, bytes) else (self.static or "").encode()
        parts = (self.kind, self.title, self.alt, self.body, inline(self.data), uri, self.caption, inline(self.links))
        return "mt-" + hashlib.sha256("\0".join(parts).encode() + static).hexdigest()[:12]

    def html(self) -> str:
        """The whole figure: title, static form, data, sprite."""
        name = self.id
        parts = [f'<figure class="mistrust mt-{self.kind}" id="{name}" data-mistrust="{self.kind}">']
        if self.sheet:
            size = f"--columns:{self.sheet.columns};--rows:{self.sheet.rows}"
            ratio = f"--ratio:{self.sheet.width}/{self.sheet.height}"
            # A style sheet of its own: the picture is decoded once, however many thumbnails show parts of it.
            parts.append(
                f"<style>#{name}{{{size};{ratio}}}#{name} .mt-thumb{{background-image:url({self.sheet.uri})}}</style>"
            )
        parts.append(f'<div class="mt-title" id="{name}-title">{escape(self.title)}</div>')
        parts.append(f'<p class="mt-alt" id="{name}-alt">{escape(self.alt)}</p>')
        if self.static is None:
            parts.append(f'<div class="mt-body">{self.body}</div>')
        else:
            parts.append(f'<div class="mt-static">{standing(self.static, self.alt)}</div>')
            parts.append(f'<div class="mt-body" hidden>{self.body}</div>')
        parts.append(f'<script type="application/json">{inline(self.data)}</script>')
        beneath = [escape(self.caption)] if self.caption else []
        beneath += [f'<a href="{escape(to)}">{escape(words)}</a>' for words, to in self.links.items()]
        if beneath:
            parts.append(f"<figcaption>{' '.join(beneath)}</figcaption>")
        parts.append("</figure>")
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return self.html()

    def __repr__(self) -> str:
        return f"Interactive {self.kind}: {self.title}. {self.alt}"


def check_alt(alt: str) -> None:
    """Refuse a text alternative that says nothing: empty, a file name, a path, a hash, fewer than four words.

    Raises
    ------
    MistrustError
        The message quotes the text.
    """
    text = alt.strip()
    if FILE_NAME.match(text) or HASH.search(text) or ("/" in text and " " not in text):
        raise MistrustError(f"The alt text {alt!r} looks like a file name: say in words what the picture shows.")
    if len(text.split()) < 4:
        raise MistrustError(
            f"The alt text {alt!r} is too short: say in words what the picture shows"
            " ('Matrix of ten classes; 4 is nearest to 9.')."
        )


def inline(data: Any) -> str:
    """JSON that can stand inside a script element: no `<`, `>` or `&`, no NaN, keys sorted.

    Raises
    ------
    MistrustError
        A number that is NaN or infinite, or a value that JSON has no form for.
    """
    try:
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    except (TypeError, ValueError) as error:
        raise MistrustError(f"The figure's data cannot be written as JSON: {error}.") from error
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def standing(static: str | bytes, alt: str) -> str:
    """HTML of a static picture: SVG text and PNG bytes get the alt text, other HTML stays as it is.

    Raises
    ------
    MistrustError
        Bytes that are no PNG.
    """
    if isinstance(static, bytes):
        if not static.startswith(PNG):
            raise MistrustError("Static bytes must be a PNG picture; give SVG and HTML as text.")
        uri = "data:image/png;base64," + base64.b64encode(static).decode("ascii")
        return f'<img class="dark-light" alt="{escape(alt)}" src="{uri}">'
    start = static.find("<svg")
    if start < 0:
        return static
    # An XML head is no HTML: the picture starts at its element.
    return static[start:].replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)
