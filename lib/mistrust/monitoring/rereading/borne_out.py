"""Do our own runs bear out where rule C puts the printed rows? What a monitor misses there it should miss here.

By printed numbers alone no row tells which set of its data set it is of (`excluded`). Another run of the same monitor
under the same faults can: if rows stand where they belong, the sets of which the paper's monitor misses more are those
in which ours finds less.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.evaluation import cluster_bootstrap, partial_spearman, percentile_interval
from mistrust.monitoring.rereading.labels import DROPPED, MOVED
from mistrust.monitoring.rereading.printed import labelled
from mistrust.monitoring.rereading.rates import VARIATIONS
from mistrust.random import generator

# Ours with the paper's settings and slips: the printed rows are of such monitors.
AS_PUBLISHED = ("alooc/as published", "oob/as published", "odin/as published")
ALL = "all"
NUMBERS = ("labelled", "mended", "gain")
_NUMBERED = [f"{name}{end}" for name in NUMBERS for end in ("", "_low", "_high")]
_COLUMNS = ["data", "method", "rows", "n", "faults", *_NUMBERED]


def borne_out(
    table: pd.DataFrame,
    rows: pd.DataFrame,
    names: Mapping[str, str],
    network: str,
    methods: Sequence[str] = AS_PUBLISHED,
    *,
    without: Collection[str] = (),
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Correlate the paper's misses, where its rows stand and where they belong, with how little our monitors find.

    The paper's side is the re-read miss rate, ours 1 - AUROC and not our miss rate: a rate of misses hangs on the
    threshold, and theirs alarm at other shares of nominal images than ours (ODIN on CIFAR-10 at 0.81; ours as published
    at hardly any, so that it misses nearly everything everywhere).

    Parameters
    ----------
    table : rows by `reread`, of which shifts, anomalies and noise are read, without those that drop out.
    rows : rows of a run, with the table "detection".
    names : the paper's name of each of our image sets.
    network : whose monitors are meant, the mean over its runs.
    methods : which of our monitors; what comes before "/" is the paper's.
    without : faults whose rows are left out ("snow"): the published code makes other images of some.
    resamples, seed : of the intervals.

    Returns
    -------
    One line per image set and monitor, `data` and `method` as our rows call them, and one more for the rows that rule C
    moves, if it moves some: `rows` is "all" or "moved". `n` printed rows whose sets, both, are among ours, and how many
    `faults` they are of. Spearman's correlation over them, `labelled` and `mended`, and what mending adds to it,
    `gain`, NaN where nothing moves; each with `_low` and `_high`, which draw whole faults (those that rows belong to),
    since severities of one are not independent. NaN where misses are all the same. No lines where there are no rows.

    Examples
    --------
    The two severities of each anomaly stand under each other's label. Ours finds the strong ones:

    >>> from mistrust import rows
    >>> common = {"data": "gtsrb", "kind": "anomaly", "true_data": "gtsrb", "status": "moved", "method": "odin"}
    >>> sets = {"pixel trap": (0.8, 0.3), "row add logic": (0.9, 0.1), "shifted pixel": (0.7, 0.2)}
    >>> table = pd.DataFrame([
    ...     common | {"label": f"{name} ({4 - level})", "true_label": f"{name} ({level})", "miss": miss}
    ...     for name, both in sets.items() for level, miss in zip((1, 3), both)])
    >>> here = {"table": "detection", "data": "gtsrb-thin", "network": "farm-lenet", "metric": "auroc"}
    >>> ours = rows.table([here | {"method": "odin", "condition": f"anomaly/{name}", "level": level, "value": 1 - miss}
    ...                    for name, both in sets.items() for level, miss in zip((1, 3), both)])
    >>> found = borne_out(table, ours, {"gtsrb-thin": "gtsrb"}, "farm-lenet", ["odin"], resamples=50)
    >>> found[["method", "rows", "n", "faults", "labelled", "mended"]].round(2).to_dict("records")[0]
    {'method': 'odin', 'rows': 'all', 'n': 6, 'faults': 3, 'labelled': -0.89, 'mended': 1.0}
    """
    judged = table[table["kind"].isin(VARIATIONS) & (table["status"] != DROPPED)]
    judged = judged.assign(fault=judged["true_label"].str.partition(" (")[0])
    judged = judged[~judged["fault"].isin(list(without))]
    lines: list[dict[str, Any]] = []
    for (data, method), ours in _unfound(rows, names, network, methods).items():
        own = judged[(judged["data"] == names[data]) & (judged["method"] == method.partition("/")[0])]
        own = own.assign(labelled=own["label"].map(ours), mended=own["true_label"].map(ours))
        own = own.dropna(subset=["labelled", "mended"])
        for title, part in ((ALL, own), (MOVED, own[own["status"] == MOVED])):
            if len(part):
                draw = generator(seed, f"borne-out/{data}/{method}/{title}")
                at = {"data": data, "method": method, "rows": title}
                lines.append(at | _correlated(part, resamples, draw))
    return pd.DataFrame(lines, columns=_COLUMNS)


def _unfound(
    rows: pd.DataFrame, names: Mapping[str, str], network: str, methods: Sequence[str]
) -> dict[tuple[str, str], dict[str, float]]:
    """1 - AUROC by the paper's label, of each image set and monitor."""
    wanted = rows[(rows["table"] == "detection") & (rows["metric"] == "auroc") & (rows["network"] == network)]
    wanted = wanted[wanted["data"].isin(list(names)) & wanted["method"].isin(list(methods)) & wanted["seed"].isna()]
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in wanted.sort_values(["data", "method"], kind="stable").to_dict("records"):
        level = 0 if pd.isna(row["level"]) else int(row["level"])
        label = labelled(str(row["condition"]).partition("/")[2], level)
        found.setdefault((str(row["data"]), str(row["method"])), {})[label] = 1 - row["value"]
    return found


def _correlated(part: pd.DataFrame, resamples: int, draw: np.random.Generator) -> dict[str, float]:
    """Both correlations and their difference over these printed rows, with intervals by fault."""
    misses = part["miss"].to_numpy(np.float64)
    places = [part[name].to_numpy(np.float64) for name in ("labelled", "mended")]
    moved = (part["status"] == MOVED).any()

    def correlations(weights: NDArray[np.float64] | None = None) -> list[float]:
        first, second = (partial_spearman(misses, one, weights=weights) for one in places)
        return [first, second, second - first if moved else float("nan")]

    low, high = percentile_interval(cluster_bootstrap(part["fault"], correlations, resamples, draw))
    found: dict[str, float] = {"n": len(part), "faults": part["fault"].nunique()}
    for place, (name, value) in enumerate(zip(NUMBERS, correlations(), strict=True)):
        found |= {name: value, f"{name}_low": float(low[place]), f"{name}_high": float(high[place])}
    return found
