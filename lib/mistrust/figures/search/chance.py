"""What chance alone gives: SDR on whole pools beside p-values, exact for sorts and simulated where answers are read."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from mistrust.figures.parts import numbers
from mistrust.figures.search.controls import NULL
from mistrust.figures.search.held import queries, wanted
from mistrust.figures.search.parts import (
    classes_in,
    conditions_in,
    in_order,
    is_control,
    outermost,
    short,
    words,
)
from mistrust.figures.written import interval, two
from mistrust.rows import select
from mistrust.search.methods import SEARCHES

HEADS = ("pools", "search", "SDR", "p of each network", "oracles", "mean SDR by chance, in pools of the control")
RARE = 0.05
EXACT, NONE = "none, exact", "not run"
_WHAT = "p-values of searches"


def chance(rows: pd.DataFrame, *, level: float | None = None, conditions: Sequence[str] | None = None) -> pd.DataFrame:
    """Put what each search finds in whole pools beside how rarely chance alone finds as much.

    Chance: errors as often as the confidences say. A p-value that is the least possible with so many simulated oracles
    is written as such ("1 of 51 or fewer").

    Parameters
    ----------
    rows : rows of the chapter, with the table "searches" (metrics whole sdr and p); the last column reads the table
        "controls" (condition control/null).
    level : queries; None for the most that rows have.
    conditions : which; None for the strongest dose of each mechanism.

    Returns
    -------
    Columns `HEADS`, all text, one line per condition and method, of the paper's critical class, else the first; without
    lines where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "searches", "condition": "biased/25", "at": "cat", "level": 50, "seed": 0}
    >>> found = [{"method": "random", "metric": "whole sdr", "value": 1.9, "n": 50}]
    >>> found += [{"method": "random", "metric": "p", "value": 0.0042, "n": 50}]
    >>> found += [{"method": "facility", "metric": "whole sdr", "value": 2.1, "n": 50}]
    >>> found += [{"method": "facility", "metric": "p", "value": 1 / 51, "n": 50}]
    >>> chance(rows.table(found, **common))[["search", "SDR", "p of each network", "oracles"]].values.tolist()
    [['Facility location', '2.10', '1 of 51 or fewer', '50'], ['Random', '1.90', '0.004', 'none, exact']]
    """
    held = _held(rows, level, conditions)
    lines = []
    for condition in conditions_in(held["condition"]):
        own = held[held["condition"] == condition]
        for name in in_order(own["method"]):
            one = own[own["method"] == name]
            p = one[(one["metric"] == "p") & one["seed"].notna()]
            exact = not (name in SEARCHES and SEARCHES[name].adaptive)  # other scores in the same search are sorts, too
            counts = [] if exact else sorted({f"{n:.0f}" for n in p["n"]})
            where = f"{words(str(condition))}, critical class {own['at'].iloc[0]}"
            null = select(rows, table="controls", condition=NULL, metric="sdr", method=name, level=own["level"].iloc[0])
            null = null[null["data"].isin(own["data"])]  # controls of other images are none of this pool's
            lines.append((where, short(name), _found(one), _p(p, exact), ", ".join(counts) or EXACT, _null(null)))
    return pd.DataFrame(lines, columns=list(HEADS))


def rare(rows: pd.DataFrame, *, level: float | None = None, conditions: Sequence[str] | None = None) -> str:
    """Say how many p-values of `chance` are below 0.05, and of how many: "9 of 30"; "not run" where there is none.

    Examples
    --------
    >>> from mistrust import rows
    >>> p = [{"method": "random", "seed": seed, "value": value} for seed, value in enumerate((0.01, 0.4))]
    >>> rare(rows.table(p, table="searches", metric="p", condition="biased/25", at="cat", level=50))
    '1 of 2'
    """
    held = _held(rows, level, conditions)
    p = held[(held["metric"] == "p") & held["seed"].notna()]["value"]
    return f"{int((p < RARE).sum())} of {len(p)}" if len(p) else NONE


def _held(rows: pd.DataFrame, level: float | None, conditions: Sequence[str] | None) -> pd.DataFrame:
    """Rows of the conditions, each with its first critical class alone."""
    level = queries(rows, "searches", level, metric="p")
    held = select(rows, table="searches", level=level, metric=["whole sdr", "p"])
    there = conditions_in(held[held["metric"] == "p"]["condition"])
    strongest = [one for one in outermost(there) if not is_control(one)] or there
    held = held[held["condition"].isin(strongest if conditions is None else wanted(conditions, there, _WHAT))]
    first = {name: classes_in(own["at"])[0] for name, own in held.groupby("condition")}
    return held[held["at"] == held["condition"].map(first)]


def _found(one: pd.DataFrame) -> str:
    """The mean over networks with its interval; of one network alone its own number, whose interval is the factor's."""
    whole = one[one["metric"] == "whole sdr"]
    mean = whole[whole["seed"].isna() & (whole["over"] == "models")]
    if len(mean):
        return "; ".join(interval(*line) for line in numbers(mean[["value", "low", "high"]]))
    return "; ".join(dict.fromkeys(two(value) for value in whole["value"]))


def _p(p: pd.DataFrame, exact: bool) -> str:
    """All of them, the least first; equal ones once, with their number."""
    said = []
    for value, n in p.sort_values("value")[["value", "n"]].itertuples(index=False):
        least = not exact and value * (n + 1) < 1.5
        said.append(f"1 of {n + 1:.0f} or fewer" if least else f"{value:.3f}" if value >= 0.001 else "below 0.001")
    return ", ".join(f"{text} ({count} times)" if count > 1 else text for text, count in Counter(said).items())


def _null(null: pd.DataFrame) -> str:
    """Mean SDR over oracles with its interval, network by network."""
    kept = null[null["seed"].notna()].sort_values("seed")
    return "; ".join(interval(*line) for line in numbers(kept[["value", "low", "high"]])) or NONE
