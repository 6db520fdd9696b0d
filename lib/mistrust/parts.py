"""What an experiment measures of one of its subjects, a network or a model: one entry a part, each kept by itself.

A run that is killed loses one part at most, and a part that is mended is measured again alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Generic, TypeVar

import pandas as pd

from mistrust import rows as tidy
from mistrust.evaluation import Estimate
from mistrust.store import Maker

Row = Mapping[str, Any]
S = TypeVar("S")


@dataclass(frozen=True)
class Part(Generic[S]):
    """One part.

    Attributes
    ----------
    reads : the parameters that it depends on, beyond what the subject does.
    of : which subjects it is measured of.
    rows : measures one.
    version : a part that is mended has a new one.
    """

    reads: tuple[str, ...]
    of: Callable[[S], bool]
    rows: Callable[[S], Iterator[Row]]
    version: int = 1


def part_spec(
    name: str, part: Part[Any], subject: Mapping[str, Any], parameters: object, makers: Iterable[Maker[Any]]
) -> dict[str, Any]:
    """Give the spec of one part's rows, for `store.made`.

    Parameters
    ----------
    subject : what it is made from.
    parameters : of the chapter; the part's own `reads` are taken.
    makers : of the things that the rows are computed from, without that of the rows themselves.
    """
    return {
        "part": name,
        "version": part.version,
        "subject": dict(subject),
        "parameters": {read: getattr(parameters, read) for read in part.reads},
        "versions": {one.kind: one.version for one in makers},
    }


def measured(found: Iterable[Row], **common: Any) -> pd.DataFrame:
    """Give rows of what could be computed: those whose value is finite. A median that is not reached has no row.

    Parameters
    ----------
    common : values that all rows share, see `rows.table`.
    """
    kept = [row for row in found if isfinite(float(row["value"]))]
    return tidy.table(kept, **common) if kept else tidy.empty()


def estimated(found: Estimate, over: str = "images") -> dict[str, Any]:
    """Give an estimate as columns of a row: value, n, and low, high and over where both ends are finite.

    Examples
    --------
    >>> from mistrust.evaluation import Estimate
    >>> estimated(Estimate(0.9, 0.8, 0.95, n=40))
    {'value': 0.9, 'n': 40, 'low': 0.8, 'high': 0.95, 'over': 'images'}
    >>> estimated(Estimate(0.9, float("nan"), float("nan"), n=1))
    {'value': 0.9, 'n': 1}
    """
    both = isfinite(found.low) and isfinite(found.high)
    ends = {"low": found.low, "high": found.high, "over": over} if both else {}
    return {"value": found.value, "n": found.n, **ends}
