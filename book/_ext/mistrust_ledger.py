"""The directive `ledger`: a part of the page of all claims, judged by the committed rows when the book is built."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util import logging

from mistrust.errors import MistrustError
from mistrust.publishing import ledger

PAGE = "book/claims"


class Ledger(Directive):
    """`{ledger} PART`: "counts", "filter", "lacking", or the claims of a paper ("mlm")."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Give the part as HTML; it is complete without JavaScript."""
        env = self.state.document.settings.env
        try:
            text = ledger.part(self.arguments[0], env.found_docs)
        except MistrustError as error:
            logging.getLogger(__name__).error(str(error), location=(env.docname, self.lineno))
            return []
        return [nodes.raw("", text, format="html")]


def dress(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Give the ledger's page, and no other, its script and style."""
    if page == PAGE:
        app.add_js_file("ledger.js", loading_method="defer")
        app.add_css_file("ledger.css")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_directive("ledger", Ledger)
    app.connect("html-page-context", dress)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
