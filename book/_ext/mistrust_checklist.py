"""Directives and a role that say what was measured about the book itself.

`checklist` (what a chapter's accepted rows rest on), `remade` (what remaking a piece took), `results` (the main ones,
and how to check each), `spent` (what full runs took), and in a sentence `measured`: one number of the benchmarks.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from mistrust.errors import MistrustError
from mistrust.publishing import ledger, main_results, spent
from mistrust.publishing.building import Html
from mistrust.publishing.checklist import html
from mistrust.publishing.measured import measured
from mistrust.publishing.remade import remade


class Checklist(Html):
    """`{checklist} CHAPTER`."""

    required_arguments = 1

    def html(self) -> str:
        """Make the chapter's."""
        return html(self.arguments[0])


class Remade(Html):
    """`{remade}`."""

    def html(self) -> str:
        """Make that of all measured pieces."""
        return remade()


class Results(Html):
    """`{results}`."""

    def html(self) -> str:
        """Make the table of main results, judged by the committed rows."""
        return main_results.html(ledger.judged_once())


class Spent(Html):
    """`{spent}`."""

    def html(self) -> str:
        """Make the table of all chapters."""
        return spent.html()


class Measured(SphinxRole):
    """`{measured}` with a key such as "quick: search: seconds"; a wrong one is an error of the page."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Give the number as text."""
        try:
            return [nodes.Text(measured(self.text))], []
        except MistrustError as error:
            logging.getLogger(__name__).error(str(error), location=(self.env.docname, self.lineno))
            return [], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_directive("checklist", Checklist)
    app.add_directive("remade", Remade)
    app.add_directive("results", Results)
    app.add_directive("spent", Spent)
    app.add_role("measured", Measured())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
