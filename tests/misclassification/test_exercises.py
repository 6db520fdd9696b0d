"""The right answers to the exercises, computed in another way."""

import torch

from mistrust import random
from mistrust.misclassification import Statistic, class_distances, distances, likelihood
from mistrust.misclassification.exercises import check


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
