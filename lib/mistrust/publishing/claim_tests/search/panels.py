"""Values by panel (one model, one critical class) and by model, from rows: gates first.

The tables and their columns stand in `reading`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.publishing.claim_tests.search.reading import DOSES, NONE, PANEL, told
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict

_SEVERAL = "Several rows of one panel where one was expected"
_NO_PANEL = pd.MultiIndex.from_arrays([[] for _ in PANEL], names=list(PANEL))


@dataclass(frozen=True)
class Panels:
    """Values of panels that pass the gates: read once, asked for many times.

    Attributes
    ----------
    index : the panels, levels `PANEL`.
    values : (metric, method, level) -> one number per panel, NaN where there is none; a level that is empty is None.
    """

    index: pd.MultiIndex
    values: Mapping[tuple[str, str, float | None], NDArray[np.float64]]

    def of(
        self, metric: str, method: str = "", level: float = NONE, conditions: Sequence[str] = ()
    ) -> "pd.Series[float]":
        """One value per panel, indexed by `PANEL`.

        Parameters
        ----------
        conditions : those that count; none: all that were read.
        """
        found = self.values.get((metric, method, _level(level)))
        if found is not None:
            all_of = pd.Series(found.tolist(), index=self.index, dtype="float64")
            here = all_of.notna().to_numpy()
            if conditions:
                here = here & self.index.get_level_values("condition").isin(conditions)
            if here.any():
                return all_of[here]
        raise NotRun(f"{told(metric, method, level, conditions)}, of panels that pass the gates")


def read(
    rows: Reader,
    table: str,
    metrics: Sequence[str],
    methods: Sequence[str] = ("",),
    levels: Sequence[float] = (NONE,),
    conditions: Sequence[str] = DOSES,
    at: str | None = None,
) -> Panels:
    """Rows of a table by panel, of panels that pass the gates.

    Parameters
    ----------
    at : this critical class only; None: all.

    Raises
    ------
    MistrustError
        Two rows for the same thing of one panel.
    """
    where = {"condition": list(conditions)} | ({} if at is None else {"at": at})
    passed = _passed(rows.find(table="panel", metric="gates", **where))
    found = rows.find(table=table, metric=list(metrics), method=list(methods), level=list(levels), **where)
    values: dict[tuple[str, str, float | None], NDArray[np.float64]] = {}
    # Plain tuples: a frame for each of a hundred combinations costs a second.
    columns = (*PANEL, "metric", "method", "level", "value")
    for *panel, metric, method, level, value in zip(*(found[name] for name in columns), strict=True):
        place = passed.get(tuple(panel))
        if place is None:
            continue
        of = values.setdefault((metric, method, _level(level)), np.full(len(passed), np.nan))
        if not np.isnan(of[place]):
            what = told(metric, method, level, conditions)
            raise MistrustError(f"{_SEVERAL}: {what}.")
        of[place] = value
    return Panels(pd.MultiIndex.from_tuples(list(passed), names=list(PANEL)) if passed else _NO_PANEL, values)


def panels(
    rows: Reader,
    metric: str,
    conditions: Sequence[str],
    *,
    table: str = "searches",
    method: str = "",
    level: float = NONE,
    at: str | None = None,
) -> "pd.Series[float]":
    """One value per panel, read alone: see `read` and `Panels.of`."""
    return read(rows, table, [metric], [method], [level], conditions, at).of(metric, method, level, conditions)


def networks(rows: Reader, metric: str, conditions: Sequence[str]) -> "pd.Series[float]":
    """One value per network (empty `at`), indexed by `PANEL`; gates are of panels, not of networks."""
    what = told(metric, "", NONE, conditions)
    found = _single(rows.find(table="panel", metric=metric, condition=list(conditions), at=""), what)
    if found.empty:
        raise NotRun(what)
    return found


def attacked(rows: Reader, metric: str) -> "pd.Series[float]":
    """One value per panel of the boundary attack, with the most steps that this panel has."""
    found = rows.find(table="attack", method="boundary", metric=metric)
    found = found[found["seed"].notna()].sort_values("level")
    last = found.drop_duplicates([*PANEL], keep="last")
    values = _single(last, f"boundary attack: {metric}")
    if values.empty:
        raise NotRun(f"boundary attack: {metric}")
    return values


def by_model(values: "pd.Series[float]") -> "pd.Series[float]":
    """The mean over the panels of a model, by seed."""
    return values.groupby(level="seed").mean()


def by_mechanism(values: "pd.Series[float]", judge: Callable[["pd.Series[float]"], Verdict]) -> list[Verdict]:
    """What is said of the panels of each mechanism alone."""
    way = values.index.get_level_values("condition").str.partition("/").get_level_values(0)
    return [judge(some) for _, some in values.groupby(way)]


def paired(first: "pd.Series[float]", second: "pd.Series[float]") -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """By model, of those panels that both have."""
    if first.index.equals(second.index):
        return by_model(first), by_model(second)
    both = first.index.intersection(second.index)
    if both.empty:
        raise NotRun("rows of the same panels on both sides")
    return by_model(first.loc[both]), by_model(second.loc[both])


def against(rows: Reader, metric: str, conditions: Sequence[str], control: str) -> "pd.Series[float]":
    """By model: the mean over panels with a mechanism, minus that over its control."""
    with_it = by_model(panels(rows, metric, conditions, table="panel"))
    return with_it - by_model(panels(rows, metric, [control], table="panel"))


def _passed(gates: pd.DataFrame) -> dict[tuple[str | float, ...], int]:
    """The panels that pass, numbered in their order; plain tuples, as an index of panels costs a millisecond."""
    known = gates[gates["seed"].notna()]
    each = [*zip(*(known[name] for name in PANEL), strict=True)]
    if len(set(each)) < len(each):
        raise MistrustError(f"{_SEVERAL}: gates.")
    passing = [panel for panel, gate in zip(each, known["value"], strict=True) if gate == 1]
    return {panel: place for place, panel in enumerate(passing)}


def _level(level: float) -> float | None:
    """A level as a key: an empty one equals itself."""
    return None if math.isnan(level) else level


def _single(found: pd.DataFrame, what: str) -> "pd.Series[float]":
    found = found[found["seed"].notna()]
    if found.duplicated([*PANEL]).any():
        raise MistrustError(f"{_SEVERAL}: {what}.")
    return found.set_index([*PANEL])["value"]
