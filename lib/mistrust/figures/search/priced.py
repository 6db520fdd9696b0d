"""What a distance by labels alone costs, and whether it says the same twice: ours, foolbox 3's and HopSkipJump."""

from math import floor

import pandas as pd

from mistrust.figures.parts import numbers
from mistrust.figures.search.parts import conditions_in, told, words
from mistrust.figures.search.said import NOT_RUN
from mistrust.figures.written import interval, two
from mistrust.rows import select

# Table -> what its `level` counts.
COUNTED = {"attack": "steps", "peer": "steps", "jumps": "jumps"}
AGAIN, FAST = "residual reliability", "residual agreement"
HEADS = (
    "mechanism", "attack", "queries per image", "median MAE, grey levels", "residual, two runs",
    "residual, with the fast distance",
)  # fmt: skip


def priced(rows: pd.DataFrame) -> pd.DataFrame:
    """Put attacks side by side, one line per condition, attack and number of steps or jumps.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "attack", "peer" and "jumps"; means over networks, else single ones, are
        read.

    Returns
    -------
    Columns `HEADS`, all text: rank correlations with 95 % intervals over images. Without lines where there are no rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "jumps", "method": "hopskip", "condition": "biased/25", "at": "cat", "level": 10}
    >>> found = {"queries": 2290, "mae": 2.9, "residual reliability": 0.93, "residual agreement": 0.94}
    >>> priced(rows.table([{**common, "metric": name, "value": value} for name, value in found.items()])).iloc[0, 1:3]
    attack               HopSkipJump, 10 jumps
    queries per image                    2,290
    Name: 0, dtype: str
    """
    lines = []
    for condition in conditions_in(rows[rows["table"].isin(COUNTED)]["condition"]):
        for table, counted in COUNTED.items():
            held = _means(select(rows, table=table, condition=condition))
            for (method, level), own in held.groupby(["method", "level"]):
                by = own.set_index("metric")[["value", "low", "high"]]
                if "mae" not in by.index:  # starts alone
                    continue
                again, fast = (_said(by, name) for name in (AGAIN, FAST))
                called = f"{words(str(method))}, {float(level):,.0f} {counted}"
                queries, mae = numbers(by.loc[["queries", "mae"], "value"]).tolist()
                lines.append((told(str(condition)), called, f"{queries:,.0f}", f"{mae:.1f}", again, fast))
    return pd.DataFrame(lines, columns=list(HEADS), dtype=str)


def fewest_jumps(rows: pd.DataFrame) -> tuple[str, str]:
    """Say how few jumps repeat as well as the most steps of the boundary attack, and in how many times fewer queries.

    Returns
    -------
    The fewest jumps after which the residual repeats at least as well under every condition, and the least ratio of
    queries there: "10" and "4.7"; "none" where no number of jumps does; "not run" twice where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> attack = {"table": "attack", "method": "boundary", "level": 1e3, "queries": 11000, "residual reliability": 0.92}
    >>> jumps = {"table": "jumps", "method": "hopskip", "level": 10, "queries": 2200, "residual reliability": 0.93}
    >>> found = [
    ...     {**{k: one[k] for k in ("table", "method", "level")}, "metric": metric, "value": one[metric]}
    ...     for one in (attack, jumps) for metric in ("queries", "residual reliability")
    ... ]
    >>> fewest_jumps(rows.table(found, condition="biased/25", at="cat"))
    ('10', '5.0')
    """
    by = {
        table: _means(select(rows, table=table, metric=[AGAIN, "queries"])).pivot_table(
            index=["condition", "level"], columns="metric", values="value"
        )
        for table in ("attack", "jumps")
    }
    if any(AGAIN not in found for found in by.values()):
        return NOT_RUN, NOT_RUN
    attack = by["attack"].dropna().groupby("condition").tail(1).droplevel("level")
    if attack.empty:
        return NOT_RUN, NOT_RUN
    for level, jumps in by["jumps"].dropna().groupby("level"):
        beside = jumps.droplevel("level").reindex(attack.index)
        if (beside[AGAIN] >= attack[AGAIN]).all():
            # "At least" must be true of the digits that are printed.
            return f"{level:.0f}", f"{floor(10 * float((attack['queries'] / beside['queries']).min())) / 10:.1f}"
    return "none", "none"


def _means(found: pd.DataFrame) -> pd.DataFrame:
    mean = found[found["seed"].isna()]
    return found if mean.empty else mean


def _said(by: pd.DataFrame, name: str) -> str:
    if name not in by.index:
        return "too few images"
    value, low, high = numbers(by.loc[name]).tolist()
    return interval(value, low, high, two)
