"""Yes-or-no decisions, counted: the four cells of a confusion table and what is read from them.

A measure takes counts of any leading shape, so that a thousand resamples cost one call. The degenerate cases are the
same everywhere: a rate whose denominator is empty is NaN, never 0 or 1; a Matthews correlation is 0 where a margin is
empty, as in scikit-learn.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers
from mistrust.evaluation.matthews import matthews

CELLS = ("true positives", "false positives", "false negatives", "true negatives")


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of decisions, or sums of their weights.

    Attributes
    ----------
    tp, fp, fn, tn : (...) true positives, false positives, false negatives, true negatives; at least 0.

    Raises
    ------
    MistrustError
        What is no numbers; unequal shapes; a count that is negative, NaN or infinite.

    Examples
    --------
    A monitor that raises ten alarms over eight suspicious and ninety-two ordinary images, six of them correctly:

    >>> table = Confusion(tp=6, fp=4, fn=2, tn=88)
    >>> float(table.total), float(table.swapped().fn)  # ordinary images called positive: four are missed
    (100.0, 4.0)
    """

    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]
    tn: NDArray[np.float64]

    def __post_init__(self) -> None:
        given = {name: numbers("Counts", getattr(self, name)) for name in ("tp", "fp", "fn", "tn")}
        shapes = {cells.shape for cells in given.values()}
        if len(shapes) > 1:
            raise MistrustError(f"The four counts have shapes {sorted(shapes)}, expected the same for all.")
        for (name, cells), what in zip(given.items(), CELLS, strict=True):
            if (none := ~((cells >= 0) & (cells < np.inf))).any():
                raise MistrustError(
                    f"The count of {what} is {cells[none].flat[0]:g}, expected finite numbers of 0 and more."
                )
            object.__setattr__(self, name, cells)

    @property
    def total(self) -> NDArray[np.float64]:
        """How many decisions, (...)."""
        return self.tp + self.fp + self.fn + self.tn

    def swapped(self) -> "Confusion":
        """The same decisions with the other answer called positive."""
        return Confusion(self.tn, self.fn, self.fp, self.tp)


def counts(cells: ArrayLike) -> Confusion:
    """Give the table of counts (..., 4), in the order of `CELLS`.

    Raises
    ------
    MistrustError
        Another shape; what `Confusion` refuses.
    """
    given = numbers("Counts", cells)
    if given.ndim < 1 or given.shape[-1] != len(CELLS):
        raise MistrustError(f"Counts have shape {given.shape}, expected (..., 4): {', '.join(CELLS)}.")
    return Confusion(given[..., 0], given[..., 1], given[..., 2], given[..., 3])


def ratio(part: ArrayLike, whole: ArrayLike) -> NDArray[np.float64]:
    """Divide (...) by (...); NaN where the denominator is not above 0.

    Raises
    ------
    MistrustError
        What is no numbers; shapes that do not go together.
    """
    top, bottom = numbers("Numerators", part), numbers("Denominators", whole)
    try:
        np.broadcast_shapes(top.shape, bottom.shape)
    except ValueError:
        raise MistrustError(
            f"Numerators and denominators have shapes {top.shape} and {bottom.shape}, expected the same for both."
        ) from None
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def mcc(c: Confusion) -> NDArray[np.float64]:
    """Matthews' correlation of truth and decision, in [-1, 1]; 0 where a margin is empty, NaN without decisions."""
    table = np.stack([np.stack([c.tn, c.fp], axis=-1), np.stack([c.fn, c.tp], axis=-1)], axis=-2)
    return matthews(table)


def accuracy(c: Confusion) -> NDArray[np.float64]:
    """Share of right decisions. Of two classes with one answer each, F1 over all decisions ("micro-F1") is the same."""
    return ratio(c.tp + c.tn, c.total)


def f1(c: Confusion) -> NDArray[np.float64]:
    """Harmonic mean of precision and recall of the positives, in [0, 1]; NaN where none are there or named."""
    return ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn)


def weighted_f1(c: Confusion) -> NDArray[np.float64]:
    """Mean of both answers' F1, weighted by how often each is the truth, in [0, 1]; the same for either polarity."""
    positive, negative = c.tp + c.fn, c.fp + c.tn
    # An answer that is never the truth has no weight, whatever its F1.
    each = np.nan_to_num(f1(c)) * positive + np.nan_to_num(f1(c.swapped())) * negative
    return ratio(each, c.total)
