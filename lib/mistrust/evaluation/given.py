"""What measures are given: numbers as an array, how sure an interval shall be, how many resamples."""

from numbers import Real
from operator import index
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mistrust.errors import MistrustError


def numbers(what: str, values: Any) -> NDArray[np.float64]:
    """Give numbers as an array of float64.

    Raises
    ------
    MistrustError
        Something else, complex numbers, one too large for float64, lists of several lengths, a tensor that still has
        its gradient; `what` names them ("Scores").

    Examples
    --------
    >>> numbers("Scores", [1, 2])
    array([1., 2.])
    >>> numbers("Scores", ["high", "low"])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Scores are ['high', 'low'], expected numbers, as many in each row ...
    """
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "USMmc":  # of text, too, numpy would make numbers where it holds digits
            return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last: a tensor that still has its gradient
        pass
    raise MistrustError(
        f"{what} are {shortened(values)}, expected numbers, as many in each row (of a tensor: .detach())."
    )


def clusters_of(values: Any) -> NDArray[Any]:
    """Give what each input belongs to as an array, whatever the ids are: numbers or names.

    Raises
    ------
    MistrustError
        Lists of several lengths, a tensor that still has its gradient.

    Examples
    --------
    >>> clusters_of([[1], [2, 3]])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Clusters are lists of several lengths or a tensor with its gradient (.detach()), ...
    """
    try:
        return np.asarray(values)
    except (ValueError, RuntimeError):
        raise MistrustError(
            "Clusters are lists of several lengths or a tensor with its gradient (.detach()), expected (n,), one id "
            "for each input."
        ) from None


def truths(what: str, values: Any) -> NDArray[np.bool_]:
    """Give what is true or false as an array of booleans: booleans, or 0 and 1.

    Raises
    ------
    MistrustError
        Anything else, NaN and text too, which numpy would take for true; `what` names them ("Outcomes").

    Examples
    --------
    >>> truths("Hits", [0, 1])
    array([False,  True])
    >>> truths("Hits", [0, 2])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Hits must be true or false (1 or 0), got 2.
    """
    found = numbers(what, values)
    other = found[(found != 0) & (found != 1)]
    if other.size:
        raise MistrustError(f"{what} must be true or false (1 or 0), got {other[0]:g}.")
    return found == 1


def confident(value: Any, what: str = "confidence_level") -> float:
    """Give the confidence level of an interval; `what` is the parameter's name.

    Raises
    ------
    MistrustError
        It is no number in (0, 1).

    Examples
    --------
    >>> confident(95)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: confidence_level is 95, expected a number in (0, 1): 0.95 for 95 per cent.
    """
    if not real(value) or not 0 < value < 1:
        raise MistrustError(f"{what} is {value!r}, expected a number in (0, 1): 0.95 for 95 per cent.")
    return float(value)


def portion(what: str, value: Any) -> float:
    """Give a share that is not 0.

    Raises
    ------
    MistrustError
        It is no number in (0, 1]; `what` names it ("The coverage").

    Examples
    --------
    >>> portion("The coverage", 0)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The coverage is 0, expected a number above 0 and up to 1.
    """
    if not real(value) or not 0 < value <= 1:
        raise MistrustError(f"{what} is {value!r}, expected a number above 0 and up to 1.")
    return float(value)


def real(value: Any) -> bool:
    """Whether it is one number: text is none, nor is True, though Python counts it as 1."""
    return isinstance(value, Real) and not isinstance(value, bool)


def count(what: str, value: Any) -> int:
    """Give a whole number.

    Raises
    ------
    MistrustError
        It is none, such as text or a float; `what` names it ("The number of draws").

    Examples
    --------
    >>> count("The number of draws", 2.5)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The number of draws is 2.5, expected a whole number.
    """
    try:
        return index(value)
    except TypeError:
        raise MistrustError(f"{what} is {value!r}, expected a whole number.") from None


def times(resamples: Any) -> int:
    """Give how many resamples a bootstrap takes.

    Raises
    ------
    MistrustError
        It is no whole number, or below 1.

    Examples
    --------
    >>> times(2.5)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The number of resamples is 2.5, expected a whole number.
    """
    found = count("The number of resamples", resamples)
    if found < 1:
        raise MistrustError(f"A bootstrap needs at least one resample, got {found}.")
    return found
