"""Would chance alone take so many rates of false alarms away from the rule's? In words, from rows."""

import pandas as pd

from mistrust.evaluation.quantile_alarms import TooFew, at_least, chance_off
from mistrust.figures.parts import some
from mistrust.rows import select

ROUNDING = 1e-9
LINE = ["data", "network", "method"]


def by_chance(rows: pd.DataFrame, rate: float = 0.05, within: float = 0.01, calibration: float = 0.4) -> str:
    """Say how many of the rates that `held` counts would be off by chance alone, and how probable it is that as many.

    Parameters
    ----------
    rows, rate, within, calibration : as `held` takes them.

    Raises
    ------
    NoRows
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"network": "resnet20", "n": 3000, "value": 0.064}
    >>> found = [one | {"method": method, "seed": seed} for method in ("oob", "knn") for seed in (float("nan"), 0.0)]
    >>> said = by_chance(rows.table(found, table="nominal", condition="nominal", metric="fpr"))
    >>> said.partition(" if ")[0]
    'Sampling alone puts 0.2 of 2 rates off on average, and at least 2 with probability 0.011'
    """
    found = select(rows, table="nominal", condition="nominal", metric="fpr")
    found = found[~found["method"].str.contains("/")]
    some(found, "false alarms on nominal images")
    lines = found[found["seed"].isna()]
    try:
        chances = _chances(found, rate, within, calibration)
    except TooFew as error:
        return f"We do not say what sampling alone does: {error}"
    if len(chances) != len(lines):
        return "We do not say what sampling alone does: rows of single runs, which give numbers of images, are missing."
    off = int(((lines["value"] - rate).abs() > within + ROUNDING).sum())
    expected = f"{sum(chances):.1f}"
    return (
        f"Sampling alone puts {expected} of {len(lines)} rates off on average, and at least {off} with probability "
        f"{at_least(chances, off):.2g} if the rates were independent. They are not: the rates of one network share "
        f"their images, and what the monitors read. That leaves the average of {expected} as it is, but makes it more "
        "probable that many are off at once, and also that none is."
    )


def _chances(found: pd.DataFrame, rate: float, within: float, calibration: float) -> list[float]:
    """For each line, a mean over its single runs or that of one run, how probable it is to be off."""
    lines = found[found["seed"].notna()].groupby(LINE)["n"].agg(["min", "size"])
    kinds = lines.value_counts()
    return [
        chance
        for (n, runs), many in zip(kinds.index, kinds, strict=True)
        for chance in [chance_off(rate, within, round(n * calibration / (1 - calibration)), int(n), int(runs))] * many
    ]
