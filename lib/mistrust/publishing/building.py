"""What the extensions of the book share: directives that give HTML, and files of a package laid into the book."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from shutil import copyfile

from docutils import nodes
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from mistrust.errors import MistrustError


class Html(SphinxDirective, ABC):
    """A directive whose HTML is made from its argument or its lines; what cannot be made is an error of the page."""

    @abstractmethod
    def html(self) -> str:
        """Make what stands in the page."""

    def run(self) -> list[nodes.Node]:
        """Give the HTML, or nothing and the error."""
        try:
            return [nodes.raw("", self.html(), format="html")]
        except MistrustError as error:
            logging.getLogger(__name__).error(str(error), location=(self.env.docname, self.lineno))
            return []


def lay(package: str, version: str, inside: str, names: Sequence[str], target: Path) -> None:
    """Copy files of an installed package into the built book.

    Parameters
    ----------
    package, version : as an index of packages names them; the version is the one that was looked at.
    inside : the folder of the package that holds the files ("sphinx_revealjs/_static/revealjs/").
    names : files below it, or folders with a slash at the end; each must be there.
    target : the folder that takes them, with the folders between.

    Raises
    ------
    ConfigError
        The package is not installed, or lacks one of these.
    """
    try:
        held = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        raise ConfigError(f"The book needs the package {package}: pip install '.[book]'.") from None
    below = [file.as_posix().removeprefix(inside) for file in held.files or () if file.as_posix().startswith(inside)]
    for name in names:
        found = [one for one in below if one == name or (name.endswith("/") and one.startswith(name))]
        if not found:
            raise ConfigError(
                f"The package {package} {held.version} holds no {inside}{name}, expected version {version}: "
                "pip install '.[book]'."
            )
        for one in found:
            (target / one).parent.mkdir(parents=True, exist_ok=True)
            copyfile(str(held.locate_file(inside + one)), target / one)
