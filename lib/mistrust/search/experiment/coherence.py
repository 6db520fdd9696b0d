"""Whether the parts of a model are of one network: a number that two of them give must be the same in both.

A network that is trained again on another processor is another one. Where some parts of a model were made with the
first and some with the second, each part is right by itself, and figures that join them are of no network at all.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

SUBJECT = ["condition", "seed", "at"]
SEARCH = [*SUBJECT, "method", "level"]
TOLERANCE = 1e-6  # files hold ten digits
# Disagreement of networks is known of images alone that none of the others saw: that pool is a smaller one.
OF_SOME = "residual_ensemble"


def contradictions(rows: pd.DataFrame) -> list[str]:
    """Say where rows of one model cannot be of one network; nothing where they can.

    Curves have the numbers of searches; SDR over lift is the pool's own SDR; and what is said of a class has a pool.

    Parameters
    ----------
    rows : of whole pieces.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"condition": "biased/25", "seed": 0, "at": "cat", "method": "random", "level": 50}
    >>> found = [{**one, "table": table, "metric": "errors", "value": value}
    ...          for table, value in (("searches", 11.1), ("curves", 12.9))]
    >>> found.append({**one, "table": "panel", "method": "", "level": None, "metric": "pool sdr", "value": 0.8})
    >>> contradictions(rows.table(found))
    ['biased/25, network 0, cat: errors of random at 50 are 12.9 in curves, 11.1 in searches']
    >>> contradictions(rows.table(found[:1] + found[2:]))
    []
    """
    single = rows[rows["seed"].notna()]
    return [*_curves(single), *_pools(single), *_without_pool(single)]


def _curves(single: pd.DataFrame) -> list[str]:
    keys = [*SEARCH, "metric"]
    curves, searches = (single[single["table"] == name] for name in ("curves", "searches"))
    both = curves.merge(searches, on=keys, suffixes=("", " there"))
    apart = both[_apart(both["value"], both["value there"])]
    return [
        f"{_named(row)}: {row['metric']} of {row['method']} at {row['level']:g} are {row['value']:.6g} in curves, "
        f"{row['value there']:.6g} in searches"
        for row in apart.to_dict("records")
    ]


def _pools(single: pd.DataFrame) -> list[str]:
    searched = single[(single["table"] == "searches") & (single["method"] != OF_SOME)]
    sdr, lift = (searched[searched["metric"] == name] for name in ("sdr", "lift"))
    both = sdr.merge(lift, on=SEARCH, suffixes=("", " lift")).merge(_own(single), on=SUBJECT, suffixes=("", " own"))
    both = both.assign(pool=both["value"] / both["value lift"].where(both["value lift"] > 0))
    apart = both[both["pool"].notna() & _apart(both["pool"], both["value own"])]
    return [
        f"{_named(row)}: the pool's SDR is {row['pool']:.6g} by {row['method']} at {row['level']:g}, "
        f"{row['value own']:.6g} in panel"
        for row in apart.to_dict("records")
    ]


def _without_pool(single: pd.DataFrame) -> list[str]:
    about = single[single["table"].isin(["searches", "curves", "confidences", "explained"]) & (single["at"] != "")]
    asked = about.drop_duplicates(["table", *SUBJECT]).merge(
        _own(single)[SUBJECT], on=SUBJECT, how="left", indicator=True
    )
    lacking = asked[asked["_merge"] == "left_only"]
    return [f"{_named(row)}: {row['table']} of a pool that panel does not have" for row in lacking.to_dict("records")]


def _own(single: pd.DataFrame) -> pd.DataFrame:
    return single[(single["table"] == "panel") & (single["metric"] == "pool sdr")]


def _apart(first: "pd.Series[float]", second: "pd.Series[float]") -> "pd.Series[bool]":
    return (first - second).abs() > TOLERANCE * np.maximum(1.0, second.abs())


def _named(row: Mapping[Hashable, Any]) -> str:
    return f"{row['condition']}, network {row['seed']:g}, {row['at']}"
