"""Table "cells": do readings of a network agree on which class is taken for which, and with what happens?

Five readings of the same nominal images, a matrix each, larger where the true class is the more likely to be taken
for the other; the confusion of these images, and that of others. Off the diagonal they are compared by rank.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

import torch
from jaxtyping import Float64, Int
from torch import Tensor

from mistrust.comparison.tables import Row
from mistrust.misclassification import Statistic, centroids, class_distances, distances, likelihood
from mistrust.misclassification.confusion import agreement, confusion, error_shares
from mistrust.misclassification.softmax import mean_softmax
from mistrust.networks import Record
from mistrust.robustness.breaking import Breaking
from mistrust.robustness.matrix import perturbation_matrix
from mistrust.robustness.target_pairs import Targeted

TRUTH, OWN = "true confusion", "confusion of the same images"
MLM, MLM_MEAN, SOFTMAX = "mlm", "mlm mean", "mean softmax"
TARGETED, BREAKING = "targeted distance", "breaking noise"
Matrix = Float64[Tensor, "k k"]


def readings(held: Record, found: Targeted, broken: Breaking) -> dict[str, Matrix]:
    """Give every reading of the same nominal images.

    Parameters
    ----------
    held : these images: for the MLM, by its smallest distance (the paper) and by the mean, and for the softmax.
    found : targeted perturbations to every other class, of those that are classified correctly.
    broken : breaking noise of the same, and which class appears.

    Returns
    -------
    (k, k) by name. The MLM says nothing of a class of which no image is classified correctly, and so has no centroid:
    its row and column are NaN.
    """
    k = len(held.classifier.classes)
    p, y = held.probabilities, held.labels
    centres = centroids(p, y, held.classifier.classes, partial=True)
    there = ~centres.isnan().any(1)
    rows, place = there[y], there.cumsum(0) - 1
    apart, among = distances(p, centres)[rows][:, there], place[y[rows]]

    def mlm(statistic: Statistic) -> Matrix:
        found = torch.full((k, k), torch.nan, dtype=torch.float64)
        found[there.nonzero(), there.nonzero()[:, 0]] = likelihood(class_distances(apart, among, statistic))
        return found

    nearness = -perturbation_matrix(found, k).mean
    source = broken.labels[:, None].expand_as(broken.new_label)[broken.broken]
    counts = confusion(source, broken.new_label[broken.broken], k)
    return {
        MLM: mlm(Statistic()),
        MLM_MEAN: mlm(Statistic("mean")),
        SOFTMAX: mean_softmax(p, y),
        TARGETED: nearness,
        BREAKING: error_shares(counts),
    }


def cells(
    read: Mapping[str, Matrix],
    truths: Mapping[str, Int[Tensor, "k k"]],
    without: Collection[int] = (),
) -> Iterator[Row]:
    """Rows of each reading beside each truth, and of each pair of readings.

    Parameters
    ----------
    read : (k, k) by name; NaN where a reading says nothing of a pair of classes.
    truths : (k, k) by name: images of true class y that are taken for c, at [y, c].
    without : positions of classes that are left out of all of them, and of the truths. Of less than two there are no
        pairs, and no rows.

    Metrics
    -------
    rank correlation : Spearman's over all cells off the diagonal that both have.
    top : share of the true classes whose likeliest mistake is named, of those that have errors; beside a truth alone.
    """
    kept = torch.tensor([place not in without for place in range(len(next(iter(truths.values()))))])
    if int(kept.sum()) < 2:
        return
    read = {name: one[kept][:, kept] for name, one in read.items()}
    for truth, counted in truths.items():
        counts = counted[kept][:, kept]
        shares = error_shares(counts)
        for name, one in read.items():
            both = agreement(one, shares)
            row = {"table": "cells", "method": name, "at": f"beside={truth}"}
            yield {**row, "metric": "rank correlation", "value": both.cells, "n": int(counts.sum() - counts.trace())}
            yield {**row, "metric": "top", "value": both.share, "n": both.counted}
    off = ~torch.eye(int(kept.sum()), dtype=torch.bool)
    for (first, a), (second, b) in combinations(read.items(), 2):
        row = {"table": "cells", "method": first, "at": f"beside={second}", "metric": "rank correlation"}
        known = int((~(a[off].isnan() | b[off].isnan())).sum())
        yield {**row, "value": agreement(a, b).cells, "n": known}
