"""`Hunted`: one panel (a network and a critical class) as its tables read it, the truth beside the pool."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float64
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kruskal

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.search import measures
from mistrust.search.pool import Pool
from mistrust.search.residual import Fit, fitted

# Searches that began in one way at least, for that way to be compared with another.
KIND = 5


@dataclass(frozen=True, eq=False)
class Hunted:
    """A pool with its distances, and what is true of it.

    Attributes
    ----------
    at : the critical class.
    pool : n instances, each with a distance; with residuals where F is defined.
    errors : (n,) whether each prediction is wrong.
    whole : (N, p) features of all test images, for the spread as published.
    trend : F, fitted on the pool, or None where it is not defined.
    size : instances before a cap and before those were left out whose attack found nothing.
    attacked : share of the pool for which another class was found.
    starts : how many searches began in which way.
    start_p : p-value of Kruskal and Wallis's test of whether the residual hangs on how a search began; None where all
        began in one way, or no two ways began `KIND` searches each.
    """

    at: str
    pool: Pool
    errors: Bool[np.ndarray, " n"]
    whole: Float64[np.ndarray, "N p"]
    trend: Fit | None
    size: int
    attacked: float
    starts: Mapping[str, int] = field(default_factory=dict)
    start_p: float | None = None

    def __len__(self) -> int:
        return len(self.pool)

    @property
    def expected(self) -> float:
        """Errors that the confidences lead to expect."""
        return float((1 - self.pool.confidence).sum())

    @property
    def sdr(self) -> float:
        """SDR of the whole pool; NaN where no error is expected."""
        return float(measures.pool_sdr(self.errors, self.pool.confidence))

    @property
    def start_kind(self) -> float:
        """Share of the most frequent kind of start."""
        return max(self.starts.values(), default=0) / max(sum(self.starts.values()), 1)

    @cached_property
    def alike(self) -> Float64[np.ndarray, " n"]:
        """Share of errors among the other members of about each one's confidence."""
        return measures.others_alike(self.pool.confidence, self.errors)

    def images(self, test: ImageSet, rows: Sequence[int]) -> ImageSet:
        """The test images of some of its rows."""
        place = {number: row for row, number in enumerate(test.ids.tolist())}
        return test.take([place[int(self.pool.ids[row])] for row in rows])

    def take(self, rows: ArrayLike) -> "Hunted":
        """Some of the instances, as a pool of their own; F stays the whole pool's."""
        chosen = np.arange(len(self))[np.asarray(rows)]
        return Hunted(
            self.at, self.pool.take(chosen), self.errors[chosen], self.whole, self.trend, self.size, self.attacked,
            self.starts, self.start_p,
        )  # fmt: skip


def hunted(
    at: str,
    pool: Pool,
    errors: ArrayLike,
    whole: ArrayLike,
    mae: ArrayLike,
    starts: Sequence[str],
    *,
    size: int,
    fraction: float,
) -> Hunted | None:
    """Put a pool and its distances together; None where the attack found nothing at all.

    Parameters
    ----------
    pool, errors, mae, starts : n instances each, in the same order; `mae` is not finite where nothing was found, and
        `starts` says how each search began.
    whole : (N, p) features of the whole test set.
    size : of the pool before any was left out.
    fraction : of the fit of F.
    """
    apart = np.asarray(mae, dtype=np.float64)
    success = np.isfinite(apart) & (apart > 0)
    if not success.any():
        return None
    kept, moved = pool.take(success).with_(distance=apart[success]), None
    try:
        trend = fitted(kept.distance, kept.confidence, fraction=fraction)  # type: ignore[arg-type]
        values = trend.residual(kept.distance, kept.confidence)  # type: ignore[arg-type]
        kept = kept.with_(residual=values)
        moved = _moved(np.asarray(values), np.asarray(starts)[success])
    except MistrustError:  # a pool too small, or of one confidence: a gate says so
        trend = None
    return Hunted(
        at, kept, np.asarray(errors, dtype=bool)[success], np.asarray(whole, dtype=np.float64), trend, size,
        float(success.mean()), dict(Counter(starts)), moved,
    )  # fmt: skip


def _moved(residual: Float64[np.ndarray, " n"], starts: NDArray[np.str_]) -> float | None:
    groups = [residual[starts == kind] for kind in np.unique(starts)]
    groups = [one for one in groups if len(one) >= KIND]
    return float(kruskal(*groups).pvalue) if len(groups) > 1 else None
