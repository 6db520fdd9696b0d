"""All rows of the chapter: those of single classifiers, and means over architectures and runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.ambiguity.experiment.parameters import PAPERS
from mistrust.over_models import EVERY, means, over_architectures
from mistrust.pieces import gather
from mistrust.supervisors.experiment.methods import NOMINAL_ONLY, TRAINING
from mistrust.supervisors.experiment.over_images import of_architectures, with_intervals
from mistrust.supervisors.experiment.parameters import Parameters, check
from mistrust.supervisors.experiment.pieces import missing, piece, pieces
from mistrust.supervisors.experiment.shared_members import asks_members, wider

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "auroc": "logit", "auroc-correct": "logit", "fpr": "arcsine", "average precision": "arcsine",
    "mean auroc": "logit", "least auroc": "logit", "area": "root", "excess area": "root", "risk 80%": "arcsine",
    "risk 95%": "arcsine", "accuracy": "logit", "share tied": "arcsine",
    "share unnoticed": "arcsine",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
FIRST_RUN = [f"{name}/{NOMINAL_ONLY}" for name in TRAINING]
OVER_ARCHITECTURES = ("detection", "variants", "causes", "other-sets", "trust", "together", "evaded")


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, and means over architectures and runs.

    Examples
    --------
    >>> len(pieces(Parameters(data=("digits",), runs=2)))  # these are made, and put together
    10
    """
    check(parameters)
    return together(gather(piece, missing, parameters, pieces(parameters)), parameters)


def together(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give rows of pieces, as many as there are, with means over architectures and runs.

    Rows of four tables are made without intervals and get them here. Of pairs of supervisors only the mean over
    architectures is worth rows. Intervals of ensembles are wider than their runs say, which share members.

    Examples
    --------
    Rows of two runs come back with their mean:

    >>> from mistrust import rows
    >>> runs = [{"seed": seed, "value": value} for seed, value in ((0, 0.8), (1, 0.9))]
    >>> common = {"table": "detection", "network": "ambiguess-fc", "method": "vanilla", "metric": "auroc"}
    >>> found = together(rows.table(runs, **common), Parameters())
    >>> found.loc[found["network"] == "ambiguess-fc", ["seed", "value", "over"]].round(3).values.tolist()
    [[0.0, 0.8, ''], [1.0, 0.9, ''], [nan, 0.85, 'models']]
    """
    single = with_intervals(single)
    several = _by_architecture(single[single["table"].isin(OVER_ARCHITECTURES)], parameters.architectures)
    # Of the first run alone: no interval over runs takes the place of that over images.
    one_run = (several["table"] == "other-sets") | several["method"].isin(FIRST_RUN)
    both = [over_architectures(several[~one_run], BY, PAPERS), of_architectures(several[one_run], BY, PAPERS)]
    every = pd.concat([several, *both], ignore_index=True)

    def sharing(row: Mapping[str, Any], runs: int) -> float:
        return wider(runs, parameters.members) if asks_members(row["method"]) else 1.0

    over = tidy.table(means(every, BY, _scale, sharing))
    over = over[(over["table"] != "together") | (over["network"] == EVERY)]
    return tidy.check(pd.concat([single, over], ignore_index=True))


def _by_architecture(single: pd.DataFrame, architectures: Sequence[str]) -> pd.DataFrame:
    """Rows with those of the first architecture first, whose n a mean over all has, however pieces came."""
    places = single["network"].map({name: place for place, name in enumerate(architectures)})
    return single.assign(place=places).sort_values("place", kind="stable").drop(columns="place")


def _scale(row: Mapping[str, Any]) -> str:
    return SCALE.get(row["metric"], "identity")
