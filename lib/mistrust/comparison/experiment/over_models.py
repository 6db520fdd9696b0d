"""All rows of the chapter: those of single classifiers, and means over runs with Student's t between them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.comparison.experiment.parameters import Parameters, check
from mistrust.comparison.experiment.pieces import missing, piece, pieces
from mistrust.over_models import means
from mistrust.pieces import gather

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "auroc": "logit", "accuracy": "logit", "alarms": "arcsine", "found": "arcsine", "false alarms": "arcsine",
    "top": "arcsine", "rank correlation": "fisher", "passes": "root",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
PICTURES = "inputs"


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, and means over runs; pictures are of the first run alone, and have no mean.

    Examples
    --------
    >>> rows(Parameters(data=("digits",), pairs=("4/x",)))  # refused before anything is trained
    Traceback (most recent call last):
    mistrust.errors.MistrustError: pairs has 4/x. There is no class 'x'. Known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9. Name ...
    """
    check(parameters)
    return together(gather(piece, missing, parameters, pieces(parameters)), parameters)


def together(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give rows of pieces, as many as there are, with means over runs.

    Examples
    --------
    >>> auroc = {"table": "detection", "data": "mnist", "method": "dsa", "condition": "noise", "metric": "auroc"}
    >>> pair = [{**auroc, "seed": seed, "value": value} for seed, value in ((0, 0.8), (1, 0.9))]
    >>> from mistrust import rows
    >>> together(rows.table(pair), Parameters())[["seed", "n"]].values.tolist()  # the mean has no seed
    [[0.0, nan], [1.0, nan], [nan, 2.0]]
    """
    measures = single[single["table"] != PICTURES]
    return tidy.check(pd.concat([single, tidy.table(means(measures, BY, _scale))], ignore_index=True))


def _scale(row: Mapping[str, Any]) -> str:
    return SCALE.get(row["metric"], "identity")
