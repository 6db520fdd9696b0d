"""All rows of the chapter: those of the pieces, and what several networks tell together."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from mistrust import engine
from mistrust import rows as tidy
from mistrust.ambiguity.experiment.parameters import Parameters, check
from mistrust.ambiguity.experiment.pieces import missing, piece, pieces
from mistrust.evaluation import between_models
from mistrust.over_models import means

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "top-1": "logit", "top-2": "logit", "top-pair": "logit", "entropy": "root", "brier": "root", "kl": "root",
    "discrimination": "arcsine", "labelling": "arcsine", "reconstruction error": "root",
    "discrimination as published": "arcsine", "labelling as published": "arcsine",
    "absolute error": "root", "share between": "arcsine", "observed": "arcsine", "stated": "arcsine",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
EVERY = "all"
# What the paper's Table I is the mean of; "all" is the mean over those of them that were run.
PAPERS = ("ambiguess-conv", "ambiguess-fc", "resnet50-v1", "densenet-se")
COST = "mixed minus clean"


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, means over networks and autoencoders, and the cost of mixed training."""
    check(parameters)
    names = pieces(parameters)
    frames = engine.map(
        partial(piece, parameters), names, names=names, label="pieces", ready=lambda name: not missing(parameters, name)
    )
    single = pd.concat(frames, ignore_index=True)
    single = pd.concat([single, _over_architectures(single)], ignore_index=True)
    known = single[single["seed"].notna()]
    together = tidy.table([*means(known, BY, _scale), *_over_pairs(known), *_cost(known)])
    return tidy.check(pd.concat([single, together], ignore_index=True))


def _scale(row: Mapping[str, Any]) -> str:
    return SCALE.get(row["metric"], "identity")


def _over_architectures(single: pd.DataFrame) -> pd.DataFrame:
    """Means over the paper's architectures of the networks of one seed, where each has it; no interval by itself."""
    found = tidy.select(single, table=["performance", "known-decoders", "bounds"])
    papers = found["network"].isin(PAPERS)
    found = found[papers] if papers.any() else found
    by = [one for one in BY if one != "network"]
    groups = found.groupby([*by, "seed"], dropna=False, sort=False)
    both = groups.agg(value=("value", "mean"), n=("n", "first"), networks=("network", "nunique")).reset_index()
    complete = both[both["networks"] == found["network"].nunique()].drop(columns="networks")
    return tidy.check(complete.assign(network=EVERY))


def _over_pairs(known: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Means of what the gates read over the autoencoders of every pair; further tries of some pairs are left out."""
    found = tidy.select(known, table="autoencoders")
    tried = found.groupby(["data", "seed"])["at"].nunique()
    whole = tried[tried == tried.groupby("data").transform("max")].index
    found = found[pd.MultiIndex.from_frame(found[["data", "seed"]]).isin(whole)].assign(at=EVERY)
    return means(found, BY, _scale)


def _cost(known: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Accuracy on nominal images after mixed training minus that after clean training, paired by seed."""
    found = tidy.select(known, table="performance", condition="nominal", metric="top-1")
    for (chapter, data, network), group in found.groupby(["chapter", "data", "network"], sort=False):
        by_training = {name: one.set_index("seed")["value"] for name, one in group.groupby("method")}
        if set(by_training) != {"mixed", "clean"}:
            continue
        gain = (by_training["mixed"] - by_training["clean"]).dropna()
        if len(gain) == 0:
            continue
        mean = between_models(gain)
        yield {
            "chapter": chapter, "data": data, "network": network, "table": "cost", "method": COST,
            "metric": "accuracy difference", "over": "models" if len(gain) > 1 else "", "value": mean.value,
            "low": mean.low, "high": mean.high, "n": mean.n,
        }  # fmt: skip
