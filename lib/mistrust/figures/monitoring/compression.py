"""Traffic signs with and without compression, as rows: does a monitor see classes, or JPEG?"""

import pandas as pd

from mistrust import rows as tidy
from mistrust.monitoring.experiment.parameters import PAPERS

AS_JPEG, LOSSLESS = "traffic signs as JPEG", "traffic signs, lossless"
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
