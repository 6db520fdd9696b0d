"""What pieces only prepare: the very networks and refiners that other pieces ask the store for."""

from dataclasses import replace

import pytest

from mistrust import store
from mistrust.monitoring.experiment import further, missing, piece, pieces, preparing
from mistrust.monitoring.experiment.pieces import Parameters
from mistrust.monitoring.experiment.system import System
from mistrust.monitoring.tables import __doc__ as described


@pytest.fixture
def prepared(kept, copied, monkeypatch):
    """The tiny run's store, where everything counts as many and long."""
    copied(kept)
    monkeypatch.setattr(further, "FEW", 0)
    monkeypatch.setattr(further, "LONG", 0)


def held(kind):
    return {entry.key for entry in store.entries() if entry.kind == kind}


@pytest.mark.whole
def test_refiners_are_those_that_the_run_has_trained(prepared, parameters):
    assert preparing(parameters) == ["digits: alooc 0", "digits: alooc 1"]  # no monitor of the run asks an ensemble
    assert pieces(parameters)[:3] == ["digits: alooc 0", "digits: alooc 1", "digits: farm-lenet 0"]
    before = held("alooc")
    for run, name in enumerate(preparing(parameters)):
        assert missing(parameters, name)
        found = piece(parameters, name)
        assert found[["table", "method", "metric", "seed", "n"]].to_numpy().tolist() == [
            ["prepared", "alooc", "reconstruction error", run, 8]
        ]
        assert 0 < found["value"].item() < 1.5  # log 2 of a pixel by chance, and it has hardly learnt
        assert missing(parameters, name) == []
    assert held("alooc") == before
    assert missing(replace(parameters, resamples=30, supervisors=()), "digits: alooc 0") == []
    assert missing(replace(parameters, alooc_epochs=2), "digits: alooc 0")


@pytest.mark.whole
def test_networks_are_those_that_systems_ask_for(prepared, parameters):
    asked = replace(parameters, supervisors=("ensemble_mean_softmax",))
    names = [f"digits: network {number}, farm-lenet" for number in range(3)]  # two runs, and one member more
    assert preparing(asked)[2:] == names
    before = held("network")
    found = piece(asked, names[1])
    assert found[["table", "network", "metric", "seed"]].to_numpy().tolist() == [
        ["prepared", "farm-lenet", "accuracy", 1]
    ]
    one = System(asked, "digits", "farm-lenet", 1)
    test = one.material.test(1)
    right = (one.classifier(test.floats()).argmax(1) == test.labels).double().mean().item()
    assert (found["value"].item(), found["n"].item()) == (right, len(test))
    assert held("network") == before  # the run has trained it
    piece(asked, names[2])
    (new,) = held("network") - before
    assert System(asked, "digits", "farm-lenet", 0).members[0].key == new  # of all runs the same
    assert missing(replace(asked, alooc_epochs=2), names[1]) == []
    assert missing(replace(asked, trained_on=400), names[1])


def test_what_is_short_is_nobodys_piece(parameters):
    full = Parameters(data=("gtsrb",), supervisors=(), members=3, runs=3, alooc_epochs=8)
    assert preparing(parameters) == preparing(full) == []
    assert preparing(replace(full, alooc_epochs=200)) == [f"gtsrb: alooc {run}" for run in range(3)]
    assert len(preparing(replace(full, members=20))) == 3 + 19


def test_the_table_says_what_it_is():
    assert f"{further.TABLE} " in described
