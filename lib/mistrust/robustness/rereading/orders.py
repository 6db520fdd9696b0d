"""Do depth and size go with accuracy and robustness? Four networks, all 24 orders.

Depth is layers with weights on the longest path from input to logits; the paper counts 7 of AlexNet's 8 and gives 311
for InceptionV3, whose longest path has 48. Numbers of parameters are rounded in print: AlexNet and ResNet152 tie at 60
million, which exact counts do not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.evaluation import spearman
from mistrust.robustness.rereading.printed import by_network

Column = Callable[[pd.DataFrame], "pd.Series[float]"]


def _printed_layers(published: pd.DataFrame) -> "pd.Series[float]":
    """As section 3.2 has them, VGG16's 16 "convolutional layers" taken for its layers."""
    layers = published[(published["table"] == "text") & published["metric"].isin(["layers", "convolutions"])]
    return by_network(layers.assign(metric="layers"), "text", "layers")


# What stands for depth and size.
COUNTS: Mapping[str, Column] = {
    "layers, as printed": _printed_layers,
    "layers, counted": lambda published: by_network(published, "torchvision", "layers"),
    "parameters, as printed": lambda published: by_network(published, "table1", "parameters"),
    "parameters, counted": lambda published: by_network(published, "torchvision", "parameters", at=""),
}
# What they are said to decide.
MEASURES: Mapping[str, Column] = {
    "accuracy, table 1": lambda published: 1 - by_network(published, "table1", "top-5 error"),
    "accuracy, table 2": lambda published: by_network(published, "table2", "accuracy", condition="all"),
    "random": lambda published: by_network(published, "table1", "mean", method="random"),
    "targeted": lambda published: by_network(published, "table1", "linf", method="targeted"),
}
MOST = 7  # 5,040 orders; more networks are no matter for a table of all


@dataclass(frozen=True)
class Order:
    """Spearman's correlation of a few things, exact.

    Attributes
    ----------
    value : the correlation, average ranks for ties.
    p : share of all orders that give one as large in size, the observed one among them: two-sided.
    n : the number of things.
    ties : things that share a rank with another on either side.

    Examples
    --------
    >>> found = order([1, 2, 3, 4], [2, 1, 4, 4])
    >>> found.n, found.ties
    (4, 2)
    """

    value: float
    p: float
    n: int
    ties: int


def order(first: ArrayLike, second: ArrayLike) -> Order:
    """Rank correlation with its exact two-sided p-value, by all orders of the second.

    Parameters
    ----------
    first, second : (n,) finite, 3 to 7 numbers, neither constant.

    Raises
    ------
    MistrustError
        Another shape or number, a constant side, a number that is not finite.

    Examples
    --------
    Four networks in the same order on both sides: of 24 orders only this one and its reverse are as clear.

    >>> found = order([1, 2, 3, 4], [10, 20, 30, 40])
    >>> round(found.value, 6), round(found.p, 4)
    (1.0, 0.0833)
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1 or not 3 <= len(a) <= MOST:
        raise MistrustError(f"An exact order needs two arrays of equal length 3 to {MOST}, got {a.shape}, {b.shape}.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()) or len(set(a)) == 1 or len(set(b)) == 1:
        raise MistrustError("An exact order needs finite numbers that are not all equal, on both sides.")
    found = spearman(a, b)
    every = np.array([abs(spearman(a, other)) for other in permutations(b)])
    tied = [len(side) - sum(np.unique(side, return_counts=True)[1] == 1) for side in (a, b)]
    return Order(found, float((every >= abs(found) - 1e-12).mean()), len(a), int(max(tied)))


def orders(published: pd.DataFrame) -> pd.DataFrame:
    """Every count of `COUNTS` against every measure of `MEASURES`, over the four networks.

    Returns
    -------
    One line per pair: `count`, `measure`, `spearman`, `p`, `ties`. No p is below 1/12: of four things each order has
    another that is its reverse, so that four networks prove nothing, whatever their order.

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> found = orders(published("robustness")).round(3)
    >>> found[(found["count"] == "layers, as printed") & (found["measure"] == "random")].to_dict("records")
    [{'count': 'layers, as printed', 'measure': 'random', 'spearman': 1.0, 'p': 0.083, 'ties': 0}]
    """
    lines = []
    for count, depth in COUNTS.items():
        for measure, column in MEASURES.items():
            found = order(depth(published), column(published))
            lines.append(
                {"count": count, "measure": measure, "spearman": found.value, "p": found.p, "ties": found.ties}
            )
    return pd.DataFrame(lines)
