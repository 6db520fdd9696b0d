"""Ensembles of different runs share all members but the first: what that does to the interval of their mean."""

import math

from mistrust.supervisors import SUPERVISORS

FAMILY = "ensemble"


def wider(runs: int, members: int) -> float:
    """Give how many times as wide the interval of a mean over runs has to be to hold the mean over all ensembles.

    Where each of k members contributes as much, with variance v / k^2 to the mean of all, runs differ by that of one.
    The mean of r runs differs from that of all ensembles by (k - 1 + 1 / r) v / k^2, and not by v / k^2 / r. (Runs that
    shared none would differ by v / k, and the interval of their mean would be but the root of k times as wide.)

    Examples
    --------
    Three runs of five members:

    >>> round(wider(3, 5) ** 2)
    13
    """
    return math.sqrt(runs * (members - 1) + 1)


def asks_members(method: str) -> bool:
    """Tell whether a supervisor, a variant of one, or one of two as one, is an ensemble's.

    What members that are the same in all runs do to two as one may be less than to the ensemble alone: it is not known.

    Examples
    --------
    >>> [asks_members(name) for name in ("ensemble_mean_softmax/published", "dsa + ensemble_mean_softmax", "dsa")]
    [True, True, False]
    """
    names = (one.partition("/")[0] for one in method.split(" + "))
    return any(name in SUPERVISORS and SUPERVISORS[name].card.family == FAMILY for name in names)
