"""The one check that all settings share: a number within its limits."""

from math import inf, isfinite
from typing import SupportsFloat

from mistrust.errors import MistrustError


def within(what: str, value: SupportsFloat, low: float, high: float = inf) -> float:
    """Give the number when it is finite and lies in [low, high].

    Raises
    ------
    MistrustError
        It is not a number, or lies elsewhere; `what` names it ("impulse_noise: share").
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise MistrustError(f"{what} is {value!r}, expected a number.") from None
    if not isfinite(number) or not low <= number <= high:
        expected = f"in [{low:g}, {high:g}]" if high < inf else f"of at least {low:g}"
        raise MistrustError(f"{what} is {number:g}, expected a number {expected}.")
    return number


def whole(what: str, value: SupportsFloat, low: int, high: float = inf) -> int:
    """Give the number when it is whole and lies in [low, high]; otherwise a MistrustError, as `within`."""
    number = within(what, value, low, high)
    if number != int(number):
        raise MistrustError(f"{what} is {number:g}, expected a whole number.")
    return int(number)
