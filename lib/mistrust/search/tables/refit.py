"""Table "refit": does it matter whether F is fitted once on the pool, or anew on every subset, as published?"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.search.replicates import Searched, replicate
from mistrust.search.tables import LEVELS, Row
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD, sorts
from mistrust.search.tables.searches import Setting

ONCE, ANEW = "once", "anew"


def refit(one: Hunted, setting: Setting, subsets: int) -> Iterator[Row]:
    """Rows of Adversarial Distance in one panel, searched both ways in the same subsets.

    None where F is not defined, on the pool or on a subset of it, which is less than half as large.

    Metrics, by number of queries
    -----------------------------
    sdr once, sdr anew : pooled over subsets.
    difference : the second less the first.
    same queries : share of the queries that both ask, mean over subsets.
    """
    budget = setting.queries(len(one))
    if not budget or not subsets or one.trend is None:
        return
    try:
        found = {name: _searched(one, setting, subsets, budget, refit=name == ANEW) for name in (ONCE, ANEW)}
    except MistrustError:  # a subset too small, or of too many equal confidences: as of a pool, a gate says so
        return
    for level in (level for level in LEVELS if level <= budget):
        sdr = {name: float(what.pooled[level - 1]) for name, what in found.items()}
        common = {"table": "refit", "method": AD, "at": one.at, "level": level, "n": subsets}
        for name, value in sdr.items():
            yield {**common, "metric": f"sdr {name}", "value": value}
        yield {**common, "metric": "difference", "value": sdr[ANEW] - sdr[ONCE]}
        same = shared(*(what.order[:, :level] for what in found.values()))
        yield {**common, "metric": "same queries", "value": float(same.mean())}


def _searched(one: Hunted, setting: Setting, subsets: int, budget: int, *, refit: bool) -> Searched:
    chosen = sorts(one.pool, (AD,), setting.fraction)
    return replicate(
        one.errors, one.pool.confidence, chosen, numbers=subsets, budget=budget, refit=refit, seed=setting.seed
    ).methods[AD]


def shared(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share (R,) of the numbers in a row of (R, b) that the same row of another has, too; within a row all differ."""
    return (one[:, :, None] == other[:, None, :]).any(2).mean(1)
