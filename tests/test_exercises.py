"""Exercises of every chapter: right, wrong and bad answers; the chapters' own tests find the right ones otherwise."""

import importlib
import math

import numpy as np
import pytest
import torch

from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing.chapters import CHAPTERS

# By chapter and exercise: right answers, wrong ones, and what is no answer.
ANSWERS = {
    "ambiguity": {
        "ceiling": (
            [0.5625, 9 / 16, np.float32(0.5625), torch.tensor(0.5625), torch.tensor([0.5625])],
            [0.625, 0.5, 0.53, 0.95, 1, 0.5635],
            ["0.5625", -0.5625, 56.25, None, True, float("nan"), math.inf, (0.5625,), torch.zeros(2)],
        ),
        "two-labels": (
            [(0.881, 0.504), [0.8808, 0.5039], (1 / (1 + math.exp(-2)), 0.504), torch.tensor([0.8808, 0.5039])],
            [(0.504, 0.881), (0.881, 0.881), (0.881, 0.496), (0.6, 0.504), (0.881, 0.5), (0.119, 0.496)],
            [0.881, (0.881,), (0.881, 0.504, 0.1), "ab", (0.881, "0.504"), (False, 0.5), None, {0.881, 0.504}],
        ),
        "band": (
            [0.0851, 0.08514, math.atanh(0.25) / 3, np.float64(0.0851), 0.085],
            [0.17, 0.25, 0.0833, 0.2554, 0.0426, 0, -0.0851],
            ["0.0851", None, False, (0.0851, 0.0851), float("inf"), torch.ones(3)],
        ),
    },
    "comparison": {
        "limit": (
            [(3, 3 / 61), [3, 0.0492], (3.0, np.float64(0.04918)), torch.tensor([3, 0.0492])],
            [(3, 0.05), (4, 4 / 61), (57, 3 / 61), (2, 2 / 61), (3, 1 / 60)],
            [3, (3,), "3", None, (3, "0.0492"), (True, 0.05), (3, 0.0492, 1)],
        ),
        "two-questions": (
            [(0.7, 0.65), [0.7, 0.65], (np.float32(0.7), 0.65), torch.tensor([0.7, 0.65])],
            [(0.65, 0.7), (0.8, 0.9), (1, 1), (0.7, 0.7), (0.48, 0.36)],
            [0.7, (0.7,), (70, 65), (0.7, -0.1), "ab", None, (0.7, "0.65"), (False, 0.65), (0.7, float("nan"))],
        ),
    },
    "misclassification": {
        "quantile-zero": (
            [0, 0.0, -0.0, np.float32(0), torch.tensor(0.0), torch.tensor([0.0])],
            [1, 0.05, 1e-3, 0.5],
            [-1, 5, "0", "minimum", None, True, float("nan"), math.inf, (0,), [], 0j, torch.zeros(2), np.zeros(0)],
        ),
        "unsure": (
            [
                (0.948683, 1 / 9),
                [0.9487, 0.1111],
                (0.949, 0.111),
                (math.sqrt(0.9), np.float64(1 / 9)),
                (torch.tensor(0.948683), 0.11111),
                torch.tensor([0.948683, 0.111111]),
            ],
            [(0.948683, 0.1), (0.9, 1 / 9), (1 / 9, 0.948683), (0.951, 1 / 9), (0.948683, 0.1125)],
            [
                0.948683,
                (0.948683,),
                (0.9, 0.1, 0.1),
                "ab",
                (0.9, "1/9"),
                (0.9, None),
                (False, 0.1),
                None,
                {0.9, 0.1},
                torch.tensor(0.9),
                np.zeros((2, 2)),
            ],
        ),
        "t1": (
            [1 / math.sqrt(2), 0.7071, 0.707, math.sqrt(0.5), np.float64(0.70711)],
            [0.7, 0.5, math.sqrt(2), 1, 0, -0.7071],
            ["1/sqrt(2)", None, False, (0.7071,), float("nan"), torch.ones(3)],
        ),
    },
    "monitoring": {
        "reread": (
            [(0.1997, 1), [0.2, 1], (np.float64(0.19968), 1.0), torch.tensor([0.1997, 1.0])],
            [(0.1959, 1), (0.1997, 0), (0.8003, 0), (1, 0.1997), (0.2495, 1)],
            [0.2, (0.2,), (0.2, 1, 0), "ab", (0.2, "1"), (0.2, True), None, (float("nan"), 1)],
        ),
        "class-mean": (
            [(0.368, 0.8), [math.exp(-1), 0.7996], (np.float64(0.3679), 0.7996), torch.tensor([0.3679, 0.7996])],
            [(0.5, 0.8), (0.368, 0.6), (0.8, 0.368), (0.632, 0.8), (0.368, 0.2996)],
            [0.368, (0.368,), (0.368, None), "0.368", (math.inf, 0.8), {0.368, 0.8}],
        ),
        "two-oracles": (
            [(0.3464, 1), [0.346, 1.0], (6 / math.sqrt(300), 1), torch.tensor([0.3464, 1.0])],
            [(1, 0.346), (0.346, 0.346), (0.4, 1), (1, 1), (-0.346, 1)],
            [0.346, (0.346,), (0.346, 1, 1), (0.346, "1"), None, torch.zeros(3)],
        ),
    },
    "robustness": {
        "breaking-linear": (
            [(25, 46), [25.0, 46.0], torch.tensor([25, 46]), (np.int64(25), np.float32(46))],
            [(46, 25), (24.48, 45.33), (24, 45), (25, 25), (25, 26)],
            [25, (25,), (25, 46, 1), "ab", (25, "46"), (25, True), None, (float("nan"), 46)],
        ),
        "distance-linear": (
            [(15.3, 0), [15.30, 0.0], (0.3 / 5 * 255, 0), torch.tensor([15.3, 0.0])],
            [(15.3, 1), (0.06, 0), (27.93, 0), (16, 0), (0, 15.3)],
            [15.3, (15.3,), (15.3, False), (15.3, "no"), (math.inf, 0), None],
        ),
        "bubbles-disks": (
            [(2, 2, 1), [2.0, 2.0, 1.0], torch.tensor([2, 2, 1])],
            [(2, 3, 1), (3, 3, 1), (1, 2, 2), (2, 2, 2), (2, 1, 1)],
            [2, (2, 2), (2, 2, 1, 1), "221", (2, 2, True), (2, None, 1), torch.zeros(2)],
        ),
        "percent": (
            [(216, 235), [216.0, 235.0], torch.tensor([216, 235])],
            [(215, 236), (215, 235), (235, 216), (255, 256), (215.2, 235.5), (225, 225)],
            [216, (216,), (216, 225, 235), "ab", (216, "235"), (216, True), None, (float("nan"), 235)],
        ),
    },
    "search": {
        "sdr": (
            [(3.333, 2, 1.182), [10 / 3, 2.0, 13 / 11], (np.float32(3.33), 2, 1.18), torch.tensor([3.3333, 2, 1.1818])],
            [(3.333, 1.182, 2), (0.5, 2, 1.182), (10, 2, 1.182), (3.333, 2, 2), (3.333, 1.182, 1.182), (2, 2, 1.182)],
            [3.333, (3.333, 2), (3.333, 2, 1.182, 1), "abc", (3.333, "2", 1.182), (3.333, True, 1.182), None],
        ),
        "by-chance": (
            [(0.0267, 0.1714), [0.026695, 0.17144], (np.float64(0.027), 0.171), torch.tensor([0.0267, 0.1714])],
            [(0.1714, 0.0267), (0.0249, 0.1714), (0.0474, 0.2166), (0.0267, 0.0534), (0.9733, 0.8286)],
            [
                (2.67, 17.1),
                0.0267,
                (0.0267,),
                (0.0267, None),
                "ab",
                (math.nan, 0.17),
                (0.0267, 0.17, 0.5),
                {0.0267, 0.17},
            ],
        ),
        "two-lifts": (
            [(1.0195, 1.4119, 2), [1.02, 1.41, 2.0], torch.tensor([1.0195, 1.4119, 2.0])],
            [(1.0195, 1.4119, 1), (1.07, 1.346, 2), (1.012, 1.404, 2), (1.4119, 1.0195, 2), (1.037, 1.388, 2)],
            [2, (1.02, 1.41), (1.02, 1.41, "B"), (1.02, 1.41, True), (math.inf, 1.41, 2), None, torch.ones(2)],
        ),
    },
    "supervisors": {
        "doubt": (
            [0.371, 0.37095, np.float32(0.371), torch.tensor(0.371)],
            [1.371, 0.06, -0.371, 0.257, 0],
            ["0.371", None, True, float("nan"), (0.371,), torch.zeros(2)],
        ),
        "votes": (
            [0.76, 19 / 25, np.float64(0.76), torch.tensor([0.76])],
            [0.56, 0.8, 0.96, 0.24, 1],
            ["0.76", None, False, math.inf, (0.76, 0.76), 76, -0.24],
        ),
        "surprise": (
            [0.3162, 1 / math.sqrt(10), np.float32(0.3162)],
            [0.4472, 3.1623, 0.3333, 1, 0.1],
            ["0.3", None, True, (0.3162,), float("inf")],
        ),
    },
}
# What would give a solution away.
SOLUTIONS = {
    "ambiguity": ("0.56", "0.125", "0.88", "0.504", "exp(", "0.085", "0.17", "tanh", "-6", "6·", "half", "2 *"),
    "comparison": ("third", "0.049", "3/61", "4.9", "0.7", "0.65", "0.8", "0.36"),
    "misclassification": ("0.948683", "0.9487", "1/9", "√", "0.7071", "quantile 0", "half"),
    "monitoring": ("0.1997", "0.200", "0.2495", "0.29", "0.368", "0.80", "exp(", "ln ", "0.346"),
    "robustness": (
        "24.48",
        "45.33",
        "46",
        "3.125",
        "12.75",
        "15.3",
        "0.83",
        "-1.6",
        "1.41",
        "1.4%",
        "born",
        "215",
        "216",
        "235",
    ),
    "search": ("3.33", "1.18", "0.22", "0.0267", "0.027", "0.171", "1.019", "1.41", "2.776", "0.182", "one case of"),
    "supervisors": ("0.37", "1.37", "0.76", "0.8", "0.316", "sqrt", "from there", "half"),
}


