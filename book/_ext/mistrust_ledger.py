"""The directive `ledger`: a part of the page of all claims, judged by the committed rows when the book is built."""

from typing import Any

from sphinx.application import Sphinx

from mistrust.publishing import ledger
from mistrust.publishing.building import Html

PAGE = "book/claims"


class Ledger(Html):
    """`{ledger} PART`: "counts", "filter", "lacking", or the claims of a paper ("mlm"); complete without JavaScript."""

    required_arguments = 1

    def html(self) -> str:
        """Make the part."""
        return ledger.part(self.arguments[0], self.env.found_docs)


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
