"""`mistrust check`: judge an answer to an exercise of the book, on the terminal."""

import importlib
from argparse import Namespace
from collections.abc import Mapping
from math import isfinite

from mistrust.errors import MistrustError, UnknownName
from mistrust.exercises import Exercise, judge, typed
from mistrust.publishing.commands.console import say, table

# Exercises whose answer is a function or a class of the reader's own, and the chapter that runs it.
CODE: Mapping[str, str] = {
    "your-monitor": "monitoring",
    "race": "robustness",
    "your-search": "search",
    "your-own": "supervisors",
    "your-scorer": "comparison",
}


def check(options: Namespace) -> int:
    """Say whether an answer is right and why, else a hint; without an exercise, list them all.

    Returns
    -------
    0 for a right answer and where there is none to judge, 1 for another answer.
    """
    exercises = every()
    if options.exercise is None:
        found = [(chapter, one, exercise.question) for (chapter, one), exercise in exercises.items()]
        say(table(found, ("chapter", "exercise", "asks")))
        return 0
    chapter, name = _named(options.exercise, exercises)
    exercise = exercises[chapter, name]
    if not options.answer:
        say(f"{exercise.question}\nExpected: {typed(exercise)}.")
        return 0
    answer = tuple(_number(word) for word in options.answer)
    if len(answer) != exercise.numbers:
        raise MistrustError(f"The answer to '{name}' is {' '.join(options.answer)}, expected {typed(exercise)}.")
    if exercise.share and not all(0 <= one <= 1 for one in answer):
        raise MistrustError(
            f"The answer to '{name}' is {' '.join(options.answer)}, expected {typed(exercise)}. Per cent are written "
            "with their sign: 25%."
        )
    said = judge({name: exercise}, name, answer if exercise.numbers > 1 else answer[0])
    say(said)
    return 0 if said.startswith("Right") else 1


def every() -> Mapping[tuple[str, str], Exercise]:
    """Every exercise whose answer is numbers, by chapter and name, in the book's order."""
    from mistrust.publishing.chapters import CHAPTERS

    found = {}
    for chapter in CHAPTERS:
        for name, exercise in importlib.import_module(f"mistrust.{chapter}.exercises").EXERCISES.items():
            found[chapter, name] = exercise
    return found


def _named(given: str, exercises: Mapping[tuple[str, str], Exercise]) -> tuple[str, str]:
    """Find an exercise by its own name, or as chapter/name where two chapters have one of that name."""
    chapter, slash, name = given.rpartition("/")
    fitting = [key for key in exercises if key[1] == name.removeprefix("ex-") and (not slash or key[0] == chapter)]
    if len(fitting) > 1:
        ways = " or ".join("/".join(key) for key in fitting)
        raise MistrustError(f"There are {len(fitting)} exercises '{name}': name {ways}.")
    if not fitting and name.removeprefix("ex-") in CODE:
        raise MistrustError(
            f"'{name}' asks for code, and no number answers it: write it in the notebook of "
            f"the chapter '{CODE[name.removeprefix('ex-')]}', where the exercise names the function that tries it."
        )
    if not fitting:
        known = ["/".join(key) for key in exercises] if slash else [key[1] for key in exercises]
        raise UnknownName("exercise", given, known, "mistrust check")
    return fitting[0]


def _number(word: str) -> float:
    """Read a number, a fraction such as 1/9 or 3.6/255, or per cent."""
    above, slash, below = word.removesuffix("%").partition("/")
    try:
        value = float(above) / float(below if slash else 1) / (100 if word.endswith("%") else 1)
        if not isfinite(value):
            raise ValueError("larger than any number here")
        return value
    except (ValueError, ZeroDivisionError) as error:
        way = "use a point, and blanks between numbers: 0.25 0.5" if "," in word else "give 0.25, 1/4 or 25%"
        raise MistrustError(f"'{word}' is no number: {way}.") from error
