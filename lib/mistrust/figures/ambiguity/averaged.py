"""Table I with other architectures in its mean than those whose mean the rows hold."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.over_models import means, over_architectures

_BY = ["chapter", "profile", "data", "network", "table", "method", "condition", "level", "at", "metric"]
_SHARES, _SIZES = ("top-1", "top-2", "top-pair"), ("entropy", "brier", "kl")


def averaged(rows: pd.DataFrame, networks: Sequence[str], *, table: str = "performance") -> pd.DataFrame:
    """Average the numbers of Table I over these architectures: seed by seed first, then over the seeds.

    Parameters
    ----------
    rows : rows of the chapter, with the table.
    networks : which architectures, all with equal weight; a seed counts where each of them has it.
    table : "performance", or another that holds the same numbers of single networks ("known-decoders").

    Returns
    -------
    One row for each data set, training, test set and metric, with Student's interval between seeds as in the rows of
    "all"; the network is "all". Where one of the architectures has no rows at all, there are none.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = {("ambiguess-conv", 0): 0.95, ("ambiguess-conv", 1): 0.93, ("ambiguess-fc-relu", 0): 0.91}
    >>> made = [{"network": name, "seed": seed, "value": value} for (name, seed), value in found.items()]
    >>> single = rows.table(made, table="performance", metric="top-pair")
    >>> both = averaged(single, ["ambiguess-conv", "ambiguess-fc-relu"])
    >>> both[["network", "metric", "value"]].round(3).values.tolist()  # the second seed lacks one
    [['all', 'top-pair', 0.93]]
    """
    single = tidy.select(rows, table=table, network=list(networks))
    single = single[single["seed"].notna()]
    if set(single["network"]) != set(networks):
        return tidy.empty()
    by_seed = over_architectures(single, _BY, networks)
    return tidy.table(list(means(by_seed, _BY, _scale)))


def _scale(row: Mapping[str, Any]) -> str:
    """Where numbers of several networks are close to normal; excess entropy may be negative."""
    return "logit" if row["metric"] in _SHARES else "root" if row["metric"] in _SIZES else "identity"
