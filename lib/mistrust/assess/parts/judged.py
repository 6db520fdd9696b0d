"""`Judged`: an AUROC with as much of an interval as its inputs bear, and how it is written."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mistrust.figures.written import interval, many, two

ERRORS = "errors"  # the column of the model's own
TIED = 1e-9  # AUROC that differ by no more than rounding
FEW = 10  # inputs on either side, below which resampling them says too little of what others would give


class Judged(NamedTuple):
    """An AUROC, its interval (NaN where there is none to give), and how many inputs it is of on either side."""

    value: float
    low: float
    high: float
    bad: int
    good: int


def best(table: Mapping[tuple[str, str], Judged | None], names: Sequence[str], column: str) -> list[str]:
    """Whose AUROC is highest in a column, or several that share it, of those that were judged by most bad inputs.

    Examples
    --------
    >>> few, many = Judged(1.0, 0.9, 1.0, 3, 60), Judged(0.9, 0.8, 0.95, 40, 600)
    >>> best({("a", "errors"): many, ("b", "errors"): few, ("c", "errors"): many}, ("a", "b", "c"), "errors")
    ['a', 'c']
    """
    known = {name: found for name in names if (found := table[name, column]) is not None}
    most = max((found.bad for found in known.values()), default=0)
    values = {name: found.value for name, found in known.items() if found.bad == most}
    return [name for name, value in values.items() if value >= max(values.values()) - TIED]


def wide(found: Judged | None) -> bool:
    """Whether it has an interval whose ends are written differently."""
    return found is not None and two(found.low) != two(found.high)


def shown(found: Judged | None, column: str) -> str:
    """An AUROC with its interval; where that has no width to be read, with how many inputs it is of."""
    if found is None:
        return "-"
    if wide(found):
        return interval(found.value, found.low, found.high)
    bad, good = ("error", "correct answer") if column == ERRORS else ("bad input", "ordinary input")
    least = many(found.good, good) if found.good < min(FEW, found.bad) else many(found.bad, bad)
    return f"{two(found.value)}, of {least}"


def doubt(wrong: int, right: int) -> str:
    """What the number of errors, or of correct answers, takes from the first column; "" where both are many."""
    least, what = min((wrong, "error"), (right, "correct answer"))
    if not least:
        return f"There is no {what}: the first column is empty."
    start = f"There {'is' if least == 1 else 'are'} only {many(least, what)}: "
    if least < FEW:
        return f"{start}too few for an interval, and for the first column to say much."
    if least < 30:
        return f"{start}the first column is uncertain, also where an AUROC has no interval."
    return ""