def exercises(chapter):
    return importlib.import_module(f"mistrust.{chapter}.exercises")


def tried(kind):
    """Chapter, exercise and answer, for every answer of a kind: 0 right, 1 wrong, 2 bad."""
    return [(chapter, name, one) for chapter, each in ANSWERS.items() for name in each for one in each[name][kind]]


def test_every_exercise_is_tried_here():
    assert {chapter: set(each) for chapter, each in ANSWERS.items()} == {
        chapter: set(exercises(chapter).EXERCISES) for chapter in CHAPTERS
    }


@pytest.mark.parametrize(("chapter", "name"), [(chapter, name) for chapter, each in ANSWERS.items() for name in each])
def test_an_exercise_has_one_line_of_question_and_no_solution_in_its_hint(chapter, name):
    one = exercises(chapter).EXERCISES[name]
    assert one.question.endswith("?")
    for text in (one.question, one.hint, one.explanation, one.expected):
        assert text == " ".join(text.split())  # one line, no doubled blanks
    for solution in SOLUTIONS[chapter]:
        assert solution not in one.hint + one.expected + one.question


@pytest.mark.parametrize(("chapter", "name", "answer"), tried(0))
def test_right(chapter, name, answer):
    made = exercises(chapter)
    assert made.check(name, answer) == f"Right: {made.EXERCISES[name].explanation}"


