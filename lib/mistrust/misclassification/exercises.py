"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("quantile-zero", 0.5)
'Not yet. Sort the distances of a class: which one does the paper keep, and what share of them lies below it?'
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from mistrust.errors import MistrustError
from mistrust.registry import Registry

CLASSES = 10  # of the paper's digits


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
    """

    question: str
    expected: str
    check: Callable[[tuple[float, ...]], bool]
    numbers: int
    hint: str
    explanation: str


EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, answer: Any) -> str:
    """Judge an answer.

    Parameters
    ----------
    id : name of the exercise, one of `EXERCISES`.
    answer : a number, or several in a tuple or list; tensors and arrays will do.

    Returns
    -------
    "Right: " and why, or "Not yet. " and a hint.

    Raises
    ------
    UnknownName
        There is no such exercise.
    MistrustError
        The answer is no number, not finite, or not as many numbers as the exercise asks for.
    """
    exercise = EXERCISES[id]
    parts = answer if exercise.numbers > 1 else (answer,)
    parts = parts.tolist() if hasattr(parts, "tolist") else parts
    if isinstance(parts, str) or not isinstance(parts, Sequence) or len(parts) != exercise.numbers:
        raise _bad(id, answer)
    given = tuple(_number(id, one) for one in parts)
    return f"Right: {exercise.explanation}" if exercise.check(given) else f"Not yet. {exercise.hint}"


def _number(id: str, given: Any) -> float:
    """A finite number; what torch and numpy give for one element counts, True and False do not."""
    one = given
    if hasattr(given, "item"):
        try:
            one = given.item()
        except (ValueError, RuntimeError):  # more than one element: numpy's error, torch's
            raise _bad(id, given) from None
    if isinstance(one, bool) or not isinstance(one, Real) or not math.isfinite(one):
        raise _bad(id, given)
    return float(one)


def _bad(id: str, answer: Any) -> MistrustError:
    return MistrustError(f"The answer to '{id}' is {answer!r}, expected {EXERCISES[id].expected}.")


def _near(given: tuple[float, ...], *right: float, tolerance: float = 1e-4) -> bool:
    return all(abs(one - other) <= tolerance for one, other in zip(given, right, strict=True))


EXERCISES.add(
    "quantile-zero",
    Exercise(
        question="Which quantile q of a class's distances gives the paper's matrix?",
        expected='one number in [0, 1]: check("quantile-zero", q)',
        check=lambda given: given[0] == 0,
        numbers=1,
        hint="Sort the distances of a class: which one does the paper keep, and what share of them lies below it?",
        explanation="the paper keeps the smallest distance (eq. 3), and no distance lies below it: the minimum is the "
        "quantile 0. So one image alone decides each cell.",
    ),
)
EXERCISES.add(
    "unsure",
    Exercise(
        question="A softmax is 0.1 for each of ten classes: how far is it from a one-hot centroid, and what is each "
        "likelihood of its row?",
        expected='two numbers, the distance and the likelihood: check("unsure", (distance, likelihood))',
        # One coordinate is off by 0.9 and nine by 0.1; the diagonal is left out, so nine equal cells share the row.
        check=lambda given: _near(given, math.sqrt(0.9**2 + (CLASSES - 1) * 0.1**2), 1 / (CLASSES - 1)),
        numbers=2,
        hint="Write down the difference in each of the ten coordinates. Then count the cells that share the row: "
        "nothing is misclassified on the diagonal.",
        explanation="one coordinate differs by 0.9 and nine by 0.1, so every distance is √0.9 = 0.948683; nine cells "
        "are equal and the diagonal is left out, so each is 1/9.",
    ),
)
EXERCISES.add(
    "t1",
    Exercise(
        question="An input of class y has at least as much softmax on another class as on y: how near can it come to "
        "the one-hot centroid of y?",
        expected='one number, the smallest distance: check("t1", distance)',
        check=lambda given: _near(given, math.sqrt(0.5), tolerance=1e-3),
        numbers=1,
        hint="Put as much softmax on y as the condition allows. Where must all the rest go?",
        explanation="nearest is one half on y and one half on the other class, at √(1/4 + 1/4) = 1/√2 = 0.7071. Real "
        "centroids lie a little inside the corner, so T1 is about 0.7 in every network: it tells us nothing about it.",
    ),
)
