"""Which printed rows cannot be of the set whose label they bear, by their own numbers alone.

The moves of rule C were read in the authors' lists. How far do the printed numbers bear them out? All sets of noise,
shifts and anomalies of a data set share its nominal images and the monitor, so share and false alarms are the same for
all, and no row can tell by them which it is of. They do tell one data set from the other, one monitor from another, and
a set without OOD images from one with.
"""

import pandas as pd

from mistrust.monitoring.rereading.labels import DROPPED
from mistrust.monitoring.rereading.polarity import own_set
from mistrust.monitoring.rereading.rates import VARIATIONS

HALF = 0.005  # half a unit of the last printed digit


def excluded(table: pd.DataFrame) -> "pd.Series[bool]":
    """Tell which rows' own numbers exclude the label that they bear (`table` by `reread`).

    The share of nominal images that they imply is not that of the set; or they alarm at another share of the same
    nominal images than most rows of the monitor on that data set do. Novelties share no nominal images: their share
    alone is asked.

    Examples
    --------
    Three rows of one monitor alarm at 16 % of nominal images, a fourth at 2 % of what should be the same:

    >>> row = {"data": "gtsrb", "method": "oob", "kind": "noise", "own": True}
    >>> excluded(pd.DataFrame([row | {"false_alarm": alarm} for alarm in (0.16, 0.16, 0.16, 0.02)])).tolist()
    [False, False, False, True]
    """
    return ~table["own"] | _alarms_otherwise(table, table["data"])


def fits(table: pd.DataFrame) -> "pd.Series[bool]":
    """Tell which rows' own numbers fit the set in which rule C puts them; false where it puts them in none.

    Examples
    --------
    >>> row = {"data": "gtsrb", "method": "oob", "kind": "noise", "own": True, "false_alarm": 0.16, "fitting": "gtsrb"}
    >>> there = row | {"true_data": "gtsrb", "true_label": "fog (5)", "status": "moved"}
    >>> fits(pd.DataFrame([there, there | {"true_data": "cifar10"}, there | {"status": "dropped"}])).tolist()
    [True, False, False]
    """
    sets = [own_set(data, label) for data, label in zip(table["true_data"], table["true_label"], strict=True)]
    share = [one in known.split(", ") for one, known in zip(sets, table["fitting"], strict=True)]
    return (table["status"] != DROPPED) & pd.Series(share, table.index) & ~_alarms_otherwise(table, table["true_data"])


def _alarms_otherwise(table: pd.DataFrame, data: "pd.Series[str]") -> "pd.Series[bool]":
    """Whether a row's false alarms are not those that most rows printed for its monitor on this data set have."""
    alike = table[table["kind"].isin(VARIATIONS)]
    usual = {at: rates.mode().iloc[0] for at, rates in alike.groupby(["data", "method"])["false_alarm"]}
    expected = [usual.get((one, name), float("nan")) for one, name in zip(data, table["method"], strict=True)]
    apart = (table["false_alarm"] - pd.Series(expected, table.index, dtype=float)).abs() > HALF
    return apart & (table["kind"] != "novelty")
