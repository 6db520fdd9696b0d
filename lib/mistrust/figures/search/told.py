"""Sentences beside pictures: what the first answers of one search are worth, and whether errors found are bright."""

import pandas as pd

from mistrust.figures.parts import and_so_on, means, numbers, singles
from mistrust.figures.search.explained import BRIGHT
from mistrust.figures.search.one_search import Asked, asked_of
from mistrust.figures.search.parts import classes_in, conditions_in, words
from mistrust.figures.search.said import NOT_RUN
from mistrust.figures.written import interval, two
from mistrust.rows import select

METRIC = "whole sdr"


def first_answers(rows: pd.DataFrame) -> tuple[str, str, str]:
    """Say what the searches that are shown query by query find later in the same pool, and what their first SDR hides.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "steps" (which searches of which pool are shown), "searches" (metric
        whole sdr, of that pool) and "panel" (pool sdr).

    Returns
    -------
    Each search's SDR after the most queries, the pool's own SDR, and the exact interval of the first search after the
    least number of queries; "not run" three times where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> here = {"condition": "biased/25", "at": "cat", "seed": 0}
    >>> step = {"table": "steps", "level": 1}
    >>> steps = [{**step, "metric": "answer", "value": 1}, {**step, "metric": "confidence", "value": 0.9}]
    >>> whole = {"table": "searches", "metric": "whole sdr", "low": 0.5, "high": 2}
    >>> later = [{**whole, "level": level, "value": value} for level, value in ((20, 1.5), (50, 1.1))]
    >>> pool = {"table": "panel", "metric": "pool sdr", "value": 1.2, "method": ""}
    >>> first_answers(rows.table([{"method": "random", **one, **here} for one in (*steps, *later, pool)]))
    ('Random 1.10 at 50 queries', '1.20', 'Random at 20: 0.50 to 2.00')
    """
    nothing = NOT_RUN, NOT_RUN, NOT_RUN
    if select(rows, table="steps").empty:
        return nothing
    shown = asked_of(rows)
    found, pool = _whole(rows, shown), _pool(rows, shown)
    if found.empty or pool is None:
        return nothing
    last, first = found["level"].max(), found["level"].min()
    late = found[found["level"] == last].set_index("method")["value"]
    each = and_so_on(f"{words(name)} {two(late[name])}" for name in shown.searches if name in late)
    name = next(iter(shown.searches))
    early = found[(found["level"] == first) & (found["method"] == name)]
    ends = " to ".join(two(one) for one in numbers(early[["low", "high"]])[0]) if len(early) else NOT_RUN
    return f"{each} at {last:g} queries", two(pool), f"{words(name)} at {first:g}: {ends}"


def _of(held: pd.DataFrame, shown: Asked) -> pd.DataFrame:
    """Of rows of single networks those of the pool that is shown: of its first network."""
    held = singles(select(held, data=shown.data, condition=shown.condition, at=shown.at))
    return held[held["seed"] == held["seed"].min()]


def _whole(rows: pd.DataFrame, shown: Asked) -> pd.DataFrame:
    return _of(select(rows, table="searches", metric=METRIC, method=list(shown.searches)), shown)


def _pool(rows: pd.DataFrame, shown: Asked) -> float | None:
    found = _of(select(rows, table="panel", metric="pool sdr"), shown)["value"]
    return float(found.iloc[0]) if len(found) else None


def brightest(rows: pd.DataFrame) -> str:
    """Say how bright the first errors found are beside all errors of their pool, under each dose: these may differ.

    Parameters
    ----------
    rows : rows of the chapter, with the table "explained" (metric brightness).

    Returns
    -------
    "with 25% of cats missing the first 12 by 0.12 (-0.20 to 0.44) standard deviations, all errors of the pool by 0.46
    (0.26 to 0.66)", and so on for each dose; "not run" where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"table": "explained", "metric": "brightness", "condition": "biased/25", "at": "cat", "over": "models"}
    >>> found = [{"level": 12, "value": 0.1, "low": -0.2, "high": 0.4}, {"value": 0.5, "low": 0.3, "high": 0.7}]
    >>> brightest(rows.table(found, **one))
    'with 25% of cats missing the first 12 by 0.10 (-0.20 to 0.40), all errors of the pool by 0.50 (0.30 to 0.70)'
    """
    held = select(rows, table="explained", metric=BRIGHT)
    held = held[held["at"] != ""]
    biased = [one for one in conditions_in(held["condition"]) if one.startswith("biased/")]
    each = [_brighter(held[held["condition"] == one], words(one)) for one in biased]
    return "; ".join(filter(None, each)) or NOT_RUN


def _brighter(held: pd.DataFrame, dose: str) -> str:
    held = held[held["at"] == classes_in(held["at"])[0]]
    first, every = held[held["level"] == held["level"].max()], held[held["level"].isna()]
    if first.empty or every.empty:
        return ""
    said = [interval(*numbers(means(one)[["value", "low", "high"]])[0]) for one in (first, every)]
    return f"with {dose} the first {first['level'].iloc[0]:g} by {said[0]}, all errors of the pool by {said[1]}"
