"""What chance gives a search whose next query depends on earlier answers: the search itself, run on simulated answers.

Each simulated oracle errs on an instance with probability 1 - confidence, by itself. The confidences that an adaptive
search asks about depend on the answers, so that the exact distribution of `poisson_binomial` does not hold for it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float64, Int64
from numpy.typing import ArrayLike
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.evaluation import given
from mistrust.inputs.limits import whole, whole_numbers
from mistrust.random import keyed
from mistrust.search.poisson_binomial import chances, confidences

ORACLES = 1000


@dataclass(frozen=True)
class SimulatedNull:
    """What a search finds when errors are as frequent as confidences say.

    Attributes
    ----------
    errors : (S, b) whether each query was an error, a row a simulated oracle.
    confidence : (S, b) of the queries.

    Examples
    --------
    Ten instances of confidence 0.9, and a search that asks about the first two. Were the
    confidences right, each would be an error with a chance of 0.1, and both with a chance of 0.01:

    >>> null = simulated_null(lambda errors: np.array([0, 1]), np.full(10, 0.9))
    >>> null.errors.shape
    (1000, 2)
    >>> null.p_value(sdr([1, 1], [0.9, 0.9])).round(1)  # after one error, and after the second
    array([0.1, 0. ])
    """

    errors: Bool[np.ndarray, "S b"]
    confidence: Float64[np.ndarray, "S b"]

    @cached_property
    def sdr(self) -> Float64[np.ndarray, "S b"]:
        """Of each oracle after each query; NaN while no error is expected."""
        found, expected = self.errors.cumsum(1), (1 - self.confidence).cumsum(1)
        return np.divide(found, expected, out=np.full(expected.shape, np.nan), where=expected > 0)

    def p_value(self, observed: ArrayLike) -> Float64[np.ndarray, " b"]:
        """Share of oracles that give the observed SDR or more, the observed one counted among them (never 0).

        NaN where the observed SDR is: nothing was expected yet.

        Parameters
        ----------
        observed : (b,) SDR after each query.

        Raises
        ------
        MistrustError
            What is no numbers; another shape.
        """
        seen = given.numbers("Observed SDR", observed)
        if seen.shape != self.sdr.shape[1:]:
            raise MistrustError(f"Observed SDR has shape {seen.shape}, expected {self.sdr.shape[1:]}: one per query.")
        # Equal ratios summed in another order differ in the last digits: they count as equal.
        found = (1 + (self.sdr >= seen * (1 - 1e-12)).sum(0)) / (1 + len(self.sdr))
        return np.where(np.isnan(seen), np.nan, found)

    def interval(self, confidence_level: float = 0.95) -> tuple[Float64[np.ndarray, " b"], Float64[np.ndarray, " b"]]:
        """Central range of the oracles' SDR after each query: where an SDR says nothing."""
        confidence_level = given.confident(confidence_level)
        low, high = np.quantile(self.sdr, ((1 - confidence_level) / 2, (1 + confidence_level) / 2), axis=0)
        return low, high


def oracles(
    confidence: ArrayLike, numbers: Sequence[int] | Tensor, seed: int = 0, multiplier: float = 1.0
) -> Bool[np.ndarray, "S n"]:
    """Simulated answers for a whole pool: errors with probability min(1, multiplier (1 - confidence)).

    Parameters
    ----------
    confidence : (n,) in (0, 1].
    numbers : (S,) which oracles; each has draws of its own, so that any part of them is a part of the whole.
    seed : of all.
    multiplier : 1 if confidences are believed; the pool's SDR for a class that errs so much more often everywhere.
    """
    p = chances(confidence, multiplier)
    ids = whole_numbers("Oracles", numbers)
    drawn = keyed(seed, "search/simulated oracles", ids, lambda g, m: g.random((m, len(p))))
    return drawn.numpy() < p


def simulated_null(
    search: Callable[[Bool[np.ndarray, "*S n"]], Int64[np.ndarray, "*S b"]],
    confidence: ArrayLike,
    numbers: Sequence[int] | int = ORACLES,
    seed: int = 0,
    multiplier: float = 1.0,
    *,
    together: bool = False,
) -> SimulatedNull:
    """Run a search on simulated oracles.

    Parameters
    ----------
    search : from the errors of the pool (n,) to the rows that it asks about, in order, (b,) whatever the answers. It
        must read no error but those of rows that it has asked about.
    confidence : (n,) of the pool.
    numbers : how many oracles, or which (a range, where the work is spread).
    seed, multiplier : as `oracles`.
    together : whether the search takes the errors of all oracles at once, (S, n), and gives (S, b). That of a
        `Searching` does, which saves it what oracles have in common.

    Raises
    ------
    MistrustError
        No oracle, or no whole number of them; confidences that are no numbers (n,) in (0, 1]; a multiplier that is no
        finite number of at least 0; orders of different lengths, with repeats, or with rows that the pool does not
        have.

    Examples
    --------
    What this search asks second depends on its first answer, so that nobody can say beforehand what it would find:

    >>> def by_answer(errors):
    ...     return np.array([0, 1]) if errors[0] else np.array([0, 2])
    >>> null = simulated_null(by_answer, [0.8, 0.7, 0.9], numbers=200)
    >>> first = null.errors[:, 0]
    >>> bool(0.1 < first.mean() < 0.3)  # an error about as often as a confidence of 0.8 says
    True
    >>> set(null.confidence[first, 1].tolist()), set(null.confidence[~first, 1].tolist())
    ({0.7}, {0.9})
    """
    c = confidences(confidence)
    if c.ndim != 1:
        raise MistrustError(f"Confidences have shape {c.shape}, expected (n,): those of a pool.")
    wanted = whole_numbers("Oracles", numbers if isinstance(numbers, Iterable) else range(whole("numbers", numbers, 0)))
    if len(wanted) < 1:
        raise MistrustError("A simulated null needs at least one oracle, got none.")
    answers = oracles(c, wanted, seed, multiplier)
    found = list(search(answers)) if together else [np.asarray(search(answer)) for answer in answers]
    lengths = {one.shape for one in found}
    if len(lengths) != 1 or found[0].ndim != 1:
        raise MistrustError(
            f"The search gave orders of shapes {sorted(lengths)}, expected (b,), the same for all oracles."
        )
    orders = np.stack(found).astype(np.int64)
    if orders.size and (orders.min() < 0 or orders.max() >= len(c)):
        raise MistrustError(f"The search asked about rows outside 0 to {len(c) - 1}.")
    if (np.diff(np.sort(orders, axis=1), axis=1) == 0).any():
        raise MistrustError("The search asked about a row twice.")
    return SimulatedNull(np.take_along_axis(answers, orders, 1), c[orders])
