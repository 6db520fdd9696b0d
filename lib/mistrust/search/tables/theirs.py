"""Table "authors": the paper's own rows, where they are at hand."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import Estimate
from mistrust.search import measures
from mistrust.search.authors import read_rows
from mistrust.search.replicates import replicate
from mistrust.search.tables import LEVELS, Row, estimated
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD, order, sorts
from mistrust.search.tables.searches import Setting, answered

AT = (1, 10, *LEVELS)


def theirs(path: Path, setting: Setting) -> Iterator[Row]:
    """SDR, spread and how replicates scatter, by search; of Adversarial Distance the SDR of the whole pool."""
    found = read_rows(path)
    pool, errors, c = found.pool, found.errors, found.pool.confidence
    whole = read_rows(path, threshold=0).pool.features
    count, chances = int(errors.sum()), measures.chances(c)
    yield {
        "table": "authors", "metric": "pool sdr", "value": found.sdr, "n": len(pool),
        "note": f"{count} errors, {chances.sum():.2f} expected, {found.rows} rows",
    }  # fmt: skip
    budget = setting.queries(len(pool))
    runs = replicate(
        errors, c, sorts(pool, setting.methods, setting.fraction), features=pool.features, numbers=setting.replicates,
        budget=budget, refit=setting.refit, seed=setting.seed,
    )  # fmt: skip
    largest = None if whole is None else measures.diameter(whole)
    one = Hunted("", pool, errors, pool.need("features", "The spread"), None, len(pool), 1.0)
    for name, what in {**runs.methods, **dict(answered(one, setting, runs, budget))}.items():
        few = min(setting.few, len(what.order))
        place = np.stack([np.searchsorted(runs.index[row], what.order[row]) for row in range(few)])
        strewn: list[NDArray[np.float64]] = []
        if whole is not None:
            strewn = [measures.misaligned_spread(whole, rows, largest) for rows in place]
        for level in (level for level in AT if level <= budget):
            common = {"table": "authors", "method": name, "level": level, "n": len(what.order)}
            metric = "replicated sdr" if name == AD else "sdr"
            yield {**common, "metric": metric, "value": float(what.pooled[level - 1])}
            yield {**common, "metric": "mean of ratios", "value": float(what.mean_of_ratios[level - 1])}
            yield {**common, "metric": "replicate sd", "value": float(np.std(what.sdr[:, level - 1], ddof=1))}
            if what.spread is not None:
                yield {**common, "metric": "spread", "value": float(what.spread[:, level - 1].mean())}
            if strewn:
                value = float(np.mean([one[level - 1] for one in strewn]))
                yield {**common, "metric": "misaligned spread", "value": value, "n": len(strewn)}
    if AD in runs.methods:
        rows = order(pool, AD, budget, setting.fraction, setting.seed)
        for level in (level for level in AT if level <= budget):
            asked = rows[:level]
            value = float(measures.sdr(errors[asked], c[asked])[-1])
            low, high = measures.rate_interval(int(errors[asked].sum()), measures.chances(c[asked]))
            yield {
                "table": "authors", "method": AD, "level": level, "metric": "sdr",
                **estimated(Estimate(value, float(low), float(high), level)),
            }  # fmt: skip
