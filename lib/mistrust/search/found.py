"""What a search has found: its questions in order, and their answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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

    @property
    def answers(self) -> dict[int, bool | None]:
        """Answers by id, None where a person was unsure."""
        told = zip(self.order.tolist(), self.wrong.tolist(), strict=True)
        return {**dict(told), **dict.fromkeys(self.unsure)}


class OracleFailed(MistrustError):
    """The oracle raised, or its answer was none. `found` holds what was answered; the cause is chained."""

    def __init__(self, id: int, found: Found, why: str) -> None:
        super().__init__(
            f"The oracle failed on id {id}, question {len(found) + 1} of {found.budget}: {why}. The {len(found)} "
            "answers before it are kept in `found` of this error: `search(..., answered=error.found)` goes on there."
        )
        self.found = found
