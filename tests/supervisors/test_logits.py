"""Energy and max logit: by hand, against pytorch-ood 0.4.0, and what a constant or an order of classes does."""

from math import e, exp, log, sqrt

import pytest
import torch
from pytorch_ood.detector import EnergyBased
from pytorch_ood.detector import MaxLogit as TheirMaxLogit

from mistrust.errors import MistrustError
from mistrust.networks import observe, wrap
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.logits import energy, max_logit
from mistrust.supervisors.made_up import made_up

SOME = 5 * torch.randn(40, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_by_hand():
    # exp of the logits: 1, 2, 3
    logits = torch.tensor([[0.0, log(2), log(3)]])
    assert float(energy(logits.double())) == pytest.approx(-log(6), abs=1e-7)
    assert float(energy(logits.double(), 2.0)) == pytest.approx(-2 * log(1 + sqrt(2) + sqrt(3)), abs=1e-7)
    assert float(max_logit(logits)) == pytest.approx(-log(3), abs=1e-7)
    assert energy(logits).dtype == max_logit(logits).dtype == torch.float64


@pytest.mark.parametrize("temperature", [0.5, 1.0, 10.0])
def test_energy_is_that_of_pytorch_ood(temperature):
    torch.testing.assert_close(energy(SOME, temperature), EnergyBased.score(SOME, temperature), rtol=1e-12, atol=0)


def test_max_logit_is_that_of_pytorch_ood():
    assert torch.equal(max_logit(SOME), TheirMaxLogit.score(SOME))


@pytest.mark.parametrize("score", [energy, max_logit])
def test_a_constant_shifts_and_the_order_of_classes_does_not_matter(score):
    torch.testing.assert_close(score(SOME + 3), score(SOME) - 3)
    torch.testing.assert_close(
        score(SOME[:, torch.randperm(7, generator=torch.Generator().manual_seed(1))]), score(SOME)
    )


def test_energy_lies_below_max_logit_by_at_most_t_log_k():
    gap = max_logit(SOME) - energy(SOME, 3.0)
    assert bool(((gap >= 0) & (gap <= 3 * log(7) + 1e-12)).all())
    torch.testing.assert_close(energy(SOME, 1e-6), max_logit(SOME), rtol=0, atol=1e-4)
    # exp(1000) is no float64
    assert float(energy(torch.tensor([[1000.0, 999.0]]))) == pytest.approx(-1000 - log(1 + 1 / e))
    assert float(energy(torch.tensor([[-1000.0, -1001.0]]))) == pytest.approx(1000 - log(1 + exp(-1)))


def test_of_a_record():
    found = made_up()
    record = observe(found.classifier, found.nominal)
    assert torch.equal(make_supervisor("energy", temperature=2.0).fit(record).score(record), energy(record.logits, 2.0))
    assert torch.equal(make_supervisor("max_logit").fit(record).score(record), -record.logits.double().amax(1))


@pytest.mark.parametrize("name", ["energy", "react", "ash"])
def test_a_temperature_of_zero_is_refused(name):
    with pytest.raises(MistrustError, match=r"temperature is 0, expected a number above 0; the paper takes 1"):
        make_supervisor(name, temperature=0.0)


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), float("inf"), "1", None])
def test_energy_of_no_temperature_is_refused(wrong):
    with pytest.raises(MistrustError, match=r"temperature is .*, expected a number"):
        energy(torch.zeros(2, 3), wrong)


def test_energy_of_probabilities_is_refused():
    found = made_up()
    softmax = wrap(torch.nn.Sequential(found.classifier.module, torch.nn.Softmax(1)), found.classifier.classes,
                   outputs="probabilities")  # fmt: skip
    record = observe(softmax, found.nominal)
    energy_ = make_supervisor("energy").fit(observe(found.classifier, found.training))
    with pytest.raises(MistrustError, match="Energy reads how large logits are, and 'yours' gives probabilities"):
        energy_.score(record)
    assert make_supervisor("max_logit").fit(record).score(record).shape == (len(record),)


@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
def test_energy_of_a_network_that_ends_in_log_softmax_is_refused(kind):
    found = made_up()
    rounded = wrap(lambda x: found.classifier.network(x).log_softmax(1).to(kind), found.classifier.classes)
    record = observe(rounded, found.training)
    for temperature in (1.0, 3.0):
        with pytest.raises(MistrustError, match=r"those of 'yours' are logarithms of .* without LogSoftmax"):
            make_supervisor("energy", temperature=temperature).fit(record)
    for name in ("max_logit", "max_softmax"):
        assert make_supervisor(name).fit(record).score(record).shape == (len(record),)


@pytest.mark.parametrize("name", ["react", "ash", "vim"])
def test_what_completes_the_head_refuses_a_log_softmax_behind_it(name):
    found = made_up()
    network = torch.nn.Sequential(found.classifier.module, torch.nn.LogSoftmax(1)).eval()
    layer = "0.dropped"
    record = observe(wrap(network, found.classifier.classes), found.training, layers=[layer])
    with pytest.raises(MistrustError, match="something comes after it"):
        make_supervisor(name, layer=layer).fit(record)
