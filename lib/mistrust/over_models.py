"""Means of rows over models: what several networks say together, with Student's t interval between them."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from mistrust import rows as tidy
from mistrust.evaluation import between_models

ESTIMATE = ("value", "low", "high", "over", "n")
EVERY = "all"  # the network of a mean over architectures
Name = TypeVar("Name")


def means(
    single: pd.DataFrame, by: Sequence[str], scale: Callable[[Mapping[str, Any]], str],
    wider: Callable[[Mapping[str, Any], int], float] = lambda row, models: 1.0,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Give one row for all rows that agree in the columns `by`.

    Parameters
    ----------
    single : rows of single models.
    by : what stays; the seed is not among it.
    scale : of a row's columns: where its values are close to normal, as in `evaluation.between_models`.
    wider : of a row's columns and the number of its models: by how much its interval is wider, for models share parts.

    Yields
    ------
    Rows without a seed, over="models"; a model that is alone keeps the interval that it has over its images.

    Examples
    --------
    >>> from mistrust import rows
    >>> two = [{"seed": 0, "value": 0.8}, {"seed": 1, "value": 0.9}]
    >>> single = rows.table(two, table="accuracy", metric="accuracy")
    >>> row = next(means(single, ["table", "metric"], lambda row: "identity"))
    >>> round(row["value"], 6), row["n"], row["over"]
    (0.85, 2, 'models')
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
        found = between_models(values[group], scale=scale(row), wider=wider(row, len(group)))
        yield row | {"value": found.value, "low": found.low, "high": found.high, "over": "models", "n": found.n}


def over_architectures(single: pd.DataFrame, by: Sequence[str], published: Sequence[str]) -> pd.DataFrame:
    """Give means over a paper's architectures, seed by seed, where each of them has a row; no interval by itself.

    Parameters
    ----------
    single : rows of single models.
    by : columns that stay besides the seed; the network, which becomes `EVERY`, is passed over.
    published : the paper's architectures; only these count where one of them was run, else all.

    Examples
    --------
    Of one architecture the second seed was never trained, so that there is no mean of it:

    >>> from mistrust import rows
    >>> found = [
    ...     {"network": "vgg9-w16", "seed": 0, "value": 0.8},
    ...     {"network": "resnet14-w8", "seed": 0, "value": 0.9},
    ...     {"network": "vgg9-w16", "seed": 1, "value": 0.7},
    ... ]
    >>> single = rows.table(found, table="accuracy", metric="accuracy", data="mnist")
    >>> both = over_architectures(single, ["table", "data", "metric"], ["vgg9-w16", "resnet14-w8"]).round(6)
    >>> both[["network", "seed", "value"]].values.tolist()
    [['all', 0.0, 0.85]]
    """
    papers = single["network"].isin(published)
    found = single[papers] if papers.any() else single
    groups = found.groupby([*(one for one in by if one != "network"), "seed"], dropna=False, sort=False)
    both = groups.agg(value=("value", "mean"), n=("n", "first"), networks=("network", "nunique")).reset_index()
    complete = both[both["networks"] == found["network"].nunique()].drop(columns="networks")
    return tidy.check(complete.assign(network=EVERY))


def shared(having: Mapping[Name, Set[Any]], least: int) -> list[Name]:
    """Give the most conditions that at least so many models have in common; of as many the later ones, the stronger.

    A mean over conditions needs the same ones of every model: where a model lacks one, it differs from the others by
    that. A condition may have further models, or lack some: neither must cost the others their mean.

    Parameters
    ----------
    having : condition -> its models, in the order of doses.
    least : models that count as enough; where no condition has so many, there is none to give.

    Examples
    --------
    Two of five models lack the weak dose:

    >>> shared({"weak": {1, 2, 4}, "strong": {0, 1, 2, 3, 4}}, 5)
    ['strong']
    >>> shared({"weak": {1, 2, 4}, "strong": {0, 1, 2, 3, 4}}, 3)
    ['weak', 'strong']
    """
    for size in range(len(having), 0, -1):
        for some in reversed(list(combinations(having, size))):
            if len(set.intersection(*(set(having[one]) for one in some))) >= least:
                return list(some)
    return []
