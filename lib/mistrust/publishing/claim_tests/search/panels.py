"""Values by panel (one model, one critical class) and by model, from rows: gates first.

The tables and their columns stand in `reading`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.over_models import shared
from mistrust.publishing.claim_tests.search.mechanisms import COUNT, MECHANISM
from mistrust.publishing.claim_tests.search.reading import CONDITION, DOSES, MODELS, NONE, PANEL, WAYS, told
from mistrust.publishing.estimates import NotRun, Reader, number
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
        self,
        metric: str,
        method: str = "",
        level: float = NONE,
        conditions: Sequence[str] = (),
        at: str | None = None,
    ) -> "pd.Series[float]":
        """One value per panel, indexed by `PANEL`.

        Parameters
        ----------
        conditions : those that count; none: all that were read.
        at : the critical class that counts; None: all that were read.
        """
        found = self.values.get((metric, method, _level(level)))
        if found is not None:
            all_of = pd.Series(found.tolist(), index=self.index, dtype="float64")
            here = all_of.notna().to_numpy()
            if conditions:
                here = here & self.index.get_level_values("condition").isin(conditions)
            if at is not None:
                here = here & (self.index.get_level_values("at") == at)
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


def passing(rows: Reader, found: pd.DataFrame, at: str | None = None) -> pd.DataFrame:
    """Of rows of single models those of panels that pass the gates; `at`: this critical class only."""
    where = {"condition": sorted(set(found["condition"]))} | ({} if at is None else {"at": at})
    passed = _passed(rows.find(table="panel", metric="gates", **where))
    return found[[panel in passed for panel in zip(*(found[name] for name in PANEL), strict=True)]]


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
    """The mean over the panels of a model; of the same panels for every model of its mechanism, see `complete`.

    Returns
    -------
    Indexed by mechanism, number of panels and seed: models of two mechanisms are two, whatever their seeds.

    Raises
    ------
    NotRun
        No model has all of them.
    """
    whole = complete(values)
    if whole.empty:
        raise NotRun("one model with all of the panels that are compared")
    seeds, names = whole.index.get_level_values("seed"), whole.index.get_level_values("condition").map(_mechanism)
    groups = whole.groupby([names, seeds])
    means, counts = groups.mean(), groups.size()
    levels = [means.index.get_level_values(0), counts.to_list(), means.index.get_level_values(1)]
    return means.set_axis(pd.MultiIndex.from_arrays(levels, names=[MECHANISM, COUNT, "seed"]))


def complete(values: "pd.Series[float]") -> "pd.Series[float]":
    """Those of the values that a mean over panels may take: the same panels of every model.

    A model that lacks a dose or a class differs from the others by that, which is no chance. A condition counts for a
    model only with all of its classes. Of a mechanism those doses count that models enough have in common, as where
    lifts are pooled (`shared`); a model counts that has them all. Nothing is left where a mechanism has no such model.
    """
    names = [str(name) for name in values.index.names]
    where = [names.index(name) for name in CONDITION if name in names]
    seed, at = names.index("seed"), names.index("at") if "at" in names else None
    classes: dict[tuple[str, ...], dict[float, set[str]]] = {}
    for panel in values.index:
        models = classes.setdefault(tuple(panel[place] for place in where), {})
        models.setdefault(panel[seed], set()).add("" if at is None else panel[at])
    having: dict[str, dict[tuple[str, ...], set[float]]] = {}
    for one, models in classes.items():
        most = set[str]().union(*models.values())
        having.setdefault(_mechanism(one[-1]), {})[one] = {model for model, has in models.items() if has == most}
    kept: dict[tuple[str, ...], set[float]] = {}
    for doses in having.values():
        chosen = shared(doses, _enough(doses.values()))
        common = set.intersection(*(doses[one] for one in chosen)) if chosen else set()
        if not common:  # a mean without this mechanism would be one of something else
            return values.iloc[:0]
        kept |= dict.fromkeys(chosen, common)
    return values[[panel[seed] in kept.get(tuple(panel[place] for place in where), ()) for panel in values.index]]


def left_out(values: "pd.Series[float]") -> str:
    """How many networks' differences from a control count, and what `complete` leaves out of them, for readers.

    "; paired by network, n = 4; left out: 12% of cats missing, which with its control 3 networks have".
    """
    from mistrust.figures.search.parts import words  # matplotlib, which no claim needs

    whole = complete(values)
    given, kept = (dict.fromkeys(one.index.get_level_values("condition")) for one in (values, whole))
    lacking = [f"{words(str(one))}, which with its control {_having(values, one)} networks have" for one in given
               if one not in kept]  # fmt: skip
    paired = f"; paired by network, n = {len(set(whole.index.get_level_values('seed')))}"
    return f"{paired}; left out: {', '.join(lacking)}" if lacking else paired


def by_mechanism(values: "pd.Series[float]", judge: Callable[["pd.Series[float]"], Verdict]) -> list[Verdict]:
    """What is said of the panels of each mechanism alone."""
    return [judge(some) for _, some in values.groupby(values.index.get_level_values("condition").map(_mechanism))]


def agreeing(verdict: Verdict, values: "pd.Series[float]", bound: float = 0.0) -> Verdict:
    """The same where every mechanism lies on the mean's side of the bound; else open, whatever the mean says.

    Intervals are between models of the same three mechanisms: they say nothing of what differs between mechanisms.
    """
    known = complete(values.dropna())
    each = known.groupby(known.index.get_level_values("condition").map(_mechanism)).mean()
    lean = {"holds": 1, "does not hold": -1}.get(verdict.verdict, 0)
    aside = [f"{WAYS[str(name)].title} {number(value)}" for name, value in each.items() if (value - bound) * lean < 0]
    if not aside:
        return verdict
    evidence = f"{verdict.evidence}; the mechanisms do not agree: {', '.join(aside)}"
    return replace(verdict, verdict="undecided", evidence=evidence, p=None)


def paired(first: "pd.Series[float]", second: "pd.Series[float]") -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """By model, of those panels that both have."""
    if first.index.equals(second.index):
        return by_model(first), by_model(second)
    both = first.index.intersection(second.index)
    if both.empty:
        raise NotRun("rows of the same panels on both sides")
    return by_model(first.loc[both]), by_model(second.loc[both])


def against(
    rows: Reader, metric: str, conditions: Sequence[str], control: str, at: str | None = None
) -> "pd.Series[float]":
    """By panel with a mechanism: its value minus that of the same model's and class's control."""
    with_it = panels(rows, metric, conditions, table="panel", at=at)
    without = panels(rows, metric, [control], table="panel", at=at).droplevel("condition")
    differences = with_it - without.reindex(with_it.index.droplevel("condition")).to_numpy()
    if differences.isna().all():
        raise NotRun("rows of the same panels on both sides")
    return differences.dropna()


def _having(values: "pd.Series[float]", condition: str) -> int:
    """How many models have all classes of a condition among the values."""
    own = values[values.index.get_level_values("condition") == condition]
    classes = own.groupby(level="seed").size()
    return int((classes == classes.max()).sum())


def _mechanism(condition: str) -> str:
    return condition.partition("/")[0]


def _enough(models: Iterable[Set[float]]) -> int:
    """Models enough for a mean: `MODELS`, or as many as any dose has."""
    return min(MODELS, max(map(len, models)))


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
