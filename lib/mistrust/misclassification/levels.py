"""The matrix at every level of perturbation, and how little it changes between them (Sikar et al., section 3.4).

The paper's hypothesis: some confusions are likelier than others, whatever the level. It looks at the mean and the
deviation of L over levels; whether the levels put the cells in the same order is asked by Kendall's W.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.evaluation import Concordance, concordance
from mistrust.misclassification.checks import check_lengths, check_tensor
from mistrust.misclassification.matrix import Statistic, class_distances, likelihood


@dataclass(frozen=True)
class OverLevels:
    """Likelihoods over levels, cell by cell.

    Attributes
    ----------
    mean : (k, k) mean over the levels at which the row is defined; rows still sum to 1.
    deviation : (k, k) standard deviation over the same levels, divided by their number, as the paper does (1/10).
    counted : (k,) at how many levels each row is defined.

    Examples
    --------
    >>> stay = [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    >>> found = over_levels(torch.tensor([[[0.0, 0.4, 0.6], *stay], [[0.0, 0.6, 0.4], *stay]]))
    >>> found.counted, found.relative[0]  # both cells of the first row vary by a fifth of their mean
    (tensor([2, 2, 2]), tensor([   nan, 0.2000, 0.2000]))
    """

    mean: Float[Tensor, "k k"]
    deviation: Float[Tensor, "k k"]
    counted: Int[Tensor, " k"]

    @property
    def relative(self) -> Float[Tensor, "k k"]:
        """Deviation over mean, cell by cell; NaN where the mean is 0 (the diagonal, unless L has one)."""
        return torch.where(self.mean > 0, self.deviation / self.mean, torch.nan)

    @property
    def variation(self) -> float:
        """Mean of `relative` over the cells off the diagonal that have one."""
        off = ~torch.eye(len(self.mean), dtype=torch.bool)
        return float(self.relative[off].nanmean())


def at_levels(
    distance: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    level: Int[Tensor, " n"],
    statistic: Statistic,
    *,
    diagonal: bool = False,
) -> Float[Tensor, "m k k"]:
    """L(p) of the inputs of each level, all perturbations together, levels ascending (section 3.4, eq. 5 and 6).

    To select inputs or to count them by predicted class, give what a `Selection` chose of all three arrays.

    Examples
    --------
    >>> distance = torch.tensor([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    >>> labels = torch.tensor([0, 1, 2])
    >>> both = at_levels(distance.repeat(2, 1), labels.repeat(2), torch.tensor([1, 1, 1, 2, 2, 2]), Statistic())
    >>> both.shape, torch.equal(both[0], both[1])  # two levels, the same inputs at both
    (torch.Size([2, 3, 3]), True)
    """
    check_lengths(distances=distance, labels=labels, level=level)
    each = [class_distances(distance[level == p], labels[level == p], statistic) for p in torch.unique(level)]
    if not each:
        raise MistrustError("There are no inputs, hence no level to make a matrix of.")
    return likelihood(torch.stack(each), diagonal=diagonal)


def over_levels(likelihoods: Float[Tensor, "m k k"]) -> OverLevels:
    """Mean and deviation over levels. A row that is NaN at a level, where its class has no input, does not count there.

    Raises
    ------
    MistrustError
        Not a stack of square matrices; no level.

    Examples
    --------
    Two levels: in the first row the two cells change places, the others stay:

    >>> stay = [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    >>> found = over_levels(torch.tensor([[[0.0, 0.4, 0.6], *stay], [[0.0, 0.6, 0.4], *stay]]))
    >>> found.mean[0], found.deviation[0]
    (tensor([0.0000, 0.5000, 0.5000]), tensor([0.0000, 0.1000, 0.1000]))
    """
    _check_stack(likelihoods)
    counted = (~torch.isnan(likelihoods).any(-1)).sum(0)
    mean = likelihoods.nanmean(0)
    deviation = ((likelihoods - mean) ** 2).nanmean(0).sqrt()
    return OverLevels(mean, deviation, counted)


def agreement_of_levels(likelihoods: Float[Tensor, "m k k"], draws: int, seed: int) -> tuple[Concordance, Concordance]:
    """Do the levels put the cells in the same order? Kendall's W, levels the judges, with its permutation test.

    Returns
    -------
    Over all cells off the diagonal, shuffled freely; and the mean over rows of W within the row, shuffled within rows.
    Rows that are NaN at any level are left out. The levels show the same images to the same network, so they agree
    well beyond chance in any case: it is the size of W that tells.

    Raises
    ------
    MistrustError
        Fewer levels than two; no row defined at every level.

    Examples
    --------
    >>> one = torch.tensor([[0.0, 0.9, 0.1], [0.4, 0.0, 0.6], [0.3, 0.7, 0.0]])
    >>> over_all, in_rows = agreement_of_levels(torch.stack([one, one, one]), draws=99, seed=0)
    >>> round(over_all.w, 6), round(in_rows.w, 6), over_all.judges  # three levels that say the same
    (1.0, 1.0, 3)
    """
    _check_stack(likelihoods)
    k = likelihoods.shape[-1]
    whole = ~torch.isnan(likelihoods).any(-1).any(0)
    if not bool(whole.any()):
        raise MistrustError("No class has inputs at every level, so the levels cannot be compared.")
    keep = ~torch.eye(k, dtype=torch.bool) & whole[:, None]
    table = likelihoods[:, keep].numpy()
    rows = keep.nonzero()[:, 0].numpy()
    cells = concordance(table, draws, random.generator(seed, "concordance/cells"))
    within = concordance(table, draws, random.generator(seed, "concordance/rows"), within=rows)
    return cells, within


def _check_stack(likelihoods: Tensor) -> None:
    check_tensor("Matrices of levels", likelihoods)
    if likelihoods.ndim != 3 or likelihoods.shape[1] != likelihoods.shape[2] or len(likelihoods) == 0:
        raise MistrustError(
            f"Matrices of levels have shape {tuple(likelihoods.shape)}, expected (levels, k, k) and at least one level."
        )
