"""The largest worth of many that are known by upper bounds: measure only what may be the largest.

Minoux (1978), "Accelerated greedy algorithms for maximizing submodular set functions".
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float64

from mistrust.search.kernel import Coverage
from mistrust.search.methods.table import tied, tied_from

FEW = 8  # rows that are measured first; each time twice as many


def largest(
    coverage: Coverage,
    worth: Callable[[Float64[np.ndarray, " n"]], Float64[np.ndarray, " n"]],
    left: Bool[np.ndarray, " n"],
    scale: float = 0.0,
) -> int:
    """Give the row that `first_best` gives of the worth of all gains, measuring only those that may be it.

    Parameters
    ----------
    coverage : whose bounds it makes exact where it must.
    worth : from the gains of all instances to their worth; no worth may rise where a gain falls.
    left, scale : as in `first_best`.

    Returns
    -------
    A row among those left: the lowest of those whose worth ties with the largest.
    """
    few = FEW
    while True:
        scores = np.where(left, worth(coverage.bound), -np.inf)
        best = tied(scores, scale)
        if coverage.exact[best].all():  # what has the largest bound has it by right
            return int(best.argmax())
        known = scores[coverage.exact]
        least = tied_from(float(known.max()), scale) if len(known) else -np.inf
        rows = (left & ~coverage.exact & (scores >= least)).nonzero()[0]
        if len(rows) > few:
            rows = rows[np.argpartition(-scores[rows], few)[:few]]
        coverage.measure(rows)
        few *= 2
