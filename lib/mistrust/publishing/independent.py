"""Groups of networks that share nothing, such as those of two image sets: their means, with Welch's interval.

Their runs share but a number. To pair them by it would let chance, which run was called which, set how wide an interval
is (Welch, The generalization of Student's problem when several different population variances are involved, Biometrika
1947).
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from mistrust.publishing.estimates import LEVEL, Estimate, NotRun


def unpaired(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """Difference of the means of two groups.

    Raises
    ------
    NotRun
        A group has no value; one that is NaN is none.
    """
    return _combined([first, second], [1.0, -1.0])


def mean_unpaired(groups: "Sequence[pd.Series[float]]") -> Estimate:
    """Mean of the means of groups, each of which counts as much, however many values it has.

    Raises
    ------
    NotRun
        A group has no value; one that is NaN is none.
    """
    return _combined(groups, [1 / len(groups)] * len(groups))


def _combined(groups: "Sequence[pd.Series[float]]", weights: Sequence[float]) -> Estimate:
    """The weighted sum of the groups' means; without an interval where a group has one value."""
    held = [group.dropna().to_numpy(dtype=np.float64) for group in groups]
    if not all(map(len, held)):
        raise NotRun("rows of networks on both sides")
    value = float(sum(weight * group.mean() for weight, group in zip(weights, held, strict=True)))
    if min(map(len, held)) < 2:
        return Estimate(value, -np.inf, np.inf, 1)
    parts = [weight**2 * float(group.var(ddof=1)) / len(group) for weight, group in zip(weights, held, strict=True)]
    n = sum(map(len, held))
    if not sum(parts):
        return Estimate(value, value, value, n)
    freedom = sum(parts) ** 2 / sum(part**2 / (len(group) - 1) for part, group in zip(parts, held, strict=True))
    half = float(stats.t.ppf(1 - LEVEL / 2, freedom)) * math.sqrt(sum(parts))
    return Estimate(value, value - half, value + half, n, freedom=freedom)
