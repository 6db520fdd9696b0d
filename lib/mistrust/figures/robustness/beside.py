"""The paper's Tables 1 to 3 beside ours, family by family: its network for ImageNet, and ours of the same style.

The two differ in depth, size and images. What can be set side by side is the order of families, and what training on
less does to each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.dots import estimate
from mistrust.figures.parts import means, sorted_rows
from mistrust.figures.robustness.parts import (
    ALL,
    IMAGENET,
    OTHER,
    RIGHT,
    TRAINED,
    data_in,
    family,
    one_a_family,
    words,
)  # fmt: skip
from mistrust.figures.robustness.printed import printed_of
from mistrust.figures.written import Write, many, plain
from mistrust.robustness.rereading.printed import NETWORKS
from mistrust.rows import select

NOT_PRINTED = "not printed"


@dataclass(frozen=True)
class _Measure:
    """What stands in a table: its head, where our rows have it, which printed metric it is, how both are written."""

    title: str
    ours: Mapping[str, object]
    printed: str
    write: Write
    as_printed: Write = "{:g}".format


_WHOLE: Write = "{:,.0f}".format
_PARAMETERS = _Measure("parameters", {"table": "networks", "metric": "parameters"}, "parameters", _WHOLE, _WHOLE)
_ACCURACY = _Measure("accuracy", {"table": "networks", "metric": "accuracy"}, "accuracy", "{:.1%}".format,
                     lambda share: f"{100 * share:g}%")  # fmt: skip
_RANDOM = _Measure(
    "breaking σ, of images that broke", {"table": "random", "metric": "mean", "method": RIGHT}, "mean", plain
)  # fmt: skip
_TARGETED = _Measure(
    "targeted L∞", {"table": "targeted", "metric": "linf", "method": "adam", "level": float("nan")}, "linf", plain
)
# Printed table -> what it holds, and of which variants of training.
TABLES: Mapping[str, tuple[tuple[_Measure, ...], tuple[str, ...]]] = {
    "table1": ((_PARAMETERS, _RANDOM, _TARGETED), (ALL,)),
    "table2": ((_ACCURACY,), tuple(TRAINED)),
    "table3": ((_RANDOM,), tuple(TRAINED)),
}


def beside(printed: pd.DataFrame, full: pd.DataFrame, run: pd.DataFrame, table: str) -> pd.DataFrame:
    """Lay a printed table, our full run and this run side by side, a line for each measure, variant and family.

    Parameters
    ----------
    printed : the paper's published rows.
    full, run : rows of the chapter; either may have none. Of each the first image set is taken that is not ImageNet,
        and of each family the first network, as in the other tables and figures.
    table : "table1", "table2" or "table3".

    Returns
    -------
    Columns "measure" (Table 1) or "trained on" (Tables 2 and 3), "the paper's network", "our network", then "the
    paper", "our full run", "this run", of which the last two say images and seeds. Cells are text: mean over seeds with
    its interval; "not printed" (the paper) or "not run" (ours).

    Raises
    ------
    MistrustError
        No such table.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.publishing.published import published
    >>> common = {"table": "random", "metric": "mean", "method": "fixed-clipped", "condition": "half"}
    >>> full = rows.table([{"network": "vgg6-w16", "value": 52.0, "data": "fmnist", "seed": 0, **common}])
    >>> found = beside(published("robustness"), full, rows.empty(), "table3")
    >>> found.columns[3:].tolist()
    ['the paper (ImageNet)', 'our full run (Fashion-MNIST, 1 seed)', 'this run']
    >>> found[found["the paper's network"] == "VGG16"].iloc[1].tolist()
    ['half of the samples', 'VGG16', 'VGG-6 w16', '16.9', '52', 'not run']
    """
    if table not in TABLES:
        raise MistrustError(f"There is no printed table '{table}'; there are {', '.join(TABLES)}.")
    measures, conditions = TABLES[table]
    sources = [_first_set(full), _first_set(run)]
    networks = [_by_family(held) for held in sources]
    names = {one: next((of[one] for of in networks if one in of), "") for one in map(family, NETWORKS)}
    lines = []
    for measure, condition in product(measures, conditions):
        paper = printed_of(printed, table, measure.printed, condition=condition)
        for theirs, title in NETWORKS.items():
            style = family(theirs)
            told = [measure.as_printed(paper[theirs]) if theirs in paper else NOT_PRINTED]
            for held, of in zip(sources, networks, strict=True):
                own = select(held, condition=condition, network=of.get(style, ""), **measure.ours)
                told.append(_ours(own, measure.write))
            head = measure.title if len(conditions) == 1 else TRAINED[condition]
            lines.append((head, title, words(names[style]) or "not run", *told))
    heads = [
        "measure" if len(conditions) == 1 else "trained on",
        "the paper's network",
        "our network",
        "the paper (ImageNet)",
    ]
    return pd.DataFrame(lines, columns=[*heads, _head("our full run", sources[0]), _head("this run", sources[1])])


def _ours(own: pd.DataFrame, write: Write) -> str:
    """Write a mean with its interval; without one that has no width, as of a number that each seed shares."""
    mean = means(own)
    return estimate(mean.assign(low=float("nan")) if (mean["low"] == mean["high"]).all() else mean, write)


def _first_set(rows: pd.DataFrame) -> pd.DataFrame:
    held = rows[~rows["data"].isin(IMAGENET) & rows["table"].isin(["networks", "random", "targeted"])]
    there = data_in(held)
    return sorted_rows(held[held["data"] == there[0]]) if there else held


def _by_family(held: pd.DataFrame) -> dict[str, str]:
    return {family(name): name for name in one_a_family(held["network"]) if family(name) != OTHER}


def _head(title: str, held: pd.DataFrame) -> str:
    if held.empty:
        return title
    return f"{title} ({words(held['data'].iloc[0])}, {many(held['seed'].nunique(), 'seed')})"
