"""What the chapter's sentences say of many rows at once, in words."""

import pandas as pd

from mistrust.figures.parts import and_so_on, numbers
from mistrust.figures.search.parts import AD, is_control, mechanism, told, words
from mistrust.figures.written import interval
from mistrust.rows import select
from mistrust.search.lift import LIFT
from mistrust.search.verdicts import NO_VERDICT, verdicts

NOT_RUN = "not run"
_MODEL = ["data", "network", "condition", "seed"]


def accuracies(rows: pd.DataFrame, name: str) -> str:
    """Say from which accuracy on test images to which the networks of a mechanism reach, all doses, by its prefix.

    Those that have no pool of any class are left out, since there is nothing to search: `collapsed` names them.

    Parameters
    ----------
    rows : rows of the chapter, with the table "panel" of single networks.
    name : of the mechanism in rows ("biased").

    Returns
    -------
    "62% to 74%"; "not run" where there are no such networks.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"seed": seed, "value": value} for seed, value in enumerate((0.62, 0.74, 0.51))]
    >>> pools = [{"seed": seed, "value": 900, "metric": "pool", "at": "cat"} for seed in (0, 1)]
    >>> found = [{"metric": "accuracy", **one} for one in found]
    >>> held = rows.table([*found, *pools], table="panel", condition="biased/12")
    >>> accuracies(held, "biased"), collapsed(held, "biased")
    ('62% to 74%', '51% (12% of cats missing)')
    """
    found, searched = _networks(rows, name)
    found = found[searched]
    return f"{found['value'].min():.0%} to {found['value'].max():.0%}" if len(found) else NOT_RUN


def collapsed(rows: pd.DataFrame, name: str) -> str:
    """Say the accuracy of each network of a mechanism that has no pool of any class; "none" where all have one.

    Parameters
    ----------
    rows, name : as for `accuracies`.

    Examples
    --------
    >>> from mistrust import rows
    >>> collapsed(rows.empty(), "biased")
    'not run'
    """
    found, searched = _networks(rows, name)
    if found.empty:
        return NOT_RUN
    lost = found[~searched].sort_values(["condition", "seed"])
    each = [f"{value:.0%} ({words(one)})" for value, one in zip(lost["value"], lost["condition"], strict=True)]
    return and_so_on(each) if each else "none"


def _networks(rows: pd.DataFrame, name: str) -> tuple[pd.DataFrame, "pd.Series[bool]"]:
    """Give the accuracies of single networks of a mechanism, and whether each has a pool of any class."""
    held = select(rows, table="panel")
    held = held[held["seed"].notna() & (held["condition"].map(mechanism) == name)]
    found = held[(held["at"] == "") & (held["metric"] == "accuracy")]
    pools = set(held[held["at"] != ""][_MODEL].itertuples(index=False, name=None))
    known = [one in pools for one in found[_MODEL].itertuples(index=False, name=None)]
    return found, pd.Series(known, index=found.index, dtype=bool)


def lifted_controls(rows: pd.DataFrame, method: str = AD) -> str:
    """Say of which controls, without the mechanism, the verdict is a lift, and of how many there is one.

    Parameters
    ----------
    rows : rows of the chapter, as `mistrust.search.verdicts.verdicts` reads them.
    method : the search.

    Returns
    -------
    "1 of 8 (...)", "none of 8"; "not run" where there are no rows of this search.

    Examples
    --------
    >>> from mistrust import rows
    >>> made, searched = [], {"table": "searches", "method": "adversarial_distance"}
    >>> for level, lift in ((20, 1.0), (50, 1.5)):
    ...     for s in range(5):
    ...         found = {"errors": lift * (9 + s / 4), "expected": 5}
    ...         made += [{**searched, "level": level, "seed": s, "metric": m, "value": v} for m, v in found.items()]
    >>> panel = {"pool sdr": 2, "gates": 1}
    >>> made += [{"table": "panel", "seed": s, "metric": m, "value": v} for s in range(5) for m, v in panel.items()]
    >>> lifted_controls(rows.table(made, condition="gray/rgb", at="vehicle"))
    '1 of 2 (Shift to grey, colour images, class vehicle at 50 queries: 1.42 (1.35 to 1.50))'
    """
    found = decided_lines(rows, method)
    if found is None:
        return NOT_RUN
    found = found[found["condition"].map(is_control)]
    return _those(found, found["verdict"] == LIFT)


