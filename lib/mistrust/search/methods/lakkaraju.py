"""Lakkaraju's search: a bandit whose arms are clusters of the pool, with rewards that fade as an arm empties.

"Identifying unknown unknowns in the open world" (AAAI 2017). Three versions:

| | member of the arm | reward | weight of pull j |
|---|---|---|---|
| `lakkaraju` | drawn | error above tau, less gamma times its cost | pulls up to and including j |
| `lakkaraju_first` | lowest row | error | pulls up to and including j |
| `lakkaraju_coded` | largest utility if it is an error | the coverage utility rose by more than 0.01 | pulls before j |

In the last, the code that Bennette and others (2020) ran, an error on top of a found one earns nothing.
The paper makes its partitions from descriptive rules; all versions here take the pool's clusters. Where it has none,
K-means makes them, with the elbow as coded for `lakkaraju_coded` and the right way round for the others. Only
`lakkaraju` has a tau and a gamma: the others take these names, as all searches do, and reward any error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul

import numpy as np
from jaxtyping import Bool, Float64, Int64

from mistrust.errors import UnknownName
from mistrust.inputs.limits import within
from mistrust.search.clusters import clustered
from mistrust.search.kernel import VARIANCE, Coverage, Gaussian, Similarity
from mistrust.search.methods.lazily import largest
from mistrust.search.methods.orders import drawn
from mistrust.search.methods.table import SEARCHES, Search, first_best
from mistrust.search.pool import THRESHOLD, Pool

PAPER = "Lakkaraju, Kamar, Caruana and Horvitz (2017)"
# By how much the utility must rise to be a success, as coded.
ENOUGH = 0.01


def bandit_indices(
    sizes: Sequence[int], rewards: Sequence[Sequence[float]], t: int, *, including: bool = False
) -> Float64[np.ndarray, " k"]:
    """How promising each arm is: its weighted mean reward and what is uncertain of it.

    sum(w r) / sum(w) + sqrt(2 ln(t + 1) / sum(w)), with w_j = (N - m) / (N - b): N instances at first, m pulls so far,
    b pulls before j.

    Parameters
    ----------
    sizes : k numbers of instances at first.
    rewards : of each arm's pulls, in their order.
    t : pulls of all arms so far.
    including : whether b counts pull j itself, as the paper has it; the code counts those strictly before.

    Returns
    -------
    (k,) infinite for an arm not pulled yet, minus infinite for an empty one.
    """
    return _indices([_earned(*arm, including) for arm in zip(sizes, rewards, strict=True)], t)


def _earned(size: int, rewards: Sequence[float], including: bool) -> tuple[float, float]:
    """An arm's weighted mean reward, and the sum of the weights."""
    pulls = len(rewards)
    if pulls in (0, size):
        return (math.inf if pulls < size else -math.inf), 1.0
    weights = [(size - pulls) / (size - before - including) for before in range(pulls)]  # few: arrays take longer
    total = sum(weights)
    return sum(map(mul, weights, rewards)) / total, total


def _indices(arms: Sequence[tuple[float, float]], t: int) -> Float64[np.ndarray, " k"]:
    twice = 2 * math.log(t + 1)
    return np.array([mean + math.sqrt(twice / total) for mean, total in arms])


