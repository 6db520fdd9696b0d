"""Does the distance to the centroid tell errors better than the network's own confidence does?

Two scores of the same inputs, each asked how well it ranks wrong predictions above right ones (AUROC) and how many
errors are left when the most suspicious inputs go unanswered (risk against coverage). Differences come with intervals
by pairs: every resample of the base images meets all scores.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.evaluation import (
    Estimate,
    cluster_bootstrap,
    counted_area,
    counted_auroc,
    ordered,
    percentile_interval,
)
from mistrust.misclassification.checks import check_lengths, check_probabilities

DISTANCE, CONFIDENCE = "distance", "max softmax"


@dataclass(frozen=True)
class Abstention:
    """What scores are worth for abstaining, each an estimate with its interval over base images.

    Attributes
    ----------
    auroc, area : by score, the area under the ROC and under the risk-coverage curve.
    auroc_gain, area_gain : by score but the last, its value less the last one's, by pairs.

    Examples
    --------
    >>> scores = {"distance": torch.tensor([0.1, 0.2, 0.9, 0.4]), "1 - max": torch.tensor([0.1, 0.5, 0.4, 0.2])}
    >>> wrong, base = torch.tensor([False, False, True, False]), torch.arange(4)
    >>> found = compare(scores, wrong, base, resamples=50, seed=0)
    >>> round(found.auroc["distance"].value, 3), round(found.auroc["1 - max"].value, 3)
    (1.0, 0.667)
    >>> list(found.auroc_gain), round(found.auroc_gain["distance"].value, 3)  # against the last one
    (['distance'], 0.333)
    """

    auroc: dict[str, Estimate]
    area: dict[str, Estimate]
    auroc_gain: dict[str, Estimate]
    area_gain: dict[str, Estimate]


def suspicion(probabilities: Float[Tensor, "n k"], distance: Float[Tensor, "n k"]) -> dict[str, Float[Tensor, " n"]]:
    """Scores of each input, higher is more suspicious: distance to the predicted centroid; 1 less the max softmax.

    Raises
    ------
    MistrustError
        Rows that are no probabilities; distances of another shape. What is taken for a class without a centroid has the
        distance NaN.

    Examples
    --------
    >>> softmax = torch.tensor([[0.75, 0.25], [0.5, 0.5]])
    >>> found = suspicion(softmax, distances(softmax, torch.eye(2, dtype=torch.float64)))
    >>> for name, values in found.items():
    ...     name, values.round(decimals=2).tolist()
    ('distance', [0.35, 0.71])
    ('max softmax', [0.25, 0.5])
    """
    check_lengths(probabilities=probabilities, distances=distance)
    if distance.shape != probabilities.shape:
        raise MistrustError(
            f"Probabilities have shape {tuple(probabilities.shape)} and distances {tuple(distance.shape)}, expected "
            "the same (n, k): one row per input, one column per class."
        )
    check_probabilities(probabilities, *distance.shape)
    top = probabilities.max(1)
    return {DISTANCE: distance.gather(1, top.indices[:, None]).squeeze(1), CONFIDENCE: 1 - top.values}


def compare(
    scores: Mapping[str, Float[Tensor, " n"]],
    wrong: Bool[Tensor, " n"],
    base: Int[Tensor, " n"],
    resamples: int,
    seed: int,
) -> Abstention:
    """Compare scores on the same inputs, the last of them the one that the others are held against.

    Parameters
    ----------
    scores : by name, (n,) each, higher is more suspicious (`suspicion`).
    wrong : (n,) the prediction is wrong.
    base : (n,) id of the image that each input was made from; versions of one image are drawn together.
    resamples, seed : of the bootstrap.

    Raises
    ------
    MistrustError
        No scores; arrays of different lengths; NaN.

    Examples
    --------
    The distance puts the one wrong prediction last, the softmax in the middle:

    >>> scores = {"distance": torch.tensor([0.1, 0.2, 0.9, 0.3]), "softmax": torch.tensor([0.1, 0.5, 0.3, 0.6])}
    >>> wrong = torch.tensor([False, False, True, False])
    >>> found = compare(scores, wrong, torch.arange(4), resamples=50, seed=0)
    >>> round(found.auroc["distance"].value, 3), round(found.auroc["softmax"].value, 3)
    (1.0, 0.333)
    >>> round(found.auroc_gain["distance"].value, 3)
    0.667
    """
    if not scores:
        raise MistrustError("There is no score to compare.")
    check_lengths(**{**scores, "wrong": wrong, "base": base})
    outcomes = [ordered(score.numpy(), wrong.numpy()) for score in scores.values()]

    def values(weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        counted = [one.counted(weights) for one in outcomes]
        plain = np.array([[counted_auroc(one), counted_area(one)] for one in counted])
        return np.stack([plain, plain - plain[-1]])

    value = values(None)
    draw = random.generator(seed, "bootstrap/abstention")
    low, high = percentile_interval(cluster_bootstrap(base.numpy(), values, resamples, draw))

    def told(what: int, metric: int, names: list[str]) -> dict[str, Estimate]:
        at = {name: (what, i, metric) for i, name in enumerate(names)}
        return {name: Estimate(float(value[i]), float(low[i]), float(high[i]), len(wrong)) for name, i in at.items()}

    names = list(scores)
    return Abstention(told(0, 0, names), told(0, 1, names), told(1, 0, names[:-1]), told(1, 1, names[:-1]))
