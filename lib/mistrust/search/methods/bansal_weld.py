"""Bansal and Weld's search: ask where an error is likely and would cover much.

"A coverage-based utility model for identifying unknown unknowns" (AAAI 2018), as the code of Bennette and others (2020)
has it. The paper means the expected gain; the code multiplies the chance of an error by the *total* utility after it,
so that, as the utility grows, the choice tends to the lowest confidence.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float64, Int64

from mistrust.search.clusters import clustered
from mistrust.search.kernel import VARIANCE, Coverage, Gaussian, Similarity
from mistrust.search.methods.lazily import largest
from mistrust.search.methods.table import SEARCHES, Search
from mistrust.search.pool import Pool


@dataclass
class BansalWeld:
    """The search under way.

    Attributes
    ----------
    prior : (n,) chance of an error before any answer, 1 - c.
    clusters : (n,) 0 .. k-1.
    coverage : weighted by confidence.
    total : whether the whole utility after an error counts (as coded), in place of what the error would add.
    """

    prior: Float64[np.ndarray, " n"]
    clusters: Int64[np.ndarray, " n"]
    coverage: Coverage
    total: bool
    asked: Int64[np.ndarray, " k"] = field(init=False)
    found: Int64[np.ndarray, " k"] = field(init=False)

    def __post_init__(self) -> None:
        self.asked = np.zeros(self.clusters.max() + 1, dtype=np.int64)
        self.found = self.asked.copy()

    def chances(self) -> Float64[np.ndarray, " n"]:
        """Chance of an error: the prior counts as two answers, to which come those of the instance's cluster."""
        return (2 * self.prior + self.found[self.clusters]) / (2 + self.asked[self.clusters])

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Give the largest product of chance and utility."""
        chances, utility = self.chances(), self.coverage.utility
        before = utility if self.total else 0.0
        return largest(self.coverage, lambda gain: chances * (gain + before), left, scale=utility)

    def learn(self, row: int, error: bool) -> None:
        """Count the answer for the cluster, and what an error covers."""
        self.asked[self.clusters[row]] += 1
        if error:
            self.found[self.clusters[row]] += 1
            self.coverage.add(row)


def _begin(pool: Pool, variance: float, seed: int, elbow: str, total: bool) -> BansalWeld:
    features = pool.need("features", "The Bansal-Weld search")
    coverage = Coverage(Similarity.make(features, Gaussian(variance)), pool.confidence)
    return BansalWeld(1.0 - pool.confidence, clustered(pool, seed, elbow), coverage, total)


def coded(pool: Pool, *, variance: float = VARIANCE, seed: int = 0, elbow: str = "published") -> BansalWeld:
    """Chance times total utility; `seed` and `elbow`, as coded, are of clusters that the pool does not bring."""
    return _begin(pool, variance, seed, elbow, total=True)


def gain(pool: Pool, *, variance: float = VARIANCE, seed: int = 0, elbow: str = "sharpest") -> BansalWeld:
    """Chance times gain; `seed` and `elbow` are of clusters that the pool does not bring."""
    return _begin(pool, variance, seed, elbow, total=False)


CODE = "Bansal and Weld (2018), the AFRL code"
SEARCHES.add("bansal_weld_coded", Search("Bansal-Weld, as coded", CODE, coded, reads=("clusters",), shares=True))
SEARCHES.add(
    "bansal_weld_gain",
    Search("Bansal-Weld, true gain", "Bansal and Weld (2018)", gain, reads=("clusters",), shares=True),
)
