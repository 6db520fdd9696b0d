"""An attacker who knows the supervisor: alarms against scores and differences, the attack where the answer is known."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
import torch
from torch import nn

from mistrust.errors import MistrustError, UnknownName
from mistrust.networks import observe, wrap
from mistrust.supervisors import Fixed, Monitor, Quantile, make_supervisor
from mistrust.supervisors.contract import NotFitted
from mistrust.supervisors.evading import ALARMS, alarm, evade, seen
from mistrust.supervisors.judging import empty_store
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.thresholds import Limits

SMALL = {"autoencoder": {"epochs": 1}, "dissector": {"epochs": 2, "layers": ("hidden",)}}
# The first is tried on every change; with the others these two tests take a minute.
FIRST, *OTHERS = ALARMS
EACH = [FIRST, *(pytest.param(name, marks=pytest.mark.whole) for name in OTHERS)]
EPSILONS = [0.05 * step for step in range(1, 17)]


@pytest.fixture(scope="module")
def it():
    return made_up()


def fitted(it, name):
    chosen = make_supervisor(name, **SMALL.get(name, {}))
    with empty_store():
        return chosen.fit(observe(it.classifier, it.training, layers=["hidden"]))


def scored(it, one, images):
    return one.score(observe(it.classifier, images, layers=["hidden"]))


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_is_the_score(it, name):
    one = fitted(it, name)
    for images in (it.nominal, it.novel):
        followed = alarm(one).score(seen(it.classifier, images.floats(), alarm(one).layers))
        torch.testing.assert_close(followed.detach(), scored(it, one, images), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ALARMS)
def test_its_gradient_is_that_of_differences(it, name):
    one = fitted(it, name)
    watch = alarm(one)
    double = replace(it.classifier, network=made_up().classifier.module.double())
    images = 0.1 + 0.8 * it.novel.take(slice(0, 6)).floats().double()
    toward = torch.rand(images.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64) - 0.5

    def at(step):
        with torch.no_grad():
            moved = (images + step * toward).to(torch.float32 if name == "autoencoder" else torch.float64)
            return watch.score(seen(it.classifier if name == "autoencoder" else double, moved, watch.layers)).double()

    h = 3e-3 if name == "autoencoder" else 1e-6
    pixels = images.float().requires_grad_()
    watch.score(seen(it.classifier, pixels, watch.layers)).sum().backward()
    slope = (pixels.grad.double() * toward).flatten(1).sum(1)
    torch.testing.assert_close((at(h) - at(-h)) / (2 * h), slope, rtol=2e-2, atol=1e-4)


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.999])
def test_least_epsilon_where_it_is_known(it, confidence):
    """Of a linear network of two classes: a pixel's step moves the log-odds by the sum of the weights' sizes."""
    images = it.nominal.take(slice(0, 8))
    size = images.images[0].numel()
    network = nn.Sequential(nn.Flatten(), nn.Linear(size, 2))
    with torch.no_grad():
        network[1].weight.copy_(0.5 * torch.randn(2, size, generator=torch.Generator().manual_seed(5)))
        network[1].bias.zero_()
    pixels = 0.4 + 0.2 * torch.rand(images.images.shape, generator=torch.Generator().manual_seed(0))
    classifier = wrap(network, ["a", "b"])
    labels = classifier(pixels).argmax(1)
    some = replace(images, images=pixels, labels=labels, classes=("a", "b"))
    softmax = make_supervisor("max_softmax").fit(observe(classifier, some))
    logits = classifier(pixels).double()
    lead = (logits[:, 0] - logits[:, 1]).detach().abs()
    reach = (network[1].weight[0] - network[1].weight[1]).detach().abs().sum().double()
    needed = (lead + log(confidence / (1 - confidence))) / reach
    epsilons = torch.linspace(0.01, 0.35, 35).tolist()
    found = evade(classifier, some, softmax, -confidence, epsilons=epsilons)
    expected = torch.tensor([next(e for e in epsilons if e > float(one)) for one in needed], dtype=torch.float64)
    torch.testing.assert_close(found.epsilon, expected)


@pytest.mark.parametrize(("steps", "relative_step", "epsilon"), [(1, 0.5, torch.inf), (2, 0.5, 0.3), (1, 1.0, 0.3)])
def test_an_image_goes_as_many_steps_as_told_each_so_long(it, steps, relative_step, epsilon):
    """Two classes, told apart by whether pixels are above or below 0.5 on average: at 0.7 each must fall by 0.2."""
    images = it.nominal.take(slice(0, 2))
    size = images.images[0].numel()
    network = nn.Sequential(nn.Flatten(), nn.Linear(size, 2))
    with torch.no_grad():
        network[1].weight.copy_(torch.tensor([1.0, -1.0])[:, None].expand(2, size))
        network[1].bias.copy_(torch.tensor([-0.5, 0.5]) * size)
    labels = torch.zeros(2, dtype=torch.int64)
    some = replace(images, images=torch.full(images.images.shape, 0.7), labels=labels, classes=("a", "b"))
    found = evade(wrap(network, ["a", "b"]), some, epsilons=0.3, steps=steps, relative_step=relative_step)
    assert found.epsilon.tolist() == [epsilon] * 2


@pytest.mark.parametrize("name", EACH)
def test_what_gets_past_is_wrong_silent_and_near(it, name):
    one = fitted(it, name)
    limit = float(scored(it, one, it.training).quantile(0.95))
    found, plain = (evade(it.classifier, it.nominal, *given, epsilons=EPSILONS) for given in ((one, limit), ()))
    past = found.epsilon.isfinite()
    images = replace(it.nominal, images=found.images)
    assert (it.classifier(found.images).argmax(1) != it.nominal.labels)[past].all()
    assert (scored(it, one, images)[past] <= limit + 1e-4 * abs(limit)).all()
    assert ((found.images - it.nominal.floats()).abs().flatten(1).amax(1)[past] <= found.epsilon[past] + 1e-6).all()
    assert torch.equal(found.images[~past], it.nominal.floats()[~past])
    assert found.images.min() >= 0
    assert found.images.max() <= 1
    assert (plain.epsilon <= found.epsilon).all()  # to be silent as well takes no less
    again = evade(it.classifier, it.nominal, one, limit, epsilons=EPSILONS)
    assert torch.equal(again.images, found.images)
    few = evade(it.classifier, it.nominal.take(slice(0, 3)), one, limit, epsilons=EPSILONS)
    assert torch.equal(few.epsilon, found.epsilon[:3])


@pytest.mark.parametrize("name", ["max_softmax", "dissector"])
def test_knowing_the_supervisor_gets_past_it_more_often(it, name):
    one = fitted(it, name)
    limit = float(scored(it, one, it.training).quantile(0.95))
    knowing, plain = (evade(it.classifier, it.nominal, *given, epsilons=EPSILONS) for given in ((one, limit), ()))
    images = replace(it.nominal, images=plain.images)
    unnoticed = plain.epsilon.isfinite() & (scored(it, one, images) <= limit)
    assert knowing.epsilon.isfinite().sum() > unnoticed.sum()


def test_what_is_wrong_already_needs_nothing(it):
    wrong = replace(it.nominal, labels=(it.nominal.labels + 1) % 3)
    found = evade(it.classifier, wrong, epsilons=[0.1])
    assert (found.epsilon == 0).all()
    assert torch.equal(found.images, wrong.floats())
    assert len(evade(it.classifier, wrong.take(slice(0, 0)), epsilons=[0.1]).epsilon) == 0


@pytest.mark.parametrize("name", ["dsa", "mdsa"])
def test_a_rule_lets_no_infinite_alarm_past_whatever_its_limit(it, name):
    """Of a class without a training image the score is +inf: every rule alarms there, a mere number is just a limit."""
    known = it.training.take((it.training.labels != 2).nonzero().flatten())
    one = make_supervisor(name, layer="hidden").fit(observe(it.classifier, known, layers=["hidden"]))
    wrong = replace(it.nominal, labels=(it.nominal.labels + 1) % 3)
    scores, rule = scored(it, one, wrong), Fixed(float("inf"))
    unknown = scores == torch.inf
    assert torch.equal(unknown, it.nominal.labels == 2)
    for limit, past in ((rule, ~unknown), (float("inf"), torch.ones(len(wrong), dtype=torch.bool))):
        found = evade(it.classifier, wrong, one, limit, epsilons=[0.01], steps=1)
        assert torch.equal(found.epsilon == 0, past)
    assert torch.equal(~rule.fit(scores).alarms(scores), ~unknown)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilons": []}, "expected rising numbers in"),
        ({"epsilons": [0.2, 0.1]}, "expected rising numbers in"),
        ({"epsilons": [0.0, 0.1]}, "expected rising numbers in"),
        ({"epsilons": [1.5]}, "epsilon is 1.5, expected a number in"),
        ({"epsilons": 0}, "expected rising numbers in"),
        ({"epsilons": "0.1"}, "epsilon is '0.1', expected a number"),
        ({"epsilons": None}, "epsilons are None, expected rising numbers in"),
        ({"epsilons": [0.1], "steps": 0}, "steps"),
        ({"epsilons": [0.1], "relative_step": 0}, "relative_step"),
        ({"epsilons": [0.1], "limit": float("nan")}, "limit is NaN"),
    ],
)
def test_bad_input(it, given, message):
    with pytest.raises(MistrustError, match=message):
        evade(it.classifier, it.nominal, **given)


@pytest.mark.parametrize("one", [0.5, torch.tensor(0.5), np.float32(0.5)])
def test_one_epsilon_may_stand_alone(it, one):
    found = evade(it.classifier, it.nominal, epsilons=one)
    assert torch.equal(found.epsilon, evade(it.classifier, it.nominal, epsilons=[0.5]).epsilon)
    several = evade(it.classifier, it.nominal, epsilons=torch.tensor([0.25, 0.5]))
    assert set(several.epsilon.tolist()) <= {0.25, 0.5, torch.inf}


def test_what_is_no_classifier_no_image_set_or_no_supervisor(it):
    for given, message in (
        ((it.classifier.module, it.nominal), "The classifier is a .*expected a Classifier"),
        ((it.classifier, it.nominal.floats()), "evade takes an ImageSet, .*got Tensor. Make one"),
        ((it.classifier, it.nominal, "mdsa", 1.0), "'mdsa' is the name of a supervisor"),
        ((it.classifier, replace(it.nominal, classes=("a", "b", "c"))), "knows the classes .*the images .*have"),
    ):
        with pytest.raises(MistrustError, match=message):
            evade(*given, epsilons=0.1)


def test_a_network_in_training_mode_is_refused_and_left_as_it_was():
    """Its dropout would fool by itself, and its batch statistics would become those of the attack."""
    own = made_up()
    size = own.nominal.images[0].numel()
    network = nn.Sequential(nn.Flatten(), nn.Linear(size, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3))
    classifier = wrap(network, own.classifier.classes)
    before = {name: one.clone() for name, one in network.state_dict().items()}
    first = evade(classifier, own.nominal, epsilons=0.1)
    for part in (network, network[2], network[3]):
        part.train()
        with pytest.raises(MistrustError, match=r"is in training mode .*classifier\.module\.eval\(\)"):
            evade(classifier, own.nominal, epsilons=0.1)
        network.eval()
    assert all(torch.equal(one, before[name]) for name, one in network.state_dict().items())
    assert torch.equal(evade(classifier, own.nominal, epsilons=0.1).images, first.images)


def test_supervisors_that_cannot_be_followed(it):
    with pytest.raises(NotFitted, match=r"call supervisor\.fit"):
        evade(it.classifier, it.nominal, make_supervisor("mdsa"), 1.0, epsilons=[0.1])
    votes = make_supervisor("mc_variation_ratio").fit(observe(it.classifier, it.training, samples=4))
    with pytest.raises(MistrustError, match=r"variation ratio cannot be followed .* max_softmax, dsa"):
        evade(it.classifier, it.nominal, votes, 1.0, epsilons=[0.1])


def test_another_classifier_than_the_one_that_is_watched(it):
    one = fitted(it, "mdsa")
    size = it.nominal.images[0].numel()
    other = wrap(nn.Sequential(nn.Flatten(), nn.Linear(size, 2)), ["a", "b"])
    with pytest.raises(MistrustError, match=r"fitted on a classifier with 3 classes .* this one has 2 \(a, b\)"):
        evade(other, it.nominal, one, 1.0, epsilons=[0.1])
    alike = wrap(nn.Sequential(nn.Flatten(), nn.Linear(size, 3)), it.classifier.classes)
    with pytest.raises(MistrustError, match="fitted on another network than that of classifier 'yours'"):
        evade(alike, it.nominal, one, 1.0, epsilons=[0.1])
    with pytest.raises(UnknownName, match="no layer 'hidden' of 'yours'"):
        seen(alike, it.nominal.floats(), ["hidden"])
    softmax = Monitor.fit(it.classifier, make_supervisor("max_softmax"), it.training, it.nominal)
    with pytest.raises(MistrustError, match=r"watches another network .*'yours'. Attack monitor\.classifier"):
        evade(alike, it.nominal, softmax, epsilons=0.1)


@pytest.mark.parametrize("name", EACH[:3])
@pytest.mark.parametrize("by_class", [False, True])
def test_law_what_gets_past_a_monitor_gives_no_alarm(it, name, by_class):
    """By class, too: one class is dark, so that its limit is far above the others', and that of all as well."""
    layer = {} if name == "max_softmax" else {"layer": "hidden"}
    dark = (it.nominal.labels == 1)[:, None, None, None]
    uneven = replace(it.nominal, images=torch.where(dark, 0.45 * it.nominal.images, it.nominal.images))
    asked, rule = make_supervisor(name, **layer), Quantile(0.1)
    monitor = Monitor.fit(it.classifier, asked, it.training, uneven, rule, by_class=by_class)
    found = evade(it.classifier, it.nominal, monitor, epsilons=EPSILONS)
    past = found.epsilon.isfinite()
    said = monitor.watch(found.images)
    assert past.any()
    assert not said.alarms[past].any()
    assert (said.predicted != it.nominal.labels)[past].all()
    by_number = evade(it.classifier, it.nominal, asked, float(rule.limits.overall), epsilons=EPSILONS)
    assert monitor(by_number.images)[by_number.epsilon.isfinite()].any() == by_class
    if name == "max_softmax":  # what is followed is the score to the last digit
        by_rule = evade(it.classifier, it.nominal, asked, rule, epsilons=EPSILONS)
        assert torch.equal(by_rule.epsilon, found.epsilon)


