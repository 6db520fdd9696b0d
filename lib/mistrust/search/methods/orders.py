"""Searches that are a sort: the whole order is known before the first answer."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int64
from numpy.typing import NDArray

from mistrust.errors import UnknownName
from mistrust.random import keyed
from mistrust.search.methods.table import SEARCHES, Search
from mistrust.search.pool import Pool
from mistrust.search.residual import residual

PAPER = "Bennette, Maurer and Sisti (2020)"


@dataclass
class Sorted:
    """A search in ascending order of `keys` (n,); ties go to the lowest row."""

    keys: Float64[np.ndarray, " n"]

    def __post_init__(self) -> None:
        self.order: Int64[np.ndarray, " n"] = np.argsort(self.keys, kind="stable")

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Give the first of the order that is left."""
        return int(self.order[np.argmax(left[self.order])])

    def learn(self, row: int, error: bool) -> None:
        """Nothing is learned."""


def residuals(pool: Pool, fraction: float, iterations: int | None, form: str, fit: str) -> NDArray[np.float64]:
    """The pool's residuals, or those that its distances give."""
    if pool.residual is not None:
        return pool.residual
    distance = pool.need("distance", "The adversarial distance search")
    return residual(distance, pool.confidence, fraction=fraction, iterations=iterations, form=form, fit=fit)


def adversarial_distance(
    pool: Pool, *, fraction: float = 0.1, iterations: int | None = None, form: str = "log", fit: str = "lowess"
) -> Sorted:
    """Ascending residual of log MAE on confidence. The pool's own residuals are taken where it has them."""
    return Sorted(residuals(pool, fraction, iterations, form, fit))


def low_confidence(pool: Pool) -> Sorted:
    """Ascending confidence."""
    return Sorted(pool.confidence)


def lowest_distance(pool: Pool) -> Sorted:
    """Ascending MAE, its trend on confidence left in."""
    return Sorted(pool.need("distance", "The lowest distance search"))


def drawn(pool: Pool, seed: int, name: str) -> Float64[np.ndarray, " n"]:
    """A number uniform in [0, 1) for each id."""
    return keyed(seed, f"search/{name}", torch.tensor(pool.ids), lambda g, m: g.random(m)).numpy()


def at_random(pool: Pool, *, seed: int = 0) -> Sorted:
    """Without replacement; two pools that share instances have them in the same order.

    So replicates that are to be independent, subsets of one pool for instance, need a seed each.
    """
    return Sorted(drawn(pool, seed, "random"))


def by_score(
    pool: Pool,
    *,
    score: str = "",
    suspicious: Literal["high", "low"] = "high",
    detrended: bool = True,
    fraction: float = 0.1,
    iterations: int | None = None,
    form: str = "log",
    fit: str = "lowess",
) -> Sorted:
    """The residual search with a score of `pool.scores` in place of the distance.

    Parameters
    ----------
    pool : with the score.
    score : its name.
    suspicious : which end is asked first: "high", as supervisors score, or "low", as for the distance.
    detrended : whether the score's trend on confidence is taken off first.
    fraction, iterations, form, fit : of the trend; see `residual.residual`. form="raw" for scores that may be 0.
    """
    if score not in pool.scores:
        raise UnknownName("score in the pool", score, pool.scores)
    if suspicious not in ("high", "low"):
        raise UnknownName("end of a score", suspicious, ("high", "low"))
    keys = pool.scores[score]
    if detrended:
        keys = residual(keys, pool.confidence, fraction=fraction, iterations=iterations, form=form, fit=fit)
    return Sorted(-keys if suspicious == "high" else keys)


SEARCHES.add(
    "adversarial_distance", Search("Adversarial Distance", f"{PAPER}, algorithm 1", adversarial_distance, False)
)
SEARCHES.add("low_confidence", Search("Low confidence", f"{PAPER}, section V", low_confidence, False))
SEARCHES.add("random", Search("Random", f"{PAPER}, section V", at_random, False))
SEARCHES.add("lowest_distance", Search("Lowest distance", "MAE without its trend taken off", lowest_distance, False))
SEARCHES.add("score", Search("Residual of another score", f"{PAPER}, eq. 5 with another score", by_score, False))
