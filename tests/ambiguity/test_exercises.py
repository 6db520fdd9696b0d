"""The exercises: right, wrong and bad answers, and the right ones computed in another way."""

import math

import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.ambiguity.exercises import EXERCISES, check
from mistrust.ambiguity.labels import gap, probabilities
from mistrust.errors import MistrustError, UnknownName

ANSWERS = {
    "ceiling": (
        [0.5625, 9 / 16, np.float32(0.5625), torch.tensor(0.5625), torch.tensor([0.5625])],
        [0.625, 0.5, 0.53, 0.95, 1, 0.5635, -0.5625],
        ["0.5625", None, True, float("nan"), math.inf, (0.5625,), torch.zeros(2)],
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
}


def test_every_exercise_is_tried_here():
    assert set(ANSWERS) == set(EXERCISES)


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_has_one_line_of_question_and_no_solution_in_its_hint(name):
    one = EXERCISES[name]
    assert one.question.endswith("?")
    for text in (one.question, one.hint, one.explanation, one.expected):
        assert text == " ".join(text.split())  # one line, no doubled blanks
    for solution in ("0.56", "0.125", "0.88", "0.504", "exp(", "0.085", "0.17", "tanh", "-6", "6·", "half", "2 *"):
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
    with pytest.raises(UnknownName, match=r"There is no exercise 'bands'\. Did you mean 'band'\?"):
        check("bands", 1)


def test_a_classifier_that_knows_the_labels_reaches_the_ceiling_and_no_more():
    ids = torch.arange(2**19)
    draws = random.uniform(0, "exercise", ids, (2,)).double()
    p = 0.5 + draws[:, 0] * 0.25 / 2  # of the likelier class
    assert check("ceiling", p.mean()).startswith("Right")
    reached = (draws[:, 1] < p).double().mean()  # the label is drawn by its probability, and the likelier one answered
    assert float(reached) == pytest.approx(0.5625, abs=0.003)


def test_the_library_gives_the_answer_of_two_labels():
    logits, z = torch.tensor([6.0, 4.0]), torch.zeros(2)
    both = [float(probabilities(logits, z, rule)[0]) for rule in ("softmax", "normalised")]
    assert check("two-labels", both).startswith("Right")
    low = [float(probabilities(logits - 14, z, rule)[0]) for rule in ("softmax", "normalised")]
    assert low[0] == pytest.approx(low[1], abs=1e-3)  # as the explanation says


def test_a_search_along_the_line_gives_the_answer_of_band():
    z0 = torch.linspace(-0.5, 0.5, 10001, dtype=torch.float64)
    for z1 in (0.0, 4.0):  # whatever z1
        z = torch.stack((z0, torch.full_like(z0, z1)), -1)
        admitted = z0[gap(probabilities(torch.zeros_like(z), z, "prior")) <= 0.25]
        assert check("band", admitted.abs().max()).startswith("Right")
