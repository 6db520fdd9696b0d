"""What is said of pieces that failed."""

from dataclasses import dataclass
from typing import Any

from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Failure:
    """Why a piece failed: the type and message of its error, and the error itself where it could be had."""

    name: str
    kind: str
    message: str
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}: {self.message}" if self.kind else f"{self.name}: {self.message}"


class PiecesFailed(MistrustError):
    """Some pieces failed, and all others are finished.

    Parameters
    ----------
    label : what the pieces are.
    failures : one for each piece that failed, in the order of the pieces.
    results : the results of all pieces, None for those that failed.
    """

    def __init__(self, label: str, failures: list[Failure], results: list[Any]) -> None:
        finished = len(results) - len(failures)
        survivors = "; the others are finished" if finished else ""
        lines = "".join(f"\n  {failure}" for failure in failures)
        super().__init__(f"{len(failures)} of {len(results)} {label} failed{survivors}:{lines}")
        self.failures = failures
        self.results = results
