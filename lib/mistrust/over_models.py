"""Means of rows over models: what several networks say together, with Student's t interval between them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mistrust.evaluation import between_models

ESTIMATE = ("value", "low", "high", "over", "n")


def means(
    single: pd.DataFrame, by: Sequence[str], scale: Callable[[Mapping[str, Any]], str]
) -> Iterator[dict[str, Any]]:
    """Give one row for all rows that agree in the columns `by`.

    Parameters
    ----------
    single : rows of single models.
    by : what stays; the seed is not among it.
    scale : of a row's columns: where its values are close to normal, as in `evaluation.between_models`.

    Yields
    ------
    Rows without a seed, over="models"; a model that is alone keeps the interval that it has over its images.
    """
    if single.empty:
        return
    # Thousands of small groups: taken from plain lists, since a frame of each costs a hundred times its mean.
    numbers = single.groupby(list(by), dropna=False, sort=False).ngroup().to_numpy()
    order = np.argsort(numbers, kind="stable")
    records, values = single[[*by, *ESTIMATE]].to_dict("records"), single["value"].to_numpy()
    for group in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        first = records[group[0]]
        row = {name: first[name] for name in by}
        if len(group) == 1:
            yield row | {name: first[name] for name in ESTIMATE}
            continue
        found = between_models(values[group], scale=scale(row))
        yield row | {"value": found.value, "low": found.low, "high": found.high, "over": "models", "n": found.n}
