"""The Misclassification Likelihood Matrix (MLM): softmax centroids, distances to them, and likelihoods.

Sikar et al., section 3. Class y is taken for class c the more likely, the nearer inputs of class y come to the
centroid of class c in softmax space.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.evaluation.given import times
from mistrust.inputs.limits import within
from mistrust.misclassification.checks import (
    check_classes,
    check_distances,
    check_labels,
    check_lengths,
    check_probabilities,
    check_tensor,
)
from mistrust.misclassification.resampling import plain, resampled_mean, resampled_quantile

DRAWN = 2**23  # draws held at once: resamples times base images


@dataclass(frozen=True)
class Statistic:
    """How the distances of all inputs of a class become one number.

    Attributes
    ----------
    kind : "minimum" (the paper, eq. 3), "quantile" or "mean".
    q : the quantile, in [0, 1]; quantile 0 is the minimum.

    Examples
    --------
    Three inputs of class 0 and one of class 1, with their distances to the centroid of class 1:

    >>> distance = torch.tensor([[0.0, 0.9], [0.1, 0.8], [0.6, 0.1], [0.9, 0.0]])
    >>> labels = torch.tensor([0, 0, 0, 1])
    >>> for statistic in (Statistic(), Statistic("quantile", 0.5), Statistic("mean")):
    ...     statistic.name, round(class_distances(distance, labels, statistic)[0, 1].item(), 2)
    ('minimum', 0.1)
    ('quantile=0.5', 0.8)
    ('mean', 0.6)
    """

    kind: str = "minimum"
    q: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ("minimum", "quantile", "mean"):
            raise MistrustError(f"Statistic '{self.kind}' does not exist, expected minimum, quantile or mean.")
        within("The quantile", self.q, 0.0, 1.0)

    @property
    def share(self) -> float:
        """The share of inputs at or below the statistic: q, and 0 for the minimum."""
        return self.q if self.kind == "quantile" else 0.0

    @property
    def name(self) -> str:
        """What rows call it."""
        return f"quantile={self.q:g}" if self.kind == "quantile" else self.kind


def centroids(
    probabilities: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    classes: tuple[str, ...],
    *,
    partial: bool = False,
) -> Float[Tensor, "k k"]:
    """Mean softmax of the correctly classified inputs of each class (eq. 1), float64; row c belongs to class c.

    Parameters
    ----------
    partial : whether a class without any correct input has a row of NaN; otherwise it is refused.

    Raises
    ------
    MistrustError
        Rows that are no probabilities; a class without any correct input (named), unless `partial`.

    Examples
    --------
    The third input is misclassified and left out:

    >>> softmax = torch.tensor([[0.75, 0.25], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    >>> centroids(softmax[:3], torch.tensor([0, 1, 1]), ("cat", "dog"))
    tensor([[0.7500, 0.2500],
            [0.0000, 1.0000]], dtype=torch.float64)
    """
    check_classes(len(classes))
    check_probabilities(probabilities, len(labels), len(classes))
    check_labels(labels, len(classes))
    p = probabilities.to(torch.float64)
    right = p.argmax(1) == labels
    counts = torch.bincount(labels[right], minlength=len(classes))
    if bool((counts == 0).any()) and not partial:
        missing = ", ".join(classes[int(c)] for c in (counts == 0).nonzero().flatten())
        raise MistrustError(
            f"No input of class {missing} is classified correctly, so it has no centroid. Train longer or on more "
            "images, or leave the class out."
        )
    sums = torch.zeros(len(classes), p.shape[1], dtype=torch.float64).index_add_(0, labels[right], p[right])
    return sums / counts[:, None]


def distances(probabilities: Float[Tensor, "n k"], centres: Float[Tensor, "k k"]) -> Float[Tensor, "n k"]:
    """Euclidean distance of each softmax row to each centroid (eq. 2), float64, in [0, sqrt(2)].

    A class without a centroid (`centroids(..., partial=True)`) has a column of NaN.

    Raises
    ------
    MistrustError
        Rows that are no probabilities (logits, NaN), or of another number of classes than the centroids; centroids that
        are not (k, k).

    Examples
    --------
    >>> corners = torch.eye(2)  # a network that is always sure has its centroids there
    >>> distances(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), corners)
    tensor([[0.0000, 1.4142],
            [0.7071, 0.7071]], dtype=torch.float64)
    """
    check_tensor("Centroids", centres)
    if centres.ndim != 2 or len(centres) != centres.shape[1]:
        raise MistrustError(f"Centroids have shape {tuple(centres.shape)}, expected (k, k): one row per class.")
    check_tensor("Probabilities", probabilities)
    check_probabilities(probabilities, len(probabilities), len(centres))
    p, c = probabilities.to(torch.float64), centres.to(torch.float64)
    # Differences, not the expanded square: near a centroid the expansion loses half of the digits.
    return torch.cdist(p, c, compute_mode="donot_use_mm_for_euclid_dist")


def class_distances(
    distance: Float[Tensor, "n k"], labels: Int[Tensor, " n"], statistic: Statistic
) -> Float[Tensor, "k k"]:
    """D[y, c]: the statistic of the distances between inputs of class y and centroid c (eq. 3).

    A quantile is an observed value: the smallest distance d such that at least the share q lies at or below d.
    A class without inputs has a row of NaN. Which inputs count, and as which class, is for `Selection` to say.

    Raises
    ------
    MistrustError
        Distances that are NaN or no rows of k; more or fewer labels than rows, or labels outside 0 to k - 1.

    Examples
    --------
    How near does any input of class y come to the centroid of class c?

    >>> distance = torch.tensor([[0.0, 0.9], [0.2, 0.5], [0.7, 0.0]])
    >>> class_distances(distance, torch.tensor([0, 0, 1]), Statistic("minimum"))
    tensor([[0.0000, 0.5000],
            [0.7000, 0.0000]], dtype=torch.float64)
    """
    if not isinstance(statistic, Statistic):
        raise MistrustError(f"The statistic is {statistic!r}, expected a Statistic, for instance Statistic('minimum').")
    check_distances(distance)
    check_lengths(distances=distance, labels=labels)
    check_labels(labels, distance.shape[1])
    d, y = distance.numpy(), labels.numpy()
    result = np.full((d.shape[1], d.shape[1]), np.nan)
    for c in range(len(result)):
        rows = np.flatnonzero(y == c)
        if len(rows):
            result[c] = plain(d[rows], statistic.kind, statistic.share)
    return torch.from_numpy(result)


def likelihood(D: Float[Tensor, "... k k"], *, diagonal: bool = False) -> Float[Tensor, "... k k"]:
    """L: reciprocal distances divided by their row sum (eq. 4), so every row sums to 1.

    The diagonal, where nothing is misclassified, is left out (0) unless `diagonal` is set, as the paper's sum over
    c = 0 .. 9 has it. Distances of 0 share the row equally; a row that holds NaN is NaN.

    Raises
    ------
    MistrustError
        What is no square matrix of at least two classes, or a stack of them; distances below 0.

    Examples
    --------
    >>> likelihood(torch.tensor([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]))
    tensor([[0.0000, 0.7500, 0.2500],
            [0.5000, 0.0000, 0.5000],
            [0.2500, 0.7500, 0.0000]])
    """
    check_tensor("Distances", D)
    if D.ndim < 2 or D.shape[-1] != D.shape[-2] or D.shape[-1] < 2:
        raise MistrustError(f"Distances have shape {tuple(D.shape)}, expected (k, k) of at least two classes.")
    if bool((D < 0).any()):
        raise MistrustError(f"Distances reach down to {float(D[D < 0].min()):g}, expected none below 0.")
    off = torch.ones(D.shape[-2:], dtype=torch.bool) if diagonal else ~torch.eye(D.shape[-1], dtype=torch.bool)
    zero = (D == 0) & off
    any_zero = zero.any(-1, keepdim=True)
    reciprocal = torch.where(any_zero, zero.to(D.dtype), 1 / D)
    reciprocal = torch.where(off, reciprocal, torch.zeros((), dtype=D.dtype))
    unknown = (D.isnan() & off).any(-1, keepdim=True)  # beside a 0 it would be passed over
    return torch.where(unknown, torch.nan, reciprocal / reciprocal.sum(-1, keepdim=True))


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

    Raises
    ------
    MistrustError
        What `class_distances` refuses; no inputs, ids of another number; no resample, or no whole number of them.

    Notes
    -----
    For the minimum the bootstrap is known to be too narrow on its lower side: no resample goes below the smallest
    distance that was seen.

    Examples
    --------
    Two images in two versions each; a resample holds both versions of an image or none:

    >>> distance = torch.tensor([[0.1, 0.9], [0.2, 0.8], [0.9, 0.1], [0.8, 0.2]])
    >>> labels, base = torch.tensor([0, 0, 1, 1]), torch.tensor([7, 7, 8, 8])
    >>> D = bootstrap(distance, labels, base, Statistic("mean"), resamples=20, seed=0)
    >>> D.shape
    torch.Size([20, 2, 2])
    >>> here = D[:, 0, 1]
    >>> torch.allclose(here[~here.isnan()], torch.tensor(0.85).double())  # both versions, never one; NaN: neither
    True
    """
    resamples = times(resamples)
    check_distances(distance)
    check_lengths(distances=distance, labels=labels, base=base)
    check_labels(labels, distance.shape[1])
    if not len(distance):
        raise MistrustError("A bootstrap needs at least one input, got none.")
    ids, position = torch.unique(base, return_inverse=True)
    of_class = [np.flatnonzero(labels.numpy() == y) for y in range(distance.shape[1])]
    d, images = distance.numpy(), position.numpy()
    draw = random.generator(seed, f"bootstrap/{statistic.name}")
    chances = np.full(len(ids), 1 / len(ids))
    result = np.full((resamples, d.shape[1], d.shape[1]), np.nan)
    block = max(1, DRAWN // len(ids))
    for start in range(0, resamples, block):
        some = slice(start, min(start + block, resamples))
        counts = draw.multinomial(len(ids), chances, size=some.stop - start).astype(np.float64)
        for y, rows in enumerate(of_class):
            if len(rows) == 0:
                continue
            if statistic.kind == "mean":
                result[some, y] = resampled_mean(d[rows], images[rows], counts)
            else:
                result[some, y] = resampled_quantile(d[rows], images[rows], counts, statistic.share)
    return torch.from_numpy(result)
