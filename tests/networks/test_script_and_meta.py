"""Networks that torch shows less of: TorchScript, whose layers cannot be read, and weights without values."""

import warnings

import pytest
import torch
from torch import nn

from mistrust.errors import MistrustError
from mistrust.networks import layer_names, observe, wrap
from mistrust.networks.devices import device
from mistrust.supervisors import Monitor, make_supervisor
from mistrust.supervisors.head import feature_layer
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.streaming import layer_outputs


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3)).eval()


def scripted(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls it old; files of it are still about
        if kind == "traced":
            return torch.jit.trace(network(), torch.zeros(1, 1, 8, 8))
        script = torch.jit.script(network())
        return torch.jit.freeze(script) if kind == "frozen" else script


@pytest.mark.parametrize("kind", ["scripted", "traced", "frozen"])
class TestTorchScript:
    def test_what_needs_layers_says_so(self, kind):
        it = made_up()
        classifier = wrap(scripted(kind), it.classifier.classes)
        record = observe(classifier, it.training)
        for asked in (
            lambda: layer_names(classifier),
            lambda: observe(classifier, it.nominal, layers=["1"]),
            lambda: observe(classifier, it.nominal, samples=2),
            lambda: feature_layer(record),
            lambda: layer_outputs(classifier, it.nominal.floats()[:2], ["1"]),
            *(
                lambda name=name: Monitor.fit(classifier, make_supervisor(name, layer="2"), it.training, it.nominal)
                for name in ("mdsa", "vim", "react")
            ),
            lambda: make_supervisor("react").fit(record),
            lambda: Monitor.fit(classifier, make_supervisor("mc_mutual_information"), it.training, it.nominal),
        ):
            with pytest.raises(MistrustError, match=r"TorchScript module, which has no readable layers .*original"):
                asked()

    def test_what_reads_logits_or_gradients_alone_works(self, kind):
        it = made_up()
        one, plain = (wrap(net, it.classifier.classes) for net in (scripted(kind), network()))
        for name in ("max_softmax", "softmax_entropy", "energy", "odin"):
            said, expected = (
                Monitor.fit(each, make_supervisor(name), it.training, it.nominal).watch(it.novel).scores
                for each in (one, plain)
            )
            torch.testing.assert_close(said, expected, rtol=1e-4, atol=1e-5)


def test_layers_around_a_part_in_torchscript_are_read():
    it = made_up()
    mixed = wrap(nn.Sequential(scripted("scripted"), nn.Linear(3, 3)), it.classifier.classes)
    assert layer_names(mixed) == ["1"]
    record = observe(mixed, it.nominal, layers=["1"])
    assert torch.equal(record.layer("1"), record.logits)
    with pytest.raises(MistrustError, match=r"There is no layer '0' of 'yours'\. Known: 1"):
        observe(mixed, it.nominal, layers=["0"])


def test_weights_without_values_are_told_how_to_get_some():
    with torch.device("meta"):
        empty = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
    with pytest.raises(MistrustError, match=r"weights have no values yet: .*load_state_dict\(weights, assign=True\)"):
        wrap(empty, ["a", "b"])
    empty.load_state_dict(nn.Sequential(nn.Flatten(), nn.Linear(4, 2)).state_dict(), assign=True)
    assert wrap(empty, ["a", "b"])(torch.zeros(1, 1, 2, 2)).shape == (1, 2)


def test_auto_leaves_out_the_apple_gpu_which_has_no_float64(monkeypatch):
    monkeypatch.delenv("MISTRUST_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert device().type == device("auto").type == "cpu"
    assert device("mps").type == "mps"


def test_a_device_that_is_not_there_is_told_both_ways_to_say_auto(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MistrustError, match=r"'cuda' is not on .*device=.auto. in Python, --device auto on a command"):
        device("cuda")
