"""Queues as tensors against the standard library's."""

from collections import deque

import numpy as np
import pytest
import torch

from mistrust.search.attack.queues import LENGTHS, Queues


@pytest.mark.whole
def test_they_do_as_deques_do():
    draw = np.random.default_rng(0)
    queues = Queues(6)
    plain = [[deque(maxlen=length) for length in LENGTHS] for _ in range(6)]
    verdicts = set()
    for number in range(900):
        rows = np.flatnonzero(draw.random(6) < 0.7)
        which, outcome = (
            draw.integers(0, 2, len(rows)),
            draw.random(len(rows)) < (0.15, 0.2, 0.35, 0.5, 0.6)[number % 5],
        )
        queues.append(torch.from_numpy(rows), torch.from_numpy(which), torch.from_numpy(outcome))
        for row, one, hit in zip(rows, which, outcome, strict=True):
            plain[row][one].append(hit)
        often, seldom = queues.judged(torch.arange(6))
        for row in range(6):
            for one, length in enumerate(LENGTHS):
                mean = np.mean(plain[row][one]) if len(plain[row][one]) == length else None
                expected = (mean is not None and mean > 0.5, mean is not None and mean < 0.2)
                assert (bool(often[row, one]), bool(seldom[row, one])) == expected
                verdicts.add((one, mean is None, *expected))
                if draw.random() < 0.004:
                    plain[row][one].clear()
                    queues.clear(torch.tensor([row]), one)
    assert len(verdicts) >= 4


def test_exactly_a_half_or_a_fifth_is_neither():
    for yes, expected in ((50, (False, False)), (51, (True, False)), (20, (False, False)), (19, (False, True))):
        queues = Queues(1)
        for number in range(100):
            queues.append(torch.tensor([0]), torch.tensor([0]), torch.tensor([number < yes]))
        often, seldom = queues.judged(torch.tensor([0]))
        assert (bool(often[0, 0]), bool(seldom[0, 0])) == expected


def test_searches_are_taken_with_their_queues():
    queues = Queues(3)
    queues.append(torch.tensor([2]), torch.tensor([1]), torch.tensor([True]))
    queues.take(torch.tensor([2, 0]))
    assert queues.total.tolist() == [[0, 1], [0, 0]]
    assert queues.put.tolist() == [[0, 1], [0, 0]]
