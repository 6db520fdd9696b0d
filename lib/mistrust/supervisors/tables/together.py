"""Table "together": what two supervisors detect as one, each score counted by its rank among nominal inputs."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import auroc
from mistrust.supervisors.tables import Row, Scores


def place(scores: NDArray[np.float64], among: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of `among` below each score, ties counting half: in [0, 1], a scale that all supervisors share."""
    ranked = np.sort(among)
    below = np.searchsorted(ranked, scores, side="left") + np.searchsorted(ranked, scores, side="right")
    return below / (2 * len(ranked))


def together(nominal: Scores, kinds: Sequence[Scores], methods: Sequence[str]) -> Iterator[Row]:
    """AUROC of every pair of methods on every kind of bad input, and its mean and least over kinds.

    Two scores become one by the larger of their places among the nominal inputs: an input is suspicious that either
    finds so. Places are the empirical distribution of the nominal test inputs, so a supervisor in use would take them
    from nominal inputs that it holds back.
    """
    if not kinds:
        return
    own = {method: place(nominal.by[method], nominal.by[method]) for method in methods}
    other = [{method: place(kind.by[method], nominal.by[method]) for method in methods} for kind in kinds]
    outcomes = [np.concatenate([np.zeros(len(nominal), bool), np.ones(len(kind), bool)]) for kind in kinds]
    for pair in [*((method, method) for method in methods), *combinations(methods, 2)]:
        first, second = pair
        usual = np.maximum(own[first], own[second])
        found = [
            auroc(np.concatenate([usual, np.maximum(values[first], values[second])]), outcome)
            for values, outcome in zip(other, outcomes, strict=True)
        ]
        name = first if first == second else f"{first} + {second}"
        row = {"table": "together", "method": name, "metric": "auroc"}
        for kind, value in zip(kinds, found, strict=True):
            yield {**row, "condition": kind.name, "value": value, "n": len(kind)}
        yield {**row, "condition": "every kind", "metric": "mean auroc", "value": float(np.mean(found))}
        yield {**row, "condition": "every kind", "metric": "least auroc", "value": float(np.min(found))}
