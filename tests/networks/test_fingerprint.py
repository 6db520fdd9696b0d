"""Fingerprints: which networks are told apart, and what does not matter."""

import copy

import pytest
import torch
from torch import nn

from mistrust.networks import Record, observe, wrap
from mistrust.networks.fingerprint import fingerprint
from mistrust.supervisors.made_up import made_up

CLASSES = ("a", "b", "c")


def network(seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(4 * 36, 3))


def of(module, **more):
    return fingerprint(wrap(module, CLASSES, **more))


def test_copies_are_alike_whatever_they_are_called_and_wherever_their_memory_lies():
    one = network()
    assert of(one) == of(copy.deepcopy(one)) == of(one, name="another") == of(nn.Sequential(one))
    assert of(copy.deepcopy(one).to(memory_format=torch.channels_last)) == of(one)


@pytest.mark.parametrize("part", [0, 1, 3])
def test_a_step_of_training_changes_it(part):
    one = network()
    before = of(one)
    with torch.no_grad():
        one[part].weight.add_(1e-6)
    assert of(one) != before


def test_others_are_others_and_functions_are_not_known():
    assert len({of(network(0)), of(network(1)), of(network(0), mean=0.5), of(network(0), std=0.5)}) == 4
    assert of(lambda images: images) == of(nn.Sequential(nn.Flatten())) == ""


def test_a_record_says_of_which_network_it_is():
    it = made_up()
    record = observe(it.classifier, it.nominal)
    assert record.network == record.take(torch.tensor([0])).network == fingerprint(it.classifier)
    assert Record(it.nominal, it.classifier, record.logits).network == ""
