"""Table "controls": what searches find where nothing is to be found, and where something was planted."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mistrust.search.adaptive import with_clusters
from mistrust.search.controls import mean_estimate, positive_control
from mistrust.search.replicates import RANDOM
from mistrust.search.simulated import simulated_null
from mistrust.search.tables import LEVELS, Row, estimated
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import adaptive, order, searching, sorts
from mistrust.search.tables.searches import Setting

NULL, LOWERED = "control/null", "control/lowered"


def null(one: Hunted, setting: Setting, methods: Iterable[str], oracles: int) -> Iterator[Row]:
    """SDR of each method where an oracle errs with probability 1 - confidence: mean over oracles.

    Adaptive searches meet the same oracles as sorts, on the whole pool, with clusters made once.
    """
    budget, c = min(setting.budget, len(one)), one.pool.confidence
    names = tuple(methods)
    runs: dict[str, Callable[[NDArray[np.bool_]], NDArray[np.int64]]] = {}
    for name in (*sorts(one.pool, names, setting.fraction, one.trend is not None), RANDOM):
        fixed = order(one.pool, name, budget, setting.fraction, setting.seed)
        runs[name] = partial(_as_it_is, fixed)
    if one.pool.features is not None:
        for name, pool in with_clusters(one.pool, adaptive(names, one.trend is not None), setting.seed).items():
            runs[name] = searching(
                pool, name, budget, setting.variance, setting.fraction, setting.seed
            ).against  # fmt: skip
    for name, run in runs.items():
        found = simulated_null(run, c, oracles, setting.seed, together=True)
        for level in (level for level in LEVELS if level <= budget):
            yield {
                "table": "controls", "condition": NULL, "method": name, "at": one.at, "level": level, "metric": "sdr",
                **estimated(mean_estimate(found.sdr[:, level - 1]), "oracles"),
            }  # fmt: skip


def _as_it_is(order: NDArray[np.int64], errors: NDArray[np.bool_]) -> NDArray[np.int64]:
    """An order that looks at no answer, for each oracle."""
    return np.broadcast_to(order, (len(errors), len(order)))


def lowered(one: Hunted, budget: int, oracles: int, fraction: float, seed: int) -> Iterator[Row]:
    """Lift of Adversarial Distance by how many residual standard deviations errors' log MAE was lowered (`level`)."""
    if one.trend is None or one.pool.distance is None:
        return
    found = positive_control(
        one.pool.distance, one.pool.confidence, budget=min(budget, len(one)), numbers=oracles, fraction=fraction,
        seed=seed,
    )  # fmt: skip
    for each in found:
        common = {
            "table": "controls", "condition": LOWERED, "method": "adversarial_distance", "at": one.at,
            "level": each.strength,
        }  # fmt: skip
        yield {**common, "metric": "lift", **estimated(each.lift, "oracles")}
        yield {**common, "metric": "sdr", **estimated(each.sdr, "oracles")}
