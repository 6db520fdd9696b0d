"""What an exercise of a chapter is, and how an answer to one is judged.

Each chapter keeps its own table and gives its `check`: see `mistrust.misclassification.exercises`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from mistrust.errors import MistrustError


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Attributes
    ----------
    question : one line.
    expected : what an answer looks like, for the message about one that does not.
    check : whether an answer, as numbers, is right.
    numbers : how many numbers an answer has.
    hint : what to look at after a wrong answer, without the solution.
    explanation : why the right answer is right.
    share : whether all numbers of an answer lie in [0, 1]; others, percent for instance, are refused.

    Examples
    --------
    >>> right = lambda given: near(given, 0.4)
    >>> twice = Exercise("Twice 0.2?", "one number", right, 1, "Add it up.", "0.2 + 0.2 is 0.4.")
    >>> judge({"twice": twice}, "twice", 0.4)
    'Right: 0.2 + 0.2 is 0.4.'
    """

    question: str
    expected: str
    check: Callable[[tuple[float, ...]], bool]
    numbers: int
    hint: str
    explanation: str
    share: bool = False


def judge(exercises: Mapping[str, Exercise], id: str, answer: Any) -> str:
    """Judge an answer.

    Parameters
    ----------
    exercises : the chapter's.
    id : name of the exercise, one of them.
    answer : a number, or several in a tuple or list; tensors and arrays will do.

    Returns
    -------
    "Right: " and why, or "Not yet. ", a hint, and how many digits are asked for.

    Raises
    ------
    UnknownName
        There is no such exercise.
    MistrustError
        The answer is no number, not finite, outside [0, 1] where it is a share, or not as many numbers as the
        exercise asks for.

    Examples
    --------
    >>> right = lambda given: near(given, 0.4)
    >>> twice = Exercise("Twice 0.2?", "one number", right, 1, "Add it up.", "0.2 + 0.2 is 0.4.")
    >>> judge({"twice": twice}, "twice", torch.tensor(0.3))
    'Not yet. Add it up. Expected: one number.'
    >>> judge({"twice": twice}, "twice", "a lot")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The answer to 'twice' is 'a lot', expected one number.
    """
    exercise = exercises[id]
    bad = MistrustError(f"The answer to '{id}' is {answer!r}, expected {exercise.expected}.")
    parts = answer if exercise.numbers > 1 else (answer,)
    parts = parts.tolist() if hasattr(parts, "tolist") else parts
    if isinstance(parts, str) or not isinstance(parts, Sequence) or len(parts) != exercise.numbers:
        raise bad
    given = tuple(_number(one, bad) for one in parts)
    if exercise.share and not all(0 <= one <= 1 for one in given):
        raise bad
    if exercise.check(given):
        return f"Right: {exercise.explanation}"
    # The words, not the call: an answer with too few digits is wrong for no other reason.
    return f"Not yet. {exercise.hint} Expected: {exercise.expected.partition(': check(')[0]}."


def typed(exercise: Exercise) -> str:
    """What an answer looks like, as it is typed on a terminal; a book's cell calls `check("sdr", (low, high))`.

    Examples
    --------
    >>> right = lambda given: near(given, 0.4, 0.5)
    >>> typed(Exercise("Which?", 'two numbers: check("both", (low, high))', right, 2, "Look.", "That is why."))
    'two numbers: mistrust check both LOW HIGH'
    """
    words, _, called = exercise.expected.partition(': check("')
    name, _, answers = called.removesuffix(")").partition('", ')
    given = (one.strip(" ()").upper().replace(" ", "-") for one in answers.split(","))
    return f"{words}: mistrust check {name} {' '.join(given)}"


def near(given: tuple[float, ...], *right: float, tolerance: float = 1e-4) -> bool:
    """Whether all numbers of an answer are the right ones, in their order.

    Examples
    --------
    >>> near((0.33334,), 1 / 3), near((0.3,), 1 / 3)
    (True, False)
    """
    return all(abs(one - other) <= tolerance for one, other in zip(given, right, strict=True))


def _number(given: Any, bad: MistrustError) -> float:
    """A finite number; what torch and numpy give for one element counts, True and False do not."""
    one = given
    if hasattr(given, "item"):
        try:
            one = given.item()
        except (ValueError, RuntimeError):  # more than one element: numpy's error, torch's
            raise bad from None
    if isinstance(one, bool) or not isinstance(one, Real) or not math.isfinite(one):
        raise bad
    return float(one)
