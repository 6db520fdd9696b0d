"""What classifiers are asked beside the comparison, in pieces that no other reads."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mistrust.supervisors.experiment import evaded, retrained
from mistrust.supervisors.experiment.methods import TRAINING
from mistrust.supervisors.experiment.parameters import Parameters
from mistrust.supervisors.experiment.tested import UnderTest
from mistrust.supervisors.tables import Row

# What classifiers depend on, and what supervisors that are fitted anew depend on beyond it.
MADE = ("pairs", "models", "tries", "epochs", "train", "test", "network_epochs", "seed")
LEARNT = (*MADE, "attacked", *TRAINING.values())


@dataclass(frozen=True)
class Aside:
    """One of them, with supervisors fitted for it.

    Attributes
    ----------
    asked : which supervisors; none leaves the piece out.
    reads : parameters that it depends on.
    give : its rows.
    first : whether the first classifier of each kind alone is asked, or that of every run.
    """

    asked: Callable[[Parameters], Sequence[str]]
    reads: Sequence[str]
    give: Callable[[UnderTest], Iterable[Row]]
    first: bool

    def of(self, one: UnderTest) -> bool:
        """Whether a classifier is asked."""
        return bool(self.asked(one.parameters)) and not (self.first and one.run)


ASIDES = {
    "nominal only": Aside(retrained.asked, LEARNT, retrained.retrained, first=True),
    "evaded": Aside(evaded.asked, (*LEARNT, "evaded"), evaded.attacked, first=False),
}
