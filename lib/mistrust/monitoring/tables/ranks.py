"""Table "ranks": do monitors differ over all benchmark sets? (Section IV.D and Figure 3 of the paper.)"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from mistrust import random
from mistrust.evaluation import critical_difference, friedman, rank_differences
from mistrust.monitoring.tables import Row

ALPHA = 0.05
PAIRED = 3  # up to so many monitors are also compared two by two
TOGETHER = "all"  # the image set of ranks over the benchmark sets of all
# Draws of faults for an interval: of 200 its ends move by a tenth of a rank from seed to seed.
RESAMPLES = 10_000


def ranks(found: pd.DataFrame, groups: Mapping[str, tuple[str, Sequence[str]]], seed: int) -> Iterator[Row]:
    """Rank monitors over benchmark sets, for each nominal set and over all together.

    Parameters
    ----------
    found : rows of single sets: columns data, network, condition, level, method, metric, value; one row for each.
    groups : name -> (metric, monitors that are ranked by it).
    seed : of the intervals of differences, which draw whole faults, all severities together.

    Metrics
    -------
    rank : mean rank of a monitor, 1 the best. By `method`.
    critical difference, chi-squared, p, f, f p : of Nemenyi, Friedman, Iman and Davenport. n counts sets.
    rank difference : of the two monitors that `at` names, "first - second".
    """
    for name, (metric, methods) in groups.items():
        rows = found[(found["metric"] == metric) & found["method"].isin(methods)]
        for network, own in rows.groupby("network", sort=False):
            parts = [*own.groupby("data", sort=False)]
            for data, part in parts + ([(TOGETHER, own)] if len(parts) > 1 else []):
                common = {"table": "ranks", "data": data, "network": network, "condition": name}
                yield from ({**common, **row} for row in _ranked(part, methods, seed))


def _ranked(part: pd.DataFrame, methods: Sequence[str], seed: int) -> Iterator[Row]:
    place = part[["data", "condition", "level"]].astype({"level": object}).where(part["level"].notna(), "")
    wide = part.assign(level=place["level"]).pivot(
        index=["data", "condition", "level"], columns="method", values="value"
    )
    known = [one for one in methods if one in wide.columns]
    wide = wide[known]
    whole = wide.notna().all(axis=1)
    if len(known) < 2 or whole.sum() < 2:
        return
    test = friedman(wide.to_numpy())  # warns of sets that it leaves out, since a monitor has no score there
    wide = wide[whole]
    for method, rank in zip(known, test.ranks.tolist(), strict=True):
        yield {"method": method, "metric": "rank", "value": rank, "n": test.sets}
    for metric, value in {
        "critical difference": critical_difference(test.methods, test.sets, ALPHA),
        "chi-squared": test.statistic, "p": test.p, "f": test.f, "f p": test.f_p,
    }.items():  # fmt: skip
        if np.isfinite(value):
            yield {"metric": metric, "value": value, "n": test.sets}
    faults = wide.index.get_level_values("condition").astype(str).to_numpy()
    if len(np.unique(faults)) < 2 or len(known) > PAIRED:
        return
    found = rank_differences(wide.to_numpy(), faults, RESAMPLES, random.generator(seed, "monitoring/ranks"))
    for i, first in enumerate(known):
        for j, second in enumerate(known):
            if i < j:
                yield {
                    "at": f"{first} - {second}", "metric": "rank difference", "value": found.value[i, j],
                    "low": found.low[i, j], "high": found.high[i, j], "over": "faults", "n": found.clusters,
                }  # fmt: skip
