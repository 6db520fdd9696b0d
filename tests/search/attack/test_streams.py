"""Random numbers of single queries: SplitMix64's own, normal, and the same whoever else draws."""

import numpy as np
import pytest
import torch
from scipy import stats

from mistrust.search.attack import streams


def test_words_are_those_of_splitmix64():
    """From seed 1234567: https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    expected.append(16408922859458223821)
    got = streams.words(torch.tensor([1234567]), 5)[0].tolist()
    assert [word % 2**64 for word in got] == expected
    turned = streams.words(torch.tensor([1234567]), 2, torch.tensor([1]))[0].tolist()
    assert [word % 2**64 for word in turned] == expected[2:4]
    assert torch.equal(streams.words(torch.tensor([1234567]), 2, 1)[0], torch.tensor(turned))


@pytest.fixture(scope="module")
def normals():
    return streams.normal(streams.keys(0, "test", torch.arange(400)), 501, torch.full((400,), 7))


def test_normal_numbers_are_normal_and_independent(normals):
    assert normals.shape == (400, 501)
    assert stats.kstest(normals.flatten().numpy(), "norm").pvalue > 0.01
    across = np.corrcoef(normals.double().numpy())
    # 79,800 correlations of 501 numbers each.
    assert abs(across[np.triu_indices(400, 1)]).max() < 5.2 / np.sqrt(501)
    along = np.corrcoef(normals.double().numpy(), rowvar=False)
    assert abs(along[np.triu_indices(501, 1)]).max() < 5.3 / np.sqrt(400)
    assert np.isclose((normals.double() ** 4).mean(), 3, atol=0.06)


def test_neighbours_in_id_step_or_seed_are_strangers(normals):
    ids, turn = torch.arange(400), torch.full((400,), 7)
    others = [
        streams.normal(streams.keys(0, "test", ids), 501, turn + 1),
        streams.normal(streams.keys(0, "test", ids + 400), 501, turn),
        streams.normal(streams.keys(1, "test", ids), 501, turn),
        streams.normal(streams.keys(0, "other", ids), 501, turn),
    ]
    for other in others:
        assert abs(float((other.double() * normals.double()).mean())) < 4 / np.sqrt(400 * 501)


def test_numbers_do_not_depend_on_the_batch(normals):
    ids, turn = torch.arange(400), torch.full((400,), 7)
    rows = torch.tensor([399, 0, 17, 170])
    some = streams.normal(streams.keys(0, "test", ids[rows]), 501, turn[rows])
    assert torch.equal(some, normals[rows])
    mixed = turn.clone()
    mixed[::2] = 3
    assert torch.equal(streams.normal(streams.keys(0, "test", ids), 501, mixed)[1::2], normals[1::2])


def test_uniform_numbers_fill_the_unit_interval():
    numbers = streams.uniform(streams.keys(5, "test", torch.arange(200)), 300, 4)
    assert stats.kstest(numbers.flatten().numpy(), "uniform").pvalue > 0.01
    assert 0 <= numbers.min() < 1e-3
    assert 0.999 < numbers.max() < 1
