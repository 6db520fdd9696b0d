"""What the rows say of fits: whether each run has an autoencoder of its own, and fits on nominal images alone."""

from collections.abc import Sequence
from math import isnan

import pandas as pd

from mistrust.ambiguity.experiment.parameters import PAPERS
from mistrust.figures.supervisors.parts import data_in, kind, words
from mistrust.over_models import EVERY
from mistrust.rows import select

_METHOD, _ATTACKED, _NOMINAL = "autoencoder", "adversarial", "/nominal only"

_MEMBERS = (
    "Ensembles of different runs share all members but one. Their intervals, and those of pairs with one, are widened, "
    "so that they speak of ensembles of other members, too."
)
_ENSEMBLES = (
    "Ensembles of different runs share most members; their intervals are widened for that, here as in the tables."
)

_SHARED = {
    "things": "Three",
    "spread": (
        "All runs share one autoencoder, so its sd is exactly 0 on every kind but the adversarial one, whose images "
        "differ from run to run. And ensembles of different runs share all members but one. The last column leaves out "
        "both."
    ),
    "intervals": (
        "One autoencoder per image set serves all runs, so its intervals say nothing about another one's training. "
        f"{_MEMBERS}"
    ),
    "claims": (
        "Claims on the autoencoder alone stay undecided: a single one for each image set serves all runs, and one "
        f"network decides nothing. {_ENSEMBLES}"
    ),
}
_OWN = {
    "things": "Two",
    "spread": "And ensembles of different runs share all members but one. The last column leaves them out.",
    "intervals": f"Each run has an autoencoder of its own. {_MEMBERS}",
    "claims": f"Claims on the autoencoder are judged over runs, each of which has its own. {_ENSEMBLES}",
}
_SINGLE = {
    "things": "Two",
    "spread": (
        "And ensembles of different runs share all members but one. Here there was no second run to compare with."
    ),
    "intervals": "No network was trained a second time, so no interval is between runs.",
    "claims": "Claims on the autoencoder alone stay undecided: there is a single one for each image set.",
}


def one_autoencoder(rows: pd.DataFrame) -> bool | None:
    """Tell whether all runs share one autoencoder: its AUROC on images that no run changes is the same in all.

    Adversarial images differ by run, so they tell nothing. Equal numbers on one kind alone may be chance, so that all
    kinds must have them.

    Returns
    -------
    None where no network has a second run: nothing can be told.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"network": "ambiguess-fc", "data": "mnist", "condition": "invalid/other", "method": "autoencoder"}
    >>> found = [{"seed": run, "value": 0.9} for run in (0, 1)]
    >>> one_autoencoder(rows.table(found, table="detection", metric="auroc", **about))
    True
    >>> one_autoencoder(rows.empty())
    """
    held = select(rows, table="detection", metric="auroc", method=_METHOD)
    held = held[held["seed"].notna() & (held["condition"].map(kind) != _ATTACKED)]
    values = held.groupby(["data", "network", "condition"])["value"].agg(["size", "nunique"])
    several = values[values["size"] > 1]
    return bool((several["nunique"] == 1).all()) if len(several) else None


def autoencoders_told(rows: pd.DataFrame) -> dict[str, str]:
    """Say what follows from one autoencoder for all runs, or from one for each: for spreads, intervals and claims.

    Where no network has a second run it says so.

    Examples
    --------
    >>> from mistrust import rows
    >>> autoencoders_told(rows.empty())["intervals"]
    'No network was trained a second time, so no interval is between runs.'
    """
    match one_autoencoder(rows):
        case None:
            return _SINGLE
        case True:
            return _SHARED
        case False:
            return _OWN


def nominal_only(rows: pd.DataFrame, methods: Sequence[str]) -> str:
    """Say what supervisors have on ambiguous inputs when they are fitted on nominal images alone, and what else.

    Parameters
    ----------
    methods : which; those without such rows are left out.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"network": "all", "metric": "auroc", "data": "mnist", "condition": "ambiguous/ambiguess"}
    >>> found = [{"table": table, "method": f"knn{other}", "value": value, **about}
    ...          for table, other, value in (("detection", "", 0.31), ("variants", "/nominal only", 0.62))]
    >>> nominal_only(rows.table(found), ["knn", "vim"])
    'KNN 0.62 in place of 0.31 (MNIST).'

    Of one that was fitted so for the first classifier alone, both numbers are that classifier's:

    >>> one = about | {"network": "ambiguess-conv", "method": "autoencoder"}
    >>> found = [{**one, "table": "detection", "seed": run, "value": 0.5 + run / 10} for run in (0, 1)]
    >>> found.append({**one, "table": "variants", "method": "autoencoder/nominal only", "seed": 0, "value": 0.4})
    >>> nominal_only(rows.table(found), ["autoencoder"])
    'Autoencoder (first classifier of each kind) 0.40 in place of 0.50 (MNIST).'
    >>> nominal_only(rows.empty(), ["knn", "vim"])
    'not run.'
    """
    held = select(rows, table=["detection", "variants"], metric="auroc")
    held = held[held["condition"].map(kind) == "ambiguous"]
    told = []
    for name in methods:
        each = {data: _beside(held[(held["data"] == data)], name) for data in data_in(held)}
        found = {data: pair for data, pair in each.items() if pair is not None}
        if found:
            some = " (first classifier of each kind)" * any(pair[2] for pair in found.values())
            pairs = [f"{one:.2f} in place of {both:.2f} ({words(data)})" for data, (one, both, _) in found.items()]
            told.append(f"{words(name)}{some} {', '.join(pairs)}")
    return f"{'; '.join(told) or 'not run'}."


def _beside(held: pd.DataFrame, name: str) -> tuple[float, float, bool] | None:
    """Both means of one image set, and whether of some classifiers: those that it was fitted for without the others."""
    lines = [held[held["method"] == name + apart] for apart in (_NOMINAL, "")]
    seeds = [set(line["seed"].dropna()) for line in lines]
    some = bool(seeds[0]) and seeds[0] != seeds[1]
    if some:
        found = [line[line["network"].isin(PAPERS) & line["seed"].isin(seeds[0])] for line in lines]
    else:
        found = [line[(line["network"] == EVERY) & line["seed"].isna()] for line in lines]
    one, both = (float(line["value"].mean()) for line in found)
    return None if isnan(one) or isnan(both) else (one, both, some)
