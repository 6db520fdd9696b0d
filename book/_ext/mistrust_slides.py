"""Slides: pages in `book/slides/` become decks of reveal.js, with figures taken from the chapters as the book is built.

Directives of a deck: `slide-figure` (a figure of a chapter by its name), `slide-claims` (claims of the ledger),
`slide-exercise` (an exercise by its name), `slide-notes` (what only the speaker reads). Decks stand in no table of
contents.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from mistrust.errors import MistrustError
from mistrust.publishing import slides
from mistrust.publishing.building import Html, lay
from mistrust.publishing.commands.check import every

FOLDER = "book/slides/"
FILES = ("dist/reveal.js", "dist/reveal.css", "LICENSE")
LOG = logging.getLogger(__name__)

exercises = cache(every)


class Wanted(nodes.General, nodes.Element):
    """Where a figure of a chapter is to stand, until all chapters are read."""


class Figure(Directive):
    """`{slide-figure} NAME`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Leave a place for the figure."""
        found = Wanted(figure=self.arguments[0])
        found.source, found.line = self.state.document.current_source, self.lineno
        return [found]


class Claims(Html):
    """`{slide-claims}`: ids, one a line."""

    has_content = True

    def html(self) -> str:
        """The claims as a table."""
        return slides.claims([line.strip() for line in self.content if line.strip()])


class Exercise(Html):
    """`{slide-exercise} CHAPTER/NAME`."""

    required_arguments = 1

    def html(self) -> str:
        """The question and its command."""
        return slides.exercise(self.arguments[0], exercises())


class Notes(Directive):
    """`{slide-notes}`: shown with `?showNotes=true` and in print, hidden else."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Give the notes between the marks that reveal.js knows."""
        held = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, held)
        start, end = nodes.raw("", '<aside class="notes">', format="html"), nodes.raw("", "</aside>", format="html")
        return [start, *held.children, end]


def admit(app: Sphinx, config: Config) -> None:
    """Let decks be read although no table of contents names them."""
    config.exclude_patterns = [one for one in config.exclude_patterns if not one.startswith(FOLDER)]
    config.templates_path = [*config.templates_path, "book/_ext"]


def lay_reveal(app: Sphinx) -> None:
    """Copy reveal.js, which is two files, and its licence into the book."""
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "reveal"
        lay("sphinx-revealjs", "3.2.1", "sphinx_revealjs/_static/revealjs/", FILES, target)


def draw(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the figures in their places."""
    for place in list(doctree.findall(Wanted)):
        place.replace_self(list(_figure(app, place, page)))


def _figure(app: Sphinx, place: Wanted, page: str) -> Iterator[nodes.Node]:
    """A figure of a chapter: its picture, its caption without the links to rows, and a link to where it stands."""
    name, env = place["figure"], app.env
    labels = env.get_domain("std").anonlabels
    if name not in labels:
        try:
            said, warning = slides.absent(name, env.found_docs, labels)
        except MistrustError as error:
            said, warning = "", str(error)
        if warning:
            LOG.warning(warning, location=place)
        yield nodes.paragraph("", said, classes=["slide-absent"])
        return
    chapter, anchor, *_ = labels[name]
    found = next(one for one in env.get_doctree(chapter).findall(nodes.figure) if anchor in one["ids"])
    yield nodes.raw("", '<figure class="slide-figure">', format="html")
    yield from (one.deepcopy() for one in found.findall(nodes.image))
    yield nodes.raw("", "<figcaption>", format="html")
    for caption in found.findall(nodes.caption):
        for part in caption.children:
            if isinstance(part, nodes.raw):  # here the links to rows and code begin
                break
            yield part.deepcopy()
    where = app.builder.get_relative_uri(page, chapter)
    link = f' <a href="{where}#{anchor}">In the chapter</a></figcaption></figure>'
    yield nodes.raw("", link, format="html")


def dress(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> str | None:
    """Give a deck its own template, in which no theme has a part."""
    if not page.startswith(FOLDER) or doctree is None:
        return None
    about = app.env.metadata[page]
    try:
        context["slides"] = slides.flat(context["body"])
    except MistrustError as error:
        LOG.error(str(error), location=page)
        context["slides"] = context["body"]
    context["formulas"] = 'class="math' in context["body"]
    known = {one.name: (one.notebook.removesuffix(".ipynb"), one.title) for one in slides.CHAPTERS.values()}
    named = str(about.get("chapters", "")).replace(",", " ").split()
    context["chapters"] = [known[one] for one in named if one in known and known[one][0] in app.env.found_docs]
    return "slides.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_node(Wanted)
    for name, one in (("figure", Figure), ("claims", Claims), ("exercise", Exercise), ("notes", Notes)):
        app.add_directive(f"slide-{name}", one)
    app.connect("config-inited", admit, priority=950)  # after the table of contents has shut out what it does not name
    app.connect("builder-inited", lay_reveal)
    app.connect("doctree-resolved", draw)
    app.connect("html-page-context", dress, priority=995)  # after the last hand on each page
    return {"parallel_read_safe": True, "parallel_write_safe": True}
