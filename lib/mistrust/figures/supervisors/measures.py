"""Other measures of the same detection beside AUROC, as a table."""

import pandas as pd

from mistrust.figures.parts import by_network
from mistrust.figures.supervisors.parts import conditions_in, data_in, in_order, short, words
from mistrust.rows import select

METRICS = {
    "auroc": "AUROC",
    "auroc-correct": "AUROC, correct nominal only",
    "average precision": "AUPR",
    "fpr": "FPR at 95% TPR",
}


def measures(rows: pd.DataFrame, *, network: str = "all") -> pd.DataFrame:
    """Give a line for each kind of bad input and supervisor, and a column for each image set and measure.

    AUPR is the average precision, which depends on how many bad inputs there are. FPR at 95% TPR is the share of
    nominal inputs that alarm where 95% of the bad ones do.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection"; the means over runs of one architecture are read.
    network : which; "all" is the mean over architectures.

    Returns
    -------
    Text; without lines where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"metric": "auroc", "value": 0.9}, {"metric": "fpr", "value": 0.31}]
    >>> one = rows.table(found, table="detection", method="dsa", condition="invalid/other", data="mnist", network="all")
    >>> measures(one).to_dict("records")
    [{'bad input': 'Invalid', 'supervisor': 'DSA', 'MNIST: AUROC': '0.900', 'MNIST: FPR at 95% TPR': '0.310'}]
    """
    held = by_network(select(rows, table="detection", network=network))[0]
    held = held[held["metric"].isin(list(METRICS))]
    values = held.set_index(["data", "metric", "condition", "method"])["value"].to_dict()
    columns = {
        (data, metric): f"{words(data)}: {head}"
        for data in data_in(held)
        for metric, head in METRICS.items()
        if ((held["data"] == data) & (held["metric"] == metric)).any()
    }
    lines = [
        {
            "bad input": words(condition),
            "supervisor": short(name),
            **{
                head: f"{values[data, metric, condition, name]:.3f}"
                if (data, metric, condition, name) in values
                else "–"
                for (data, metric), head in columns.items()
            },
        }
        for condition in conditions_in(held)
        for name in in_order(held[held["condition"] == condition]["method"])
    ]
    return pd.DataFrame(lines)
