"""Outcomes in the order of their scores, sorted once for all that is then asked of them, however often resampled."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers, truths


class Counted(NamedTuple):
    """Positives of a resample, p of them, in ascending order of their scores.

    `times` (p,): how often each is counted. `before` and `after` (p,): how much is counted below its score, and at or
    below it. `total` : how much is counted in all.

    Examples
    --------
    >>> counted = ordered([0.1, 0.9, 0.5], [0, 1, 0]).counted(np.array([1.0, 2.0, 1.0]))
    >>> counted.times, counted.before, counted.total  # the wrong one was drawn twice, above two others
    (array([2.]), array([2.]), 4.0)
    """

    times: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    total: float


@dataclass(frozen=True)
class Ordered:
    """Outcomes in ascending order of their scores.

    Attributes
    ----------
    order : (n,) positions of the inputs, smallest score first.
    positives : (p,) places in that order whose outcome is positive (the prediction is wrong).
    low, high : (p,) first place of the same score as each of them, and the place behind the last.

    Examples
    --------
    >>> found = ordered([0.9, 0.1, 0.9], [1, 0, 0])
    >>> found.order, found.positives, found.low, found.high  # the positive one shares places 1 and 2
    (array([1, 0, 2]), array([1]), array([1]), array([3]))
    """

    order: NDArray[np.int64]
    positives: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    def counted(self, weights: ArrayLike | None = None) -> Counted:
        """Count every input as often as its weight says: (n,), at least 0, not all 0; None counts each once."""
        if weights is None:
            ones = np.ones(len(self.positives))
            return Counted(ones, self.low.astype(np.float64), self.high.astype(np.float64), float(len(self.order)))
        w = numbers("Weights", weights)
        if w.shape != self.order.shape:
            raise MistrustError(f"Weights have shape {w.shape}, expected ({len(self.order)},): one per input.")
        if not (w.min() >= 0 and w.max() > 0):
            raise MistrustError("Weights must be numbers, at least 0 and not all 0: how often each input is counted.")
        w = w[self.order]
        so_far = np.empty(len(w) + 1)
        so_far[0] = 0
        np.cumsum(w, out=so_far[1:])
        return Counted(w[self.positives], so_far[self.low], so_far[self.high], float(so_far[-1]))


def ordered(scores: ArrayLike, positive: ArrayLike) -> Ordered:
    """Sort outcomes by their scores.

    Parameters
    ----------
    scores : (n,) any finite or infinite numbers; higher is more suspicious.
    positive : (n,) bool, or 0 and 1: the prediction is wrong.

    Raises
    ------
    MistrustError
        Unequal lengths; no inputs; NaN scores; outcomes other than 0 and 1.

    Examples
    --------
    >>> found = ordered([0.3, 0.1, 0.2], [1, 0, 0])
    >>> found.order, found.positives
    (array([1, 2, 0]), array([2]))
    """
    s, y = numbers("Scores", scores), truths("Outcomes (is the prediction wrong?)", positive)
    if s.ndim != 1 or s.shape != y.shape or len(s) == 0:
        raise MistrustError(
            f"Scores and outcomes need the same shape (n,) and at least one input, got {s.shape} and {y.shape}."
        )
    if np.isnan(s).any():
        raise MistrustError(f"{int(np.isnan(s).sum())} of {len(s)} scores are NaN; an order needs numbers.")
    order = np.argsort(s, kind="stable")
    in_order = s[order]
    positives = np.flatnonzero(y[order])
    # Where runs of equal scores begin, and the end; then the run that each positive lies in.
    edges = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1], [True]]))
    run = np.searchsorted(edges, positives, side="right") - 1
    return Ordered(order, positives, edges[run], edges[run + 1])
