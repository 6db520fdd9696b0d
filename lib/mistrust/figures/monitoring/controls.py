"""How often images of a control alarm, one column per run."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust.figures.monitoring.parts import words
from mistrust.figures.written import wide
from mistrust.rows import select

BY = ("data", "network", "condition", "method")


def controls(runs: Mapping[str, pd.DataFrame], methods: Sequence[str]) -> pd.DataFrame:
    """Lay the shares of images that alarm side by side, one column per run.

    Parameters
    ----------
    runs : what a run is called -> its rows, of which the means in the table "control" are read.
    methods : whose.

    Returns
    -------
    One line per monitor, classifier and control, in words: "data", "classifier", "control", "monitor", and for each run
    the share with its interval, or "not run".

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"table": "control", "data": "gtsrb-thin", "network": "farm-lenet", "condition": "shared classes"}
    >>> found = rows.table([one | {"method": "oob", "metric": "alarms", "value": 0.2, "low": 0.1, "high": 0.3}])
    >>> controls({"full": found}, ["oob"]).iloc[0].tolist()
    ['GTSRB, thinned', 'LeNet', 'signs that both countries have', 'OOB', '0.200 [0.100, 0.300]']
    """
    means = {title: select(rows[rows["seed"].isna()], table="control", method=methods) for title, rows in runs.items()}
    cells = {title: {tuple(one[name] for name in BY): _cell(one) for one in found.to_dict("records")}
             for title, found in means.items()}  # fmt: skip
    keys = sorted({key for own in cells.values() for key in own})
    heads = [dict(zip(("data", "classifier", "control", "monitor"), map(words, key), strict=True)) for key in keys]
    return pd.DataFrame(
        [
            {**head, **{title: own.get(key, "not run") for title, own in cells.items()}}
            for head, key in zip(heads, keys, strict=True)
        ]
    )


def _cell(one: Mapping[Any, Any]) -> str:
    value, low, high = one["value"], one["low"], one["high"]
    return f"{value:.3f} [{low:.3f}, {high:.3f}]" if wide(low, high) else f"{value:.3f}"
