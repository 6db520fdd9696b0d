"""Means over networks of several mechanisms: no network of one has anything to do with one of another.

Networks of different mechanisms may have the same seed, and share nothing by it: neither images nor weights. So they
are no pairs. Each mechanism has a mean over its own networks with a standard error of its own, and the whole mean takes
them as independent (B. L. Welch, "The generalization of 'Student's' problem", Biometrika 34, 1947): a number that
followed from which network of one mechanism is called 0 beside which of another would be one of names.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from mistrust.evaluation import intervals
from mistrust.publishing.estimates import LEVEL, Estimate, NotRun, between_models

# Levels of an index of networks (`panels.by_model`): the mechanism, and of how many panels each number is a mean.
MECHANISM, COUNT = "mechanism", "panels"
STEP = 1e-6  # of a slope, in shares of the way to the nearer end of a scale


def over_networks(values: "pd.Series[float]", scale: str = "identity") -> Estimate:
    """The mean over panels, with its interval between networks.

    Parameters
    ----------
    values : one number per network; where the index has the levels `MECHANISM` and `COUNT`, a mechanism counts by its
        panels.
    scale : where numbers are nearly normal, as in `evaluation.between_models`.

    Raises
    ------
    NotRun
        No number that is known.

    Examples
    --------
    Two mechanisms, one panel each. Which network of the first has the seed of which of the second tells nothing:

    >>> names = [MECHANISM, COUNT, "seed"]
    >>> index = pd.MultiIndex.from_product([["biased", "gray"], [1], [0, 1, 2]], names=names)
    >>> for gray in ([4.0, 5.0, 6.0], [6.0, 5.0, 4.0]):
    ...     print(over_networks(pd.Series([1.0, 2.0, 3.0, *gray], index=index)))
    3.50 [2.37, 4.63]
    3.50 [2.37, 4.63]
    """
    known = values.dropna()
    if known.empty:
        raise NotRun("values of the same models on both sides")
    if not {MECHANISM, COUNT} <= set(known.index.names):
        return between_models(known.to_list(), scale=scale)
    counts, groups = dict[str, int](), dict[str, list[float]]()
    names, panels = (known.index.get_level_values(level) for level in (MECHANISM, COUNT))
    for name, count, number in zip(names, panels, known.to_list(), strict=True):
        counts[str(name)] = int(count)
        groups.setdefault(str(name), []).append(number)
    if len(groups) == 1:
        return between_models(next(iter(groups.values())), scale=scale)
    whole = sum(counts.values())
    return weighted([(counts[name] / whole, numbers) for name, numbers in groups.items()], scale)


def weighted(groups: Sequence[tuple[float, Sequence[float]]], scale: str = "identity") -> Estimate:
    """A sum of the means of independent groups, each with its weight; without an interval if one has but one number.

    The interval is Student's t with Welch's degrees of freedom, taken on the scale by its slope at the mean.
    """
    value = float(sum(weight * np.mean(numbers) for weight, numbers in groups))
    if min(len(numbers) for _, numbers in groups) < 2:
        return Estimate(value, -np.inf, np.inf)
    parts = [(weight**2 * np.var(numbers, ddof=1) / len(numbers), len(numbers) - 1) for weight, numbers in groups]
    error = float(sum(part for part, _ in parts))
    if not error > 0:
        return Estimate(value, value, value)
    freedom = error**2 / float(sum(part**2 / free for part, free in parts))
    half = float(stats.t.isf(LEVEL / 2, freedom)) * error**0.5
    low, high = _ends(value, half, scale)
    return Estimate(value, low, high, freedom=freedom)


def difference_of_shares(found: "pd.Series[bool]", where: "pd.Series[bool]") -> Estimate:
    """How much more often something is found where something else is, over panels; standard error between networks.

    The panels of all doses with one seed of a mechanism have images in common, so they are one cluster (Liang and
    Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986), with as many degrees of
    freedom as there are clusters, less one.

    Raises
    ------
    NotRun
        All panels are of one kind, or of one network.
    """
    x = np.column_stack([np.ones(len(where)), where.to_numpy(float)])
    names = [name.partition("/")[0] for name in where.index.get_level_values("condition")]
    clusters = pd.factorize(pd.MultiIndex.from_arrays([names, where.index.get_level_values("seed")]))[0]
    count = int(clusters.max(initial=-1)) + 1
    if where.nunique() < 2 or count < 2:
        raise NotRun("panels of two networks, with it and without")
    y = found.to_numpy(float)
    inverse = np.linalg.inv(x.T @ x)
    slopes = inverse @ (x.T @ y)
    scores = np.zeros((count, 2))
    np.add.at(scores, clusters, x * (y - x @ slopes)[:, None])
    error = float((inverse @ (scores.T @ scores) @ inverse)[1, 1] * count / (count - 1)) ** 0.5
    value, freedom = float(slopes[1]), count - 1
    half = float(stats.t.isf(LEVEL / 2, freedom)) * error
    return Estimate(value, value - half, value + half, least=-1.0, most=1.0, freedom=freedom)


def _ends(value: float, half: float, scale: str) -> tuple[float, float]:
    """Where a half-width on the values' own scale ends if it is taken on the other one."""
    of = intervals.SCALES[scale]
    step = STEP * min(value - of.least, of.most - value, 1.0)
    if not step > 0:
        return value - half, value + half
    there, slope = of.there(value), (of.there(value + step) - of.there(value - step)) / (2 * step)
    low, high = (float(of.back(there + way * slope * half)) for way in (-1, 1))
    return low, high
