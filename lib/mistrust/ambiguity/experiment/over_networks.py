"""All rows of the chapter: those of the pieces, and what several networks tell together."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.ambiguity.experiment.parameters import PAPERS, Parameters, check
from mistrust.ambiguity.experiment.pieces import missing, piece, pieces
from mistrust.evaluation import between_models
from mistrust.over_models import EVERY, means, over_architectures
from mistrust.pieces import gather

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "top-1": "logit", "top-2": "logit", "top-pair": "logit", "entropy": "root", "brier": "root", "kl": "root",
    "discrimination": "arcsine", "labelling": "arcsine", "reconstruction error": "root",
    "discrimination as published": "arcsine", "labelling as published": "arcsine",
    "codes between": "arcsine",
    "absolute error": "root", "share between": "arcsine", "observed": "arcsine", "stated": "arcsine",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
COST = "mixed minus clean"


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, means over networks and autoencoders, and the cost of mixed training.

    Examples
    --------
    What the images cannot give is refused before any training begins:

    >>> rows(Parameters(data=("digits",), pairs=("4/x",)))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: pairs has 4/x. There is no class 'x'. Known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9. Name ...
    >>> len(pieces(Parameters(data=("digits",), pairs=("4/9",))))  # these would be put together, see `together`
    13
    """
    check(parameters)
    return together(gather(piece, missing, parameters, pieces(parameters)), parameters)


def together(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give rows of pieces, as many as there are, with what follows from them: means and the cost of mixed training.

    Examples
    --------
    Two networks, each trained on nominal images and on both kinds; mixed training costs 0.02 of accuracy on average:

    >>> from mistrust import rows as tidy
    >>> what = {"table": "performance", "condition": "nominal", "metric": "top-1", "network": "ambiguess-conv"}
    >>> found = {("clean", 0): 0.98, ("clean", 1): 0.97, ("mixed", 0): 0.95, ("mixed", 1): 0.96}
    >>> single = tidy.table([{"method": m, "seed": s, "value": v} for (m, s), v in found.items()], **what)
    >>> every = together(single, Parameters())
    >>> cost = tidy.select(every, table="cost")
    >>> cost[["network", "method", "value", "n"]].round(3).values.tolist()
    [['ambiguess-conv', 'mixed minus clean', -0.02, 2.0], ['all', 'mixed minus clean', -0.02, 2.0]]
    """
    tables = tidy.select(single, table=["performance", "known-decoders", "bounds"])
    single = pd.concat([single, over_architectures(tables, BY, PAPERS)], ignore_index=True)
    known = single[single["seed"].notna()]
    over = tidy.table([*means(known, BY, _scale), *_over_pairs(known), *_cost(known)])
    return tidy.check(pd.concat([single, over], ignore_index=True))


def _scale(row: Mapping[str, Any]) -> str:
    return SCALE.get(row["metric"], "identity")


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
