"""Tables "targeted", "matrix" and "variance": how far images are from other classes, by targeted search."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from mistrust import random
from mistrust.evaluation import Estimate, cluster_bootstrap, clustered_share, percentile_interval
from mistrust.robustness.matrix import perturbation_matrix
from mistrust.robustness.tables import Row, estimated
from mistrust.robustness.target_pairs import Targeted
from mistrust.robustness.variance import VarianceSplit, variance_split

METRICS = ("linf", "l2", "steps")
# Matrices of more classes are too large to be read, or kept as rows.
MOST_CLASSES = 20
# The split of a matrix's cells over training seeds; that of single distances, network by network, has no method.
CELLS = "cells"


def distances(found: Targeted, method: str, resamples: int, seed: int, level: float | None = None) -> Iterator[Row]:
    """Mean distances of the pairs that reached their target, with intervals over images, and the share that did.

    Parameters
    ----------
    level : the learning rate where it varies; None where it is the chapter's own.
    """
    common = {"table": "targeted", "method": method, **({} if level is None else {"level": level})}
    reached = found.success
    yield {**common, "metric": "success", **estimated(clustered_share(reached, found.ids))}
    if not bool(reached.any()):
        return
    values = torch.stack([getattr(found, name)[reached].double() for name in METRICS]).numpy()
    draw = random.generator(seed, f"bootstrap/targeted/{method}/{level}")

    def means(weights: NDArray[np.float64]) -> list[float]:
        total = weights.sum()
        return [float(one @ weights / total) if total else float("nan") for one in values]

    low, high = percentile_interval(cluster_bootstrap(found.ids[reached].numpy(), means, resamples, draw))
    for place, metric in enumerate(METRICS):
        estimate = Estimate(float(values[place].mean()), float(low[place]), float(high[place]), int(reached.sum()))
        yield {**common, "metric": metric, **estimated(estimate)}


def matrix(found: Targeted, classes: Sequence[str]) -> Iterator[Row]:
    """The perturbation matrix, one row per pair of classes: mean distance of those that reach it, and how many do."""
    if len(classes) > MOST_CLASSES:
        return
    whole = perturbation_matrix(found, len(classes))
    tried = whole.count + whole.failures
    for source, target in (tried > 0).nonzero().tolist():
        at, n = f"{classes[source]}>{classes[target]}", int(tried[source, target])
        reached = int(whole.count[source, target])
        yield {"table": "matrix", "at": at, "metric": "success", "value": reached / n, "n": n}
        if reached:
            yield {"table": "matrix", "at": at, "metric": "linf", "value": float(whole.mean[source, target]), "n": n}


def variance(found: Targeted) -> Iterator[Row]:
    """Shares of the variance of distances that source, target, image and rest have, of one network."""
    if int(found.success.sum()) < 2:
        return
    facets = {"source": found.source, "target": found.target, "image": found.ids}
    yield from _shares(variance_split(found.linf, facets))


def variance_over_seeds(cells: pd.DataFrame) -> Iterator[Row]:
    """Shares that source, target and training seed have in the variance of the cells of several seeds' matrices.

    A cell is the mean of the images that reach a target, so what tells its images apart is in the rest.

    Parameters
    ----------
    cells : rows of the table "matrix" with metric linf, of one network trained with two seeds or more.
    """
    ends = cells["at"].str.partition(">")
    facets = {"source": ends[0], "target": ends[2], "seed": cells["seed"]}
    codes = {name: torch.from_numpy(pd.factorize(column)[0]) for name, column in facets.items()}
    yield from _shares(variance_split(torch.tensor(cells["value"].to_numpy()), codes), method=CELLS)


def _shares(split: VarianceSplit, **common: str) -> Iterator[Row]:
    for component, value in split.shares.items():
        if value == value:
            yield {"table": "variance", **common, "at": component, "metric": "share", "value": value, "n": split.n}
