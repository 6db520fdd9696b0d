"""The same families on several image sets, as a table: accuracy, breaking noise and targeted distance."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from mistrust.figures.dots import estimate
from mistrust.figures.parts import sorted_rows
from mistrust.figures.robustness.parts import ALL, OTHER, RIGHT, family, one_a_family, words
from mistrust.figures.written import Write, plain
from mistrust.rows import select

# Column -> which rows, and how they are written.
_COLUMNS: Mapping[str, tuple[Mapping[str, object], Write]] = {
    "accuracy": ({"table": "networks", "metric": "accuracy"}, "{:.1%}".format),
    "breaking σ": ({"table": "random", "metric": "capped mean", "method": RIGHT}, plain),
    "targeted distance": ({"table": "targeted", "metric": "linf", "method": "adam", "level": math.nan}, plain),
}


def image_sets(rows: pd.DataFrame, sets: Sequence[str], networks: Sequence[str] | None = None) -> pd.DataFrame:
    """Give a line for each image set and network, with "not run" where there are no rows.

    Parameters
    ----------
    rows : rows of the chapter: tables "networks", "random", "targeted", networks trained on everything.
    sets : names of image sets, in the order of the lines.
    networks : which; None for the first of each family that the first set has, or any where it has none.

    Returns
    -------
    Columns "images", "network" and the three measures (text: the mean over training seeds with its interval; of one
    network the interval over its images).

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"data": "mnist", "table": "networks", "metric": "accuracy", "network": "vgg9-w16", "value": 0.98}]
    >>> image_sets(rows.table(found, condition="all", seed=0), ["mnist", "gtsrb"]).values.tolist()
    [['MNIST', 'VGG-9 w16', '98.0%', 'not run', 'not run'], ['GTSRB', 'VGG-9 w16', 'not run', 'not run', 'not run']]
    """
    held = sorted_rows(rows[rows["condition"] == ALL])
    if networks is None:
        counted = held[held["table"].isin(["networks", "random", "targeted"]) & held["data"].isin(list(sets))]
        first = counted[counted["data"] == sets[0]]
        there = (first if len(first) else counted)["network"]
        networks = [name for name in one_a_family(there) if family(name) != OTHER]
    lines = []
    for data in sets:
        for name in networks:
            own = select(held, data=data, network=name)
            each = [estimate(select(own, **where), write) for where, write in _COLUMNS.values()]
            lines.append((words(data), words(name), *each))
    return pd.DataFrame(lines, columns=["images", "network", *_COLUMNS])
