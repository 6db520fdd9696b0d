"""Traffic signs with and without compression, as rows: does a monitor see classes, or JPEG?"""

import pandas as pd

from mistrust import rows as tidy
from mistrust.monitoring.experiment.parameters import PAPERS
from mistrust.monitoring.rereading import composed, paper_share

AS_JPEG, LOSSLESS = "traffic signs as JPEG", "traffic signs, lossless"
RATES = ("false alarms", "misses")
# Where each kind of classifier has seen lossless signs already: as its nominal images, or as a novelty.
SEEN = {
    "gtsrb": {"table": "nominal", "condition": "nominal", "metric": "fpr"},
    "cifar10": {"table": ["detection", "others"], "condition": "novelty/GTSRB", "metric": "fnr"},
}


def compression(rows: pd.DataFrame) -> pd.DataFrame:
    """Give the share of traffic signs that alarm, of compressed ones and of the same kind of images as they are.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "control", "nominal", "detection" and "others".

    Returns
    -------
    Means over runs as rows of the table "control", whose conditions are `AS_JPEG` and `LOSSLESS`: for a classifier of
    signs the lossless ones are its nominal images and their alarms false, for one of photographs a novelty, of which it
    finds what it does not miss. No rows where there is no control.

    Examples
    --------
    A classifier of photographs misses 85% of lossless signs, so 15% alarm:

    >>> from mistrust import rows
    >>> common = {"data": "cifar10-jpeg", "network": "farm-lenet", "method": "odin"}
    >>> jpeg = {"table": "control", "condition": "traffic signs as JPEG", "metric": "alarms", "value": 0.14}
    >>> missed = {"table": "detection", "condition": "novelty/GTSRB", "metric": "fnr", "value": 0.85}
    >>> compression(rows.table([jpeg, missed], **common))[["condition", "value"]].round(2).to_dict("list")
    {'condition': ['traffic signs as JPEG', 'traffic signs, lossless'], 'value': [0.14, 0.15]}
    """
    means = rows[rows["seed"].isna()]
    jpeg = tidy.select(means, table="control", condition=AS_JPEG)
    known = set(zip(jpeg["data"], jpeg["network"], jpeg["method"], strict=True))
    found = [jpeg]
    for data in jpeg["data"].unique():
        seen = tidy.select(means, data=data, **SEEN[PAPERS[data]])
        there = [at in known for at in zip(seen["data"], seen["network"], seen["method"], strict=True)]
        found.append(_alarms(seen[there]))
    return pd.concat(found, ignore_index=True)


def _alarms(seen: pd.DataFrame) -> pd.DataFrame:
    """What alarms, of rates of false alarms or of misses."""
    found = seen.assign(table="control", condition=LOSSLESS, metric="alarms")
    missed = seen["metric"].eq("fnr")
    for name, other in {"value": "value", "low": "high", "high": "low"}.items():
        found[name] = seen[name].where(~missed, 1 - seen[other])
    return found


