"""Do two distances, or one with two seeds, put images in the same order? Of log MAE, and of what a search uses.

Log MAE follows confidence closely, so it agrees however noisy a search is. What Adversarial Distance sorts by is the
residual of log MAE on confidence, and its reliability is the one that counts (facts 10.3: .96 against .31).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.evaluation import Estimate, rank_correlation
from mistrust.search.attack.found import Distances
from mistrust.search.residual import residual


@dataclass(frozen=True)
class Agreement:
    """Rank correlations of two distances of the same n images, with 95 % intervals.

    Attributes
    ----------
    log_mae : of the logarithm of MAE.
    residual : of the residuals of log MAE on confidence, each distance with a fit of its own.
    n : images for which both found another class.
    left_out : images for which one did not.

    Examples
    --------
    >>> from mistrust.evaluation import Estimate
    >>> found = Agreement(Estimate(0.96, 0.93, 0.98, 50), Estimate(0.31, 0.04, 0.54, 50), n=50, left_out=2)
    >>> found.log_mae.value, found.residual.value  # what a search sorts by is the less reliable
    (0.96, 0.31)
    """

    log_mae: Estimate
    residual: Estimate
    n: int
    left_out: int


def agreement(first: Distances, second: Distances, confidence: ArrayLike, **options: Any) -> Agreement:
    """Compare two distances of the same images.

    Parameters
    ----------
    first, second : of the same ids, in any order.
    confidence : (n,) in (0, 1], of the ids of `first` in its order.
    options : of `mistrust.search.residual.residual` (fraction, iterations, delta, form, fit).

    Raises
    ------
    MistrustError
        Other ids, another number of confidences, and what `residual` refuses.

    Examples
    --------
    Two runs of the boundary attack on images of rising brightness, surer the darker they are:

    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> level = torch.linspace(0.1, 0.45, 12)
    >>> images = level.view(-1, 1, 1, 1).expand(-1, 1, 4, 4)
    >>> first, second = (boundary(bright, images, steps=5, seed=seed) for seed in (0, 1))
    >>> found = agreement(first, second, confidence=(1 - level).numpy(), fraction=0.5)
    >>> found.n, bool(found.log_mae.value > 0.9), bool(found.residual.value < found.log_mae.value)
    (12, True, True)
    """
    sure = np.asarray(confidence, dtype=np.float64)
    if sure.shape != (len(first),):
        raise MistrustError(
            f"There are {len(first)} distances and confidences of shape {sure.shape}, expected one for each distance."
        )
    mine, yours = first.ids.numpy(), second.ids.numpy()
    if not np.array_equal(np.sort(mine), np.sort(yours)):
        other = np.setxor1d(mine, yours)
        raise MistrustError(
            f"The distances are of different images: {len(other)} ids are in one alone, such as {other[0]}. Compute "
            "both for the same image set."
        )
    back = np.argsort(yours)[np.searchsorted(np.sort(yours), mine)]
    both = first.success.numpy() & second.success.numpy()[back]
    a, b = first.mae.numpy()[both], second.mae.numpy()[back][both]
    n = int(both.sum())
    return Agreement(
        rank_correlation(np.log(a), np.log(b)),
        rank_correlation(residual(a, sure[both], **options), residual(b, sure[both], **options)),
        n,
        len(first) - n,
    )
