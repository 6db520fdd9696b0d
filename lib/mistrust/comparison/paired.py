"""Whether one scorer is worse than another on the same networks and images: their difference, network by network."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from scipy.stats import t as student

from mistrust.evaluation import between_models

NEAR = 1e-6  # of an end: there a logit runs away, and one network would be all that the interval tells of


def worse(best: ArrayLike, other: ArrayLike) -> bool:
    """Tell whether the other one's AUROC is lower, with its whole 95% interval of the difference between networks.

    Two marginal intervals hide it: what makes an image set hard for one network makes it hard for both scorers, and
    their difference scatters less than either.

    The difference is taken on two scales, and either may show it, since each hides what the other shows. Close to 1 a
    logit changes by much where an AUROC hardly does: there the best one's own scatter widens an interval of logits,
    and who is behind by as much in every network would pass. AUROCs in turn have little room there: one network to
    which all is more difficult widens their interval. Who asks twice calls an equal worse by chance somewhat more often
    than one time in forty; that is the smaller wrong, since the guide recommends who passes. And where the best one was
    chosen as the best of many on the same networks it is more often still, since it had luck on them: see `by_chance`.

    Parameters
    ----------
    best, other : (m,) AUROC of two scorers, one per network, in the same order; m is at least 2. Their difference is
        taken between AUROCs, and between logits but where one of the AUROCs is 0 or 1.

    Examples
    --------
    Three networks that differ by more than the two scorers do, who keep their distance:

    >>> worse([0.70, 0.80, 0.90], [0.67, 0.77, 0.88]), worse([0.70, 0.80, 0.90], [0.60, 0.82, 0.89])
    (True, False)

    A best one that is close to 1 in all, and far from itself in logits:

    >>> worse([0.99998, 0.998, 0.9999], [0.96, 0.95, 0.96])
    True
    """
    return any(between_models(one).low > 0 for one in _differences(best, other))


def by_chance(best: ArrayLike, other: ArrayLike) -> float:
    """Give the smaller of both scales' two-sided p for a difference of this size, 1 where the best one is not ahead.

    `worse` asks whether it is below 0.05; who makes many comparisons corrects these numbers (`evaluation.holm`). Each
    is that of the paired t test between networks; networks that all differ by the same say nothing, and give 1.

    Parameters
    ----------
    best, other : as of `worse`.

    Examples
    --------
    >>> round(by_chance([0.70, 0.80, 0.90], [0.67, 0.77, 0.88]), 3), by_chance([0.7, 0.8], [0.8, 0.9])
    (0.012, 1.0)
    """
    return min(_p(one) for one in _differences(best, other))


def _differences(best: ArrayLike, other: ArrayLike) -> Iterator[NDArray[np.float64]]:
    both = np.asarray([best, other], dtype=np.float64)
    yield both[0] - both[1]
    if ((both > NEAR) & (both < 1 - NEAR)).all():
        first, second = logit(both)
        yield first - second


def _p(difference: NDArray[np.float64]) -> float:
    mean, scatter = difference.mean(), difference.std(ddof=1)
    if mean <= 0:
        return 1.0
    many = len(difference)
    return float(2 * student.sf(mean / scatter * many**0.5, many - 1)) if scatter > 0 else 1.0
