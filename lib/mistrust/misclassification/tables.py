"""Rows of one network: what was counted and measured, one function a table. Pure: from arrays to rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mistrust import random
from mistrust.evaluation import percentile_interval, share
from mistrust.misclassification.confusion import agreement, confusion, error_shares
from mistrust.misclassification.matrix import Statistic, bootstrap, class_distances, likelihood

Row = Mapping[str, Any]
ALL = "perturbed/all"


@dataclass(frozen=True)
class Sweep:
    """All perturbed versions of the test images, one setting after the other, as a network sees them.

    Attributes
    ----------
    distance : (n, k) distances of the softmax to the centroids.
    labels, base, predicted : (n,) true class, id of the image it was made from, predicted class.
    classes : the k class names.
    """

    distance: Float[Tensor, "n k"]
    labels: Int[Tensor, " n"]
    base: Int[Tensor, " n"]
    predicted: Int[Tensor, " n"]
    classes: tuple[str, ...]

    @property
    def cells(self) -> list[tuple[int, int, str]]:
        """True class, other class, and the name of their cell ("4>9"), the diagonal left out."""
        k = len(self.classes)
        return [(y, c, f"{self.classes[y]}>{self.classes[c]}") for y in range(k) for c in range(k) if y != c]


def accuracy(hits: Bool[Tensor, " n"], condition: str, **where: Any) -> Row:
    """Share of correct predictions, with its exact interval."""
    found = share(int(hits.sum()), len(hits))
    return {
        "table": "accuracy", "method": "network", "condition": condition, "metric": "accuracy",
        "value": found.value, "low": found.low, "high": found.high, "over": "images", "n": found.n, **where,
    }  # fmt: skip


def misses(counts: Int[Tensor, "k k"], classes: tuple[str, ...]) -> list[Row]:
    """Misclassified clean test images, by true and predicted class (the paper's Figure 1)."""
    common = {"table": "misses", "method": "network", "condition": "clean", "metric": "count"}
    return [
        {**common, "at": f"{a}>{b}", "value": int(counts[y, c]), "n": int(counts[y].sum())}
        for y, a in enumerate(classes)
        for c, b in enumerate(classes)
        if y != c
    ]


def matrices(sweep: Sweep, statistics: Sequence[Statistic], resamples: int, seed: int) -> list[Row]:
    """L by each statistic with bootstrap intervals by base image, and the true shares of errors beside it."""
    common = {"table": "matrix", "condition": ALL, "n": len(sweep.labels)}
    truth = error_shares(confusion(sweep.labels, sweep.predicted, len(sweep.classes)))
    rows: list[Row] = [
        {**common, "method": "confusion", "metric": "share", "at": at, "value": float(truth[y, c])}
        for y, c, at in sweep.cells
    ]
    for statistic in statistics:
        L = likelihood(class_distances(sweep.distance, sweep.labels, statistic))
        again = likelihood(bootstrap(sweep.distance, sweep.labels, sweep.base, statistic, resamples, seed))
        low, high = percentile_interval(again.numpy())
        rows += [
            {
                **common, "method": statistic.name, "metric": "likelihood", "at": at, "over": "images",
                "value": float(L[y, c]), "low": float(low[y, c]), "high": float(high[y, c]),
            }
            for y, c, at in sweep.cells
        ]  # fmt: skip
    return rows


def agreements(sweep: Sweep, statistics: Sequence[Statistic], seed: int) -> list[Row]:
    """How well L, estimated on half of the base images, tells the true confusion of the other half."""
    ids = torch.unique(sweep.base)
    half = ids[random.permutation(seed, "halves", len(ids))[: len(ids) // 2]]
    first = torch.isin(sweep.base, half)
    truth = error_shares(confusion(sweep.labels[~first], sweep.predicted[~first], len(sweep.classes)))
    rows: list[Row] = []
    for statistic in statistics:
        L = likelihood(class_distances(sweep.distance[first], sweep.labels[first], statistic))
        found = agreement(L, truth)
        common = {"table": "agreement", "condition": ALL, "method": statistic.name}
        n = int((~first).sum())
        rows += [
            {**common, "metric": "spearman", "value": found.cells, "n": n},
            {**common, "metric": "spearman within rows", "value": found.rows, "n": n},
            {**common, "metric": "top-1 share", "value": found.share, "n": found.counted},
        ]
    return rows


def nearest(sweep: Sweep, settings: Sequence[tuple[str, int]], count: int = 3) -> list[Row]:
    """For each cell the `count` base images of class y whose nearest version comes nearest to centroid c."""
    per = len(sweep.labels) // len(settings)
    rows: list[Row] = []
    for y, c, at in sweep.cells:
        seen: list[int] = []
        for index in torch.where(sweep.labels == y, sweep.distance[:, c], torch.inf).argsort(stable=True).tolist():
            image = int(sweep.base[index])
            if image in seen or sweep.labels[index] != y:
                continue
            seen.append(image)
            name, level = settings[index // per]
            rows.append({
                "table": "nearest", "method": f"nearest {len(seen)}", "condition": f"perturbed/{name}", "level": level,
                "at": at, "metric": "distance", "value": float(sweep.distance[index, c]), "n": 1, "note": f"id {image}",
            })  # fmt: skip
            if len(seen) == count:
                break
    return rows
