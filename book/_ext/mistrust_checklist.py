"""The directives `checklist` (what a chapter's accepted rows rest on) and `remade` (what remaking a piece took)."""

from sphinx.application import Sphinx

from mistrust.publishing.building import Html
from mistrust.publishing.checklist import html
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


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_directive("checklist", Checklist)
    app.add_directive("remade", Remade)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
