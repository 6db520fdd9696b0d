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

    The difference is taken on two scales, and either may show it, since each hides what the other shows. Close to 1 a
    logit changes by much where an AUROC hardly does: there the best one's own scatter widens an interval of logits,
    and who is behind by as much in every network would pass. AUROCs in turn have little room there: one network to
    which all is more difficult widens their interval. Who asks twice calls an equal worse by chance somewhat more often
    than one time in forty; that is the smaller wrong, since the guide recommends who passes.

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
    both = np.asarray([best, other], dtype=np.float64)
    inside = bool(((both > NEAR) & (both < 1 - NEAR)).all())
    scales = (both, logit(both)) if inside else (both,)
    return any(between_models(first - second).low > 0 for first, second in scales)
