"""Which monitors could not watch which classifier, in words, and why: what is not in a table cannot be seen there."""

from collections.abc import Mapping

import pandas as pd

from mistrust.figures.monitoring.parts import words
from mistrust.figures.parts import and_so_on, some
from mistrust.rows import select
from mistrust.supervisors import SUPERVISORS

# What a supervisor reads that a classifier may lack.
REASONS: Mapping[str, str] = {"samples": "it has no dropout", "layers": "none of its layers are named for that"}


def left_out(rows: pd.DataFrame) -> str:
    """Say which supervisors have rows of one classifier and none of another.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" and "others".

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> both = [("farm-lenet", "knn"), ("farm-lenet", "mc_mean_softmax"), ("resnet20", "knn")]
    >>> found = [{"network": network, "method": method, "value": 0.8} for network, method in both]
    >>> left_out(rows.table(found, table="others", metric="auroc"))
    'ResNet-20 is not watched by MC-Dropout: mean softmax, because it has no dropout.'
    """
    found = select(rows, table=["detection", "others"])
    some(found, "monitors by classifier")
    by = {str(network): set(own["method"]) & set(SUPERVISORS) for network, own in found.groupby("network", sort=False)}
    every = set().union(*by.values())
    said = []
    for network, there in by.items():
        lacking = [name for name in SUPERVISORS if name in every - there]
        for need, reason in REASONS.items():
            named = [words(name) for name in lacking if need in _needs(name)]
            if named:
                said.append(f"{words(network)} is not watched by {and_so_on(named)}, because {reason}.")
        other = [words(name) for name in lacking if not set(REASONS) & _needs(name)]
        if other:
            said.append(f"{words(network)} was not watched by {and_so_on(other)}.")
    return " ".join(said) or "Every monitor watched every classifier."


def _needs(name: str) -> set[str]:
    return {*SUPERVISORS[name].card.reads}
