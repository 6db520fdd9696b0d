"""Do methods differ over many data sets? Average ranks, and the tests of Friedman and of Iman and Davenport.

Why not a library: `scipy.stats.friedmanchisquare` gives Friedman's statistic and p alone, no mean ranks and no test of
Iman and Davenport. scikit-posthocs has neither of these tests; it has p-values of pairs, Nemenyi's among them, and no
critical difference as a number, which figures and claims read. So libraries check here and do not compute: the tests
hold chi-squared to scipy's, and the groups that the critical difference leaves to those of scikit-posthocs.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.evaluation.given import numbers


@dataclass(frozen=True, eq=False)
class Friedman:
    """How much methods' ranks differ over data sets, against methods that differ by chance alone.

    Attributes
    ----------
    ranks : (k,) mean rank of each method, 1 the best.
    statistic, p : Friedman's chi-squared, on k - 1 degrees of freedom.
    f, f_p : Iman and Davenport's F, on k - 1 and (k - 1)(n - 1); less conservative.
    sets, methods : n data sets that were ranked, k methods.
    tied : what ties leave of the variance of ranks, in [0, 1]; 1 without ties.

    Examples
    --------
    >>> found = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]])
    >>> found.sets, found.methods, found.ranks.round(2)  # the first method is the best on every set
    (3, 3, array([1.  , 2.33, 2.67]))
    """

    ranks: NDArray[np.float64]
    statistic: float
    p: float
    f: float
    f_p: float
    sets: int
    methods: int
    tied: float


def average_ranks(scores: ArrayLike, *, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Rank methods within each data set, 1 the best; methods of equal score share the mean of their ranks.

    Parameters
    ----------
    scores : (n sets, k methods).
    higher_is_better : whether the highest score has rank 1.

    Returns
    -------
    (n, k); a set with NaN has NaN ranks, and a `MistrustWarning` says how many there are.

    Raises
    ------
    MistrustError
        Not two-dimensional; fewer than two methods; fewer than two sets without NaN.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.9, 0.6]])
    array([[1. , 2.5, 2.5],
           [2. , 1. , 3. ]])
    """
    table = numbers("Scores", scores)
    if table.ndim != 2 or table.shape[1] < 2:
        raise MistrustError(f"Ranks need scores (sets, methods) of at least two methods, got shape {table.shape}.")
    whole = ~np.isnan(table).any(1)
    if whole.sum() < 2:
        raise MistrustError(
            f"Ranks need at least two data sets with a score of every method, got {int(whole.sum())} of {len(table)}."
        )
    if not whole.all():
        text = f"{int((~whole).sum())} of {len(table)} data sets hold NaN and are left out of the ranks."
        warnings.warn(text, MistrustWarning, stacklevel=2)
    ranks = np.full_like(table, np.nan)
    ranks[whole] = stats.rankdata(-table[whole] if higher_is_better else table[whole], axis=1)
    return ranks


def friedman(scores: ArrayLike, *, higher_is_better: bool = True, ties: bool = True) -> Friedman:
    """Test whether all methods have the same mean rank (Friedman, 1937; Iman and Davenport, 1980; Demšar, 2006).

    chi² = 12 n / (k (k + 1)) (Σ R² - k (k + 1)² / 4), divided by 1 - Σ (t³ - t) / (n k (k² - 1)) over groups of t tied
    methods; F = (n - 1) chi² / (n (k - 1) - chi²).

    Parameters
    ----------
    scores : (n sets, k methods); a set with NaN is left out, with a warning. The sets count as independent: where they
        share images or faults, p is too small (see `rank_differences`).
    higher_is_better : whether the highest score has rank 1.
    ties : whether to correct for ties.

    Returns
    -------
    NaN for both tests where no set tells any two methods apart.

    Raises
    ------
    MistrustError
        What `average_ranks` refuses.

    Examples
    --------
    >>> found = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]])
    >>> found.ranks, round(found.p, 3)
    (array([1.  , 2.25, 2.75]), 0.039)
    """
    ranks = average_ranks(scores, higher_is_better=higher_is_better)
    ranks = ranks[~np.isnan(ranks).any(1)]
    n, k = ranks.shape
    means = ranks.mean(0)
    # Ties shrink the squared deviations of ranks from their mean: what is left of the (k³ - k) / 12 of each set.
    tied = float(((ranks - (k + 1) / 2) ** 2).sum() / (n * (k**3 - k) / 12))
    if tied == 0:
        return Friedman(means, np.nan, np.nan, np.nan, np.nan, n, k, tied)
    between = 12 * n / (k * (k + 1)) * float(((means - (k + 1) / 2) ** 2).sum())
    statistic = between / tied if ties else between
    rest = n * (k - 1) - statistic
    f = (n - 1) * statistic / rest if rest > 1e-9 * n else np.inf  # all sets rank alike: nothing is left to chance
    p, f_p = float(stats.chi2.sf(statistic, k - 1)), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return Friedman(means, statistic, p, float(f), f_p, n, k, tied)
