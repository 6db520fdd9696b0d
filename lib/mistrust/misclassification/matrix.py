"""The Misclassification Likelihood Matrix (MLM): softmax centroids, distances to them, and likelihoods.

Sikar et al., section 3. Class y is taken for class c the more likely, the nearer inputs of class y come to the
centroid of class c in softmax space.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.networks import looks_like_probabilities


@dataclass(frozen=True)
class Statistic:
    """How the distances of all inputs of a class become one number.

    Attributes
    ----------
    kind : "minimum" (the paper, eq. 4), "quantile" or "mean".
    q : the quantile, in [0, 1]; quantile 0 is the minimum.
    """

    kind: str = "minimum"
    q: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ("minimum", "quantile", "mean"):
            raise MistrustError(f"Statistic '{self.kind}' does not exist, expected minimum, quantile or mean.")
        if not 0 <= self.q <= 1:
            raise MistrustError(f"The quantile is {self.q}, expected a number in [0, 1].")

    @property
    def name(self) -> str:
        """What rows call it."""
        return f"quantile={self.q:g}" if self.kind == "quantile" else self.kind


def centroids(
    probabilities: Float[Tensor, "n k"], labels: Int[Tensor, " n"], classes: tuple[str, ...]
) -> Float[Tensor, "k k"]:
    """Mean softmax of the correctly classified inputs of each class (eq. 2), float64; row c belongs to class c.

    Raises
    ------
    MistrustError
        Rows that are no probabilities; a class without any correct input (named).
    """
    _check(probabilities, labels, len(classes))
    p = probabilities.to(torch.float64)
    right = p.argmax(1) == labels
    counts = torch.bincount(labels[right], minlength=len(classes))
    if bool((counts == 0).any()):
        missing = ", ".join(classes[int(c)] for c in (counts == 0).nonzero().flatten())
        raise MistrustError(
            f"No input of class {missing} is classified correctly, so it has no centroid. Train longer, or leave the "
            "class out."
        )
    sums = torch.zeros(len(classes), p.shape[1], dtype=torch.float64).index_add_(0, labels[right], p[right])
    return sums / counts[:, None]


def distances(probabilities: Float[Tensor, "n k"], centres: Float[Tensor, "k k"]) -> Float[Tensor, "n k"]:
    """Euclidean distance of each softmax row to each centroid, float64, in [0, sqrt(2)]."""
    p = probabilities.to(torch.float64)
    # Differences, not the expanded square: near a centroid the expansion loses half of the digits.
    return torch.cdist(p, centres, compute_mode="donot_use_mm_for_euclid_dist")


def class_distances(
    distance: Float[Tensor, "n k"], labels: Int[Tensor, " n"], statistic: Statistic
) -> Float[Tensor, "k k"]:
    """D[y, c]: the statistic of the distances between inputs of class y and centroid c (eq. 4).

    A quantile is an observed value: the smallest distance d such that at least the share q lies at or below d.
    A class without inputs has a row of NaN.
    """
    ones = np.ones((1, len(labels)), dtype=np.float32)
    return torch.from_numpy(_weighted(distance.numpy(), labels.numpy(), statistic, ones)[0])


def likelihood(D: Float[Tensor, "... k k"], *, diagonal: bool = False) -> Float[Tensor, "... k k"]:
    """L: reciprocal distances divided by their row sum (eq. 5), so every row sums to 1.

    The diagonal, where nothing is misclassified, is left out (0) unless `diagonal` is set, as the paper's sum over
    c = 0 .. 9 has it. Distances of 0 share the row equally; a row of NaN stays NaN.
    """
    off = torch.ones(D.shape[-2:], dtype=torch.bool) if diagonal else ~torch.eye(D.shape[-1], dtype=torch.bool)
    zero = (D == 0) & off
    any_zero = zero.any(-1, keepdim=True)
    reciprocal = torch.where(any_zero, zero.to(D.dtype), 1 / D)
    reciprocal = torch.where(off, reciprocal, torch.zeros((), dtype=D.dtype))
    return reciprocal / reciprocal.sum(-1, keepdim=True)


def bootstrap(
    distance: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    base: Int[Tensor, " n"],
    statistic: Statistic,
    resamples: int,
    seed: int,
) -> Float[Tensor, "b k k"]:
    """D of resampled inputs, where all versions of one base image are drawn together.

    Parameters
    ----------
    base : (n,) id of the image that each input was made from.
    resamples : number of resamples b.

    Notes
    -----
    For the minimum the bootstrap is known to be too narrow on its lower side: no resample goes below the smallest
    distance that was seen.
    """
    ids, position = torch.unique(base, return_inverse=True)
    draw = random.generator(seed, f"bootstrap/{statistic.name}")
    counts = draw.multinomial(len(ids), np.full(len(ids), 1 / len(ids)), size=resamples).astype(np.float32)
    weights = counts[:, position.numpy()]
    return torch.from_numpy(_weighted(distance.numpy(), labels.numpy(), statistic, weights))


def _weighted(
    distance: NDArray[np.float64], labels: NDArray[np.int64], statistic: Statistic, weights: NDArray[np.float32]
) -> NDArray[np.float64]:
    """D for each row of weights (b, n): (b, k, k)."""
    k = distance.shape[1]
    result = np.full((len(weights), k, k), np.nan)
    for y in range(k):
        rows = np.flatnonzero(labels == y)
        if len(rows) == 0:
            continue
        w = weights[:, rows]
        total = w.sum(1, dtype=np.float64)
        there = total > 0
        if statistic.kind == "mean":
            result[there, y] = (w[there].astype(np.float64) @ distance[rows]) / total[there, None]
            continue
        q = statistic.q if statistic.kind == "quantile" else 0.0
        for c in range(k):
            order = np.argsort(distance[rows, c], kind="stable")
            reached = np.cumsum(w[:, order], axis=1, dtype=np.float64)
            # The first input at which the share q is reached, and at least one input counted.
            goal = np.maximum(q * total - 1e-9, 0.5)
            first = (reached < goal[:, None]).sum(1).clip(max=len(rows) - 1)
            result[there, y, c] = distance[rows[order[first[there]]], c]
    return result


def _check(probabilities: Tensor, labels: Tensor, k: int) -> None:
    if k < 2:
        raise MistrustError(f"The matrix needs at least two classes, got {k}.")
    if probabilities.ndim != 2 or tuple(probabilities.shape) != (len(labels), k):
        raise MistrustError(
            f"Probabilities have shape {tuple(probabilities.shape)}, expected ({len(labels)}, {k}): a row an input, a "
            "column a class."
        )
    if not bool(torch.isfinite(probabilities).all()):
        raise MistrustError("Probabilities hold NaN or infinite values.")
    if not looks_like_probabilities(probabilities):
        raise MistrustError(
            "Rows are not probabilities: each must be at least 0 and sum to 1 within 1e-4. Logits? Take "
            "record.probabilities, or logits.softmax(1)."
        )
