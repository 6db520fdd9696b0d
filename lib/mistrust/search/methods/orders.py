"""Searches that are a sort: the whole order is known before the first answer."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int64
from numpy.typing import NDArray

from mistrust.errors import MistrustError, check_known, warn
from mistrust.random import keyed
from mistrust.search.methods.table import SEARCHES, Search
from mistrust.search.pool import Pool
from mistrust.search.residual import FIT, FORM, FORMS, FRACTION, check, residual

PAPER = "Bennette, Maurer and Sisti (2020)"


@dataclass
class Sorted:
    """A search in ascending order of `keys` (n,); ties go to the lowest row."""

    keys: Float64[np.ndarray, " n"]

    def __post_init__(self) -> None:
        self.order: Int64[np.ndarray, " n"] = np.argsort(self.keys, kind="stable")
        if len(self.keys) > 1 and self.keys.min() == self.keys.max():
            warn(
                f"The search has nothing to go by: all {len(self.keys)} instances have the same value, so that they "
                "are asked about in the order of the pool.",
                "mistrust.search",
            )

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Give the first of the order that is left."""
        return int(self.order[np.argmax(left[self.order])])

    def learn(self, row: int, error: bool) -> None:
        """Nothing is learned."""


def another(form: str = FORM, fit: str = FIT) -> bool:
    """Whether this is another residual than the paper's, so that a pool's own is of no use to whoever asks for it.

    Fraction, robust passes and delta are settings of the same one: a pool's own was made with some, and stands.
    """
    return (form, fit) != (FORM, FIT)


def residuals(
    pool: Pool, fraction: float, iterations: int | None, form: str, fit: str, delta: float
) -> NDArray[np.float64]:
    """The pool's residuals, or those that its distances give: where it has none, or another form or fit is wanted."""
    check(fraction, iterations, form, fit, delta)
    if pool.residual is not None and not another(form, fit):
        return pool.residual
    distance = pool.need("distance", "The adversarial distance search")
    return residual(distance, pool.confidence, fraction, iterations, form, fit, delta)


def adversarial_distance(
    pool: Pool,
    *,
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = FORM,
    fit: str = FIT,
    delta: float = 0.0,
) -> Sorted:
    """Ascending residual of log MAE on confidence, parameters as in `residual.residual`.

    The pool's own residuals are taken as they stand where it has them, whatever `fraction`, `iterations` and `delta`
    say; with another `form` or `fit` than the paper's they are computed from its distances.
    """
    return Sorted(residuals(pool, fraction, iterations, form, fit, delta))


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
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = FORM,
    fit: str = FIT,
    delta: float = 0.0,
) -> Sorted:
    """The residual search with a score of `pool.scores` in place of the distance.

    Parameters
    ----------
    pool : with the score.
    score : its name, which must be given.
    suspicious : which end is asked first: "high", as supervisors score, or "low", as for the distance.
    detrended : whether the score's trend on confidence is taken off first.
    fraction, iterations, form, fit, delta : of the trend; see `residual.residual`. form="raw" for scores that may be 0
        or negative.
    """
    keys = _score(pool, score)
    check_known("end of a score", suspicious, ("high", "low"))
    check(fraction, iterations, form, fit, delta)
    if detrended:
        with np.errstate(divide="ignore", invalid="ignore"):
            none = ~np.isfinite(FORMS[form](keys))
        if none.any():
            raise MistrustError(
                f"{none.sum()} of {len(keys)} values of the score '{score}' are not above 0 (the first: "
                f"{keys[none][0]:g}, of id {pool.ids[none][0]}), and form='{form}' takes their logarithm. Take "
                "form='raw', which takes the trend off the score as it is, or detrended=False, which leaves it in."
            )
        keys = residual(keys, pool.confidence, fraction, iterations, form, fit, delta)
    return Sorted(-keys if suspicious == "high" else keys)


def _score(pool: Pool, name: str) -> NDArray[np.float64]:
    """The pool's score of that name."""
    if not name:
        known = f"The pool has: {', '.join(sorted(pool.scores))}."
        none = "The pool has none: give Pool(..., scores={'doubt': values}), or a table one more column of numbers."
        raise MistrustError(
            f"The search 'score' needs the name of what it goes by: score='...'. {known if pool.scores else none}"
        )
    check_known("score in the pool", name, pool.scores)
    return pool.scores[name]


SEARCHES.add(
    "adversarial_distance",
    Search("Adversarial Distance", f"{PAPER}, algorithm 1", adversarial_distance, False, ("residual",), True),
)
SEARCHES.add("low_confidence", Search("Low confidence", f"{PAPER}, section V", low_confidence, False, shares=True))
SEARCHES.add("random", Search("Random", f"{PAPER}, section V", at_random, False, shares=True))
SEARCHES.add(
    "lowest_distance", Search("Lowest distance", "MAE without its trend taken off", lowest_distance, False, shares=True)
)
SEARCHES.add(
    "score",
    # What says by which score to search is a mistake beside another search.
    Search("Residual of another score", f"{PAPER}, eq. 5 with another score", by_score, False, shares=False),
)
