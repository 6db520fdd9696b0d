"""All rows of the chapter: those of single classifiers, means over runs, and ranks over all benchmark sets."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.monitoring.experiment.checks import check
from mistrust.monitoring.experiment.compressed import TABLE as COMPRESSED
from mistrust.monitoring.experiment.methods import AS_PUBLISHED, THREE
from mistrust.monitoring.experiment.parameters import CHAPTER, Parameters
from mistrust.monitoring.experiment.pieces import missing, piece, pieces
from mistrust.monitoring.experiment.tried import TABLE as TRIED
from mistrust.monitoring.tables.ranks import ranks
from mistrust.over_models import means
from mistrust.pieces import gather

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "mcc": "fisher", "mcc as published": "fisher",
    "auroc": "logit", "accuracy": "logit", "fpr": "arcsine", "fnr": "arcsine", "alarms": "arcsine", "fpr95": "arcsine",
    "precision": "arcsine", "recall": "arcsine", "micro-f1": "arcsine", "weighted-f1": "arcsine",
    "safety-gain": "arcsine", "residual-hazard": "arcsine", "availability-cost": "arcsine",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
# Tables of which rows of single classifiers are kept. Files stay small: of the summary those of the paper's monitors
# alone, by which its claims are judged; of single benchmark sets what figures, tables and claims read.
SINGLE = ("summary", "nominal", "control", "shown", "cases", TRIED, COMPRESSED)
# Tables of which there are no means: pictures, counts, and what is accepted piece by piece.
ALONE = ("shown", "cases", TRIED, COMPRESSED)
OTHERS, COSTS = ("auroc", "fnr"), ("safety-gain", "residual-hazard", "availability-cost")


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, means over runs, and ranks.

    Examples
    --------
    Parameters are checked before anything is trained:

    >>> parameters = Parameters(data=("digits",), images=40, false_alarms=0.01)
    >>> rows(parameters)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: 16 test images of 'digits' set thresholds, and a rate of 0.01 false alarms needs ...
    """
    check(parameters)
    return of_pieces(gather(piece, missing, parameters, pieces(parameters)), parameters)


def of_pieces(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give all rows from those of every piece."""
    several = single[~single["table"].isin(ALONE)]
    together = tidy.table(means(several, BY, _scale))
    sets = together[together["table"].isin(("detection", "others"))]
    groups = {
        "three monitors": ("mcc", tuple(THREE)),
        "three monitors as published": ("mcc", tuple(f"{name}/{AS_PUBLISHED}" for name in THREE)),
        "all monitors": ("auroc", tuple(one for one in dict.fromkeys(sets["method"]) if "/" not in one)),
    }
    ranked = tidy.table({"chapter": CHAPTER, **row} for row in ranks(sets, groups, parameters.seed))
    kept = single[single["table"].isin(SINGLE) & (_of_three(single) | (single["table"] != "summary"))]
    several = together[(together["table"] != "others") | together["metric"].isin(OTHERS)]
    several = several[(several["table"] != "failures") | several["method"].isin(tuple(THREE))]
    several = several[_of_three(several) | (several["table"] != "summary") | ~several["metric"].isin(COSTS)]
    return tidy.check(pd.concat([kept, several, ranked], ignore_index=True))


def _of_three(frame: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows are of the paper's monitors, in any variant."""
    return frame["method"].str.partition("/")[0].isin(tuple(THREE))


def _scale(row: Mapping[str, Any]) -> str:
    return SCALE.get(row["metric"], "identity")
