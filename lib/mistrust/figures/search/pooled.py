"""What a lift pooled over mechanisms rests on, and how two searches differ network by network, in words."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.evaluation import between_models
from mistrust.figures.parts import numbers
from mistrust.figures.search.held import queries
from mistrust.figures.search.parts import AD, BESIDE, EVERY, conditions_in, is_control, mechanism, told
from mistrust.figures.search.said import NOT_RUN, decided_lines
from mistrust.figures.written import interval
from mistrust.rows import select
from mistrust.search.experiment.over_models import MODEL, PANEL
from mistrust.search.lift import LEAST, LIFT, combined, lift

Array = NDArray[np.float64]


def pooled_doses(rows: pd.DataFrame, method: str = AD) -> str:
    """Name the doses whose lifts are pooled, as the rows note them.

    Parameters
    ----------
    rows : rows of the chapter, with the table "overall".
    method : the search.

    Returns
    -------
    The doses with their mechanisms; "not run" where no lift is pooled.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"table": "overall", "condition": "all", "metric": "lift", "method": "adversarial_distance", "level": 50}
    >>> held = rows.table([{**one, "value": 1.1, "note": "biased/25, gray/gray"}])
    >>> pooled_doses(held)
    'Biased training, 25% of cats missing; Shift to grey, grey images'
    """
    return "; ".join(map(told, _noted(rows, EVERY, method))) or NOT_RUN


def unpooled(rows: pd.DataFrame, method: str = AD) -> str:
    """Name the doses of a mechanism that have pools and are not among those pooled; "none" where all are.

    Controls, and what code does in the place of what its paper says, are no doses.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "overall" and "panel".
    method : the search.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"table": "overall", "condition": "all", "metric": "lift", "method": "adversarial_distance", "level": 50}
    >>> pool = {"table": "panel", "metric": "pool", "at": "cat", "value": 900}
    >>> pools = [{**pool, "condition": f"biased/{dose}"} for dose in (0, 12, 25)]
    >>> unpooled(rows.table([{**one, "value": 1.1, "note": "biased/25"}, *pools]))
    'Biased training, 12% of cats missing'
    """
    kept = _noted(rows, EVERY, method)
    if not kept:
        return NOT_RUN
    held = select(rows, table="panel")
    there = conditions_in(held[held["at"] != ""]["condition"])
    return "; ".join(told(one) for one in there if not (one in kept or one in BESIDE or is_control(one))) or "none"


def lifted_doses(rows: pd.DataFrame, method: str = AD) -> str:
    """Say on how many lines the verdict is a lift, and how many of these are of doses that the pooled lift counts.

    Parameters
    ----------
    rows : rows of the chapter, as `mistrust.search.verdicts.verdicts` reads them, with the table "overall".
    method : the search.

    Returns
    -------
    "5 of 34, none of them of a dose that is pooled"; "not run" where there are no rows of this search.

    Examples
    --------
    >>> from mistrust import rows
    >>> lifted_doses(rows.empty())
    'not run'
    """
    found = decided_lines(rows, method)
    if found is None:
        return NOT_RUN
    lifted = found[found["verdict"] == LIFT]
    if lifted.empty:
        return f"none of {len(found)}"
    counted = int(lifted["condition"].isin(_noted(rows, EVERY, method)).sum())
    return f"{len(lifted)} of {len(found)}, {counted or 'none'} of them of a dose that is pooled"


def of_all_panels(rows: pd.DataFrame, method: str = AD, level: float | None = None) -> str:
    """Say the lift pooled over all panels that pass their gates, controls among them: does the choice matter?

    Networks differ by the doses that they have, which no interval between them knows of: a check of the pooled lift,
    not one to be put in its place. What code does in the place of what its paper says is left out.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "searches" and "panel" of single models.
    method : the search.
    level : queries; None for the most that rows have.

    Returns
    -------
    The lift with its interval; "not run" where a mechanism has fewer than five networks, or there is but one.

    Examples
    --------
    >>> from mistrust import rows
    >>> of_all_panels(rows.empty())
    'not run'
    """
    level = queries(rows, "searches", level)
    there = conditions_in(select(rows, table="searches", method=method)["condition"])
    doses = [one for one in there if one not in BESIDE]
    found = []
    for name in dict.fromkeys(map(mechanism, doses)):
        own = _by_network(rows, method, [one for one in doses if mechanism(one) == name], "lift", level)
        summed = own.groupby(level=["data", "network", "seed"]).sum()
        if len(summed) < LEAST:
            return NOT_RUN
        found.append(lift(numbers(summed["errors"]), numbers(summed["against"]), np.ones(len(summed))))
    if len(found) < 2:
        return NOT_RUN
    whole = combined([float(np.log(one.value)) for one in found], [one.log_error for one in found])
    return interval(whole.value, whole.low, whole.high)


def paired(
    rows: pd.DataFrame, first: str, second: str = AD, *, metric: str = "lift", level: float | None = None
) -> str:
    """Say the ratio of two searches' lifts, network by network, pooled as the lifts themselves are.

    Two intervals that overlap say little of the difference between searches of the same pools: what the pools share
    falls out of the ratio.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "overall" (which doses count), "searches" and "panel" of single models.
    first, second : the searches, the first over the second.
    metric : "lift" or "matched lift".
    level : queries; None for the most that rows have.

    Returns
    -------
    The ratio with its interval; "not run" where fewer than five networks of a mechanism have both searches.

    Examples
    --------
    >>> from mistrust import rows
    >>> paired(rows.empty(), "residual_knn")
    'not run'
    """
    level = queries(rows, "searches", level)
    scopes = select(rows, table="overall", metric=metric, method=second, level=level)["condition"]
    names = [one for one in dict.fromkeys(scopes) if one != EVERY]
    logs: list[float] = []
    errors: list[float] = []
    for name in names:
        doses = _noted(rows, name, second, metric=metric, level=level)
        above, below = (_of_models(rows, one, doses, metric, level) for one in (first, second))
        both = above.index.intersection(below.index)
        if len(both) < LEAST:
            return NOT_RUN
        first_lifts, second_lifts = (
            lift(numbers(one.loc[both, "errors"]), numbers(one.loc[both, "against"]), np.ones(len(both))).models
            for one in (above, below)
        )
        found = np.log(first_lifts / second_lifts)
        logs.append(float(found.mean()))
        errors.append(float(found.std(ddof=1) / np.sqrt(len(found))))
        if len(names) == 1:
            alone = between_models(found)
            return interval(float(np.exp(alone.value)), float(np.exp(alone.low)), float(np.exp(alone.high)))
    if not names or min(errors) <= 0:
        return NOT_RUN
    whole = combined(logs, errors)
    return interval(whole.value, whole.low, whole.high)


def _noted(rows: pd.DataFrame, scope: str, method: str, **where: object) -> list[str]:
    """The conditions that a pooled lift counts, out of its note."""
    held = select(rows, table="overall", condition=scope, method=method, **({"metric": "lift"} | where))
    notes = {one for note in held["note"] for one in str(note).split(", ") if one}
    return conditions_in(notes)


def _of_models(rows: pd.DataFrame, method: str, doses: list[str], metric: str, level: float) -> pd.DataFrame:
    """Errors and what they are held against, by network that has all doses: summed over these and their classes."""
    by_model = _by_network(rows, method, doses, metric, level).groupby(level=["data", "network", "seed"])
    whole = by_model.size() == len(doses)
    return by_model.sum()[whole]


def _by_network(rows: pd.DataFrame, method: str, doses: list[str], metric: str, level: float) -> pd.DataFrame:
    """Errors and what they are held against, by network and dose: summed over classes that pass the gates."""
    what = "expected" if metric == "lift" else "expected alike"
    held = select(rows, table="searches", method=method, level=level, condition=doses, metric=["errors", what])
    wide = held[held["seed"].notna()].pivot(index=PANEL, columns="metric", values="value")
    panel = select(rows, table="panel", condition=doses, metric=["gates", "pool sdr"])
    own = panel[panel["seed"].notna()].pivot(index=PANEL, columns="metric", values="value")
    wide = wide.join(own).dropna()
    wide = wide[wide["gates"] == 1]
    against = wide[what] * (wide["pool sdr"] if metric == "lift" else 1.0)
    return pd.DataFrame({"errors": wide["errors"], "against": against}).groupby(level=MODEL).sum()
