"""The reference: pages in `book/reference/` get their text, from docstrings, when the book is built."""

from sphinx.application import Sphinx
from sphinx.util import logging

from mistrust.errors import MistrustError
from mistrust.publishing import reference, reference_page


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Put what there is to tell in place of a page's text."""
    if page.startswith(reference.FOLDER):
        try:
            source[0] = reference_page.page(page.removeprefix(reference.FOLDER))
        except MistrustError as error:
            logging.getLogger(__name__).error(str(error), location=page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
