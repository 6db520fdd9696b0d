"""What a search has found: its questions in order, and their answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64

from mistrust.errors import MistrustError
from mistrust.search import measures
from mistrust.search.pool import Pool


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has asked so far, in its order.

    Attributes
    ----------
    method : name in `SEARCHES`.
    pool : the instances above the threshold, among which it searched.
    rows : (b,) positions in `pool`.
    wrong : (b,) the answers: True where the prediction is wrong.
    budget : questions that it may ask.
    unsure : ids that a person could not tell; they cost nothing of the budget and are not in `rows`.
    parameters : that the search was given.

    Examples
    --------
    >>> pool = Pool(ids=[3, 4, 5, 6], confidence=[0.9, 0.7, 0.8, 0.6])
    >>> found = search(pool, lambda id: id == 4, 3, "low_confidence")  # 6 is below the threshold of 0.65
    >>> found.order, found.errors, found.complete
    (array([4, 5, 3]), array([1, 1, 1]), True)
    >>> found.sdr.round(2)  # one error, where 0.3, then 0.5, then 0.6 were to be expected
    array([3.33, 2.  , 1.67])
    >>> f"{found.low:.2f} to {found.high:.2f}, p {found.p:.2f}"  # three questions say little
    '0.04 to 4.76, p 0.50'
    """

    method: str
    pool: Pool
    rows: Int64[np.ndarray, " b"]
    wrong: Bool[np.ndarray, " b"]
    budget: int
    unsure: tuple[int, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def complete(self) -> bool:
        """Whether the budget is spent."""
        return len(self) == self.budget

    @property
    def order(self) -> Int64[np.ndarray, " b"]:
        """Ids in the order of the questions."""
        return self.pool.ids[self.rows]

    @property
    def confidence(self) -> Float64[np.ndarray, " b"]:
        """Confidences in the order of the questions."""
        return self.pool.confidence[self.rows]

    @property
    def errors(self) -> Int64[np.ndarray, " b"]:
        """Errors found up to and including each question."""
        return np.cumsum(self.wrong, dtype=np.int64)

    @property
    def sdr(self) -> Float64[np.ndarray, " b"]:
        """Standardized discovery ratio at each question: errors over those expected (equation 3)."""
        return measures.sdr(self.wrong, self.confidence)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95 % interval of what the last SDR estimates: how many times more often than 1 - c such questions err.

        Exact (Poisson-binomial) where no question depends on an answer; see `simulated_null` for the other searches.
        The upper end is infinite where all questions found an error, both are NaN where nothing was asked.
        """
        if not len(self):
            return np.nan, np.nan
        low, high = measures.rate_interval(self.errors[-1], 1.0 - self.confidence)
        return float(low), float(high)

    @property
    def low(self) -> float:
        """The interval's lower end."""
        return self.interval[0]

    @property
    def high(self) -> float:
        """The interval's upper end."""
        return self.interval[1]

    @property
    def p(self) -> float:
        """Chance of as many errors or more, if each question erred with probability 1 - c; as exact as `interval`."""
        return float(measures.p_value(self.errors[-1], 1.0 - self.confidence)) if len(self) else np.nan

    @property
    def answers(self) -> dict[int, bool | None]:
        """Answers by id, None where a person was unsure."""
        told = zip(self.order.tolist(), self.wrong.tolist(), strict=True)
        return {**dict(told), **dict.fromkeys(self.unsure)}


class OracleFailed(MistrustError):
    """The oracle raised, or its answer was none. `found` holds what was answered; the cause is chained.

    Examples
    --------
    A person goes home after one answer; it is kept, and the search goes on from there:

    >>> pool, answers = Pool(ids=[3, 4, 5], confidence=[0.9, 0.7, 0.8]), {4: True}
    >>> try:
    ...     search(pool, answers.__getitem__, 2, "low_confidence")
    ... except OracleFailed as stopped:
    ...     kept = stopped.found
    >>> kept.answers
    {4: True}
    >>> answers = {5: False}  # 4 is not asked for again
    >>> search(pool, answers.__getitem__, 2, "low_confidence", answered=kept).answers
    {4: True, 5: False}
    """

    def __init__(self, id: int, found: Found, why: str) -> None:
        super().__init__(
            f"The oracle failed on id {id}, question {len(found) + 1} of {found.budget}: {why}. The {len(found)} "
            "answers before it are kept in `found` of this error: `search(..., answered=error.found)` goes on there."
        )
        self.found = found


def leave(stop: BaseException, found: Found) -> None:
    """Leave what was answered with what stopped the search and is no `OracleFailed`: as its `found`, and in a note.

    Examples
    --------
    A person types her answers and presses Ctrl-C at the second question:

    >>> def typed(id):
    ...     if id == 5:
    ...         raise KeyboardInterrupt
    ...     return True
    >>> pool = Pool(ids=[3, 4, 5], confidence=[0.9, 0.7, 0.8])
    >>> try:
    ...     search(pool, typed, 2, "low_confidence")
    ... except KeyboardInterrupt as stopped:
    ...     kept = stopped.found
    >>> search(pool, lambda id: False, 2, "low_confidence", answered=kept).answers
    {4: True, 5: False}
    """
    vars(stop)["found"] = found
    stop.add_note(
        f"The search stopped at question {len(found) + 1} of {found.budget}. The answers before it ({len(found)}) are "
        f"kept in `found` of this {type(stop).__name__}: `search(..., answered=error.found)` goes on there. At a "
        f"prompt or in a notebook, `error` is `sys.last_value`."
    )
