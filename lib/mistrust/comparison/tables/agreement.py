"""Table "agreement": do two scorers put the same images in the same order?"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mistrust.comparison.tables import Row, Said
from mistrust.evaluation import rank_correlation, spearman
from mistrust.parts import estimated

EVERY = "every kind"


def agreement(nominal: Said, bad: Sequence[Said]) -> Iterator[Row]:
    """Rows of each pair of scorers, once: Spearman's correlation of scores of the same images.

    Nominal images alone, with an interval; and equally many of every kind together, of which several are made from one
    image: no interval. Images that a scorer searched are those that all pairs are compared on.
    """
    names = list(nominal.by)
    fewest = min(len(values) for one in (nominal, *bad) for values in one.by.values())
    sets: dict[str, dict[str, NDArray[np.float64]]] = {
        nominal.name: {name: nominal.by[name][:fewest] for name in names},
    }
    if bad:
        sets[EVERY] = {name: np.concatenate([one.by[name][:fewest] for one in (nominal, *bad)]) for name in names}
    for condition, by in sets.items():
        for first, second in combinations(names, 2):
            row = {
                "table": "agreement", "condition": condition, "method": first, "at": f"beside={second}",
                "metric": "rank correlation",
            }  # fmt: skip
            if condition == EVERY:
                yield {**row, "value": spearman(by[first], by[second]), "n": len(by[first])}
            else:
                yield {**row, **estimated(rank_correlation(by[first], by[second]))}
