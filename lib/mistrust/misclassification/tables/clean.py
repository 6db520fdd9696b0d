"""Rows of clean images: accuracy, misses (Figure 1), KMeans (Table 1, Figures 3 and 4 of Sikar et al.)."""

from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor

from mistrust.evaluation import share
from mistrust.misclassification.clusters import Clusters, misclustered
from mistrust.misclassification.tables.sweep import Row, cells, told

SHOWN = 4  # misclustered images whose softmax and distances are kept


def accuracy(hits: Bool[Tensor, " n"], condition: str, **where: Any) -> Row:
    """Share of correct predictions, with its exact interval."""
    found = share(int(hits.sum()), len(hits))
    common = {"table": "accuracy", "method": "network", "condition": condition, "metric": "accuracy"}
    return {**common, **told(found), **where}


def misses(counts: Int[Tensor, "k k"], classes: tuple[str, ...]) -> list[Row]:
    """Misclassified clean test images, by true and predicted class (the paper's Figure 1)."""
    common = {"table": "misses", "method": "network", "condition": "clean"}
    rows: list[Row] = [
        {**common, "metric": "count", "at": at, "value": int(counts[y, c]), "n": int(counts[y].sum())}
        for y, c, at in cells(classes)
        if counts[y].sum() > 0  # of a class without images nothing was counted
    ]
    missed = counts.sum(1) - counts.diagonal()
    return rows + [
        {**common, "metric": "misses", "at": name, "value": int(missed[y]), "n": int(counts[y].sum())}
        for y, name in enumerate(classes)
        if counts[y].sum() > 0
    ]


def clusters(
    found: Clusters, probabilities: Float[Tensor, "n k"], ids: Int[Tensor, " n"], classes: tuple[str, ...]
) -> list[Row]:
    """How far KMeans moved the centroids (Table 1), and the images that moved them (Figures 3 and 4).

    Parameters
    ----------
    found : what `kmeans` gave.
    probabilities, ids : softmax and ids of the training images that it was given.
    """
    images = misclustered(probabilities, found)
    common = {"condition": "clean", "n": len(found.index)}
    drift = {**common, "table": "drift", "method": "KMeans", "metric": "distance"}
    rows: list[Row] = [{**drift, "at": name, "value": float(found.drift[c])} for c, name in enumerate(classes)]
    common = {**common, "table": "misclustered"}
    rows += [
        {**common, "method": "KMeans", "metric": "count", "value": len(images.index)},
        {**common, "method": "KMeans", "metric": "iterations", "value": found.iterations},
    ]
    for i, index in enumerate(images.index[:SHOWN].tolist()):
        own, cluster = classes[int(images.labels[i])], classes[int(images.clusters[i])]
        one = {**common, "method": f"image {i + 1}", "note": f"id {int(ids[index])}, {own} in cluster {cluster}"}
        for metric, values in (("softmax", images.probabilities), ("distance", images.distances)):
            rows += [{**one, "n": 1, "metric": metric, "at": c, "value": float(values[i, j])}
                     for j, c in enumerate(classes)]  # fmt: skip
    return rows
