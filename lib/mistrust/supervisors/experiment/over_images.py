"""Intervals over images that follow from a row's own value and counts, for rows of pieces that were made without.

Nothing is measured for them, so rows that lie in the store or were accepted need not be made anew.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate, bounded_auroc, share
from mistrust.over_models import over_architectures

SHARES = ("share failure", "share fooled", "share natural error", "accuracy")
# Tables of which only numbers are kept; those of the others have intervals over runs, or from scores.
TABLES = ("attacks", "severity", "other-sets", "variants")
AMONG = re.compile(r"(\d+) bad, (\d+) nominal")  # what the table "detection" and its likes note


def with_intervals(single: pd.DataFrame) -> pd.DataFrame:
    """Give rows of pieces; those of `TABLES` without an interval have one over images where one follows.

    A share of images has its exact interval, an AUROC the conservative one of `evaluation.bounded_auroc`. Both take the
    images as independent. Corrupted and attacked images are made from a few of the nominal ones that they are set
    against: that adds to an AUROC's variance what is small as the share of such nominal ones is. A median epsilon stays
    without: its interval needs every epsilon.

    Raises
    ------
    MistrustError
        A share without n; an AUROC whose note does not say of how many inputs it is.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"table": "severity", "condition": "corrupted/fog", "level": 1, "n": 200}
    >>> auroc = {"metric": "auroc", "method": "dsa", "value": 0.9, "note": "200 bad, 10000 nominal"}
    >>> found = with_intervals(rows.table([one | {"metric": "accuracy", "value": 0.95}, one | auroc]))
    >>> found[["low", "high"]].round(3).values.tolist(), found["over"].tolist()
    ([[0.91, 0.976], [0.85, 0.938]], ['images', 'images'])
    """
    without = single["table"].isin(TABLES) & single["low"].isna() & single["metric"].isin([*SHARES, "auroc"])
    if not without.any():
        return single
    found = [_estimate(row) for row in single[without].to_dict("records")]
    filled = single.copy()
    filled.loc[without, "low"] = [one.low for one in found]
    filled.loc[without, "high"] = [one.high for one in found]
    filled.loc[without, "over"] = "images"
    return filled


def _estimate(row: Mapping[Hashable, Any]) -> Estimate:
    if row["metric"] in SHARES:
        if pd.isna(row["n"]):
            raise MistrustError(f"A share in '{row['table']}' has no n: of how many images it is tells its interval.")
        return share(round(row["value"] * row["n"]), row["n"])  # rows keep ten digits of what is a whole number
    among = AMONG.fullmatch(row["note"])
    if among is None:
        raise MistrustError(
            f"The note of an AUROC in '{row['table']}' is {row['note']!r}, expected such as '200 bad, 10000 nominal'."
        )
    bad, nominal = map(int, among.groups())
    return bounded_auroc(row["value"], bad, nominal)


def of_architectures(single: pd.DataFrame, by: Sequence[str], published: Sequence[str]) -> pd.DataFrame:
    """Give means over architectures, as `over_architectures` does, with an interval over images by the bound.

    It goes from the mean of the architectures' lower ends to that of their upper ones: no mean of estimates has a
    larger deviation than their deviations have in the mean, whatever inputs they share.

    Parameters
    ----------
    single : rows of single models, each with an interval over images.
    """
    low, high = (
        over_architectures(single.assign(value=single[end]), by, published)["value"] for end in ("low", "high")
    )
    return over_architectures(single, by, published).assign(low=low, high=high, over="images")
