"""What the chapter may conclude on a search: lift by mechanism, dose and critical class, and a verdict each (facts 12).

A panel is one model and one critical class. Panels that miss a gate are left out; where all do, what they show is shown
without a verdict. A model that names no image of a class surely enough has no pool there, and is none of those that
count.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import NoRows, UnknownName, check_known
from mistrust.evaluation import between_models
from mistrust.rows import select
from mistrust.search.experiment.conditions import NAMED, condition
from mistrust.search.experiment.over_models import AGAINST, PANEL
from mistrust.search.gates import GATES, UNKNOWN
from mistrust.search.lift import LEAST, lift, to_add, verdict
from mistrust.search.mechanisms import MECHANISMS
from mistrust.search.methods import SEARCHES
from mistrust.search.tables import LEVELS
from mistrust.search.tables.orders import AD

NO_VERDICT = "no verdict: gates missed"
NOT_JUDGED = "gates not judged"
BAR = GATES["models"].bar
WHERE = [name for name in PANEL if name != "seed"]
COLUMNS = (
    *WHERE,
    "level",
    "lift",
    "low",
    "high",
    "models",
    "trained",
    "smallest",
    "at best",
    "missed",
    "without",
    "verdict",
    "added",
)
NAN = float("nan")


def verdicts(
    rows: pd.DataFrame, method: str = AD, levels: Iterable[float] | None = None, *, metric: str = "lift"
) -> pd.DataFrame:
    """Give the lift of a search for each image set, mechanism, dose and critical class, and what can be said of it.

    Parameters
    ----------
    rows : rows of the chapter: tables "panel" (pool sdr, gates) and "searches" (errors, expected) of single models.
    method : the search.
    levels : numbers of queries; None takes those of 20 and 50 that the search has rows of.
    metric : "lift" (SDR over the pool's own), or "matched lift" (errors over those that pool members of equal
        confidence lead to expect).

    Returns
    -------
    One row per condition, critical class and level, in the order of mechanisms and doses, with the columns

    - data, network, condition ("biased/25"), at (the critical class), level (queries);
    - lift, low, high: geometric mean over models and its interval by Student's t on logarithms, NaN for one model;
    - models: how many that is over: those that pass all gates; all of them where fewer than five do;
    - trained: how many models have a lift at all, whether or not they pass;
    - smallest: the smallest lift whose interval would have stayed above 1 half of the time, as models scattered here;
      "at best": the same if they differed by the chance of one search each (of five models or more);
    - missed: the gates that are missed, and by how many of the models with a pool, a lift or not; of too few models how
      many have a pool, and a lift; empty where five models or more have one and none misses a gate;
    - without: in words, the lift without the models that miss a gate, where all are shown;
    - verdict: "lift" (the whole interval is above 1), "no lift" (all of it is below 1.25), "undecided", or
      "no verdict: gates missed" where fewer than five models pass;
    - added: errors that were added to those found and to those expected of every model (`mistrust.search.lift`), 0
      where each found half of one or more.

    Raises
    ------
    MistrustError
        An unknown metric; no rows of single models of this search, or not at one of these levels.
    """
    check_known("metric of verdicts", metric, AGAINST)
    gates, pools = _gates(rows), _pools(rows)
    if levels is None:
        there = set(select(rows, table="searches", method=method)["level"])
        levels = [level for level in LEVELS if level in there] or LEVELS  # of a small budget, not the largest
    found = [one for level in levels for one in _at(rows, method, float(level), metric, gates, pools)]
    order = [condition(name, dose) for name in NAMED for dose in MECHANISMS[name].doses]
    frame = pd.DataFrame(found, columns=list(COLUMNS))
    place = [order.index(name) if name in order else len(order) for name in frame["condition"]]
    keys = ["place", *(name for name in WHERE if name != "network"), "network", "level"]
    return frame.assign(place=place).sort_values(keys, kind="stable", ignore_index=True).drop(columns="place")


def _at(
    rows: pd.DataFrame, method: str, level: float, metric: str, gates: pd.DataFrame, pools: Counter[tuple[object, ...]]
) -> Iterator[dict[str, object]]:
    held = select(rows, table="searches")
    held = held[held["seed"].notna()]
    if method not in set(held["method"]):
        if method in SEARCHES:  # a run may have left it out
            raise NoRows(f"There are no rows of single models of '{method}': name it in methods, or in also.")
        raise UnknownName("search with rows of single models", method, held["method"])
    held = held[held["method"] == method]
    if level not in set(held["level"]):
        raise NoRows(f"There are no rows of '{method}' at {level:g} queries; there are {sorted(set(held['level']))}.")
    held = held[held["level"] == level]
    what, pooled = AGAINST[metric]
    wide = held.pivot(index=PANEL, columns="metric", values="value").reindex(columns=["errors", what])
    if pooled:
        own = select(rows, table="panel", metric="pool sdr")
        wide = wide.join(own[own["seed"].notna()].set_index(PANEL)["value"].rename("pool"), how="left")
        wide[what] *= wide["pool"]
    wide = wide.dropna()
    # Where nothing is expected there is no lift: such a pool has no errors.
    wide = wide[wide[what] > 0].join(gates, how="left")
    wide["passed"] = wide["passed"].eq(1.0)
    wide["note"] = wide["note"].fillna(NOT_JUDGED)
    # Of a pool too small for so many queries there is no lift, but it has missed gates as well as any.
    missing = dict(list(gates[gates["passed"].ne(1.0)].groupby(level=WHERE)))
    for where, group in wide.groupby(level=WHERE):
        several = max(pools[where], len(group))
        few = _few(several, len(group))
        beyond = missing[where].drop(group.index, errors="ignore")["note"].tolist() if where in missing else []
        yield {**dict(zip(WHERE, where, strict=True)), "level": level, **_judged(group, what, few, several, beyond)}


def _gates(rows: pd.DataFrame) -> pd.DataFrame:
    """Whether each panel passes its gates (1 or 0), and the note of those that it misses."""
    found = select(rows, table="panel", metric="gates")
    found = found[found["seed"].notna()].set_index(PANEL)
    return found[["value", "note"]].rename(columns={"value": "passed"})


def _pools(rows: pd.DataFrame) -> Counter[tuple[object, ...]]:
    """How many models have a pool, by everything that a panel has but its seed."""
    found = select(rows, table="panel")
    found = found[(found["at"] != "") & found["seed"].notna()].drop_duplicates(PANEL)
    return Counter(found[WHERE].itertuples(index=False, name=None))


def _few(pools: int, lifts: int) -> str:
    """What is said where fewer models than the gate asks for can have a verdict at all, in the words of the gates."""
    if pools < BAR:
        return f"models with a pool: {pools}, expected >= {BAR:g}"
    # A pool may be too small for so many queries, or hold no error.
    return f"models with a lift at so many queries: {lifts}, expected >= {BAR:g}" if lifts < BAR else ""


def _judged(group: pd.DataFrame, what: str, few: str, several: int, beyond: list[str]) -> dict[str, object]:
    """What is said of models with a lift; `several` have a pool, those without a lift the notes `beyond`."""
    passing = group[group["passed"]]
    enough = len(passing) >= LEAST
    used = passing if enough else group
    found = _lift(*np.asarray(used[["errors", what]], dtype=np.float64).T)
    notes = [*group[~group["passed"]]["note"], *beyond]
    return {
        **found, "models": len(used), "trained": len(group),
        "missed": "; ".join(filter(None, [_missed(notes, several), few])),
        "without": "" if enough else _without(passing, group, what),
        "verdict": verdict(found["low"], found["high"]) if enough else NO_VERDICT,
    }  # fmt: skip


def _without(passing: pd.DataFrame, group: pd.DataFrame, what: str) -> str:
    """Say the lift without the models that miss a gate, where those left are too few for a verdict (facts 12)."""
    if not 2 <= len(passing) < len(group):
        return ""
    one = _lift(*np.asarray(passing[["errors", what]], dtype=np.float64).T)
    return f"lift without them: {one['lift']:.2f} ({one['low']:.2f} to {one['high']:.2f})"


def _lift(errors: NDArray[np.float64], against: NDArray[np.float64]) -> dict[str, float]:
    """Lift over models; of fewer than `mistrust.search.lift` takes, the same interval, for show and wide as it is."""
    added = to_add(errors)
    if len(errors) >= LEAST:
        one = lift(errors, against, np.ones(len(errors)))
        return {"lift": one.value, "low": one.low, "high": one.high, "smallest": one.smallest, "at best": one.at_best,
                "added": added}  # fmt: skip
    mean = between_models(np.log((errors + added) / (against + added)))
    value, low, high = (float(np.exp(one)) for one in (mean.value, mean.low, mean.high))
    smallest = float(np.sqrt(high / low))
    return {"lift": value, "low": low, "high": high, "smallest": smallest, "at best": NAN, "added": added}


def _missed(notes: list[str], several: int) -> str:
    """The gates that models miss, as the notes of their rows name them, with the number of models.

    That of too few models is one of the condition and not of a model: `_few` says it.
    """
    count = Counter(_title(text) for note in notes for text in note.split("; ") if text)
    del count[GATES["models"].title]
    often = sorted(count.items(), key=lambda one: (-one[1], one[0]))
    return "; ".join(f"{title} ({number} of {several} models)" for title, number in often)


def _title(text: str) -> str:
    """What a gate's line is about: "errors in the pool: 12, expected >= 25: missed" without its number."""
    title, colon, rest = text.partition(":")
    return f"{title}, not measured" if colon and rest.endswith(UNKNOWN) else title
