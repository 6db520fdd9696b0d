"""Which supervisor has the best worst case when all are fitted on nominal images alone, in a sentence."""

from collections.abc import Sequence

import pandas as pd

from mistrust.ambiguity.experiment.parameters import PAPERS
from mistrust.evaluation import between_models
from mistrust.figures.supervisors.parts import BAD, data_in, kind, words
from mistrust.rows import select
from mistrust.supervisors import SUPERVISORS

_NOMINAL = "/nominal only"


def best_worst(rows: pd.DataFrame, networks: Sequence[str] = PAPERS) -> str:
    """Say whose AUROC on each network's weakest kind is best, averaged over networks, and by how much it leads.

    Of supervisors that are fitted, those count that were fitted on nominal images alone in every run; the others are
    as they are. The lead is over the next best, paired by run.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" and "variants".
    networks : which architectures.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"network": "ambiguess-conv", "metric": "auroc", "data": "mnist"}
    >>> found = [
    ...     {"table": table, "method": method, "condition": bad, "seed": run, "value": value + run / 100, **about}
    ...     for table, method, value in (("variants", "dsa/nominal only", 0.8), ("detection", "max_softmax", 0.7))
    ...     for run in (0, 1)
    ...     for bad in ("ambiguous", "adversarial", "corrupted", "invalid")
    ... ]
    >>> best_worst(rows.table(found))
    'DSA (0.81), ahead of Max Softmax by 0.100 [0.100, 0.100] (MNIST)'
    >>> best_worst(rows.empty())
    'not run'
    """
    held = select(rows, table=["detection", "variants"], metric="auroc", network=list(networks))
    held = held[held["seed"].notna() & held["condition"].map(kind).isin(BAD)]
    told = [_told(held[held["data"] == data], data) for data in data_in(held)]
    return "; ".join(one for one in told if one) or "not run"


def _told(held: pd.DataFrame, data: str) -> str:
    counts = held[held["method"].map(_counts)]
    every = counts.groupby(["method", "network", "seed"])["value"].agg(["min", "size"])
    least = every[every["size"] == len(BAD)]["min"].unstack(["network", "seed"]).dropna()  # in all runs of all networks
    if len(least) < 2 or not least.index.str.endswith(_NOMINAL).any():
        return ""
    runs = least.T.groupby(level="seed").mean()
    first, second = runs.mean().sort_values(ascending=False).index[:2]
    lead = between_models((runs[first] - runs[second]).to_numpy())
    ahead = f"{lead.value:.3f} [{lead.low:.3f}, {lead.high:.3f}]"
    names = [words(str(name).removesuffix(_NOMINAL)) for name in (first, second)]
    return f"{names[0]} ({runs[first].mean():.2f}), ahead of {names[1]} by {ahead} ({words(data)})"


def _counts(method: str) -> bool:
    """Whether a line is of a supervisor as it is when ambiguous images were not shown to it."""
    name = method.removesuffix(_NOMINAL)
    if name not in SUPERVISORS or name != method:
        return name in SUPERVISORS
    return not SUPERVISORS[name].card.learns
