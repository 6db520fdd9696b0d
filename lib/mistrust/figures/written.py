"""Numbers as figures write them, alone and with their intervals."""

from collections.abc import Callable

import numpy as np

Write = Callable[[float], str]


def plain(value: float) -> str:
    """Write grey levels: with one decimal below 10, none above."""
    return f"{value:.1f}" if abs(value) < 10 else f"{value:.0f}"


def percent(value: float) -> str:
    """Write a share in whole per cent."""
    return f"{100 * value:.0f}%"


def two(value: float) -> str:
    """Write with two decimals."""
    return f"{value:.2f}"


def three(value: float) -> str:
    """Write three significant digits, without an exponent: 1,220."""
    return f"{float(f'{value:.3g}'):,.15g}"


def many(count: int, one: str, several: str | None = None) -> str:
    """Write "1 query", "2 queries": a count and its thing; `several` where an "s" is not enough."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def wide(low: float, high: float) -> bool:
    """Whether there is an interval to write: networks that agree to the last digit tell nothing of further ones."""
    return bool(low < high)  # NaN is no end


def interval(value: float, low: float, high: float, write: Write = two) -> str:
    """Write "1.20 (1.00 to 1.40)"; "1.20 (1.00 or more)" where it is open above; "1.20" where none is `wide`."""
    if not wide(low, high):
        return write(value)
    return f"{write(value)} ({write(low)} {'or more' if np.isinf(high) else f'to {write(high)}'})"
