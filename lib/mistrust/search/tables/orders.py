"""Which searches are a sort, so that all replicates are one call, and how each is run on a whole pool.

A search of `SEARCHES` that has no entry here is run query by query, as those that read answers are: on few subsets.
"""

from collections.abc import Callable, Iterable

import numpy as np
from jaxtyping import Int64

from mistrust.registry import Registry
from mistrust.search.adaptive import elbow_of
from mistrust.search.methods import SEARCHES
from mistrust.search.pool import Pool
from mistrust.search.replicates import ALL, RANDOM, Sort
from mistrust.search.searching import Searching

AD, FARTHEST = "adversarial_distance", "highest_distance"
# The same with F of raw MAE, and with the local quadratic fit of the authors' R code.
RAW, QUADRATIC = "adversarial_distance_raw", "adversarial_distance_quadratic"
SORTS = Registry[Callable[[Pool, float], Sort]]("search that is a sort")


def _distance(pool: Pool) -> np.ndarray:
    return pool.need("distance", "A search by distance")


SORTS.add(AD, lambda pool, fraction: Sort(_distance(pool), {"fraction": fraction}))
SORTS.add(RAW, lambda pool, fraction: Sort(_distance(pool), {"fraction": fraction, "form": "raw"}))
SORTS.add(QUADRATIC, lambda pool, fraction: Sort(_distance(pool), {"fraction": fraction, "fit": "quadratic"}))
SORTS.add("low_confidence", lambda pool, fraction: Sort(pool.confidence))
SORTS.add("lowest_distance", lambda pool, fraction: Sort(_distance(pool)))
# Adversarial Distance from its other end: the fit is symmetric, so the residual of -log MAE is minus that of log MAE.
SORTS.add(FARTHEST, lambda pool, fraction: Sort(1 / _distance(pool), {"fraction": fraction}))
# Searches that begin with residuals, which are not there where F is not defined.
TRENDED = (AD, FARTHEST, RAW, QUADRATIC, "adversarial_distance_then_model")


def known(name: str) -> None:
    """Refuse what is neither a sort nor a search of `SEARCHES`; "random" is always run and need not be named."""
    if name not in SORTS:
        SEARCHES[name]


def sorts(pool: Pool, methods: Iterable[str], fraction: float, trended: bool = True) -> dict[str, Sort]:
    """Sorts among the methods; `trended` false leaves out those that need F, where it is not defined."""
    return {name: SORTS[name](pool, fraction) for name in methods if name in SORTS and (trended or name not in TRENDED)}


def adaptive(methods: Iterable[str], trended: bool = True) -> tuple[str, ...]:
    """The methods that are no sort, since they read answers or nobody made one of them; `trended` as in `sorts`."""
    chosen = (name for name in methods if name not in SORTS and name != RANDOM)
    return tuple(name for name in chosen if trended or name not in TRENDED)


def searching(pool: Pool, method: str, budget: int, variance: float, fraction: float, seed: int) -> Searching:
    """A search of `SEARCHES` on all of a pool."""
    given = {"variance": variance, "fraction": fraction, "seed": seed, "elbow": elbow_of(method)}
    return Searching(pool, method, budget, threshold=0, **given)


def order(pool: Pool, method: str, budget: int, fraction: float, seed: int) -> Int64[np.ndarray, " b"]:
    """Rows that a sort, or random search, asks about in a whole pool."""
    if method == RANDOM:
        return searching(pool, RANDOM, budget, 1.0, fraction, seed).against(np.zeros(len(pool), dtype=bool))
    keys = SORTS[method](pool, fraction).of(ALL, pool.confidence)
    return np.argsort(keys, kind="stable")[:budget]