@pytest.mark.parametrize(("chapter", "name", "answer"), tried(1))
def test_wrong_gets_the_hint(chapter, name, answer):
    made = exercises(chapter)
    said = made.check(name, answer)
    assert said.startswith("Not yet. ")
    assert f" {made.EXERCISES[name].hint} Expected: " in said
    assert "check(" not in said


@pytest.mark.parametrize(("chapter", "name", "answer"), tried(2))
def test_bad_answer_names_what_was_expected(chapter, name, answer):
    with pytest.raises(
        MistrustError, match=rf"(?s)The answer to '{name}' is .*, expected (one|two|three) number.*check\("
    ):
        exercises(chapter).check(name, answer)


@pytest.mark.parametrize("chapter", ANSWERS)
def test_an_unknown_exercise_is_told_with_the_nearest(chapter):
    known = next(iter(ANSWERS[chapter]))
    with pytest.raises(UnknownName, match=rf"There is no exercise '{known}s'\. Did you mean '{known}'\?"):
        exercises(chapter).check(f"{known}s", 1)


@pytest.mark.parametrize(("chapter", "name"), [(chapter, name) for chapter, each in ANSWERS.items() for name in each])
def test_a_slip_is_a_wrong_answer_that_gets_its_name_and_no_solution(chapter, name):
    made = exercises(chapter)
    exercise, right = made.EXERCISES[name], ANSWERS[chapter][name][0][0]
    for told, numbers in exercise.slips().items():
        assert len(numbers) == exercise.numbers
        assert not any(solution in told for solution in SOLUTIONS[chapter])
        for place, number in enumerate(numbers):
            if number is None or math.isnan(number):
                continue
            answer = [*right] if exercise.numbers > 1 else [right]
            answer[place] = float(number)
            assert f"like {told}. " in made.check(name, *answer)


@pytest.mark.parametrize("number", [3.34, 3, 3.1, 3.4, 0.3])
def test_other_numbers_than_the_rounded_one_are_not_close(number):
    assert "close" not in exercises("search").check("sdr", number, 2, 1.18)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (("doubt", "0.371"), "'0.371' is text: leave out the quotation marks"),
        (("doubt",), "The answer to 'doubt' is missing, expected one number"),
        (("sdr", 3.33, 2, 1.18), "of the chapter 'search': from mistrust.search.exercises import check"),
    ],
)
def test_what_is_no_answer_here_is_told_the_way_out(answer, said):
    with pytest.raises(MistrustError, match=said):
        exercises("supervisors").check(*answer)
