"""The directive `checklist`: what a chapter's accepted rows were made from, and what varies in their error bars."""

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util import logging

from mistrust.errors import MistrustError
from mistrust.publishing import checklist


class Checklist(Directive):
    """`{checklist} CHAPTER`: a table; complete without JavaScript."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Give the table as HTML."""
        env = self.state.document.settings.env
        try:
            text = checklist.html(self.arguments[0])
        except MistrustError as error:
            logging.getLogger(__name__).error(str(error), location=(env.docname, self.lineno))
            return []
        return [nodes.raw("", text, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_directive("checklist", Checklist)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
