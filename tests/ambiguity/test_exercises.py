"""The right answers to the exercises, computed in another way."""

import pytest
import torch

from mistrust import random
from mistrust.ambiguity.exercises import check
from mistrust.ambiguity.labels import gap, probabilities


def test_a_classifier_that_knows_the_labels_reaches_the_ceiling_and_no_more():
    ids = torch.arange(2**17)
    draws = random.uniform(0, "exercise", ids, (2,)).double()
    p = 0.5 + draws[:, 0] * 0.25 / 2  # of the likelier class
    assert check("ceiling", p.mean()).startswith("Right")
    reached = (draws[:, 1] < p).double().mean()  # the label is drawn by its probability, and the likelier one answered
    assert float(reached) == pytest.approx(0.5625, abs=0.004)  # three standard errors


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
