"""Table "summary": means over the benchmark sets of each category, and over all."""

from collections.abc import Iterable, Iterator

import pandas as pd

from mistrust.monitoring.tables import Row

# Of which tables, which metrics.
AVERAGED = {
    "detection": ("mcc", "fnr", "auroc", "weighted-f1", "micro-f1"),
    "others": ("mcc", "fnr", "auroc"),
    "failures": ("mcc", "auroc", "safety-gain", "residual-hazard", "availability-cost"),
}
EVERY = "all sets"


def summary(rows: Iterable[Row]) -> Iterator[Row]:
    """Average rows of single sets: condition "CATEGORY/mean", or "all sets/mean"; `at` is "ood" or "failures".

    A set counts once, whatever its severity.
    """
    found = pd.DataFrame([{**one} for one in rows if one["metric"] in AVERAGED.get(one["table"], ())])
    if found.empty:
        return
    found["category"] = found["condition"].str.partition("/")[0]
    found["at"] = found["table"].where(found["table"] == "failures", "ood")
    for kind, part in (*found.groupby("category", sort=False), (EVERY, found)):
        for (at, method, metric), group in part.groupby(["at", "method", "metric"], sort=False):
            yield {
                "table": "summary", "condition": f"{kind}/mean", "at": at, "method": method, "metric": metric,
                "value": float(group["value"].mean()), "n": len(group),
            }  # fmt: skip
