"""What an exercise of a chapter is, and how an answer to one is judged.

Each chapter keeps its own table and gives its `check`: see `mistrust.misclassification.exercises`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from mistrust.errors import MistrustError

PLACES = ("first", "second", "third", "fourth")
# What is said of a wrong number, and what makes it right.
SLIPS: Mapping[str, Callable[[float], float]] = {
    "right but for its sign": lambda given: -given,
    "a hundred times too large": lambda given: given / 100,
    "a hundred times too small": lambda given: given * 100,
    "one over the right number": lambda given: 1 / given,
    "one minus the right number": lambda given: 1 - given,
}


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Attributes
    ----------
    question : one line.
    expected : what an answer looks like, for the message about one that does not.
    check : which numbers of an answer are right, in their order (`near`).
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
    check: Callable[[tuple[float, ...]], tuple[bool, ...]]
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
    "Right: " and why, or "Not yet. ", which numbers are right already, what a wrong one may have slipped by, a hint,
    and how many digits are asked for.

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
    >>> judge({"twice": twice}, "twice", -0.4)
    'Not yet. It is right but for its sign. Add it up. Expected: one number.'
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
    marks = exercise.check(given)
    if all(marks):
        return f"Right: {exercise.explanation}"
    # The words, not the call: an answer with too few digits is wrong for no other reason.
    expected = f"Expected: {exercise.expected.partition(': check(')[0]}."
    return " ".join(["Not yet.", *_standing(marks), *_slips(exercise, given, marks), exercise.hint, expected])


def _standing(marks: tuple[bool, ...]) -> list[str]:
    """Which numbers are right already; nothing where none is, or there is but one."""
    places = [place for place, mark in zip(PLACES, marks, strict=False) if mark]
    if not places:
        return []
    return [f"The {' and the '.join(places)} number {'is' if len(places) == 1 else 'are'} right."]


def _slips(exercise: Exercise, given: tuple[float, ...], marks: tuple[bool, ...]) -> list[str]:
    """What would make wrong numbers right: the slips that are made most."""
    found: list[str] = []
    for place, (number, mark) in enumerate(zip(given, marks, strict=True)):
        for told, mended in SLIPS.items():
            # Near 0 a hundredth of any number would do, and of 0 and 1 there is but one other.
            if mark or number == 0 or exercise.check((*given[:place], 0.0, *given[place + 1 :]))[place]:
                continue
            if exercise.check((*given[:place], mended(number), *given[place + 1 :]))[place]:
                subject = "It" if len(given) == 1 else f"The {PLACES[place]}"
                found.append(f"{subject} is {told}.")
                break
    return found


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


def near(given: tuple[float, ...], *right: float, tolerance: float = 1e-4) -> tuple[bool, ...]:
    """Which numbers of an answer are the right ones, in their order.

    Examples
    --------
    >>> near((0.33334, 0.3), 1 / 3, 1 / 3)
    (True, False)
    """
    return tuple(abs(one - other) <= tolerance for one, other in zip(given, right, strict=True))


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
