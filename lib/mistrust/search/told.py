"""What an oracle may be, and what it may answer."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from reprlib import repr as shortened
from typing import Any

from mistrust.errors import MistrustError, warn
from mistrust.search.found import Found
from mistrust.search.pool import Pool

Oracle = Callable[[int], Any]


def asks(oracle: Oracle) -> None:
    """Refuse what cannot be asked, before anything is.

    Raises
    ------
    MistrustError
        An oracle that is no function: an array or a table of answers, most often.
    """
    if callable(oracle):
        return
    raise MistrustError(
        f"The oracle is {shortened(oracle)}, expected a function that is given an id and says whether its prediction "
        "is wrong. Of answers by id, in a dict or, where ids count from 0, in an array: `errors.__getitem__`."
    )


def answer_of(error: Any) -> bool | None:
    """Give the answer as bool, or None for unsure.

    Parameters
    ----------
    error : True, False, 1, 0 or None; arrays and tensors of one element are read as that element.

    Raises
    ------
    MistrustError
        Anything else.

    Examples
    --------
    >>> import torch
    >>> answer_of(torch.tensor(3) != torch.tensor(8)), answer_of(0), answer_of(None)
    (True, False, None)
    """
    if error is None:
        return None
    value = error
    if callable(getattr(error, "item", None)):  # of numpy, torch and their like
        with suppress(TypeError, ValueError, RuntimeError):  # of several elements: said below
            value = error.item()
    if isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    raise MistrustError(f"The answer is {error!r}, expected True (wrong), False (right) or None (unsure).")


def known_answers(
    pool: Pool, answered: Found | Mapping[int, Any] | None, threshold: float
) -> Mapping[int, bool | None]:
    """Give the answers that are known before a search, by id.

    Raises
    ------
    MistrustError
        Answers that are neither by id nor found; to ids that the pool does not have; that are none. To instances which
        the search leaves out they are a `MistrustWarning`.
    """
    if answered is not None and not isinstance(answered, (Found, Mapping)):
        raise MistrustError(
            f"answered is {answered!r}, expected answers by id ({{3: True}}) or what an earlier run found."
        )
    given = answered.answers if isinstance(answered, Found) else dict(answered or {})
    unknown = set(given) - set(pool.ids.tolist())
    if unknown:
        raise MistrustError(
            f"{len(unknown)} of {len(given)} answers are to ids that the pool does not have, such as "
            f"{min(unknown, key=str)!r}: are they of another pool?"
        )
    told = {id: answer_of(one) for id, one in given.items()}
    below = sorted(set(told) & set(pool.ids[pool.confidence <= threshold].tolist()))
    if below:
        warn(
            f"{len(below)} of {len(told)} answers are not used: the confidence of id {below[0]} "
            f"{'and others ' if len(below) > 1 else ''}is not above the threshold {threshold:g}. A lower `threshold` "
            "searches there, too (0 keeps all).",
            "mistrust.search",
        )
    return told