def below_pool(rows: pd.DataFrame, method: str = AD) -> str:
    """Say where a search finds fewer errors than random search would: the whole interval of its lift is below 1.

    The verdict there is "no lift", which alone does not tell a search that does nothing from one that does harm.

    Parameters
    ----------
    rows, method : as for `lifted_controls`.

    Returns
    -------
    "2 of 24 (...)" of the lines that have a verdict, "none of 24"; "not run" where there are no rows of this search.

    Examples
    --------
    >>> from mistrust import rows
    >>> below_pool(rows.empty())
    'not run'
    """
    found = decided_lines(rows, method)
    if found is None:
        return NOT_RUN
    return _those(found, found["high"] < 1)


def judged_lines(rows: pd.DataFrame, method: str) -> pd.DataFrame | None:
    """Give the lines of verdicts on a search; None where there are no rows of it."""
    held = select(rows, table="searches", method=method)
    return verdicts(rows, method) if held["seed"].notna().any() else None


def decided_lines(rows: pd.DataFrame, method: str) -> pd.DataFrame | None:
    """Give those of them that have a verdict: networks enough pass the gates."""
    found = judged_lines(rows, method)
    return None if found is None else found[found["verdict"] != NO_VERDICT]


def _those(found: pd.DataFrame, mask: "pd.Series[bool]") -> str:
    """Say how many lines they are, and the lift of each."""
    each = [
        f"{told(one['condition'])}, class {one['at']} at {one['level']:g} queries: "
        f"{interval(one['lift'], one['low'], one['high'])}"
        for one in found[mask].to_dict("records")
    ]
    return f"{len(each) or 'none'} of {len(found)}" + (f" ({'; '.join(each)})" if each else "")


def noise_starts(rows: pd.DataFrame) -> str:
    """Say in how many of the pools that the boundary attack was run on its images start from noise.

    Parameters
    ----------
    rows : rows of the chapter, with the table "attack" (metric noise starts, single models).

    Returns
    -------
    "noise starts every image in 1 of 3, none in 1 and some in 1"; "not run" where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> shares = [{"value": share, "at": at} for at, share in (("cat", 1.0), ("dog", 0.0), ("vehicle", 0.4))]
    >>> common = {"table": "attack", "metric": "noise starts", "method": "boundary", "level": 1000, "seed": 0}
    >>> noise_starts(rows.table(shares, **common))
    'noise starts every image in 1 of 3, none in 1 and some in 1'
    """
    found = select(rows, table="attack", metric="noise starts")
    found = found[found["seed"].notna()].sort_values("level").drop_duplicates([*_MODEL, "at"], keep="last")
    if found.empty:
        return NOT_RUN
    share = found["value"]
    kinds = {"every image": share == 1, "none": share == 0, "some": (share > 0) & (share < 1)}
    each = [f"{what} in {int(mask.sum())}" for what, mask in kinds.items() if mask.any()]
    return f"noise starts {and_so_on([f'{each[0]} of {len(found)}', *each[1:]])}"


def authors_lift(rows: pd.DataFrame, level: float, *, recalibrated: bool = False) -> str:
    """Say what is left of Adversarial Distance's SDR on the authors' own rows once the pool's own is divided out.

    Parameters
    ----------
    rows : rows of the chapter, with the table "authors".
    level : queries.
    recalibrated : with the temperature that was fitted on these rows.

    Returns
    -------
    The ratio with the exact interval of its search, as `interval` writes it; the pool's own SDR, of thousands, is taken
    as known. "not run" where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> sdr = {"metric": "sdr", "method": "adversarial_distance", "level": 20, "value": 6.0, "low": 3.0, "high": 12.0}
    >>> authors_lift(rows.table([{"metric": "pool sdr", "value": 3.0}, sdr], table="authors"), 20)
    '2.00 (1.00 to 4.00)'
    """
    before = "recalibrated " if recalibrated else ""
    pool = select(rows, table="authors", metric=f"{before}pool sdr")
    own = select(rows, table="authors", metric=f"{before}sdr", method=AD, level=level)
    if pool.empty or own.empty:
        return NOT_RUN
    return interval(*(numbers(own[["value", "low", "high"]])[0] / numbers(pool["value"])[0]))
