"""Samples to show, chosen by rule and never by hand: the best, the worst and random ones (Weiss et al., Fig. 5)."""

import numpy as np
from jaxtyping import Float, Int, Int64
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from mistrust.ambiguity.performance import array
from mistrust.errors import MistrustError


def chosen(
    stated: Float[np.ndarray, " n"],
    judged: Float[np.ndarray, " n"],
    share_on_pair: Float[np.ndarray, " n"],
    count: int,
    draw: np.random.Generator,
    *,
    pairs: Int[Tensor, "n 2"] | None = None,
) -> dict[str, Int64[np.ndarray, " c"]]:
    """Choose samples of an ambiguous set by what judges see in them.

    An image is the better, the more evenly judges divide all their probability between its two classes: twice the
    smaller of the two classes' probabilities, not normalised, 1 where both have a half and 0 where either has nothing.

    Parameters
    ----------
    stated : (n,) the label's probability of the first class.
    judged, share_on_pair : (n,) the judges' probability of the first class, normalised to the two, and what the two
        have together (`judging.on_pair`).
    count : how many to choose by each rule, from 1 to n.
    draw : a keyed generator (`mistrust.random.generator`).
    pairs : (n, 2) the two classes of each image. No pair is chosen twice by a rule before every pair was chosen once,
        nor a third time before every pair that has as many images was chosen twice. Without them pairs do not matter.

    Returns
    -------
    "best": positions of the images with the highest value, highest first. "worst": those with the lowest, lowest
    first: one class is certain, or neither is seen. "random": evenly chosen, within pairs, in random order. In best
    and worst, of equal values the one stated nearest to one half comes first, then the lower position. Where a pair
    has few images, one may be both best and worst.

    Raises
    ------
    MistrustError
        Unequal lengths, numbers outside [0, 1], more images asked for than there are, or none.
    """
    columns = {"stated": stated, "judged": judged, "share_on_pair": share_on_pair}
    p, q, share = (_column(name, values) for name, values in columns.items())
    n = len(p)
    if not len(q) == len(share) == n:
        raise MistrustError(f"stated, judged and share_on_pair have {n}, {len(q)} and {len(share)} images: give each.")
    if not 1 <= count <= n:
        raise MistrustError(f"count is {count}, expected a number from 1 to {n}, that of the images.")
    two = np.zeros((n, 2), np.int64) if pairs is None else array(pairs)
    if two.shape != (n, 2):
        raise MistrustError(f"pairs have shape {two.shape}, expected ({n}, 2): two classes for each image.")
    names = np.unique(two, axis=0, return_inverse=True)[1].reshape(n)
    value = 2 * np.minimum(q, 1 - q) * share
    unsure = np.abs(p - 0.5)
    position = np.arange(n)
    orders = {
        "best": np.lexsort((position, unsure, -value)),
        "worst": np.lexsort((position, unsure, value)),
        "random": draw.permutation(n),
    }
    return {rule: _even(order, names, count, grouped=pairs is not None) for rule, order in orders.items()}


def _even(order: NDArray[np.int64], names: NDArray[np.int64], count: int, *, grouped: bool) -> Int64[np.ndarray, " c"]:
    """Give the first `count` of an order, taken round by round, one of each name a round; they keep their order."""
    if not grouped:
        return order[:count]
    in_order = names[order]
    by_name = np.argsort(in_order, kind="stable")
    sizes = np.bincount(in_order)
    rounds = np.empty(len(order), np.int64)
    rounds[by_name] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order[np.sort(np.argsort(rounds, kind="stable")[:count])]


def _column(name: str, values: ArrayLike) -> NDArray[np.float64]:
    x = array(values).astype(np.float64)
    if x.ndim != 1 or not ((x >= -1e-9) & (x <= 1 + 1e-9)).all():  # NaN compares false
        raise MistrustError(f"{name} has shape {x.shape}, expected (n,) numbers in [0, 1], no NaN.")
    return x
