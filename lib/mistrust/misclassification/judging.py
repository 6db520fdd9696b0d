"""Is the likelihood a likelihood? A matrix held against the true confusion of other images, beside two rivals.

Every estimate comes from half of the base images, the truth from the other half. Two rivals stand beside the distances:
the plain mean softmax, which needs no centroid, and the null, which knows only how often each class is predicted by
mistake, whatever the true class. Under shift nearly every error may become the same class; then the null alone looks
good, and what a matrix adds to it is what counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.misclassification.checks import check_counts, check_lengths, check_tensor
from mistrust.misclassification.confusion import agreement, confusion, error_shares
from mistrust.misclassification.levels import at_levels, over_levels
from mistrust.misclassification.matrix import Statistic, class_distances, likelihood
from mistrust.misclassification.softmax import SOFTMAX, mean_softmax, softmax_at_levels

NULL, COUNTED = "marginal", "counted confusion"


@dataclass(frozen=True)
class Judgement:
    """How well a matrix tells P(predicted c | true y, wrong).

    Attributes
    ----------
    cells : Spearman's correlation over all cells off the diagonal.
    rows : mean over rows of Spearman's correlation within the row.
    top1, top3 : number of rows whose true top confusion is the largest cell, one of the three largest; cells tied at
        the border count for the chance that the tie falls their way, so these may be fractions.
    log_score : mean over rows of the expected log likelihood of an error, in nats, at most `best_log_score`; minus
        infinity when an error happens that the matrix excludes.
    best_log_score : what the truth itself would score.
    variation : mean over rows of the total variation distance, in [0, 1]; 0 when equal.
    counted : number of rows that could be compared.

    Examples
    --------
    >>> truth = torch.tensor([[0.0, 0.75, 0.25], [0.5, 0.0, 0.5], [0.25, 0.75, 0.0]])
    >>> even = torch.tensor([[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]])
    >>> found = judge(even, truth)
    >>> round(found.variation, 4), found.top1  # guessing one of two, three times
    (0.1667, 1.5)
    >>> found.log_score < found.best_log_score
    True
    """

    cells: float
    rows: float
    top1: float
    top3: float
    log_score: float
    best_log_score: float
    variation: float
    counted: int


def judge(estimate: Float[Tensor, "k k"], truth: Float[Tensor, "k k"], *, floor: float = 0.0) -> Judgement:
    """Hold a matrix against the truth, row by row; rows in which either is NaN are left out.

    Parameters
    ----------
    estimate, truth : (k, k) rows that sum to 1 off the diagonal (`likelihood`, `error_shares`); estimate them from
        different base images. What stands on the diagonals is left out.
    floor : for the log score alone, the least likelihood of a cell, in [0, 1 / (k - 1)); rows are divided by their sum
        again. It keeps the score of a matrix finite that excludes what happens.

    Raises
    ------
    MistrustError
        Unequal shapes; a floor out of range; rows that do not sum to 1.

    Examples
    --------
    A matrix that knows nothing, and the truth itself:

    >>> truth = torch.tensor([[0.0, 0.75, 0.25], [0.5, 0.0, 0.5], [0.25, 0.75, 0.0]])
    >>> even = torch.tensor([[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]])
    >>> round(judge(even, truth).variation, 4), judge(truth, truth).variation
    (0.1667, 0.0)
    >>> round(judge(even, truth).log_score, 4), round(judge(truth, truth).log_score, 4)  # the first is ln 1/2
    (-0.6931, -0.6059)
    """
    a, b = _rows(estimate, "The estimate"), _rows(truth, "The truth")
    if a.shape != b.shape:
        raise MistrustError(f"The matrices have {len(a)} and {len(b)} classes, expected as many in both.")
    if not 0 <= floor < 1 / a.shape[1]:
        raise MistrustError(f"The floor is {floor}, expected a number from 0 to below {1 / a.shape[1]:.4g}.")
    whole = ~(torch.isnan(a).any(1) | torch.isnan(b).any(1))
    a, b = a[whole], b[whole]
    orders = agreement(
        torch.where(whole[:, None], estimate.to(torch.float64), torch.nan),
        torch.where(whole[:, None], truth.to(torch.float64), torch.nan),
    )
    raised = a.clamp(min=floor)
    raised = raised / raised.sum(1, keepdim=True)
    return Judgement(
        orders.cells,
        orders.rows,
        float(_hits(a, b, 1).sum()),
        float(_hits(a, b, 3).sum()),
        float(torch.special.xlogy(b, raised).sum(1).mean()),
        float(torch.special.xlogy(b, b).sum(1).mean()),
        float((a - b).abs().sum(1).mean() / 2),
        int(whole.sum()),
    )


def marginal(counts: Int[Tensor, "k k"]) -> Float[Tensor, "k k"]:
    """Give the null: every row the shares of classes among all wrong predictions, the row's own class left out.

    NaN rows where no wrong prediction names another class.

    Raises
    ------
    MistrustError
        Counts that are no square matrix.

    Examples
    --------
    >>> marginal(torch.tensor([[8, 1, 1], [0, 9, 0], [3, 0, 7]]))
    tensor([[0.0000, 0.5000, 0.5000],
            [0.7500, 0.0000, 0.2500],
            [0.7500, 0.2500, 0.0000]], dtype=torch.float64)
    """
    check_counts(counts)
    wrong = counts.to(torch.float64).clone().fill_diagonal_(0)
    return error_shares(wrong.sum(0).expand_as(wrong))


def first_half(base: Int[Tensor, " n"], seed: int) -> Bool[Tensor, " n"]:
    """Tell which inputs were made from the half of the base images, drawn at random, that estimates come from.

    Examples
    --------
    Versions of one image are in the same half:

    >>> half = first_half(torch.tensor([5, 5, 6, 6, 7, 7, 8, 8]), seed=0)
    >>> half[::2].sum(), torch.equal(half[::2], half[1::2])
    (tensor(2), True)
    """
    check_tensor("Base images", base)
    ids = torch.unique(base)
    half = ids[random.permutation(seed, "halves", len(ids))[: len(ids) // 2]]
    return torch.isin(base, half)


def judge_all(
    probabilities: Float[Tensor, "n k"],
    distance: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    base: Int[Tensor, " n"],
    statistics: Sequence[Statistic],
    seed: int,
    *,
    level: Int[Tensor, " n"] | None = None,
    others: Mapping[str, Float[Tensor, "k k"]] | None = None,
    floor: float = 0.0,
) -> dict[str, Judgement]:
    """Judge L by each statistic, the plain mean softmax, plain counting and the null, all on the same two halves.

    All are judged on the classes of which the second half holds errors. Where a matrix has no row for one of them it
    says nothing, which is taken as all answers being equally likely.

    Parameters
    ----------
    probabilities, distance : (n, k) softmax rows and their distances to the centroids.
    labels, base : (n,) true class, id of the image that each input was made from.
    statistics : how distances become one number.
    seed : of the halves.
    level : (n,) level of each input: matrices are then means over levels, as the paper's, instead of one over all
        inputs. Truth and null are over all inputs in either case.
    others : further matrices to be judged, by name; what they are made from must not be of the second half.
    floor : as for `judge`.

    Returns
    -------
    By name: each statistic's, then "mean softmax", the others', "counted confusion" (the first half's own errors,
    counted: who has labels can do that), and "marginal".

    Examples
    --------
    Three classes, and a network that takes each for the next one, when it errs:

    >>> labels = torch.arange(3).repeat(20)
    >>> wrong = torch.arange(60) % 4 == 0
    >>> softmax = torch.full((60, 3), 0.1).scatter_(1, ((labels + wrong) % 3)[:, None], 0.8)
    >>> centres = centroids(softmax, labels, ("a", "b", "c"))
    >>> away = distances(softmax, centres)
    >>> found = judge_all(softmax, away, labels, torch.arange(60), [Statistic("mean")], seed=0)
    >>> list(found)
    ['mean', 'mean softmax', 'counted confusion', 'marginal']
    >>> found["mean"].top1, found["mean"].counted  # the likeliest confusion of each of the three
    (3.0, 3)
    """
    check_lengths(probabilities=probabilities, distances=distance, labels=labels, base=base)
    k = probabilities.shape[1]
    predicted = probabilities.argmax(1)
    first = first_half(base, seed)
    truth = error_shares(confusion(labels[~first], predicted[~first], k))
    p, d, y = probabilities[first], distance[first], labels[first]
    matrices: dict[str, Tensor] = {}
    if level is None:
        for statistic in statistics:
            matrices[statistic.name] = likelihood(class_distances(d, y, statistic))
        matrices[SOFTMAX] = mean_softmax(p, y)
    else:
        check_lengths(labels=labels, level=level)
        at = level[first]
        for statistic in statistics:
            matrices[statistic.name] = over_levels(at_levels(d, y, at, statistic)).mean
        matrices[SOFTMAX] = over_levels(softmax_at_levels(p, y, at)).mean
    counts = confusion(y, predicted[first], k)
    matrices |= {**(others or {}), COUNTED: error_shares(counts), NULL: marginal(counts)}
    return {name: judge(_filled(matrix), truth, floor=floor) for name, matrix in matrices.items()}


def _filled(matrix: Float[Tensor, "k k"]) -> Float[Tensor, "k k"]:
    """Put equal shares into rows that are NaN."""
    k = len(matrix)
    equal = (1 - torch.eye(k, dtype=torch.float64)) / (k - 1)
    return torch.where(torch.isnan(matrix).any(1, keepdim=True), equal, matrix)


def _rows(matrix: Tensor, what: str) -> Tensor:
    """Cells off the diagonal, (k, k - 1), float64, divided by their sum."""
    check_tensor("Matrices", matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise MistrustError(f"{what} has shape {tuple(matrix.shape)}, expected (k, k) of at least two classes.")
    k = len(matrix)
    cells = matrix.to(torch.float64)[~torch.eye(k, dtype=torch.bool)].view(k, k - 1)
    sums = cells.sum(1, keepdim=True)
    known = ~torch.isnan(sums)
    if bool((cells < 0).any()) or not bool((((sums - 1).abs() < 1e-4) | ~known).all()):
        raise MistrustError(
            f"{what} has rows that are no probabilities off the diagonal; give L without its diagonal, or error_shares."
        )
    return cells / sums


def _hits(estimate: Tensor, truth: Tensor, most: int) -> Tensor:
    """Chance (r,) that the true top confusion of each row is among its so many largest estimates.

    Ties at the border fall at random; of several true tops the one that fares best counts.
    """
    larger = (estimate[:, None, :] > estimate[:, :, None]).sum(2)
    tied = (estimate[:, None, :] == estimate[:, :, None]).sum(2)
    chance = ((most - larger).to(torch.float64) / tied).clamp(0, 1)
    top = truth == truth.max(1, keepdim=True).values
    return torch.where(top, chance, 0.0).max(1).values
