"""What is said of pieces that failed."""

from dataclasses import dataclass
from typing import Any

from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Failure:
    """Why a piece failed: the type and message of its error, and the error itself where it could be had.

    Examples
    --------
    >>> str(Failure("network 3", "ValueError", "the loss is NaN"))
    'network 3: ValueError: the loss is NaN'
    """

    name: str
    kind: str
    message: str
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"

    @property
    def reason(self) -> str:
        """Why, without the piece's name; an error of the house says all in its message."""
        ours = not self.kind or self.kind == MistrustError.__name__ or isinstance(self.error, MistrustError)
        return self.message if ours else f"{self.kind}: {self.message}"


class PiecesFailed(MistrustError):
    """Some pieces failed, and all others are finished.

    Parameters
    ----------
    label : what the pieces are.
    failures : one for each piece that failed, in the order of the pieces.
    results : the results of all pieces, None for those that failed.

    Examples
    --------
    One of three pieces fails; the others are done, and theirs is what they gave:

    >>> try:
    ...     map(lambda x: 1 / x, [1, 0, 4], engine="inline")
    ... except PiecesFailed as error:
    ...     error.results, error.failures[0].kind
    ([1.0, None, 0.25], 'ZeroDivisionError')
    """

    def __init__(self, label: str, failures: list[Failure], results: list[Any]) -> None:
        finished = len(results) - len(failures)
        survivors = "; the others are finished" if finished else ""
        reasons: dict[str, list[str]] = {}
        for failure in failures:
            reasons.setdefault(failure.reason, []).append(failure.name)
        lines = "".join(f"\n  {', '.join(names)}: {reason}" for reason, names in reasons.items())
        super().__init__(f"{len(failures)} of {len(results)} {label} failed{survivors}:{lines}")
        self.failures = failures
        self.results = results
