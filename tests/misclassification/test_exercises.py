"""The exercises: right, wrong and bad answers, and the right ones computed in another way."""

import math

import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.errors import MistrustError, UnknownName
from mistrust.misclassification import Statistic, class_distances, distances, likelihood
from mistrust.misclassification.exercises import EXERCISES, check

ANSWERS = {
    "quantile-zero": (
        [0, 0.0, -0.0, np.float32(0), torch.tensor(0.0), torch.tensor([0.0])],
        [1, 0.05, 1e-3, 0.5, -1],
        ["0", "minimum", None, True, float("nan"), math.inf, (0,), [], 0j, torch.zeros(2), np.zeros(0)],
    ),
    "unsure": (
        [
            (0.948683, 1 / 9),
            [0.9487, 0.1111],
            (math.sqrt(0.9), np.float64(1 / 9)),
            (torch.tensor(0.948683), 0.11111),
            torch.tensor([0.948683, 0.111111]),
        ],
        [(0.948683, 0.1), (0.9, 1 / 9), (1 / 9, 0.948683), (0.9489, 1 / 9), (0.948683, 0.1113)],
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
}


def test_every_exercise_is_tried_here():
    assert set(ANSWERS) == set(EXERCISES)


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_has_one_line_of_question_and_no_solution_in_its_hint(name):
    one = EXERCISES[name]
    assert one.question.endswith("?")
    for text in (one.question, one.hint, one.explanation, one.expected):
        assert text == " ".join(text.split())  # one line, no doubled blanks
    for solution in ("0.948683", "0.9487", "1/9", "√", "0.7071", "quantile 0", "half"):
        assert solution not in one.hint + one.expected + one.question


@pytest.mark.parametrize(("name", "answer"), [(name, one) for name in ANSWERS for one in ANSWERS[name][0]])
def test_right(name, answer):
    assert check(name, answer) == f"Right: {EXERCISES[name].explanation}"


@pytest.mark.parametrize(("name", "answer"), [(name, one) for name in ANSWERS for one in ANSWERS[name][1]])
def test_wrong_gets_the_hint(name, answer):
    assert check(name, answer) == f"Not yet. {EXERCISES[name].hint}"


@pytest.mark.parametrize(("name", "answer"), [(name, one) for name in ANSWERS for one in ANSWERS[name][2]])
def test_bad_answer_names_what_was_expected(name, answer):
    with pytest.raises(MistrustError, match=rf"(?s)The answer to '{name}' is .*, expected (one|two) number.*check\("):
        check(name, answer)


def test_unknown_exercise():
    with pytest.raises(UnknownName, match=r"There is no exercise 'unsur'\. Did you mean 'unsure'\?"):
        check("unsur", 1)


def test_the_library_finds_the_minimum_at_quantile_zero_and_not_beyond():
    softmax = random.normal(0, "exercise", torch.arange(300), (3,)).softmax(1)
    labels = torch.arange(300) % 3
    d = distances(softmax, torch.eye(3, dtype=torch.float64))
    smallest = class_distances(d, labels, Statistic("minimum"))
    for q in (0.0, 0.02, 0.5):
        same = torch.equal(smallest, class_distances(d, labels, Statistic("quantile", q)))
        assert check("quantile-zero", q).startswith("Right") == same


def test_the_library_gives_the_answer_of_unsure():
    d = distances(torch.full((1, 10), 0.1, dtype=torch.float64), torch.eye(10, dtype=torch.float64))
    row = likelihood(class_distances(d, torch.tensor([0]), Statistic()))[0]
    assert check("unsure", (d[0, 0], row[1])).startswith("Right")


def test_a_search_over_softmax_gives_the_answer_of_t1():
    # p on class 0, as much or more on class 1, the rest on class 2: all that three classes can do, in steps of 0.01
    p, other = torch.meshgrid(*(torch.linspace(0, 1, 101, dtype=torch.float64),) * 2, indexing="ij")
    grid = torch.stack((p, other, 1 - p - other), -1).reshape(-1, 3)
    errors = grid[(grid[:, 2] > -1e-9) & (grid[:, 1] >= grid[:, 0])].clamp_min(0)
    assert check("t1", distances(errors, torch.eye(3, dtype=torch.float64))[:, 0].min()).startswith("Right")
