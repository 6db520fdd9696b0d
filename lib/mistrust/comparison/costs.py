"""Whose measured costs speak for an image set: those of its own network, where `benchmarks/comparison.py` ran on it.

What a scorer takes depends on the network, and for some on how many training images it compares with: multiples that
were measured with 1,500 of them say little of 15,000.
"""

import pandas as pd

from mistrust.rows import select

# Measured in minutes from what comes with the library: it stands in for image sets that were not measured.
REFERENCE = "mnist5k"


def measured(benchmark: pd.DataFrame, metric: str, data: str) -> pd.DataFrame:
    """Give the last row of each scorer in one metric of the benchmark, by scorer.

    Parameters
    ----------
    benchmark : rows of `benchmarks/comparison.py`, whose `level` is the number of training images.
    metric : "seconds an image", "ratio" (to Max Softmax) or "peak megabytes".
    data : the image set. Where it was not measured, the rows are those of `REFERENCE`, as their `data` says.

    Examples
    --------
    >>> from mistrust import rows
    >>> same = {"method": "knn", "metric": "ratio", "network": "n"}
    >>> found = [{**same, "data": "mnist5k", "level": 1500, "value": 2.0},
    ...          {**same, "data": "fmnist", "level": 15000, "value": 4.4}]
    >>> taken = rows.table(found, table="comparison")
    >>> measured(taken, "ratio", "fmnist")["value"].to_dict(), measured(taken, "ratio", "digits")["value"].to_dict()
    ({'knn': 4.4}, {'knn': 2.0})
    """
    own = select(benchmark, metric=metric, data=data)
    found = own if len(own) else select(benchmark, metric=metric, data=REFERENCE)
    return found.drop_duplicates("method", keep="last").set_index("method")
