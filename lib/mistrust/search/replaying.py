"""`replay`: a search of a table whose answers are known, with all its measures."""

import warnings
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float64

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.search import columns, measures
from mistrust.search.found import Found
from mistrust.search.kernel import VARIANCE
from mistrust.search.methods import SEARCHES
from mistrust.search.methods.orders import another
from mistrust.search.methods.table import spelled
from mistrust.search.pool import THRESHOLD, Lacking, Pool, confidence_limit
from mistrust.search.residual import residual
from mistrust.search.searching import search

# What a search that reads a field of the pool does without it: the way out where a column cannot be read.
WITHOUT = {
    "residual": "residuals are then computed from the distances",
    "clusters": "K-means then makes clusters of confidences and features",
    "features": "the search then goes without",
}
# Settings of the residual's fit; a residual that stands in the table was made with some.
SETTINGS = ("fraction", "iterations", "delta")
# Residuals that differ by less than this share of their standard deviation are the same, printed to fewer digits.
ALIKE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Replayed(Found):
    """What a search found, and how good it was at each of its b questions.

    To what `Found` has (`order`: ids, `errors`: counts, `sdr`, `rows`, `wrong`, `confidence`) it adds:

    Attributes
    ----------
    spread : (b,) mean over the pool of the distance to the nearest question so far, over the largest distance in the
        pool; smaller is better covered. NaN without features.
    utility : (b,) Bansal and Weld's U of the errors found so far. NaN without features.
    p_by_query : (b,) chance of as many errors or more, if each question erred with probability 1 - c.
    low_by_query, high_by_query : (b,) 95 % interval of how many times more often than that they err: of what SDR
        estimates. Computed when asked for, since its time grows with the third power of b: seconds for 200 questions.
    adaptive : whether later questions depend on answers. Then p and interval are not exact: see `simulated_null`.
    pool_errors, pool_sdr : of the whole pool: the line to hold the search against.

    Examples
    --------
    >>> frame = pd.DataFrame({"i": [1, 2, 3], "c": [0.9, 0.7, 0.8], "error": [0, 1, 0]})
    >>> replayed = replay(frame, "low_confidence", 2)
    >>> replayed.pool_errors, round(replayed.pool_sdr, 2)  # what asking about all would have found
    (1, 1.67)
    >>> replayed.errors, replayed.adaptive
    (array([1, 1]), False)
    """

    spread: Float64[np.ndarray, " b"]
    utility: Float64[np.ndarray, " b"]
    p_by_query: Float64[np.ndarray, " b"]
    adaptive: bool
    pool_errors: int
    pool_sdr: float

    @cached_property
    def _intervals(self) -> tuple[Float64[np.ndarray, " b"], Float64[np.ndarray, " b"]]:
        # Each row has the questions up to its own; a chance of 0 stands for one not asked.
        chances = np.tril(np.broadcast_to(1.0 - self.confidence, (len(self), len(self))))
        return measures.rate_interval(self.errors, chances)

    @property
    def low_by_query(self) -> Float64[np.ndarray, " b"]:
        """The interval's lower end at each question."""
        return self._intervals[0]

    @property
    def high_by_query(self) -> Float64[np.ndarray, " b"]:
        """The interval's upper end at each question."""
        return self._intervals[1]

    def frame(self) -> pd.DataFrame:
        """One row per question: query, id, confidence, error, errors, sdr, low, high, p, spread, utility."""
        return pd.DataFrame(
            {
                "query": np.arange(1, len(self) + 1),
                "id": self.order,
                "confidence": self.confidence,
                "error": self.wrong.astype(np.int64),
                "errors": self.errors,
                "sdr": self.sdr,
                "low": self.low_by_query,
                "high": self.high_by_query,
                "p": self.p_by_query,
                "spread": self.spread,
                "utility": self.utility,
            }
        )


