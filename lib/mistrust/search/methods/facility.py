"""Facility location: errors at high confidence are worth more, and those near all that is in the pool.

Maurer and Bennette (arXiv 1810.05571): the worth of a set S of found errors is W(S) = sum over q in S of
log(1 / (1 - c_q)) - mean over x of min over q in S of D[x, q], the minimum being 1 for no errors. The next question has
the largest expected worth, phi W(S + q) + (1 - phi) W(S). Their R code weights the sum by alpha and the mean by
1 - alpha; its 0.5 weights both alike, which is the paper's order. A confidence of 1 would be worth infinity: c is kept
below 1 - 1e-9.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from mistrust.inputs.limits import within
from mistrust.search.kernel import Coverage, Similarity, closeness
from mistrust.search.methods.chances import Chances
from mistrust.search.methods.lazily import largest
from mistrust.search.methods.table import SEARCHES, Search
from mistrust.search.pool import CLOSEST, Pool

ALPHA = 0.5


@dataclass
class Facility:
    """The search under way.

    Attributes
    ----------
    prior : (n,) chance of an error before anything is learned, 1 - c.
    reward : (n,) log(1 / (1 - c)), times 2 alpha.
    coverage : of 1 - D, all instances alike: its gain is by how much the mean smallest distance would fall, times
        2 (1 - alpha).
    chances : the model of error, or None where the prior stays.
    """

    prior: Float64[np.ndarray, " n"]
    reward: Float64[np.ndarray, " n"]
    coverage: Coverage
    chances: Chances | None

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Give the largest phi (W(S + q) - W(S))."""
        phi = self.prior
        if self.chances is not None and self.chances.asked > self.chances.columns - 1:
            learned = self.chances.of_error()
            phi = phi if learned is None else learned
        return largest(self.coverage, lambda gain: phi * (self.reward + gain), left)

    def learn(self, row: int, error: bool) -> None:
        """Take the error into S, and the answer into the model."""
        if error:
            self.coverage.add(row)
        if self.chances is not None:
            self.chances.learn(row, error)


def _begin(pool: Pool, alpha: float, chances: Chances | None) -> Facility:
    features = pool.need("features", "The facility location search")
    share = within("alpha", alpha, 0, 1)
    prior = 1.0 - pool.confidence
    # Twice each weight: at 0.5 they are 1, and worths are the paper's own.
    alike = np.full(len(pool), 2 * (1 - share) / len(pool))
    coverage = Coverage(Similarity.make(features, closeness), alike)
    return Facility(prior, -2 * share * np.log(np.maximum(prior, CLOSEST)), coverage, chances)


def facility(pool: Pool, *, alpha: float = ALPHA) -> Facility:
    """The chance of an error stays at 1 - c. `alpha`, in [0, 1], is the weight of confidence, 1 - alpha of distance."""
    return _begin(pool, alpha, None)


def facility_learned(pool: Pool, *, alpha: float = ALPHA, ridge: float = 1.0) -> Facility:
    """A logistic model of error on features and confidence takes over from 1 - c.

    As soon as errors and right answers were seen and there are more answers than features. The R code's model is not
    regularised, and early on has no finite solution: `ridge` is the penalty on standardised columns. `alpha` as in
    `facility`.
    """
    features = pool.need("features", "The facility location search")
    columns = np.column_stack([features, pool.confidence])
    return _begin(pool, alpha, Chances(columns, within("ridge", ridge, 1e-6)))


PAPER = "Maurer and Bennette (2018)"
SEARCHES.add("facility", Search("Facility location", f"{PAPER}, R code, chance 1 - c", facility, shares=True))
SEARCHES.add("facility_learned", Search("Facility location, learnt", f"{PAPER}, R code", facility_learned, shares=True))
