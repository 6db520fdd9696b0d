"""What was expected of the full run's Table I, whether it was met, and what would have met it, as a table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from mistrust import rows as tidy
from mistrust.figures.ambiguity.averaged import averaged
from mistrust.figures.ambiguity.longer import NOT_RUN
from mistrust.figures.ambiguity.parts import with_interval
from mistrust.rows import select

_MNIST, _FASHION = "mnist", "fmnist"
_TITLES = {_MNIST: "MNIST", _FASHION: "Fashion-MNIST"}
_LINEAR, _RELU = ("ambiguess-conv", "ambiguess-fc"), ("ambiguess-conv", "ambiguess-fc-relu")
_AMBIGUOUS = "ambiguous/ambiguess"
# What mixed training costs is measured on nominal images, which have no decoder.
_OF_COST = ("measured", "with ReLU")


@dataclass(frozen=True)
class Expected:
    """A number of Table I after mixed training lies between two bounds, both allowed.

    Attributes
    ----------
    text : in words.
    data : image set.
    metric : of the ambiguous test images; `COST` is about nominal ones.
    low, high : bounds.
    """

    text: str
    data: str
    metric: str
    low: float = -np.inf
    high: float = np.inf


COST = "accuracy difference"
EXPECTED = (
    Expected("Top-1 from 0.50 to 0.57", _MNIST, "top-1", 0.50, 0.57),
    Expected("Top-2 at least 0.96", _MNIST, "top-2", 0.96),
    Expected("Top-pair at least 0.92", _MNIST, "top-pair", 0.92),
    Expected("Top-1 from 0.48 to 0.57", _FASHION, "top-1", 0.48, 0.57),
    Expected("Top-2 at least 0.92", _FASHION, "top-2", 0.92),
    Expected("Top-pair at least 0.83", _FASHION, "top-pair", 0.83),
    *(Expected("Entropy at most 0.3 bits beyond the labels'", data, "excess entropy", high=0.3) for data in _TITLES),
    *(Expected("Nominal accuracy within 0.01 of clean training", data, COST, -0.01, 0.01) for data in _TITLES),
)


def expected(rows: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each thing that was expected: what was measured, met or missed, and what the cause is.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "performance" and "known-decoders".

    Returns
    -------
    Text. "result" judges the value, not its interval. Behind it stand the same number with ReLU in the linear network's
    place; of both on test images whose decoders made training images, too; and of the linear one on those. Each is
    marked where it misses. "not run" where rows are missing; empty where there is no such number.

    Examples
    --------
    >>> from mistrust import rows
    >>> where = {"table": "performance", "data": "mnist", "method": "mixed", "condition": "ambiguous/ambiguess"}
    >>> found = {"ambiguess-conv": 0.94, "ambiguess-fc": 0.74, "ambiguess-fc-relu": 0.935}
    >>> made = [{"network": name, "seed": 0, "value": value} for name, value in found.items()]
    >>> line = expected(rows.table(made, metric="top-pair", **where)).iloc[2]
    >>> line[["expected", "measured", "result", "with ReLU"]].tolist()
    ['Top-pair at least 0.92', '0.840', 'missed', '0.938']
    """
    found = {name: give(rows) for name, give in _COLUMNS.items()}
    lines = [_line(one, {name: _of(one, own) for name, own in found.items()}) for one in EXPECTED]
    return pd.DataFrame(lines)


def _performance(rows: pd.DataFrame, networks: tuple[str, ...]) -> pd.DataFrame:
    """Table I with the mean over these networks, and what mixed training costs them."""
    mean = averaged(rows, networks)
    return pd.concat([select(mean, condition=_AMBIGUOUS), _cost(rows, networks)], ignore_index=True)


def _known(rows: pd.DataFrame, networks: tuple[str, ...]) -> pd.DataFrame:
    """The mean over these networks on test images whose decoders made training images, too."""
    return select(averaged(rows, networks, table="known-decoders"), condition="decoders of training images")


def _cost(rows: pd.DataFrame, networks: tuple[str, ...]) -> pd.DataFrame:
    """Accuracy on nominal images after mixed minus after clean training, paired by seed, of the mean over networks."""
    single = select(rows, table="performance", condition="nominal", metric="top-1")
    key = [name for name in tidy.IDENTITY if name != "method"]
    mixed, clean = (select(single, method=one).set_index(key)["value"] for one in ("mixed", "clean"))
    gained = (mixed - clean).dropna().reset_index()
    return averaged(tidy.check(gained.assign(metric=COST, method="mixed")), networks)


# By column: how its numbers are had from rows.
_COLUMNS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "measured": partial(_performance, networks=_LINEAR),
    "with ReLU": partial(_performance, networks=_RELU),
    "and decoders known": partial(_known, networks=_RELU),
    "linear, decoders known": partial(_known, networks=_LINEAR[1:]),
}


def _of(one: Expected, rows: pd.DataFrame) -> "pd.Series[Any] | None":
    found = select(rows, data=one.data, method="mixed", metric=one.metric)
    return found.iloc[0] if len(found) else None


def _line(one: Expected, found: "dict[str, pd.Series[Any] | None]") -> dict[str, str]:
    line = {"expected": one.text, "on": _TITLES[one.data]}
    for name, row in found.items():
        met = row is not None and one.low <= row["value"] <= one.high
        if name == "measured":
            line[name] = NOT_RUN if row is None else with_interval(row["value"], row["low"], row["high"], 3)
            line["result"] = NOT_RUN if row is None else "met" if met else "missed"
        elif row is None:
            line[name] = "" if one.metric == COST and name not in _OF_COST else NOT_RUN
        else:
            line[name] = f"{row['value']:.3f}" + ("" if met else " (missed)")
    return line


def missed(lines: pd.DataFrame) -> dict[str, str]:
    """Say how many of the lines of `expected` each of its columns misses ("6 of 10"); "not run" where one was not.

    Examples
    --------
    >>> lines = pd.DataFrame({"measured": ["0.84", "0.53"], "result": ["missed", "met"], "with ReLU": ["0.93", ""]})
    >>> missed(lines)
    {'measured': '1 of 2', 'with ReLU': '0 of 1'}
    """
    told = {
        "measured": lines["result"],
        **{name: lines[name] for name in lines if name in _COLUMNS and name != "measured"},
    }
    return {
        name: NOT_RUN if (said == NOT_RUN).any() else f"{said.str.contains('missed').sum()} of {(said != '').sum()}"
        for name, said in told.items()
    }
