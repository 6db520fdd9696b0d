"""Rows of clean images: accuracy, misses (Figure 1), KMeans (Table 1, Figures 3 and 4 of Sikar et al.)."""

from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor

from mistrust.evaluation import share
from mistrust.misclassification.clusters import Clusters, misclustered
from mistrust.misclassification.tables.sweep import Row, cells, told

SHOWN = 4  # misclustered images whose softmax and distances are kept


def accuracy(hits: Bool[Tensor, " n"], condition: str, **where: Any) -> Row:
    """Share of correct predictions, with its exact interval.

    Examples
    --------
    >>> row = accuracy(torch.tensor([True, True, True, False]), "perturbed/fog", level=3)
    >>> row["value"], round(row["low"], 3), round(row["high"], 3)  # four images tell little
    (0.75, 0.194, 0.994)
    >>> row["condition"], row["level"], row["n"]
    ('perturbed/fog', 3, 4)
    """
    found = share(int(hits.sum()), len(hits))
    common = {"table": "accuracy", "method": "network", "condition": condition, "metric": "accuracy"}
    return {**common, **told(found), **where}


def misses(counts: Int[Tensor, "k k"], classes: tuple[str, ...]) -> list[Row]:
    """Misclassified clean test images, by true and predicted class (the paper's Figure 1).

    Examples
    --------
    >>> rows = misses(torch.tensor([[8, 1, 1], [0, 9, 0], [3, 0, 7]]), ("cat", "dog", "fox"))
    >>> [(row["at"], row["value"], row["n"]) for row in rows if row["metric"] == "misses"]
    [('cat', 2, 10), ('dog', 0, 9), ('fox', 3, 10)]
    >>> [(row["at"], row["value"]) for row in rows if row["metric"] == "count" and row["value"]]
    [('cat>dog', 1), ('cat>fox', 1), ('fox>cat', 3)]
    """
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

    Examples
    --------
    The third image, a cat of which the network is not sure, goes over to the dogs:

    >>> from mistrust.misclassification import kmeans
    >>> softmax = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.51, 0.49], [0.45, 0.55], [0.4, 0.6], [0.3, 0.7]])
    >>> classes = ("cat", "dog")
    >>> found = kmeans(softmax, torch.tensor([0, 0, 0, 1, 1, 1]), classes)
    >>> rows = clusters(found, softmax, torch.arange(10, 16), classes)
    >>> [(row["at"], round(row["value"], 3)) for row in rows if row["table"] == "drift"]
    [('cat', 0.231), ('dog', 0.045)]
    >>> rows[-1]["note"]
    'id 12, cat in cluster dog'
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
