"""The table of scorers: everything of the five papers that gives an image a number. Importing a module of it adds."""

from collections.abc import Iterable

from mistrust.comparison.scorers import boundary, centroid, contract
from mistrust.comparison.scorers.scorer import BOUNDARY, MATRIX, SCORERS, Reading, Scored, Scorer, Watched, asked
from mistrust.supervisors import FAMILIES

__all__ = [
    "BOUNDARY",
    "MATRIX",
    "SCORERS",
    "Reading",
    "Scored",
    "Scorer",
    "Watched",
    "asked",
    "boundary",
    "centroid",
    "contract",
    "families",
    "in_order",
]


def families() -> tuple[str, ...]:
    """All families, supervisors' first.

    Examples
    --------
    >>> families()[0], families()[-2:]
    ('softmax', ('class matrix', 'boundary'))
    """
    return (*FAMILIES, MATRIX, BOUNDARY)


def in_order(names: Iterable[str]) -> list[str]:
    """Put scorers in the order of their families, and within one in that of the table.

    Examples
    --------
    >>> in_order(["dsa", "max_softmax"])  # supervisors of the softmax come before those of surprise
    ['max_softmax', 'dsa']
    """
    order, table = families(), list(SCORERS)
    return sorted(set(names), key=lambda name: (order.index(SCORERS[name].family), table.index(name)))
