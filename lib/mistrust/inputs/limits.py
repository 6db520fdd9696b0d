"""The checks that all calls share: a number, within its limits, a whole one; several numbers; images and shapes."""

from collections.abc import Sequence
from math import inf, isfinite
from reprlib import repr as shortened
from typing import Any, SupportsFloat

import torch
from jaxtyping import Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError


def number(what: str, value: Any) -> float:
    """Give the number, which may be infinite or NaN; text is none, even where digits are all that it holds.

    Raises
    ------
    MistrustError
        It is not a number; `what` names it ("impulse_noise: share").
    """
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):  # torch's, of several numbers, is a RuntimeError
        pass
    raise MistrustError(f"{what} is {value!r}, expected a number.")


def within(what: str, value: SupportsFloat, low: float, high: float = inf) -> float:
    """Give the number when it is finite and lies in [low, high].

    Raises
    ------
    MistrustError
        It is not a number, or lies elsewhere; `what` names it ("impulse_noise: share").
    """
    found = number(what, value)
    if not isfinite(found) or not low <= found <= high:
        upwards = f"of at least {low:g}" if low > -inf else "that is finite"
        expected = f"in [{low:g}, {high:g}]" if high < inf else upwards
        raise MistrustError(f"{what} is {found:g}, expected a number {expected}.")
    return found


def whole(what: str, value: Any, low: float, high: float = inf) -> int:
    """Give the number when it is whole and lies in [low, high]; otherwise a MistrustError, as `within`."""
    found = within(what, value, low, high)
    if found != int(found):
        raise MistrustError(f"{what} is {found:g}, expected a whole number.")
    return int(value)  # not of `found`: a float rounds above 2**53


def as_tensor(what: str, values: Any) -> Tensor:
    """Give numbers as a tensor: a tensor as it is, an array or a list of numbers as one.

    Raises
    ------
    MistrustError
        They are no numbers; `what` names them, in the plural ("Scores").
    """
    try:
        return torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError):  # torch raises each of them, by what it is given
        raise MistrustError(
            f"{what} are {shortened(values)}, expected numbers: a tensor, an array or a list of them."
        ) from None


def whole_numbers(what: str, values: Any) -> Int64[Tensor, "*n"]:
    """Give whole numbers as an int64 tensor, as `as_tensor` does; floats and truth values are refused."""
    found = as_tensor(what, values)
    if found.numel() and (found.is_floating_point() or found.is_complex() or found.dtype == torch.bool):
        raise MistrustError(f"{what} are {found.dtype}, expected whole numbers such as int64.")
    return found.to(torch.int64)


def check_set(what: str, images: Any) -> None:
    """Refuse what is no `ImageSet`; `what` is the call that takes one ("faulty")."""
    if isinstance(images, str):
        raise MistrustError(f"{what} takes an ImageSet, got the name '{images}'. Read it: load('{images}', 'test').")
    if not isinstance(images, ImageSet):
        raise MistrustError(
            f"{what} takes an ImageSet, whose ids key what is drawn, got {type(images).__name__}. Make one: "
            "ImageSet(name, images, labels, ids, classes)."
        )


def check_made(what: str, made: Any, expected: Sequence[int]) -> None:
    """Refuse made images of another shape than expected: torch would spread one picture over a batch without a word.

    Raises
    ------
    MistrustError
        No tensor, or one of another shape; `what` is that which made it ("Perturbation 'fading'").
    """
    found = f"shape {tuple(made.shape)}" if isinstance(made, Tensor) else f"type {type(made).__name__}"
    if found != f"shape {tuple(expected)}":
        raise MistrustError(
            f"{what} gives images of {found}, expected a tensor of shape {tuple(expected)}: as many images as it gets, "
            "of the same channels, height and width. The first axis is that of the batch."
        )
