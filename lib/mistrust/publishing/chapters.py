"""The chapters of the book: one entry a paper, each with its notebook and its experiment.

A chapter's experiment is a module with `Parameters` (a frozen dataclass), `MAKERS`, `inputs(parameters)`,
`pieces(parameters)`, `piece(parameters, name)` and `rows(parameters)`. It may have `missing(parameters, name)`: why a
piece would have to be made, for `--dry-run` (`store.why` of its maker and spec); and `together(rows, parameters)`: rows
of single pieces, which carry `made`, with what follows from them, so that pieces accepted one by one end as a whole run
does; and `preparing(parameters)`: names of pieces that only make what others find in the store, such as an ensemble's
further networks. These are listed and made as all pieces are, and nobody waits for their rows: a run is whole without
them; and `left_out(parameters)`: what was asked for and is not run, for what it needs is not on this machine. It knows
no notebook and no profile.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mistrust import paths
from mistrust.errors import MistrustError
from mistrust.parameters import Checked
from mistrust.registry import Registry

PROTOCOL = ("Parameters", "MAKERS", "inputs", "pieces", "piece", "rows")


def _not_told(parameters: object, name: str) -> list[str]:
    return ["the chapter does not say what of it is in the store"]


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    Parameters
    ----------
    name : what the command line calls it.
    title : what the book calls it.
    notebook : its notebook, relative to the project's root ("notebooks/misclassification.ipynb").
    experiment : the path of its experiment's module ("mistrust.misclassification.experiment").
    """

    name: str
    title: str
    notebook: str
    experiment: str

    @property
    def path(self) -> Path:
        """The notebook's source file."""
        return paths.root() / self.notebook

    def module(self) -> ModuleType:
        """Import the experiment.

        Raises
        ------
        MistrustError
            The module lacks part of what every experiment has.
        """
        module = importlib.import_module(self.experiment)
        missing = [name for name in PROTOCOL if not hasattr(module, name)]
        if missing:
            raise MistrustError(
                f"The experiment of chapter '{self.name}' ({self.experiment}) lacks {', '.join(missing)}: "
                f"an experiment has {', '.join(PROTOCOL)} (see CONTRIBUTING.md)."
            )
        return module

    def parameters(self) -> type[Checked]:
        """The dataclass of the chapter's parameters."""
        kind: type[Checked] = self.module().Parameters
        return kind

    @property
    def missing(self) -> Callable[[Any, str], list[str]]:
        """Says why the store does not hold a piece; where the experiment does not tell, every piece is made anew."""
        named: Callable[[Any, str], list[str]] = getattr(self.module(), "missing", _not_told)
        return named

    def preparing(self, parameters: Checked) -> list[str]:
        """Names of the pieces that only make what others find in the store; of most chapters there are none."""
        named = getattr(self.module(), "preparing", None)
        return [] if named is None else list(named(parameters))

    def left_out(self, parameters: Checked) -> list[str]:
        """What was asked for and cannot be run on this machine, a text each: images or weights that are not here."""
        named = getattr(self.module(), "left_out", None)
        return [] if named is None else list(named(parameters))

    def counted(self, parameters: Checked) -> list[str]:
        """Names of the pieces that a run is whole with: all but those that prepare, in their order."""
        without = set(self.preparing(parameters))
        return [name for name in self.module().pieces(parameters) if name not in without]


CHAPTERS: Registry[Chapter] = Registry("chapter", "mistrust list chapters")

CHAPTERS.add(
    "misclassification",
    Chapter(
        name="misclassification",
        title="Which classes are mistaken for which",
        notebook="notebooks/misclassification.ipynb",
        experiment="mistrust.misclassification.experiment",
    ),
)

CHAPTERS.add(
    "ambiguity",
    Chapter(
        name="ambiguity",
        title="Images that are two things at once",
        notebook="notebooks/ambiguity.ipynb",
        experiment="mistrust.ambiguity.experiment",
    ),
)

CHAPTERS.add(
    "monitoring",
    Chapter(
        name="monitoring",
        title="When does a monitor help?",
        notebook="notebooks/monitoring.ipynb",
        experiment="mistrust.monitoring.experiment",
    ),
)

CHAPTERS.add(
    "robustness",
    Chapter(
        name="robustness",
        title="How far until the answer changes?",
        notebook="notebooks/robustness.ipynb",
        experiment="mistrust.robustness.experiment",
    ),
)

CHAPTERS.add(
    "search",
    Chapter(
        name="search",
        title="Which fifty to label?",
        notebook="notebooks/search.ipynb",
        experiment="mistrust.search.experiment",
    ),
)

CHAPTERS.add(
    "supervisors",
    Chapter(
        name="supervisors",
        title="Who notices a bad input?",
        notebook="notebooks/supervisors.ipynb",
        experiment="mistrust.supervisors.experiment",
    ),
)

CHAPTERS.add(
    "comparison",
    Chapter(
        name="comparison",
        title="What to use when",
        notebook="notebooks/comparison.ipynb",
        experiment="mistrust.comparison.experiment",
    ),
)
