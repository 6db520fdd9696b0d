"""`SEARCHES`: the table of searches, and what an entry is.

An entry prepares a search on a pool and gives an `Asking`: what chooses the next instance and learns from its answer.
Whoever asks (`mistrust.search.searching`) keeps count of what has been asked.
"""

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Bool, Float64

from mistrust.errors import MistrustError, UnknownName
from mistrust.registry import Registry
from mistrust.search.clusters import ELBOWS
from mistrust.search.pool import Pool
from mistrust.search.residual import FITS, FORMS

# Scores nearer to each other than this share of their scale are a tie: rounding must not decide it.
TIE = 1e-12


class Asking(Protocol):
    """A search under way. It is copied before use (`copy.deepcopy`), so that one preparation serves many runs.

    Examples
    --------
    >>> class InOrder:
    ...     def choose(self, left):
    ...         return int(left.argmax())  # the first row that is left
    ...     def learn(self, row, error):
    ...         pass  # whatever the answer
    >>> asking: Asking = InOrder()
    >>> asking.choose(np.array([False, True, True]))
    1
    """

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Give the row to ask about next, among those that are `left`; the same however often it is called."""
        ...

    def learn(self, row: int, error: bool) -> None:
        """Take the answer: whether the prediction of that row is wrong."""
        ...


@dataclass(frozen=True)
class Search:
    """One search.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section, or code.
    begin : (pool, keyword-only parameters with defaults) -> `Asking`.
    adaptive : whether later choices depend on answers. Where they do not, the exact p-value and interval of SDR hold.
    reads : fields of a `Pool` that it takes where they are there and does something else without. What it cannot do
        without it asks for by `Pool.need`, and need not be named.
    shares : whether its parameters set how a search works, so that they may be given to all, with a use for them or
        without (`shared`); else only searches that have them take them.

    Examples
    --------
    >>> from mistrust.search.methods import SEARCHES
    >>> SEARCHES["low_confidence"].adaptive, SEARCHES["lakkaraju"].adaptive
    (False, True)
    >>> SEARCHES["facility_learned"].parameters  # by name, with defaults
    {'alpha': 0.5, 'ridge': 1.0}
    >>> SEARCHES["lakkaraju_coded"].reads  # which K-means makes where there are none
    ('clusters',)
    """

    title: str
    source: str
    begin: Callable[..., Asking]
    adaptive: bool = True
    reads: tuple[str, ...] = ()
    shares: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and defaults of its parameters."""
        found = inspect.signature(self.begin).parameters.values()
        return {one.name: one.default for one in found if one.kind is inspect.Parameter.KEYWORD_ONLY}


SEARCHES = Registry[Search]("search", "mistrust list searches")

# Other names of parameters: those of the authors' code, of statsmodels and of the text.
ALIASES = {"var": "variance", "frac": "fraction", "it": "iterations", "m": "first"}
AIMS = ("sdr", "errors")
# Parameters whose values are names. A wrong one is told whether the search has a use for it, and tells, or has none.
CHOICES: dict[str, tuple[str, Collection[str]]] = {
    "form": (FORMS.what, FORMS), "fit": (FITS.what, FITS), "elbow": ("elbow", ELBOWS), "aim": ("aim", AIMS),
}  # fmt: skip


def spelled(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters under their own names.

    Raises
    ------
    MistrustError
        One stands there under two names.
    """
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        own = ALIASES.get(name, name)
        if own in found:
            raise MistrustError(f"The parameter '{own}' is given twice, once as '{name}': give it once.")
        found[own] = value
    return found


def shared() -> frozenset[str]:
    """Parameters that every search takes, those without use for one too, so that one set of them serves all.

    Examples
    --------
    >>> "variance" in shared(), "score" in shared()
    (True, False)
    """
    return frozenset(name for one in SEARCHES.values() if one.shares for name in one.parameters)


def begin(method: str, pool: Pool, parameters: Mapping[str, Any]) -> Asking:
    """Prepare a search of the table on a pool.

    Raises
    ------
    MistrustError
        An unknown method or parameter, one of `CHOICES` with an unknown value, a parameter outside its range, a pool
        that lacks what the search reads.

    Examples
    --------
    >>> from mistrust.search import Pool
    >>> asking = begin("low_confidence", Pool(ids=[3, 4, 5], confidence=[0.9, 0.7, 0.8]), {})
    >>> asking.choose(np.array([True, True, True])), asking.choose(np.array([True, False, True]))  # rows, not ids
    (1, 2)
    """
    entry = SEARCHES[method]
    own, given, everywhere = entry.parameters, spelled(parameters), shared()
    for name in given:
        if name not in own and name not in everywhere:
            raise UnknownName(f"parameter of the search '{method}'", name, [*own, *everywhere])
    for name, (what, known) in CHOICES.items():
        if name in given and name not in own and given[name] not in [*known]:
            raise UnknownName(what, given[name], known)
    return entry.begin(pool, **{name: value for name, value in given.items() if name in own})


def first_best(scores: Float64[np.ndarray, " n"], left: Bool[np.ndarray, " n"], scale: float = 0.0) -> int:
    """The lowest row among those left with the largest score.

    Parameters
    ----------
    scores : (n,), read where `left`.
    left : (n,) at least one is true.
    scale : of the sums that the scores came from: scores within 1e-12 of it, or of the largest score, are a tie.
    """
    seen = np.where(left, scores, -np.inf)
    return int(tied(seen, scale).argmax())


def tied(seen: Float64[np.ndarray, " n"], scale: float) -> Bool[np.ndarray, " n"]:
    """Where the largest score is, and what ties with it."""
    best = float(seen.max())
    return seen == best if math.isinf(best) else seen >= tied_from(best, scale)


def tied_from(best: float, scale: float) -> float:
    """The least score that ties with the best one."""
    return best - TIE * max(abs(best), scale)