def novelties(rows: pd.DataFrame) -> pd.DataFrame:
    """Give what MCC of the novelty sets becomes where their traffic signs are compressed, from rates alone.

    Monitors and classifiers stay as they were fitted, on signs without compression or on photographs as they are, so
    the set's other half alarms as before: what changes is the share of signs that alarm.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "control", "nominal", "detection" and "others".

    Returns
    -------
    One line per monitor and set: data, network, method, condition; MCC of the mean rates at the paper's share of
    nominal images, `LOSSLESS` and `AS_JPEG`; and these rates, "false alarms" and "misses" of both. No lines where there
    is no control.

    Examples
    --------
    A monitor of photographs alarms at 5% of them, at 15% of signs, and at 14% of signs as JPEG:

    >>> from mistrust import rows
    >>> common = {"data": "cifar10-jpeg", "network": "farm-lenet", "method": "odin"}
    >>> jpeg = {"table": "control", "condition": "traffic signs as JPEG", "metric": "alarms", "value": 0.14}
    >>> missed = {"table": "detection", "condition": "novelty/GTSRB", "metric": "fnr", "value": 0.85}
    >>> alarms = {"table": "nominal", "condition": "nominal", "metric": "fpr", "value": 0.05}
    >>> novelties(rows.table([jpeg, missed, alarms], **common)).iloc[0, 4:].astype(float).round(2).tolist()
    [0.11, 0.1, 0.05, 0.85, 0.05, 0.86]
    """
    means = rows[rows["seed"].isna()]
    by = ["data", "network", "method"]
    jpeg = tidy.select(means, table="control", condition=AS_JPEG).set_index(by)["value"]
    own = tidy.select(means, table="nominal", condition="nominal", metric="fpr").set_index(by)["value"]
    missed = tidy.select(means, table=["detection", "others"], metric="fnr")
    lines = []
    for one in missed[missed["condition"].str.startswith("novelty/")].to_dict("records"):
        at = tuple(one[name] for name in by)
        if at not in jpeg.index or at not in own.index:
            continue
        data, label = PAPERS[one["data"]], str(one["condition"]).partition("/")[2]
        rates = {LOSSLESS: (own[at], one["value"]), AS_JPEG: (jpeg[at], one["value"])}
        if data == "cifar10":  # the signs are what is novel
            rates[AS_JPEG] = (own[at], 1 - jpeg[at])
        elif label == "BTSC":  # its shared signs are nominal, too, and are not compressed
            rates = {name: (_with_shared(rows, at, alarms), misses) for name, (alarms, misses) in rates.items()}
        share = paper_share(data, label)
        found = {name: float(composed("mcc", share, *both)) for name, both in rates.items()}
        for name, both in rates.items():
            found |= {_rate(kind, name): float(value) for kind, value in zip(RATES, both, strict=True)}
        lines.append({**dict(zip(by, at, strict=True)), "condition": one["condition"], **found})
    columns = [_rate(kind, name) for name in (LOSSLESS, AS_JPEG) for kind in RATES]
    return pd.DataFrame(lines, columns=[*by, "condition", LOSSLESS, AS_JPEG, *columns])


def rated(found: pd.DataFrame) -> pd.DataFrame:
    """Write what `novelties` gives for a table: "false alarms / misses / MCC", a column for each kind of signs.

    Examples
    --------
    >>> rates = {"false alarms, traffic signs as JPEG": 0.05, "misses, traffic signs as JPEG": 0.86}
    >>> rated(pd.DataFrame([{"method": "odin", "traffic signs as JPEG": -0.001, **rates}])).to_dict("records")
    [{'method': 'odin', 'traffic signs as JPEG': '0.05 / 0.86 / 0.00'}]
    """
    names = [name for name in (LOSSLESS, AS_JPEG) if name in found]
    kept = found.drop(columns=[_rate(kind, name) for name in names for kind in RATES])
    for name in names:
        numbers = found[[*(_rate(kind, name) for kind in RATES), name]].round(2) + 0.0  # no -0.00
        kept[name] = [" / ".join(f"{one:.2f}" for one in line) for line in numbers.to_numpy()]
    return kept


def _rate(kind: str, name: str) -> str:
    return f"{kind}, {name}"


def _with_shared(rows: pd.DataFrame, at: tuple[str, ...], alarms: float) -> float:
    """False alarms over German signs, of which this share alarms, and over Belgian signs of the same classes."""
    where = dict(zip(("data", "network", "method"), at, strict=True))
    shared = tidy.select(rows, table="control", condition="shared classes", **where)
    german = tidy.select(rows, table="nominal", condition="nominal", metric="fpr", **where)
    n, more = (float(one.loc[one["seed"].notna(), "n"].iloc[0]) for one in (german, shared))
    return (n * alarms + more * float(shared.loc[shared["seed"].isna(), "value"].iloc[0])) / (n + more)
