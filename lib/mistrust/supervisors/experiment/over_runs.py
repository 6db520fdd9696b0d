"""All rows of the chapter: those of single classifiers, and means over architectures and runs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from mistrust import engine
from mistrust import rows as tidy
from mistrust.over_models import means
from mistrust.supervisors.experiment.parameters import Parameters, check
from mistrust.supervisors.experiment.pieces import missing, piece, pieces

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "auroc": "logit", "auroc-correct": "logit", "fpr": "arcsine", "average precision": "arcsine",
    "mean auroc": "logit", "least auroc": "logit", "area": "root", "excess area": "root", "risk 80%": "arcsine",
    "risk 95%": "arcsine", "accuracy": "logit",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
EVERY = "all"
# What the paper's Table II is the mean of; "all" is the mean over those of them that were run.
PAPERS = ("ambiguess-conv", "ambiguess-fc", "resnet50-v1", "densenet-se")
# Tables of which "all" is worth a row, and those of which rows of single classifiers are kept: files stay small.
OVER_ARCHITECTURES = ("detection", "variants", "trust", "together")
SINGLE = {"detection": ("auroc",), "variants": ("auroc",), "trust": (), "together": ()}


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, and means over architectures and runs."""
    check(parameters)
    names = pieces(parameters)
    frames = engine.map(
        partial(piece, parameters), names, names=names, label="pieces", ready=lambda name: not missing(parameters, name)
    )
    single = pd.concat(frames, ignore_index=True)
    several = single[single["table"].isin(OVER_ARCHITECTURES)]
    every = pd.concat([several, _over_architectures(several)], ignore_index=True)
    together = tidy.table(means(every, BY, _scale))
    together = together[(together["table"] != "together") | (together["network"] == EVERY)]
    pairs = zip(single["table"], single["metric"], strict=True)
    kept = single[[metric in SINGLE.get(name, (metric,)) for name, metric in pairs]]
    return tidy.check(pd.concat([kept, together], ignore_index=True))


def _scale(row: Mapping[str, Any]) -> str:
    return SCALE.get(row["metric"], "identity")


def _over_architectures(single: pd.DataFrame) -> pd.DataFrame:
    """Means over the paper's architectures of the classifiers of one run, where each has it; no interval by itself."""
    papers = single["network"].isin(PAPERS)
    found = single[papers] if papers.any() else single
    by = [one for one in BY if one != "network"]
    groups = found.groupby([*by, "seed"], dropna=False, sort=False)
    both = groups.agg(value=("value", "mean"), n=("n", "first"), networks=("network", "nunique")).reset_index()
    complete = both[both["networks"] == found["network"].nunique()].drop(columns="networks")
    return tidy.check(complete.assign(network=EVERY))
