"""What fitting F anew on every subset, as published, changes."""

import pandas as pd

from mistrust.figures.parts import numbers
from mistrust.figures.search.parts import conditions_in, told
from mistrust.figures.search.said import NOT_RUN
from mistrust.figures.written import interval, percent, two
from mistrust.rows import select

HEADS = ("mechanism", "critical class", "networks", "F fitted once", "fitted anew", "difference", "same queries")


def three(value: float) -> str:
    """Write with three decimals: differences are small."""
    return f"{value:.3f}"


WRITTEN = {"sdr once": two, "sdr anew": two, "difference": three, "same queries": percent}


def refitted(rows: pd.DataFrame, *, level: float = 50) -> pd.DataFrame:
    """Put Adversarial Distance's SDR under both ways of fitting F side by side, one line per condition and class.

    Parameters
    ----------
    rows : rows of the chapter, with the table "refit"; means over networks are read.
    level : number of queries.

    Returns
    -------
    Columns `HEADS`, all text; without lines where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"condition": "biased/25", "at": "cat", "data": "cats_dogs", "level": 50, "n": 5}
    >>> both = {"sdr once": 2.31, "sdr anew": 2.3, "difference": -0.01, "same queries": 0.93}
    >>> found = rows.table([{**common, "metric": name, "value": value} for name, value in both.items()], table="refit")
    >>> refitted(found).iloc[0].tolist()
    ['Biased training, 25% of cats missing', 'cat', '5', '2.31', '2.30', '-0.010', '93%']
    """
    held = select(rows, table="refit", level=level)
    held = held[held["seed"].isna()]
    lines = []
    for condition in conditions_in(held["condition"]):
        for at, own in held[held["condition"] == condition].groupby("at"):
            by = own.set_index("metric")[["value", "low", "high", "n"]]
            said = []
            for name, write in WRITTEN.items():
                value, low, high, networks = numbers(by.loc[name]).tolist()
                said.append(interval(value, low, high, write))
            lines.append((told(str(condition)), str(at), f"{networks:.0f}", *said))
    return pd.DataFrame(lines, columns=list(HEADS))


def differing(rows: pd.DataFrame, *, level: float = 50) -> tuple[str, str]:
    """Say in how many lines of `refitted` the difference's interval excludes 0, and the largest difference.

    Returns
    -------
    "none of 6" and "0.019"; "not run" twice where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> ends = {"cat": (-0.01, -0.03, 0.01), "dog": (0.02, 0.01, 0.03)}
    >>> lines = [{"at": at, "value": value, "low": low, "high": high} for at, (value, low, high) in ends.items()]
    >>> common = {"table": "refit", "metric": "difference", "condition": "biased/25", "level": 50, "over": "models"}
    >>> differing(rows.table(lines, **common))
    ('1 of 2', '0.020')
    """
    held = select(rows, table="refit", level=level, metric="difference")
    held = held[held["seed"].isna()]
    if held.empty:
        return NOT_RUN, NOT_RUN
    apart = int(((held["low"] > 0) | (held["high"] < 0)).sum())
    return f"{apart or 'none'} of {len(held)}", three(float(held["value"].abs().max()))
