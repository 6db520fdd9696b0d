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

    Examples
    --------
    >>> row = {"place": "Table IV", "data": "cifar10", "kind": "noise", "label": "spatter (2)", "method": "oob"}
    >>> numbers = {"mcc": 0.53, "fpr": 0.2, "fnr": 0.1, "precision": 0.43, "recall": 0.9, "f1": 0.84}
    >>> found = reread(pd.DataFrame([row | numbers])).round(2)
    >>> found[["polarity", "status", "f1_is", "false_alarm", "miss", "micro_f1"]].to_dict("records")
    [{'polarity': 'nominal', 'status': 'kept', 'f1_is': 'weighted', 'false_alarm': 0.1, 'miss': 0.2, 'micro_f1': 0.81}]
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
    """Median, least and largest re-read miss rate over variations, by data set and monitor (`table` by `reread`).

    Examples
    --------
    >>> oob = {"true_data": "gtsrb", "method": "oob", "kind": "shift", "status": "kept"}
    >>> table = pd.DataFrame([oob | {"miss": 0.6}, oob | {"miss": 0.8}, oob | {"miss": 0.2, "kind": "novelty"}])
    >>> miss_medians(table).to_dict("records")  # novelties are not counted
    [{'data': 'gtsrb', 'method': 'oob', 'median': 0.7, 'min': 0.6, 'max': 0.8, 'n': 2}]
    """
    return _over_variations(table, "miss")


def false_alarm_medians(table: pd.DataFrame) -> pd.DataFrame:
    """The same of false-alarm rates: equal over variations, since all share their nominal images and monitor.

    Examples
    --------
    >>> oob = {"true_data": "gtsrb", "method": "oob", "kind": "shift", "status": "kept"}
    >>> table = pd.DataFrame([oob | {"false_alarm": 0.16}, oob | {"false_alarm": 0.16}])
    >>> false_alarm_medians(table).to_dict("records")
    [{'data': 'gtsrb', 'method': 'oob', 'median': 0.16, 'min': 0.16, 'max': 0.16, 'n': 2}]
    """
    return _over_variations(table, "false_alarm")


def _over_variations(table: pd.DataFrame, rate: str) -> pd.DataFrame:
    rows = table[table["kind"].isin(VARIATIONS) & (table["status"] != DROPPED)]
    found = rows.groupby(["true_data", "method"])[rate].agg(["median", "min", "max", "count"]).reset_index()
    return pd.DataFrame(found).rename(columns={"true_data": "data", "count": "n"})
