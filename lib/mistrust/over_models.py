"""Means of rows over models: what several networks say together, with Student's t interval between them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust.evaluation import between_models


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
    for names, group in single.groupby(list(by), dropna=False, sort=False):
        row = dict(zip(by, names, strict=True))
        if len(group) == 1:
            yield row | group.iloc[0][["value", "low", "high", "over", "n"]].to_dict()
            continue
        found = between_models(group["value"], scale=scale(row))
        yield row | {"value": found.value, "low": found.low, "high": found.high, "over": "models", "n": found.n}
