"""Whether one scorer is worse than another on the same networks and images: their difference, network by network."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from mistrust.evaluation import between_models

NEAR = 1e-6  # of an end: there a logit runs away, and one network would be all that the interval tells of


def worse(best: ArrayLike, other: ArrayLike) -> bool:
    """Tell whether the other one's AUROC is lower, with its whole 95% interval of the difference between networks.

    Two marginal intervals hide it: what makes an image set hard for one network makes it hard for both scorers, and
    their difference scatters less than either.

    Parameters
    ----------
    best, other : (m,) AUROC of two scorers, one a network, in the same order; m is at least 2. Their difference is
        taken between logits, and between AUROCs where one of them is 0 or 1.

    Examples
    --------
    Three networks that differ by more than the two scorers do, who keep their distance:

    >>> worse([0.70, 0.80, 0.90], [0.67, 0.77, 0.88]), worse([0.70, 0.80, 0.90], [0.60, 0.82, 0.89])
    (True, False)
    """
    both = np.asarray([best, other], dtype=np.float64)
    inside = bool(((both > NEAR) & (both < 1 - NEAR)).all())
    first, second = logit(both) if inside else both
    return between_models(first - second).low > 0
