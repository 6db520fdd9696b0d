"""Rows of the supervisors' chapter, table by table: pure functions of scores.

A table that another module writes is named with it; `experiment` holds those of whole pieces.

============ ==================================================================================
detection    bad inputs against nominal ones (Table II)
variants     the same of what the code does otherwise than the text, of other fits, and of what follows from scores
causes       how many inputs have one and the same score
other-sets   the same on test sets that are made otherwise
severity     the same for each corruption at each severity, and the classifier's accuracy
trust        is the prediction wrong? What is left when the most suspicious are not answered
together     two supervisors as one
spread       where scores of each kind of input lie
mistaken     the inputs that a supervisor gets most wrong
inputs       a few inputs of every kind (`shown`)
attacks      what became of the images that were attacked (`attacked`)
audit        how often bisection missed the first epsilon that fools (`experiment.audit`)
rebuilt      inputs beside what an autoencoder makes of them
seen         how supervisors see a world of two pixels (`experiment.toy`)
autoencoder  how well an autoencoder rebuilds nominal images (`experiment.rebuilding`)
members      how often each further network of an ensemble is right (`experiment.further`)
============ ==================================================================================
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mistrust.errors import MistrustError

Row = Mapping[str, Any]
NOMINAL = "nominal"


@dataclass(frozen=True)
class Scores:
    """What supervisors and the classifier said of one set of inputs.

    Attributes
    ----------
    name : "nominal", or kind/name ("corrupted/corruptions").
    ids : (n,) id of the image that each input was made from; inputs of one id are drawn together.
    correct : (n,) bool, whether the classifier is right; for inputs that have no right class all False.
    by : method -> (n,) float64, higher is more suspicious.
    """

    name: str
    ids: NDArray[np.int64]
    correct: NDArray[np.bool_]
    by: Mapping[str, NDArray[np.float64]]

    def __post_init__(self) -> None:
        n = len(self.ids)
        for method, values in self.by.items():
            if values.shape != (n,) or np.isnan(values).any():
                raise MistrustError(f"Scores of {method} on {self.name} are not {n} numbers.")

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, methods: Iterable[str]) -> "Scores":
        """Keep the scores of some methods, in their order."""
        return replace(self, by={name: self.by[name] for name in methods})

    @property
    def kind(self) -> str:
        """What stands before the slash."""
        return self.name.partition("/")[0]