def replay(
    frame: pd.DataFrame,
    method: str,
    budget: int,
    *,
    threshold: float = THRESHOLD,
    **parameters: Any,
) -> Replayed:
    """Run a search on instances whose answers stand in the table.

    Parameters
    ----------
    frame : columns `i` (ids), `x1`, `x2`, ... (features, any number), `c` (confidence), `error` (0 or 1), `MAE`,
        `cluster` (numbers or text), `residual`; capitals do not matter, and `id`, `confidence`, `distance` and the like
        are read, too (`columns.NAMES`). What a method does not read may be missing, or hold what no pool can (a
        distance that is NaN, since no attack came through): a warning says what is left out, and measures that need it
        are NaN. Ties go to the row that stands first in the table.
        Without `residual` it is computed from MAE and c. With it, it is taken as it stands: `fraction`, `iterations`
        and `delta` say how it was made, and a warning tells where MAE and c give another by them. `form="raw"` and
        `fit="quadratic"` ask for another residual than the paper's, which is computed from MAE, whatever stands there.
    method, budget : see `Searching`.
    threshold : instances at or below it are no part of the pool; 0 keeps all.
    parameters : see `Searching`: one set of them serves all methods. `variance`, 0.001, is also that of the kernel by
        which `utility` is measured, whatever the method.

    Raises
    ------
    MistrustError
        Missing columns, errors that are not 0 or 1, a column that the method reads and no pool can hold (clusters or
        residuals of which one is NaN), and what `Pool` and `search` refuse.

    Examples
    --------
    >>> frame = pd.DataFrame({"i": [1, 2, 3], "c": [0.9, 0.7, 0.8], "error": [0, 1, 0]})
    >>> replay(frame, "low_confidence", 2).sdr.round(6)
    array([3.333333, 2.      ])
    """
    entry = SEARCHES[method]  # an unknown name is the first thing to say
    try:
        whole = pd.DataFrame(frame)
    except ValueError:
        raise MistrustError(f"The table is {frame!r}, expected a data frame: pandas.read_csv(...) gives one.") from None
    table = columns.read(whole, answers=True, above=confidence_limit(threshold))
    pool = Pool(**table.pool)
    answers = dict(zip(pool.ids.tolist(), np.asarray(table.error).tolist(), strict=True))
    given = spelled(parameters)
    anew = another(**{name: given[name] for name in ("form", "fit") if name in given})
    for name in entry.reads:
        if name in table.unusable and not (name == "residual" and anew):
            out = f", or leave it out: {WITHOUT[name]}" if name in WITHOUT else ""
            raise MistrustError(f"The search '{method}' reads the {name}. {table.unusable[name]} Mend that{out}.")
    left_out = f"Left out of the table: {' '.join(table.unusable.values())}"
    try:
        found = search(pool, answers.__getitem__, budget, method, threshold=threshold, **given)
    except Lacking as error:
        raise MistrustError(_lacking(error, table, whole)) from error
    except MistrustError as error:
        if table.unusable:
            raise MistrustError(f"{error} {left_out}") from error
        raise
    if table.unusable:
        warnings.warn(left_out, MistrustWarning, stacklevel=2)
    elif pool.features is None and pool.scores:
        warnings.warn(
            f"Spread and utility are NaN: the table has no features, whose columns are called {columns.FEATURES}. "
            f"{', '.join(pool.scores)} {'is a score' if len(pool.scores) == 1 else 'are scores'} here.",
            MistrustWarning,
            stacklevel=2,
        )
    settings = {name: given[name] for name in SETTINGS if name in given}
    if "residual" in entry.reads and not anew and (apart := _apart(found.pool, settings)):
        said = ", ".join(f"{name}={value}" for name, value in settings.items())
        warnings.warn(
            f"The table's residuals are taken as they stand: with {said} its distances give others, up to {apart:.3g} "
            "away. Leave the column out to have them computed.",
            MistrustWarning,
            stacklevel=2,
        )
    return measured(found, answers, variance=given.get("variance", VARIANCE))


def _lacking(error: Lacking, table: columns.Columns, frame: pd.DataFrame) -> str:
    """Say what a search lacks in the words of a table: which column would hold it, or why the one that does cannot."""
    if error.name in table.unusable:
        return f"{error.what} reads the {error.name}. {table.unusable[error.name]} Mend that column."
    return (
        f"{error.what} reads the {error.name}, and the table has no such column: call it {columns.called(error.name)}. "
        f"It has: {', '.join(map(str, frame.columns))}."
    )


def _apart(pool: Pool, settings: dict[str, Any]) -> float:
    """How far the pool's residuals are from those that its distances give with some settings; 0 where they agree.

    Also 0 where it has but one of the two, no setting is given, or F is not defined by them.
    """
    if pool.residual is None or pool.distance is None or not settings:
        return 0.0
    try:
        apart = float(np.abs(residual(pool.distance, pool.confidence, **settings) - pool.residual).max())
    except MistrustError:
        return 0.0
    return apart if apart > ALIKE * pool.residual.std() else 0.0


def measured(found: Found, answers: dict[int, bool], *, variance: float = VARIANCE) -> Replayed:
    """Add the measures to what a search found, given the answers of the whole pool by id."""
    pool, rows, wrong = found.pool, found.rows, found.wrong
    nowhere = np.full(len(found), np.nan)
    spread, utility = nowhere, nowhere
    if pool.features is not None:
        spread = measures.spread(pool.features, rows)
        utility = measures.utility(pool.confidence, pool.features, rows, wrong, variance)
    whole = np.array([answers[id] for id in pool.ids.tolist()])
    return Replayed(
        **{one.name: getattr(found, one.name) for one in fields(Found)},
        spread=spread,
        utility=utility,
        p_by_query=measures.p_values(found.errors, 1.0 - found.confidence),
        adaptive=SEARCHES[found.method].adaptive,
        pool_errors=int(whole.sum()),
        pool_sdr=float(measures.sdr(whole, pool.confidence)[-1]),
    )
