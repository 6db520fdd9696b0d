"""Did the common rule keep its rate of false alarms? In words, from rows."""

import pandas as pd

from mistrust.figures.monitoring.parts import words
from mistrust.figures.parts import and_so_on, some
from mistrust.rows import select

ROUNDING = 1e-9


def held(rows: pd.DataFrame, rate: float = 0.05, within: float = 0.01) -> str:
    """Say how near the rate of nominal images that alarm comes to what the rule was fitted for.

    Parameters
    ----------
    rows : rows of the chapter, with the table "nominal"; what a monitor does by the paper's rules is left out.
    rate, within : of false alarms that the rule was fitted for, and what counts as near.

    Raises
    ------
    NoRows
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> kept = [("farm-lenet", "oob", 0.052), ("farm-lenet", "knn", 0.055), ("resnet20", "knn", 0.064)]
    >>> found = [{"network": network, "method": method, "value": value} for network, method, value in kept]
    >>> held(rows.table(found, table="nominal", condition="nominal", metric="fpr"))
    'Of 3 means over runs 2 lie within 0.01 of 0.05; the other one is of ResNet-20.'
    """
    found = select(rows, table="nominal", condition="nominal", metric="fpr")
    found = found[~found["method"].str.contains("/")]
    some(found, "false alarms on nominal images")
    mean, single = found[found["seed"].isna()], found[found["seed"].notna()]
    off = mean[(mean["value"] - rate).abs() > within + ROUNDING]
    said = f"Of {len(mean)} means over runs {len(mean) - len(off)} lie within {within} of {rate}"
    if len(off):
        where = and_so_on(words(name) for name in sorted(set(off["network"])))
        said += f"; the other one is of {where}" if len(off) == 1 else f"; the other {len(off)} are of {where}"
    least, most = single["value"].min(), single["value"].max()
    return f"{said}. Single runs lie between {least:.3f} and {most:.3f}." if len(single) else f"{said}."
