"""Many subsets of one pool, searched by methods that read answers: the replicates that no sort can make.

Paper, section V.B: 1,000 subsets of 2,000 instances, 50 queries each. Where each query waits for the answer before,
every subset is a search of its own. So the subsets, which are those of `replicates.replicate` with the same numbers and
seed, are spread over `engine` in blocks. What all of a subset's searches begin with, the similarities of its instances,
is made once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64
from numpy.typing import ArrayLike

from mistrust import engine as work
from mistrust.errors import MistrustError
from mistrust.search.clusters import ELBOWS, clustered
from mistrust.search.kernel import shared
from mistrust.search.methods import SEARCHES
from mistrust.search.pool import Pool
from mistrust.search.replicates import BUDGET, REPLICATES, Replicates, Searched, checked, planned, subsets, where
from mistrust.search.searching import Searching
from mistrust.search.spreads import spreads

# Replicates of a block of work, some seconds at the size of the paper's subsets; divides a block of draws.
STEP = 16


def elbow_of(method: str) -> str:
    """How many clusters a search makes: as published for searches as they were coded, else the right way round."""
    return str(SEARCHES[method].parameters.get("elbow", ELBOWS[0]))


def with_clusters(pool: Pool, methods: Sequence[str], seed: int) -> dict[str, Pool]:
    """Give each search the pool with the clusters that it makes, made once for all subsets."""
    made = {elbow: pool.with_(clusters=clustered(pool, seed, elbow)) for elbow in dict.fromkeys(map(elbow_of, methods))}
    return {name: made[elbow_of(name)] for name in methods}


@dataclass(frozen=True, eq=False)
class _Asked:
    """What all blocks have in common."""

    pools: Mapping[str, Pool]
    errors: Bool[np.ndarray, " n"]
    size: int
    budget: int
    seed: int
    parameters: Mapping[str, Any]


def replicate_searches(
    pool: Pool,
    errors: ArrayLike,
    methods: Sequence[str],
    *,
    numbers: Sequence[int] | int = REPLICATES,
    size: int | None = None,
    budget: int = BUDGET,
    refit: bool = True,
    reclustered: bool = False,
    seed: int = 0,
    engine: str | None = None,
    workers: int | None = None,
    **parameters: Any,
) -> Replicates:
    """Search subsets of a pool by methods that read answers.

    Parameters
    ----------
    pool : n instances, with all that the methods read. All are searched: no threshold.
    errors : (n,) 0 or 1, what an oracle would answer.
    methods : names in `SEARCHES`; sorts are far faster by `replicates.replicate`, which has the same subsets.
    numbers : how many replicates, or which (a range, where the work is spread): results do not depend on the split.
    size : of a subset, by default `subset_size(n)`.
    budget : queries in each replicate.
    refit : fit F on every subset, as published, or take the pool's residuals.
    reclustered : make the clusters on every subset, as published, or once on the pool, where it brings none.
    seed : of subsets, clusters and draws of the searches.
    engine, workers : as `engine.map`; results are the same with all.
    parameters : of the methods, as `Searching` takes them.

    Returns
    -------
    Subsets, orders, answers, confidences and, where the pool has features, the spread.

    Raises
    ------
    MistrustError
        No methods; what `replicate` and `Searching` refuse.

    Examples
    --------
    >>> draw = np.random.default_rng(0)
    >>> confidence = 0.66 + 0.33 * draw.random(200)
    >>> pool = Pool(np.arange(200), confidence, features=draw.normal(size=(200, 2)))
    >>> wrong = draw.random(200) < 2 * (1 - confidence)
    >>> found = replicate_searches(pool, wrong, ["lakkaraju_first"], numbers=3, budget=20, engine="inline")
    >>> found.methods["lakkaraju_first"].order.shape  # replicates, queries
    (3, 20)
    """
    if not methods:
        raise MistrustError("No method was named: name searches that read answers (mistrust list searches).")
    for name in methods:
        SEARCHES[name]  # an unknown name is the first thing to say
    e, c, x = checked(errors, pool.confidence, {}, pool.features)
    m, wanted = planned(len(c), size, budget, numbers)
    bare = pool.with_(residual=None) if refit else pool
    fixed = reclustered or pool.clusters is not None or pool.features is None
    pools = dict.fromkeys(methods, bare) if fixed else with_clusters(bare, methods, seed)
    asked = _Asked(pools, e, m, budget, seed, parameters)
    blocks = [list(block) for _, block in groupby(wanted, lambda number: number // STEP)]
    parts = work.map(partial(_block, asked), blocks, engine=engine, workers=workers, label="replicates")
    index = np.concatenate([part[0] for part in parts])
    found = {}
    for name in methods:
        order = np.concatenate([orders[name] for _, orders, _ in parts])
        apart = None if x is None else np.concatenate([near[name] for *_, near in parts])
        found[name] = Searched(order, e[order], c[order], apart)
    expected = (1 - c)[index].sum(1)
    ratios = np.divide(e[index].sum(1), expected, out=np.full(len(index), np.nan), where=expected > 0)
    return Replicates(index, m / len(c), refit, found, ratios)


def _own(parameters: Mapping[str, Any], method: str, seed: int) -> dict[str, Any]:
    return {"seed": seed, "elbow": elbow_of(method), **parameters}


def _block(
    asked: _Asked, numbers: Sequence[int]
) -> tuple[Int64[np.ndarray, "R m"], dict[str, Int64[np.ndarray, "R b"]], dict[str, np.ndarray]]:
    """Subsets of these numbers, the rows of the pool that each search asks about, and their spread."""
    member, _ = subsets(len(asked.errors), asked.size, asked.budget, numbers, asked.seed)
    index = where(member)
    orders: dict[str, list[np.ndarray]] = {name: [] for name in asked.pools}
    for rows in index:
        for name, order in _searched(asked, rows):
            orders[name].append(order)
    found = {name: np.stack(each) for name, each in orders.items()}
    features = next(iter(asked.pools.values())).features
    return index, found, {} if features is None else spreads(features, member, index, found, tables=False)


def _searched(asked: _Asked, rows: Int64[np.ndarray, " m"]) -> Iterator[tuple[str, Int64[np.ndarray, " b"]]]:
    """Search one subset by every method."""
    first = next(iter(asked.pools.values())).take(rows)
    with shared():
        for name, pool in asked.pools.items():
            clusters = None if pool.clusters is None else pool.clusters[rows]
            under_way = Searching(
                first.with_(clusters=clusters), name, asked.budget, threshold=0,
                **_own(asked.parameters, name, asked.seed),
            )  # fmt: skip
            yield name, rows[under_way.against(asked.errors[rows])]
