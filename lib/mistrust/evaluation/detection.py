"""How well scores tell bad inputs from nominal ones, beyond the AUROC: at one threshold, and of what is alarmed.

Conventions: bad inputs are the positives, higher scores are more suspicious, and inputs of equal score get the same
answer. With infinite scores these hold as with any others.
"""

from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from mistrust.evaluation.given import portion
from mistrust.evaluation.ordering import ordered


def false_positive_rate(scores: ArrayLike, positive: ArrayLike, rate: float = 0.95) -> float:
    """Share of nominal inputs that alarm at the highest threshold at which at least `rate` of the bad ones do.

    Also called FPR at 95 % TPR (Hendrycks and Gimpel, 2017, name the idea; Liang and others, 2018, the number).

    Parameters
    ----------
    scores : (n,) higher is more suspicious.
    positive : (n,) true for a bad input.
    rate : of bad inputs to find, in (0, 1].

    Returns
    -------
    In [0, 1]; NaN where all outcomes are alike.

    Raises
    ------
    MistrustError
        A rate outside (0, 1]; scores and outcomes that have no order (see `ordered`).

    Examples
    --------
    >>> false_positive_rate([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    0.5
    """
    rate = portion("The rate of bad inputs to find", rate)
    found = ordered(scores, positive)
    bad, n = len(found.positives), len(found.order)
    if bad in (0, n):
        return float("nan")
    # The bad input that the threshold lies on: as many are at or above it as are wanted. Small slack for 0.95 * 20.
    wanted = max(1, ceil(rate * bad - 1e-9))
    place = bad - wanted
    at_or_above = n - int(found.low[place])
    bad_alarms = int((found.low >= found.low[place]).sum())
    return (at_or_above - bad_alarms) / (n - bad)


def average_precision(scores: ArrayLike, positive: ArrayLike) -> float:
    """Area under the precision-recall curve as its step sum, the average precision of the bad inputs, in [0, 1].

    It depends on the share of bad inputs, which is also what a score that knows nothing gets: compare within one set.

    Parameters
    ----------
    scores : (n,) higher is more suspicious.
    positive : (n,) true for a bad input.

    Returns
    -------
    NaN where no input is bad.

    Examples
    --------
    >>> average_precision([0.1, 0.4, 0.2, 0.8], [False, False, False, True])
    1.0
    """
    found = ordered(scores, positive)
    if len(found.positives) == 0:
        return float("nan")
    # Every bad input adds the precision at its own score, ties all alarmed together.
    low = found.low
    alarms = len(found.order) - low
    bad_alarms = len(low) - np.searchsorted(low, low, side="left")
    return float((bad_alarms / alarms).mean())
