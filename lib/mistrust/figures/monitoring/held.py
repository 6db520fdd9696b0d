"""Did the common rule keep its rate of false alarms? In words, from rows."""

import numpy as np
import pandas as pd

from mistrust.evaluation.quantile_alarms import TooFew, chance_off
from mistrust.figures.monitoring.parts import words
from mistrust.figures.parts import and_so_on, some
from mistrust.rows import select

ROUNDING = 1e-9


def held(rows: pd.DataFrame, rate: float = 0.05, within: float = 0.01, calibration: float = 0.4) -> str:
    """Say how near the rate of nominal images that alarm comes to what the rule was fitted for, and how near it could.

    Parameters
    ----------
    rows : rows of the chapter, with the table "nominal"; what a monitor does by the paper's rules is left out.
    rate, within : of false alarms that the rule was fitted for, and what counts as near.
    calibration : share of the test images that set the threshold; the others are those that rows are of.

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
    'Of 3 rates, 2 lie within 0.01 of 0.05; the other one is of ResNet-20.'
    """
    found = select(rows, table="nominal", condition="nominal", metric="fpr")
    found = found[~found["method"].str.contains("/")]
    some(found, "false alarms on nominal images")
    mean, single = found[found["seed"].isna()], found[found["seed"].notna()]
    said = _counted(mean, single, rate, within)
    if single.empty:
        return said
    least, most = single["value"].min(), single["value"].max()
    off = int(_off(single, rate, within).sum())
    said += (
        f" Rates of single runs lie between {least:.3f} and {most:.3f}; {off} of {len(single)} are off by more than "
    )
    said += f"{within}"
    try:
        chance = expected_off(single["n"].to_numpy(), rate, within, calibration)
    except TooFew:
        return f"{said}."
    return f"{said}; with this many images, {chance:.0f} would be off by chance alone."


def expected_off(n: np.ndarray, rate: float, within: float, calibration: float) -> float:
    """How many of so many measured rates miss the rule's by more than `within` by chance alone (`chance_off`).

    Parameters
    ----------
    n : images that each rate is of; m = n * calibration / (1 - calibration) others set its threshold.

    Examples
    --------
    Over 3,000 images, and 2,000 for the threshold, one rate in nine or ten is off:

    >>> round(expected_off(np.full(9, 3000), 0.05, 0.01, 0.4), 1)
    0.9
    """
    kinds = zip(*np.unique(n, return_counts=True), strict=True)
    fitted = calibration / (1 - calibration)
    return sum(int(many) * chance_off(rate, within, round(one * fitted), int(one)) for one, many in kinds)


def _counted(mean: pd.DataFrame, single: pd.DataFrame, rate: float, within: float) -> str:
    """How many rates are near, and of which classifiers and of how many runs the others are."""
    off = mean[_off(mean, rate, within)]
    several = single.groupby("network")["seed"].nunique()
    kind = "means over runs" if len(several) and several.min() > 1 else "rates"
    mixed = len(several) and several.min() == 1 < several.max()
    near = len(mean) - len(off)
    said = f"Of {len(mean)} {kind}{' (means over runs where there are several)' if mixed else ''}, "
    said += f"{near} {'lies' if near == 1 else 'lie'} within {within} of {rate}"
    if len(off):
        where = and_so_on(
            words(name) + (", which has one run" if mixed and several[name] == 1 else "")
            for name in sorted(set(off["network"]))
        )
        said += f"; the other one is of {where}" if len(off) == 1 else f"; the other {len(off)} are of {where}"
    return f"{said}."


def _off(found: pd.DataFrame, rate: float, within: float) -> "pd.Series[bool]":
    return (found["value"] - rate).abs() > within + ROUNDING
