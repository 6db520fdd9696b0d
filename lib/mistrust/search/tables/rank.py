"""Table "rank": Figure 1 as counts on a grid of confidence by log MAE, with the trend F."""

from collections.abc import Iterator

import numpy as np

from mistrust.search.tables import Row
from mistrust.search.tables.hunted import Hunted

GRID = 24


def rank(one: Hunted, grid: int = GRID) -> Iterator[Row]:
    """Counts by cell, edges, and F at the edges of confidence.

    Rows: `at` = "CLASS/i/j", metrics "errors" and "right": instances in cell i of confidence and j of log MAE, empty
    cells left out. `at` = "CLASS", `level` = k, metrics "confidence edge" and "log mae edge": edge k of grid + 1;
    "fitted": F at that edge of confidence, where the pool reaches it.
    """
    c = one.pool.confidence
    y = np.log(one.pool.need("distance", "The table of ranks"))
    edges = np.linspace(c.min(), c.max(), grid + 1), np.linspace(y.min(), y.max(), grid + 1)
    for metric, which in (("errors", one.errors), ("right", ~one.errors)):
        counts = np.histogram2d(c[which], y[which], bins=edges)[0]
        for i, j in np.argwhere(counts > 0).tolist():
            yield {
                "table": "rank", "at": f"{one.at}/{i}/{j}", "metric": metric, "value": int(counts[i, j]), "n": len(one)
            }  # fmt: skip
    for metric, values in zip(("confidence edge", "log mae edge"), edges, strict=True):
        for level, value in enumerate(values.tolist()):
            yield {"table": "rank", "at": one.at, "level": level, "metric": metric, "value": value}
    if one.trend is not None:
        known = np.clip(edges[0], one.trend.confidence[0], one.trend.confidence[-1])
        for level, value in enumerate(one.trend.at(known).tolist()):
            yield {"table": "rank", "at": one.at, "level": level, "metric": "fitted", "value": value}
