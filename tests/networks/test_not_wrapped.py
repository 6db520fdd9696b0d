"""A network that was not wrapped is told how to be, wherever a classifier is asked for."""

import pytest
import torch
from torch import nn

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import layer_names, observe, wrap
from mistrust.supervisors import Monitor, load_monitor, make_supervisor
from mistrust.supervisors.made_up import made_up

NETWORK = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))


def test_a_network_without_classes_is_told_what_makes_a_classifier_of_it(tmp_path):
    digits, few = (load("digits", part).take(list(range(40))) for part in ("test", "train"))
    monitor = Monitor.fit(wrap(NETWORK, digits.classes), make_supervisor("max_softmax"), few, digits)
    saved = monitor.save(tmp_path / "monitor")
    for asked in (
        lambda: layer_names(NETWORK),
        lambda: observe(NETWORK, digits),
        lambda: Monitor.fit(NETWORK, make_supervisor("max_softmax"), digits, digits),
        lambda: load_monitor(saved, NETWORK),
    ):
        with pytest.raises(MistrustError, match=r"The classifier is a Sequential, .*wrap\(module, classes=\.\.\.\)"):
            asked()


def test_one_layers_name_is_one_name():
    it = made_up()
    one, listed = (observe(it.classifier, it.nominal, layers=given) for given in ("hidden", ["hidden"]))
    assert torch.equal(one.layer("hidden"), listed.layer("hidden"))