def test_each_class_has_its_limit(it):
    """Two classes whose limit nothing passes, and one that lets everything pass: all that gets past is in that."""
    softmax = make_supervisor("max_softmax").fit(observe(it.classifier, it.training))
    shut = Limits(torch.tensor(-2.0).double(), torch.tensor([1]), torch.tensor([0.0]).double())
    rule = Quantile().restore(vars(shut))
    found = evade(it.classifier, it.nominal, softmax, rule, epsilons=EPSILONS)
    past = found.epsilon.isfinite()
    assert 0 < int(past.sum()) < len(past)
    assert (it.classifier(found.images).argmax(1)[past] == 1).all()
    assert not past[it.nominal.labels == 1].any()


def test_the_monitor_has_the_last_word(it):
    """What is followed may pass by the last digits, or for a score of another kind: what alarms has not got past."""
    monitor = Monitor.fit(it.classifier, make_supervisor("max_softmax"), it.training, it.nominal)
    strict = replace(monitor, threshold=Fixed(1.0))
    object.__setattr__(strict.threshold, "alarms", lambda scores, groups=None: torch.ones(len(scores)).bool())
    assert evade(it.classifier, it.nominal, strict, epsilons=[0.8]).epsilon.isinf().all()
    assert evade(it.classifier, it.nominal, replace(monitor, threshold=Fixed(1.0)), epsilons=[0.8]).epsilon.max() < 1


def test_limits_that_lack_or_are_one_too_many(it):
    softmax = make_supervisor("max_softmax")
    monitor = Monitor.fit(it.classifier, softmax, it.training, it.nominal)
    for given, message in (
        ((softmax,), r"Max Softmax has no limit, .*evade\(classifier, images, monitor\)"),
        ((softmax, Quantile(0.1)), r"Quantile\(rate=0.1\) is not fitted yet"),
        ((softmax, "0.5"), "limit is '0.5', expected a number"),
        ((monitor, 0.5), "A monitor has its own threshold"),
        ((monitor, Quantile(0.1)), "A monitor has its own threshold"),
    ):
        with pytest.raises(MistrustError, match=message):
            evade(it.classifier, it.nominal, *given, epsilons=0.1)
