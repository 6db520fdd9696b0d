"""What the matrix is held against: the true confusion, and how well two matrices agree."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.evaluation import spearman
from mistrust.misclassification.checks import check_counts, check_labels, check_lengths, check_tensor


def confusion(labels: Int[Tensor, " n"], predicted: Int[Tensor, " n"], classes: int) -> Int[Tensor, "k k"]:
    """Count inputs of true class y predicted as c, at [y, c].

    Raises
    ------
    MistrustError
        Labels and predictions of different numbers; one outside 0 to `classes` - 1.

    Examples
    --------
    >>> confusion(torch.tensor([0, 0, 1, 2]), torch.tensor([0, 2, 1, 2]), 3)
    tensor([[1, 0, 1],
            [0, 1, 0],
            [0, 0, 1]])
    """
    check_lengths(labels=labels, predictions=predicted)
    check_labels(labels, classes)
    check_labels(predicted, classes, "Predictions")
    return torch.bincount(labels * classes + predicted, minlength=classes * classes).view(classes, classes)


def error_shares(counts: Int[Tensor, "k k"]) -> Float[Tensor, "k k"]:
    """P(predicted c | true y, wrong): off-diagonal counts divided by their row sum; NaN rows where nothing is wrong.

    Raises
    ------
    MistrustError
        Counts that are no square matrix.

    Examples
    --------
    >>> error_shares(torch.tensor([[8, 1, 1], [0, 9, 0], [3, 0, 7]]))
    tensor([[0.0000, 0.5000, 0.5000],
            [   nan,    nan,    nan],
            [1.0000, 0.0000, 0.0000]], dtype=torch.float64)
    """
    check_counts(counts)
    wrong = counts.to(torch.float64).clone().fill_diagonal_(0)
    return wrong / wrong.sum(1, keepdim=True)


@dataclass(frozen=True)
class Agreement:
    """How well a matrix tells the true confusion.

    Attributes
    ----------
    cells : Spearman's correlation over all cells off the diagonal.
    rows : mean over rows of Spearman's correlation within the row; NaN where rows have fewer than three cells off the
        diagonal, so with three classes or two.
    top1 : number of rows whose largest cell is the true top confusion.
    counted : number of rows that could be compared: those where the truth has errors and neither matrix holds NaN.

    Examples
    --------
    >>> cells = [[0.0, 0.6, 0.3, 0.1], [0.2, 0.0, 0.5, 0.3], [0.5, 0.4, 0.0, 0.1], [0.1, 0.2, 0.7, 0.0]]
    >>> truth = torch.tensor(cells)
    >>> itself, turned = agreement(truth, truth), agreement(1 - truth, truth)
    >>> round(itself.cells, 6), itself.top1, round(turned.cells, 6), turned.top1
    (1.0, 4, -1.0, 0)
    """

    cells: float
    rows: float
    top1: int
    counted: int

    @property
    def share(self) -> float:
        """Share of the counted rows whose largest cell is the true top confusion, NaN when none could be counted."""
        return self.top1 / self.counted if self.counted else float("nan")


def agreement(estimate: Float[Tensor, "k k"], truth: Float[Tensor, "k k"]) -> Agreement:
    """Compare two matrices off the diagonal; estimate them from different base images.

    Raises
    ------
    MistrustError
        Matrices that are not square, or of two sizes.

    Examples
    --------
    An estimate that has the cells of each row in the right order, though not their sizes:

    >>> cells = [[0.0, 0.6, 0.3, 0.1], [0.2, 0.0, 0.5, 0.3], [0.5, 0.4, 0.0, 0.1], [0.1, 0.2, 0.7, 0.0]]
    >>> truth = torch.tensor(cells)
    >>> found = agreement(truth.square(), truth)
    >>> round(found.rows, 6), found.top1, found.counted
    (1.0, 4, 4)
    """
    for matrix in (estimate, truth):
        check_tensor("Matrices", matrix)
    if estimate.shape != truth.shape or truth.ndim != 2 or len(truth) != truth.shape[1]:
        raise MistrustError(
            f"Matrices have shapes {tuple(estimate.shape)} and {tuple(truth.shape)}, expected (k, k) twice."
        )
    k = len(truth)
    off = ~torch.eye(k, dtype=torch.bool)
    within: list[float] = []
    top, counted = 0, 0
    for y in range(k):
        a, b = estimate[y][off[y]].numpy(), truth[y][off[y]].numpy()
        if np.isnan(a).any() or np.isnan(b).any():
            continue
        counted += 1
        top += int(a.argmax() == b.argmax())
        within.append(spearman(a, b))
    finite = [v for v in within if not np.isnan(v)]
    mean = float(np.mean(finite)) if finite else float("nan")
    return Agreement(spearman(estimate[off].numpy(), truth[off].numpy()), mean, top, counted)
