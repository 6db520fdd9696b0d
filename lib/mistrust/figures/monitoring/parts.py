"""What the chapter's figures share: monitors in their order, benchmark sets in theirs, and words for both."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.image_sets import TITLES as IMAGE_SETS
from mistrust.figures.parts import one_of, some
from mistrust.figures.style import MARKERS, PALETTE
from mistrust.figures.supervisors import parts as supervisors
from mistrust.inputs.faults import CATEGORIES, FAULTS
from mistrust.rows import select
from mistrust.supervisors import SUPERVISORS

THREE = {"alooc": "ALOOC", "oob": "OOB", "odin": "ODIN"}
VARIANTS = ("", "published rule", "as published")  # of a monitor, from right to all slips
DATA = ("gtsrb", "gtsrb-thin", "cifar10", "cifar10-jpeg", "mnist5k")
EVERY = "all sets"
_WORDS = IMAGE_SETS | {
    "all": "all benchmark sets",
    "farm-lenet": "LeNet",
    "resnet20": "ResNet-20",
    "network": "classifier alone",
    "nominal": "Nominal",
    "left out": "Classes left out",
    EVERY: "All sets",
    "shared classes": "signs that both countries have",
    "mcc": "MCC",
    "fpr": "false alarms",
    "fnr": "misses",
    "fpr95": "false alarms where 95% are found",
    "auroc": "AUROC",
    "micro-f1": "micro-F1",
    "weighted-f1": "weighted F1",
    "mcc as published": "MCC as published",
    "safety-gain": "safety gain",
    "residual-hazard": "residual hazard",
    "availability-cost": "availability cost",
    "ood": "out of distribution",
    "failures": "wrong predictions",
}
_TITLES = {name.replace("_", " "): one.title for name, one in FAULTS.items()}


def words(name: str) -> str:
    """Give what a reader calls a monitor, a variant, a benchmark set, a category, a data set or a metric of the rows.

    Names that need no other words ("accuracy") come back as they are.

    Examples
    --------
    >>> words("oob"), words("shift/fog"), words("fnr")
    ('OOB', 'Fog', 'misses')
    >>> words("oob/as published"), words("odin - oob")
    ('OOB, as published', 'ODIN minus OOB')
    """
    if name in THREE:
        return THREE[name]
    if name in SUPERVISORS:
        return supervisors.words(name)
    if name in _WORDS:
        return _WORDS[name]
    if name in CATEGORIES:
        return "Anomalies" if name == "anomaly" else name.capitalize()
    if " - " in name:
        return " minus ".join(words(one) for one in name.split(" - "))
    first, slash, last = name.partition("/")
    if slash and first in THREE:
        return f"{words(first)}, {last}"
    if slash and last == "mean":
        return words(first)
    if slash and first in CATEGORIES:
        return _WORDS.get(last) or _TITLES.get(last) or (last.capitalize() if last.islower() else last)
    return name


def short(name: str) -> str:
    """Give a monitor's name for a narrow column: "ALOOC", "MC-Dropout (MI)".

    Examples
    --------
    >>> short("oob/as published")
    'OOB, as published'
    >>> words("mc_mutual_information"), short("mc_mutual_information")
    ('MC-Dropout: mutual information', 'MC-Dropout (MI)')
    """
    return words(name) if name.partition("/")[0] in THREE else supervisors.short(name)


def family(name: str) -> str:
    """Give the family of a monitor, or of a variant of it."""
    return "the paper's" if name.partition("/")[0] in THREE else supervisors.family(name)


def in_order(names: Iterable[str]) -> list[str]:
    """Put monitors in order: the paper's three, each with its variants, then others family by family."""
    known = set(names)
    own = [f"{name}/{variant}".rstrip("/") for name in THREE for variant in VARIANTS]
    return [one for one in own if one in known] + supervisors.in_order(known - set(own))


def looks(name: str) -> dict[str, Any]:
    """Give the colour and marker of one of the paper's three."""
    place = list(THREE).index(name)
    return {"color": PALETTE[place], "marker": MARKERS[place]}


def data_in(found: pd.DataFrame) -> list[str]:
    """Give the image sets of these rows, the paper's first."""
    return sorted(set(found["data"]), key=lambda name: (DATA.index(name) if name in DATA else len(DATA), name))


def of(
    rows: pd.DataFrame, table: str | tuple[str, ...], what: str, *, data: str | None, network: str | None
) -> pd.DataFrame:
    """Give the rows of one table or several, of one image set and one classifier.

    Parameters
    ----------
    what : what is missing, for the message.
    data, network : which; None for the first, of networks by the alphabet, which is the paper's.

    Raises
    ------
    MistrustError
        There are no such rows; the message names those that there are.
    """
    held = select(rows, table=table)
    some(held, what)
    held = held[held["data"] == one_of(data, data_in(held), what)]
    return held[held["network"] == one_of(network, sorted(set(held["network"])), what)]


def pooled(found: pd.DataFrame) -> pd.DataFrame:
    """Give plain means over runs, so that shares of one whole still add up to it.

    Where rows of single runs are left out, the means that stand there are taken.
    """
    single = found[found["seed"].notna()]
    by = ["table", "method", "condition", "level", "at", "metric"]
    return (single if len(single) else found).groupby(by, dropna=False, sort=False)["value"].mean().reset_index()


def kind(condition: str) -> str:
    """Give the category of a condition: "noise" of "noise/fog"."""
    return condition.partition("/")[0]


def categories_in(found: pd.DataFrame) -> list[str]:
    """Give the categories of these rows in the paper's order."""
    there = {kind(one) for one in found["condition"]}
    return [one for one in CATEGORIES if one in there]


def places_in(found: pd.DataFrame) -> list[str]:
    """Give the conditions of these rows that are benchmark sets: by category, faults in the order of their table."""
    order = [name.replace("_", " ") for name in FAULTS]

    def at(condition: str) -> tuple[int, int, str]:
        category, _, name = condition.partition("/")
        return CATEGORIES.index(category), order.index(name) if name in order else len(order), name

    there = {one for one in found["condition"] if kind(one) in CATEGORIES and not one.endswith("/mean")}
    return sorted(there, key=at)


def severities(found: pd.DataFrame) -> list[float]:
    """Give the severities of one condition's rows, the weakest first; a single NaN where it has none."""
    return sorted(set(found["level"].dropna().astype(float))) or [float("nan")]


def severity(level: float) -> str:
    """Say a severity: ", severity 5", or nothing."""
    return "" if np.isnan(level) else f", severity {level:.0f}"


def percent(value: float) -> str:
    """Write a share in whole per cent, without the sign."""
    return f"{100 * value:.0f}"


def name_lines(axes: Axes, labels: Sequence[tuple[float, str, bool]]) -> None:
    """Name the lines of a figure at its left: (where, name, whether it is the head of a group)."""
    axes.set_yticks([at for at, _, _ in labels], [text for _, text, _ in labels])
    for tick, (_, _, head) in zip(axes.get_yticklabels(), labels, strict=True):
        tick.set(weight="bold" if head else "normal")
    axes.tick_params(axis="y", length=0)
