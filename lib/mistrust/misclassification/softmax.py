"""The rival that needs no centroid: how much softmax mass a class's inputs give to each other class."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.misclassification.checks import check_classes, check_probabilities, check_tensor
from mistrust.misclassification.matrix import Statistic, bootstrap, class_distances

SOFTMAX = "mean softmax"  # what rows call it
MEAN = Statistic("mean")


def mean_softmax(probabilities: Float[Tensor, "n k"], labels: Int[Tensor, " n"]) -> Float[Tensor, "k k"]:
    """Mean softmax of the inputs of each class, the diagonal left out and each row divided by its sum.

    A row is NaN where a class has no input, or gives no other class any mass at all.

    Raises
    ------
    MistrustError
        Rows that are no probabilities; labels out of range.

    Examples
    --------
    >>> softmax = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    >>> mean_softmax(softmax, torch.tensor([0, 1, 2]))
    tensor([[0.0000, 0.6667, 0.3333],
            [0.5000, 0.0000, 0.5000],
            [0.5000, 0.5000, 0.0000]], dtype=torch.float64)
    """
    check_tensor("Probabilities", probabilities)
    k = probabilities.shape[-1] if probabilities.ndim else 0
    check_classes(k)
    check_probabilities(probabilities, len(labels), k)
    return without_diagonal(class_distances(probabilities.to(torch.float64), labels, MEAN))


def softmax_at_levels(
    probabilities: Float[Tensor, "n k"], labels: Int[Tensor, " n"], level: Int[Tensor, " n"]
) -> Float[Tensor, "m k k"]:
    """`mean_softmax` of the inputs of each level, levels ascending."""
    chosen = [level == one for one in torch.unique(level)]
    return torch.stack([mean_softmax(probabilities[some], labels[some]) for some in chosen])


def mean_softmax_bootstrap(
    probabilities: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    base: Int[Tensor, " n"],
    resamples: int,
    seed: int,
) -> Float[Tensor, "b k k"]:
    """`mean_softmax` of resampled base images; they are those that `bootstrap` draws for the mean distance.

    Examples
    --------
    >>> softmax = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]).repeat(4, 1)
    >>> found = mean_softmax_bootstrap(softmax, torch.arange(3).repeat(4), torch.arange(12), resamples=30, seed=0)
    >>> found.shape  # all inputs of a class are alike here, so no resample differs
    torch.Size([30, 3, 3])
    >>> torch.allclose(found[:, 0, 1].nanmean(), torch.tensor(2 / 3).double(), atol=1e-6)
    True
    """
    check_tensor("Probabilities", probabilities)
    return without_diagonal(bootstrap(probabilities.to(torch.float64), labels, base, MEAN, resamples, seed))


def without_diagonal(matrix: Float[Tensor, "... k k"]) -> Float[Tensor, "... k k"]:
    """Set the diagonal to 0 and divide each row by its sum; rows that sum to 0 become NaN."""
    off = matrix.to(torch.float64) * ~torch.eye(matrix.shape[-1], dtype=torch.bool)
    return off / off.sum(-1, keepdim=True)
