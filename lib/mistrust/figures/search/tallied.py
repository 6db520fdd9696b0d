"""How many verdicts on a search there are of each kind, and how many chance alone would give, in words."""

import pandas as pd

from mistrust.figures.search.judged import FEWER, verdict_in_words
from mistrust.figures.search.parts import AD, told
from mistrust.figures.search.said import NOT_RUN, decided_lines, judged_lines
from mistrust.figures.written import many
from mistrust.search.lift import LIFT, NONE, UNDECIDED
from mistrust.search.verdicts import NO_VERDICT

_SIDE = 0.025  # of intervals that hold what is so in 95 of 100 cases lie beyond it on either side
_POOL = ["data", "network", "condition", "at"]


def tally(rows: pd.DataFrame, method: str = AD) -> str:
    """Count the verdicts on the lift of a search.

    Parameters
    ----------
    rows, method : as for `lifted_controls`.

    Returns
    -------
    "1 lift, 4 no lift (1 of them finds fewer), 21 undecided, 10 no verdict"; "not run" where there are no rows of this
    search.

    Examples
    --------
    >>> from mistrust import rows
    >>> made, searched = [], {"table": "searches", "method": "adversarial_distance", "metric": "errors"}
    >>> for level, lift in ((20, 0.8), (50, 1.5)):
    ...     for s in range(5):
    ...         made += [{**searched, "level": level, "seed": s, "value": lift * (9 + s / 4)}]
    ...         made += [{**searched, "level": level, "seed": s, "value": 5, "metric": "expected"}]
    >>> panel = {"pool sdr": 2, "gates": 1}
    >>> made += [{"table": "panel", "seed": s, "metric": m, "value": v} for s in range(5) for m, v in panel.items()]
    >>> held = rows.table(made, condition="gray/gray", at="vehicle")
    >>> tally(held)
    '1 lift, 1 no lift (1 of them finds fewer), 0 undecided, 0 no verdict'
    >>> by_chance(held)
    ('1 pool', '2', '0.1')
    """
    found = judged_lines(rows, method)
    if found is None:
        return NOT_RUN
    count = found["verdict"].value_counts()
    fewer = sum(FEWER in verdict_in_words(*one) for one in found[["verdict", "high"]].itertuples(index=False))
    harm = f" ({fewer} of them {'finds' if fewer == 1 else 'find'} fewer)" if fewer else ""
    each = {one: f"{count.get(one, 0)} {one.partition(':')[0]}" for one in (LIFT, NONE, UNDECIDED, NO_VERDICT)}
    return ", ".join((each | {NONE: each[NONE] + harm}).values())


def with_added(rows: pd.DataFrame, method: str = AD) -> str:
    """Name the lines whose lift has errors added to those found and expected, as a network found less than half of one.

    Parameters
    ----------
    rows, method : as for `tally`.

    Returns
    -------
    "2 (Overfitting, 125 images, class winter at 20 queries; ...)" of the lines that have a verdict, "none"; "not run"
    where there are no rows of this search.

    Examples
    --------
    >>> from mistrust import rows
    >>> with_added(rows.empty())
    'not run'
    """
    found = decided_lines(rows, method)
    if found is None:
        return NOT_RUN
    own = found[found["added"] > 0].to_dict("records")
    each = [f"{told(one['condition'])}, class {one['at']} at {one['level']:g}" for one in own]
    return f"{len(each)} ({'; '.join(each)} queries)" if each else "none"


def by_chance(rows: pd.DataFrame, method: str = AD) -> tuple[str, str, str]:
    """Say how many pools have a verdict, on how many lines, and how many of these lie above 1 if no search helped.

    A pool has a line for each number of queries, and these share queries: lines are not so many observations.

    Parameters
    ----------
    rows, method : as for `tally`.

    Returns
    -------
    "17 pools", "34", "0.9": one in forty of the lines, as many again below 1; three times "not run" where there are no
    rows of this search.

    Examples
    --------
    >>> from mistrust import rows
    >>> by_chance(rows.empty())
    ('not run', 'not run', 'not run')
    """
    found = decided_lines(rows, method)
    if found is None:
        return NOT_RUN, NOT_RUN, NOT_RUN
    pools = len(found.drop_duplicates(_POOL))
    return many(pools, "pool"), f"{len(found)}", f"{_SIDE * len(found) + 1e-9:.1f}"
