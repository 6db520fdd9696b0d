"""The directives `checklist` (what a chapter's accepted rows rest on) and `remade` (what remaking a piece took)."""

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util import logging

from mistrust.errors import MistrustError
from mistrust.publishing.checklist import html
from mistrust.publishing.remade import remade


class Made(Directive):
    """A table of the rows; complete without JavaScript. What cannot be made is an error of the page."""

    def html(self) -> str:
        """Make the table."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Give the table as HTML."""
        try:
            return [nodes.raw("", self.html(), format="html")]
        except MistrustError as error:
            page = self.state.document.settings.env.docname
            logging.getLogger(__name__).error(str(error), location=(page, self.lineno))
            return []


class Checklist(Made):
    """`{checklist} CHAPTER`."""

    required_arguments = 1

    def html(self) -> str:
        """Make the chapter's."""
        return html(self.arguments[0])


class Remade(Made):
    """`{remade}`."""

    def html(self) -> str:
        """Make that of all measured pieces."""
        return remade()


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_directive("checklist", Checklist)
    app.add_directive("remade", Remade)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
