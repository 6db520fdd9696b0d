"""Outcomes in the order of their scores, sorted once for all that is then asked of them, however often resampled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Ordered:
    """Outcomes in ascending order of their scores.

    Attributes
    ----------
    order : (n,) positions of the inputs, smallest score first.
    starts : (g,) where each run of equal scores begins in that order.
    positive : (n,) 1.0 where the outcome is positive (the prediction is wrong), in that order.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    positive: NDArray[np.float64]

    @property
    def tied(self) -> bool:
        """Tell whether any two scores are equal."""
        return len(self.starts) < len(self.order)

    def weights(self, weights: ArrayLike | None) -> NDArray[np.float64] | None:
        """Bring weights (n,) of the inputs into the order; None stays None, every input once."""
        if weights is None:
            return None
        w = np.asarray(weights, dtype=np.float64)
        if w.shape != self.order.shape:
            raise MistrustError(f"Weights have shape {w.shape}, expected ({len(self.order)},): one an input.")
        return w[self.order]


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
    """
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(positive)
    if s.ndim != 1 or s.shape != y.shape or len(s) == 0:
        raise MistrustError(
            f"Scores and outcomes need the same shape (n,) and at least one input, got {s.shape} and {y.shape}."
        )
    if np.isnan(s).any():
        raise MistrustError(f"{int(np.isnan(s).sum())} of {len(s)} scores are NaN; an order needs numbers.")
    outcome = y.astype(np.float64)
    if not np.isin(outcome, (0.0, 1.0)).all():
        raise MistrustError("Outcomes must be true or false (1 or 0): is the prediction wrong?")
    order = np.argsort(s, kind="stable")
    in_order = s[order]
    starts = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]]))
    return Ordered(order, starts, outcome[order])
