"""What the chapter's figures share: names in their order, and their titles."""

from collections.abc import Iterable
from itertools import chain

import pandas as pd

from mistrust.figures.parts import class_names
from mistrust.inputs import PERTURBATIONS

ALL = "perturbed/all"  # the mean over perturbations
_METRICS = {
    "kendall w": "Kendall's W",
    "kendall w by chance": "Kendall's W by chance",
    "kendall w within rows": "Kendall's W within rows",
    "share of other tops": "share of classes with a different largest cell",
    "spearman": "Spearman's correlation",
    "spearman within rows": "Spearman's correlation within rows",
}
_METHODS = {
    "minimum": "minimum (paper)",
    "marginal": "marginal (null)",
    "max softmax": "largest softmax",
    "limit": "one for all classes",
}


def classes_of_cells(cells: Iterable[str]) -> list[str]:
    """Give the classes that cells ("4>9") name, in order."""
    return class_names(chain.from_iterable(cell.split(">") for cell in cells))


def methods_in_order(found: pd.DataFrame) -> list[str]:
    """Give the methods of these rows: the paper's minimum, quantiles by size, means, the null last."""

    def place(method: str) -> tuple[int, float, str]:
        first = ("minimum", "quantile", "mean", "mean softmax")
        kind, _, size = method.partition("=")
        rank = first.index(kind) if kind in first else len(first) + (kind == "marginal")
        return rank, float(size or 0), method

    return sorted(set(found["method"]), key=place)


def method_title(method: str) -> str:
    """Give what a reader calls a method: "5% quantile" for "quantile=0.05"."""
    if method.startswith("quantile="):
        return f"{100 * float(method.removeprefix('quantile=')):g}% quantile"
    return _METHODS.get(method, method)


def words(text: str) -> str:
    """Give what a reader calls a method, a difference of two ("mean minus minimum"), or a metric of the rows.

    Examples
    --------
    >>> words("quantile=0.05"), words("minimum"), words("kendall w")
    ('5% quantile', 'minimum (paper)', "Kendall's W")
    >>> words("mean minus minimum")
    'mean minus minimum (paper)'
    """
    return _METRICS.get(text) or " minus ".join(method_title(one) for one in text.split(" minus "))


def condition_title(condition: str) -> str:
    """Give what a reader calls a perturbed condition: "Fog" for "perturbed/fog"."""
    return "Mean of all" if condition == ALL else PERTURBATIONS[condition.removeprefix("perturbed/")].title


def perturbations_in(found: pd.DataFrame) -> list[str]:
    """Give the conditions of these rows that are one perturbation, in the order of the rows."""
    return [c for c in dict.fromkeys(found["condition"]) if c.startswith("perturbed/") and c != ALL]
