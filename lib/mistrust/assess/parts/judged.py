"""`Judged`: an AUROC with as much of an interval as its inputs bear, and how it is written."""

from typing import NamedTuple

from mistrust.figures.written import interval, many, two

ERRORS = "errors"  # the column of the model's own
FEW = 10  # inputs on either side, below which resampling them says too little of what others would give


class Judged(NamedTuple):
    """An AUROC, its interval (NaN where there is none to give), and how many inputs it is of on either side."""

    value: float
    low: float
    high: float
    bad: int
    good: int


def wide(found: Judged | None) -> bool:
    """Whether it has an interval whose ends are written differently."""
    return found is not None and two(found.low) != two(found.high)


def shown(found: Judged | None, column: str) -> str:
    """An AUROC with its interval; where that has no width to be read, with how many inputs it is of."""
    if found is None:
        return "-"
    if wide(found):
        return interval(found.value, found.low, found.high)
    bad, good = ("error", "right answer") if column == ERRORS else ("bad input", "ordinary input")
    least = many(found.good, good) if found.good < min(FEW, found.bad) else many(found.bad, bad)
    return f"{two(found.value)}, of {least}"


def doubt(wrong: int, right: int) -> str:
    """What the number of errors, or of right answers, takes from the first column; "" where both are many."""
    least, what = min((wrong, "error"), (right, "right answer"))
    if not least:
        return f"There is no {what}: the first column is empty."
    start = f"There {'is' if least == 1 else 'are'} only {many(least, what)}: "
    if least < FEW:
        return f"{start}too few for an interval, and for the first column to say much."
    if least < 30:
        return f"{start}the first column is uncertain, also where an AUROC has no interval."
    return ""