@dataclass
class Bandit:
    """The search under way.

    Attributes
    ----------
    clusters : (n,) 0 .. k-1, the arms.
    keys : (n,) of an arm's members that are left, the one with the largest is asked. Not read with a coverage.
    prize, cost : (n,) reward of an error, and what each question takes off it. Not read with a coverage.
    including : see `bandit_indices`.
    coverage : as coded: it chooses the member, and the reward is whether its utility rose.
    """

    clusters: Int64[np.ndarray, " n"]
    keys: Float64[np.ndarray, " n"]
    prize: Float64[np.ndarray, " n"]
    cost: Float64[np.ndarray, " n"]
    including: bool
    coverage: Coverage | None = None
    sizes: list[int] = field(init=False)
    rewards: list[list[float]] = field(init=False)
    earned: list[tuple[float, float]] = field(init=False)  # of each arm: a pull changes that of its own alone

    def __post_init__(self) -> None:
        self.sizes = np.bincount(self.clusters).tolist()
        self.rewards = [[] for _ in self.sizes]
        self.earned = [_earned(size, [], self.including) for size in self.sizes]

    def indices(self) -> Float64[np.ndarray, " k"]:
        """The arms' indices now, as `bandit_indices` gives them."""
        return _indices(self.earned, sum(map(len, self.rewards)))

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Pull each arm once, in order, then always the most promising; in it, give the best member."""
        some = np.bincount(self.clusters[left], minlength=len(self.sizes)) > 0
        inside = left & (self.clusters == first_best(self.indices(), some))
        if self.coverage is None:
            return first_best(self.keys, inside)
        return largest(self.coverage, lambda gain: gain, inside, scale=self.coverage.utility)

    def learn(self, row: int, error: bool) -> None:
        """Count the reward for the arm."""
        reward = float(self.prize[row]) * error - float(self.cost[row])
        if self.coverage is not None:
            before = self.coverage.utility
            if error:
                self.coverage.add(row)
            reward = float(self.coverage.utility - before > ENOUGH)
        arm = int(self.clusters[row])
        self.rewards[arm].append(reward)
        self.earned[arm] = _earned(self.sizes[arm], self.rewards[arm], self.including)


def coded(pool: Pool, *, variance: float = VARIANCE, seed: int = 0, elbow: str = "published") -> Bandit:
    """The version of the AFRL code; `seed` and `elbow`, as coded, are of clusters that the pool does not bring."""
    features = pool.need("features", "The coded Lakkaraju search")
    coverage = Coverage(Similarity.make(features, Gaussian(variance)), pool.confidence)
    nothing = np.zeros(len(pool))
    return Bandit(clustered(pool, seed, elbow), nothing, nothing, nothing, including=False, coverage=coverage)


def first(pool: Pool, *, seed: int = 0, elbow: str = "sharpest") -> Bandit:
    """The paper's weights without draws; `seed` and `elbow` are of clusters that the pool does not bring."""
    rows = np.arange(len(pool), dtype=np.float64)
    return Bandit(clustered(pool, seed, elbow), -rows, np.ones(len(pool)), np.zeros(len(pool)), including=True)


def paper(
    pool: Pool,
    *,
    tau: float = THRESHOLD,
    gamma: float = 0.0,
    cost: str = "",
    seed: int = 0,
    elbow: str = "sharpest",
) -> Bandit:
    """The paper's version.

    Parameters
    ----------
    pool : the instances.
    tau : an error counts where the confidence is above.
    gamma : weight of a question's cost, from 0 on. With the same cost for all it takes the same off every arm's mean
        reward and changes no order.
    cost : name of a score of the pool, what each instance costs to ask about; empty for 1 for all.
    seed : of the draws, and of clusters that the pool does not bring.
    elbow : of clusters that the pool does not bring.
    """
    within("tau", tau, 0, 1)
    within("gamma", gamma, 0)
    if cost and cost not in pool.scores:
        raise UnknownName("score in the pool", cost, pool.scores)
    costs = pool.scores[cost] if cost else np.ones(len(pool))
    prize = (pool.confidence > tau).astype(np.float64)
    keys = drawn(pool, seed, "lakkaraju")
    return Bandit(clustered(pool, seed, elbow), keys, prize, gamma * costs, including=True)


ARMS = ("clusters",)
SEARCHES.add(
    "lakkaraju_coded", Search("Lakkaraju, as coded", f"{PAPER}, the AFRL code", coded, reads=ARMS, shares=True)
)
SEARCHES.add(
    "lakkaraju_first", Search("Lakkaraju, lowest member", f"{PAPER}'s weights", first, reads=ARMS, shares=True)
)
SEARCHES.add("lakkaraju", Search("Lakkaraju", PAPER, paper, reads=ARMS, shares=True))
