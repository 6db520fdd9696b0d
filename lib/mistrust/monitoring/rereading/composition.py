"""The same rates in a set composed as the paper's was: what they make of a correlation, a precision, an F1.

False alarms and misses say nothing of how many images were nominal. Matthews' correlation, precision and F1 do: of the
paper's sets 14 to 20 % is nominal as a rule, of ours the half. So numbers of ours that stand beside printed ones are
brought to the paper's share, from their rates.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import UnknownName
from mistrust.evaluation import Confusion, decisions
from mistrust.monitoring.rereading.polarity import cells, known_share, own_set

COMPOSED: Mapping[str, Callable[[Confusion], NDArray[np.float64]]] = {
    "mcc": decisions.mcc,
    "precision": lambda table: decisions.ratio(table.tp, table.tp + table.fp),
    "weighted-f1": decisions.weighted_f1,
    "micro-f1": decisions.accuracy,
}


def paper_share(data: str, label: str = "") -> float:
    """The share of nominal images in the paper's set.

    The published rotated sets have no image that counts as out of distribution; here they have the share of the other
    shifts.

    Parameters
    ----------
    data : "gtsrb" or "cifar10".
    label : as the tables print it ("fog (5)", "FGSM", "BTSC"); "" for what all shifts, noises and anomalies have.

    Examples
    --------
    Its set of CIFAR-10 in fog has 10,000 nominal images and 60,000 foggy ones:

    >>> round(paper_share("cifar10", "fog (5)"), 3), round(paper_share("gtsrb", "BTSC"), 3)
    (0.143, 0.797)
    """
    return known_share(own_set(data, label))


def composed(metric: str, nominal: float, false_alarms: ArrayLike, misses: ArrayLike) -> NDArray[np.float64]:
    """Give a metric of a set of which this share is nominal, out of distribution being positive.

    Parameters
    ----------
    metric : "mcc", "precision" (the share of alarms that are right), "weighted-f1" or "micro-f1" (accuracy).
    nominal : share of nominal images, in [0, 1].
    false_alarms, misses : (...) rates; what lies outside [0, 1], as the end of an interval may, is taken as 0 or 1.

    Returns
    -------
    (...) NaN where it is not defined: the precision of a monitor that never alarms.

    Raises
    ------
    UnknownName
        Another metric.

    Examples
    --------
    Half of the nominal images alarm and half of the faulty ones do not: a coin, in any set. Its alarms are right as
    often as images are faulty:

    >>> float(composed("mcc", 1 / 7, 0.5, 0.5)), round(float(composed("precision", 1 / 7, 0.5, 0.5)), 3)
    (0.0, 0.857)
    """
    if metric not in COMPOSED:
        raise UnknownName("metric that hangs on the share of nominal images", metric, COMPOSED)
    alarms, missed = (np.clip(np.asarray(rates, dtype=np.float64), 0, 1) for rates in (false_alarms, misses))
    return COMPOSED[metric](cells(1 - nominal, alarms, missed))
