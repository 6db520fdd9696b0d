"""What the rows say once they are read right: false alarms and misses of each monitor on each set."""

import numpy as np
import pandas as pd

from mistrust.monitoring.rereading.labels import DROPPED, mended
from mistrust.monitoring.rereading.polarity import KNOWN, f1_reading, known_share, own_set, readings

# Kinds whose nominal half is the data set's own test split, so that a monitor's false-alarm rate is one number.
VARIATIONS = ("shift", "anomaly", "noise")


def reread(rows: pd.DataFrame) -> pd.DataFrame:
    """Everything that the printed rows tell, a line each.

    Parameters
    ----------
    rows : printed rows of the complete tables (`printed`).

    Returns
    -------
    The columns of `printed`, `readings` and `mended`; `f1_is`, what the printed F1 can be, joined by ", ";
    `false_alarm` and `miss`, rates with OOD images as positives (printed FNR and FPR, rule A); `micro_f1`, the
    accuracy at the share of the set that the row is of. NaN where a row's set has no OOD image or is not known.
    """
    found = readings(rows)
    moved = mended(rows)
    for column in ("status", "true_data", "true_label", "why", "ranked"):
        found[column] = moved[column]
    could = f1_reading(rows)
    found["f1_is"] = [", ".join(could.columns[line]) for line in could.to_numpy()]
    without = found["true_label"] == "rotated"
    found["false_alarm"] = found["fnr"]
    found["miss"] = found["fpr"].where(~without)  # no OOD image: nothing to miss
    sets = [own_set(data, label) for data, label in zip(found["true_data"], found["true_label"], strict=True)]
    share = pd.Series([known_share(one) if one in KNOWN else np.nan for one in sets], index=found.index)
    right = share * (1 - found["false_alarm"]) + (1 - share) * (1 - found["miss"])
    found["micro_f1"] = right.where(~without)
    return found


def miss_medians(table: pd.DataFrame) -> pd.DataFrame:
    """Median, least and largest re-read miss rate over variations, by data set and monitor (`table` by `reread`)."""
    return _over_variations(table, "miss")


def false_alarm_medians(table: pd.DataFrame) -> pd.DataFrame:
    """The same of false-alarm rates: equal over variations, since all share their nominal images and monitor."""
    return _over_variations(table, "false_alarm")


def _over_variations(table: pd.DataFrame, rate: str) -> pd.DataFrame:
    rows = table[table["kind"].isin(VARIATIONS) & (table["status"] != DROPPED)]
    found = rows.groupby(["true_data", "method"])[rate].agg(["median", "min", "max", "count"]).reset_index()
    return pd.DataFrame(found).rename(columns={"true_data": "data", "count": "n"})
