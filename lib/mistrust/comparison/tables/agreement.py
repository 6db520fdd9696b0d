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

    Nominal images alone, with an interval; and those of every kind together, of which several are made from one image:
    no interval. Of each set all pairs are compared on the same images, those that every scorer was asked about.
    """
    names = list(nominal.by)
    whole = [_by_all(one) for one in (nominal, *bad)]
    sets = {nominal.name: whole[0]}
    if bad:
        sets[EVERY] = {name: np.concatenate([by[name] for by in whole]) for name in names}
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


def _by_all(one: Said) -> dict[str, NDArray[np.float64]]:
    """Scores of the images of a set that every scorer was asked about."""
    fewest = min(len(values) for values in one.by.values())
    return {name: values[:fewest] for name, values in one.by.items()}
