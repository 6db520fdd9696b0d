"""How far apart two monitors rank, with intervals that draw whole faults: the paper's printed rows and ours."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mistrust.monitoring.rereading.ranked import VERSIONS, differences

# What our rows call a group of monitors -> what its column is called, after the run.
GROUPS = {"three monitors as published": "as published", "three monitors": "right"}
NOT_RUN = "not run"


def pairs(
    table: pd.DataFrame, ours: Mapping[str, pd.DataFrame], network: str, resamples: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """Lay differences of mean ranks side by side, with intervals for which sets of one fault are no several witnesses.

    Parameters
    ----------
    table : rows by `reread` or `mended`.
    ours : what a run is called -> its rows, of which those of the table "ranks" are read, over all image sets where
        there are several; each gives two columns.
    network : whose monitors are meant.
    resamples, seed : of the intervals of the printed rows; ours have theirs.

    Returns
    -------
    One line per pair, "first - second", below 0 where the first is better; columns "printed, as labelled", "printed,
    mended", and of each run "as published" and "right", each "value [low, high]"; "not run" where there are no such
    rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> mcc = {"fog (2)": (0.5, 0.1), "fog (5)": (0.6, 0.2), "snow (2)": (0.4, 0.2), "snow (5)": (0.1, 0.3)}
    >>> lines = [{"data": "gtsrb", "label": label, "true_data": "gtsrb", "true_label": label, "ranked": True,
    ...           "method": method, "mcc": value}
    ...          for label, pair in mcc.items() for method, value in zip(("oob", "odin"), pair)]
    >>> gap = {"at": "oob - odin", "value": -0.2, "low": -0.6, "high": 0.1, "condition": "three monitors"}
    >>> common = {"table": "ranks", "metric": "rank difference", "data": "gtsrb", "network": "farm-lenet"}
    >>> found = pairs(pd.DataFrame(lines), {"full": rows.table([gap], **common)}, "farm-lenet", resamples=50)
    >>> found[["pair", "full, as published", "full, right"]].to_dict("records")
    [{'pair': 'oob - odin', 'full, as published': 'not run', 'full, right': '-0.20 [-0.60, 0.10]'}]
    """
    columns: dict[str, dict[str, str]] = {}
    for version in VERSIONS:
        found = differences(table, resamples, np.random.default_rng(seed), version)
        columns[f"printed, {version}"] = {
            f"{one['first']} - {one['second']}": _cell(one) for one in found.to_dict("records")
        }
    for title, rows in ours.items():
        gaps = rows[(rows["table"] == "ranks") & (rows["metric"] == "rank difference") & (rows["network"] == network)]
        if (gaps["data"] == "all").any():
            gaps = gaps[gaps["data"] == "all"]
        for group, kind in GROUPS.items():
            own = gaps[gaps["condition"] == group]
            columns[f"{title}, {kind}"] = {_plain(one["at"]): _cell(one) for one in own.to_dict("records")}
    names = list(next(iter(columns.values())))
    return pd.DataFrame(
        {"pair": names, **{title: [own.get(name, NOT_RUN) for name in names] for title, own in columns.items()}}
    )


def _cell(one: Mapping[Any, Any]) -> str:
    return f"{one['value']:.2f} [{one['low']:.2f}, {one['high']:.2f}]"


def _plain(at: str) -> str:
    """The two monitors of "alooc/as published - odin/as published"."""
    return " - ".join(name.partition("/")[0] for name in at.split(" - "))
