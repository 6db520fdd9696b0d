"""Do several judges put the same things in the same order? Kendall's coefficient of concordance, W."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation.given import count, numbers
from mistrust.evaluation.permutation import permutation_p


@dataclass(frozen=True)
class Concordance:
    """How far judges agree, against judges that agree by chance alone.

    Attributes
    ----------
    w : Kendall's W, in [0, 1]; 1 when all orders are equal.
    p : share of chance orders that agree as well, (b + 1) / (draws + 1).
    chance : mean W of the chance orders; about 1 / judges.
    draws : how many chance orders were drawn.
    judges, items : the size of the table.

    Examples
    --------
    >>> from mistrust import random
    >>> found = concordance([[1, 2, 3], [1, 3, 2]], 99, random.generator(0, "example"))
    >>> found.w, found.judges, found.items, found.draws
    (0.75, 2, 3, 99)
    """

    w: float
    p: float
    chance: float
    draws: int
    judges: int
    items: int


def kendall_w(scores: ArrayLike) -> float:
    """Kendall's W of scores (m judges, n items), with average ranks and the usual correction for ties, in [0, 1].

    W = 12 S / (m² (n³ - n) - m ΣT), where S sums the squared deviations of the items' rank sums from their mean, and
    T = Σ (t³ - t) over each judge's groups of t tied items (Kendall and Smith, 1939; Siegel, 1956). NaN when no judge
    tells any two items apart.

    Raises
    ------
    MistrustError
        Fewer judges or items than two; NaN.

    Examples
    --------
    >>> kendall_w([[1, 2, 3], [1, 3, 2]])
    0.75
    """
    return float(_w(_ranks(_table(scores))))


def concordance(
    scores: ArrayLike, draws: int, draw: np.random.Generator, *, within: ArrayLike | None = None
) -> Concordance:
    """Kendall's W with its permutation test: each judge's scores are shuffled among the items, on their own.

    Parameters
    ----------
    scores : (m, n) judges by items.
    draws : number of chance orders.
    draw : a keyed generator (`mistrust.random.generator`).
    within : (n,) group of each item; then W is the mean of the groups' own, and items change places within their
        group only. Groups whose W is NaN, and those of a single item, are left out.

    Raises
    ------
    MistrustError
        What `kendall_w` refuses; draws that are no whole number, or below 1; another number of groups than of items.

    Examples
    --------
    Three judges agree on five items; the chance that judges who shuffle agree as well is tiny:

    >>> from mistrust import random
    >>> orders = [[1, 2, 3, 4, 5], [10, 20, 30, 40, 50], [0, 1, 2, 3, 4]]
    >>> found = concordance(orders, 999, random.generator(0, "example"))
    >>> found.w, found.p < 0.01, 0.2 < found.chance < 0.5  # by chance it would be about a third
    (1.0, True, True)
    """
    table = _table(scores)
    draws = count("The number of draws", draws)
    if draws < 1:
        raise MistrustError(f"A permutation test needs at least one draw, got {draws}.")
    groups = np.zeros(table.shape[1]) if within is None else np.asarray(within)
    if groups.shape != table.shape[1:]:
        raise MistrustError(f"within has shape {groups.shape}, expected ({table.shape[1]},): a group an item.")
    ranked = [_ranks(table[:, groups == group]) for group in np.unique(groups)]
    ranked = [one for one in ranked if not np.isnan(_w(one))]
    if not ranked:
        return Concordance(np.nan, np.nan, np.nan, draws, *table.shape)
    observed = float(np.mean([_w(one) for one in ranked]))
    chance = np.mean([_w(_shuffled(one, draws, draw)) for one in ranked], axis=0)
    return Concordance(observed, permutation_p(observed, chance), float(chance.mean()), draws, *table.shape)


def _table(scores: ArrayLike) -> NDArray[np.float64]:
    table = numbers("Scores", scores)
    if table.ndim != 2 or min(table.shape) < 2:
        raise MistrustError(f"Kendall's W needs scores (judges, items), two of each at least, got shape {table.shape}.")
    if np.isnan(table).any():
        raise MistrustError("Kendall's W has no place for NaN: leave out the items that a judge did not score.")
    return table


def _ranks(table: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(stats.rankdata(table, axis=1), dtype=np.float64)


def _shuffled(ranks: NDArray[np.float64], draws: int, draw: np.random.Generator) -> NDArray[np.float64]:
    """Ranks (m, n) with every judge's own shuffled, so many times: (draws, m, n)."""
    return draw.permuted(np.broadcast_to(ranks, (draws, *ranks.shape)), axis=-1)


def _w(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """W of ranks (..., m, n): (...)."""
    m, n = ranks.shape[-2:]
    sums = ranks.sum(-2)
    s = ((sums - m * (n + 1) / 2) ** 2).sum(-1)
    # Ties shrink the sum of squared ranks: ΣT / 12 is what each judge lacks of the (n³ - n) / 12 of an order
    # without ties. Shuffling leaves it as it is.
    spread = ((ranks - (n + 1) / 2) ** 2).sum((-1, -2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 0, s / (m * spread), np.nan)
