"""ODIN: the facts' worked numbers, pytorch-ood 0.4.0, and what float32 and other normalisations must not change."""

from math import exp, log

import pytest
import torch
from pytorch_ood.detector import odin as theirs
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.attacks import ascent_direction
from mistrust.networks import observe, wrap
from mistrust.supervisors import Fixed, make_supervisor, odin
from mistrust.supervisors.odin import PUBLISHED, PUBLISHED_CONFIDENCE, SIGMA, Odin, doubt, doubt_of, moved

CLASSES = ("a", "b", "c")


def linear():
    """Logits z = W x of the facts, section 12: x = (0.3, 0.4) gives (-0.1, 0.8, -0.3)."""
    layer = nn.Linear(2, 3, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, -1.0], [0.0, 2.0], [-1.0, 0.0]]))
    return nn.Sequential(nn.Flatten(), layer).double()


X = torch.tensor([[0.3, 0.4]], dtype=torch.float64).view(1, 1, 1, 2)


def net(channels=3, seed=0):
    found = nn.Sequential(
        nn.Conv2d(channels, 4, 3), nn.Tanh(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3)
    )  # fmt: skip
    for name, values in found.named_parameters():
        with torch.no_grad():
            values.copy_(torch.from_numpy(random.generator(seed, name).standard_normal(tuple(values.shape))))
    return found


def images(n=12, channels=3):
    ids = torch.arange(n)
    return ImageSet("drawn", 0.1 + 0.8 * random.uniform(0, "images", ids, (channels, 6, 6)), ids % 3, ids, CLASSES)


def softmax_of(score):
    return 1 / (1 + exp(score))


@pytest.mark.parametrize(("temperature", "wanted"), [(1, 0.665241), (1000, 0.333667)])
def test_temperature_by_the_facts(temperature, wanted):
    found = doubt(torch.tensor([[2.0, 1.0, 0.0]]), temperature)
    assert softmax_of(found.item()) == pytest.approx(wanted, abs=5e-7)


@pytest.mark.parametrize(
    ("temperature", "epsilon", "wanted"),
    [(1, 0, 0.574897), (1, 0.1, 0.635435), (10, 0.1, 0.361662), (1000, 0.1, 0.333611)],
)
def test_step_by_the_facts(temperature, epsilon, wanted):
    network = linear()
    there = moved(network, X, torch.tensor([1]), temperature, epsilon)
    assert there.flatten().tolist() == pytest.approx([0.3 - epsilon, 0.4 + epsilon])
    assert softmax_of(doubt(network(there), temperature).item()) == pytest.approx(wanted, abs=5e-7)


@pytest.mark.parametrize(("temperature", "epsilon", "scale"), [(1.0, 0.05, None), (1000.0, 0.0014, SIGMA)])
def test_is_that_of_pytorch_ood(temperature, epsilon, scale):
    network, found = net().double(), images()
    one = theirs.ODIN(network, eps=epsilon, temperature=temperature, norm_std=scale and list(scale))
    expected = -one.predict(found.images.double())
    logits = network(found.images.double())
    there = moved(network, found.images.double(), logits.argmax(1), temperature, epsilon, scale or (1.0,))
    torch.testing.assert_close((-doubt(network(there), temperature)).sigmoid(), expected, rtol=1e-12, atol=0)


def test_a_record_is_scored_by_the_same():
    network, found = net(), images()
    record = observe(wrap(network, CLASSES), found)
    scores = Odin(temperature=10, epsilon=0.03).fit(record).score(record)
    there = moved(network, found.images, record.predicted, 10, 0.03)
    torch.testing.assert_close(scores, doubt(network(there), 10).detach())
    assert scores.dtype == torch.float64


def test_scale_and_the_published_step_reach_the_pixels():
    """Pixels above 0.7 are not felt: they stay, but fall in the published code, and are felt once they are below."""
    network, found = nn.Sequential(nn.Hardtanh(0.0, 0.7), net()), images()
    record = observe(wrap(network, CLASSES), found)
    scores = Odin(temperature=10, epsilon=0.03, scale=SIGMA, as_published=True).fit(record).score(record)
    there = moved(network, found.images, record.predicted, 10, 0.03, SIGMA, as_published=True)
    torch.testing.assert_close(scores, doubt(network(there), 10).detach())


def test_a_pixel_moves_by_epsilon_whatever_the_classifier_normalises_by():
    """The authors' step of epsilon / sigma on inputs that were divided by sigma, and ours, end at the same input."""
    network, found = net(), images()
    mean = (0.4, 0.5, 0.6)
    one = wrap(network, CLASSES, mean=mean, std=SIGMA)
    record = observe(one, found)
    ours = moved(odin.unbounded(one), found.images, record.predicted, 1, 0.03)
    theirs = moved(network, one.scaled(found.images), record.predicted, 1, 0.03, SIGMA)
    torch.testing.assert_close(one.scaled(ours), theirs)


def test_pixels_may_leave_the_range_of_images():
    record = observe(wrap(net(), CLASSES), images())
    assert bool(torch.isfinite(Odin(epsilon=5).fit(record).score(record)).all())


def test_a_pixel_that_is_not_felt_stays_but_for_the_published_code():
    network = linear()
    with torch.no_grad():
        network[1].weight[:, 0] = 0
    stays, falls = (moved(network, X, torch.tensor([1]), 1, 0.1, as_published=told) for told in (False, True))
    assert stays.flatten().tolist() == pytest.approx([0.3, 0.5])
    assert falls.flatten().tolist() == pytest.approx([0.2, 0.5])


def test_scores_near_temperature_1000_do_not_collapse_nor_those_of_a_sure_network():
    logits = torch.tensor([[1.0, 0.0, 0.0], [1.0001, 0.0, 0.0]])
    assert float(doubt(logits, 1000).diff()) < -5e-8
    sure = doubt(torch.tensor([[100.0, 0.0, 0.0], [101.0, 0.0, 0.0]]), 1)
    assert float(sure.diff()) == pytest.approx(-1)


def test_published_values_are_those_of_the_facts():
    assert {name: one["epsilon"] for name, one in PUBLISHED.items()} == {"cifar10": 0.0014, "gtsrb": 0.0025}
    assert all(make_supervisor("odin", **one).temperature == 1000 for one in PUBLISHED.values())
    # Section 7: the real step is 0.0057 and 0.0101 a pixel, in red.
    assert [round(one["epsilon"] / one["scale"][0], 4) for one in PUBLISHED.values()] == [0.0057, 0.0101]
    assert PUBLISHED_CONFIDENCE == {"cifar10": 0.1007, "gtsrb": 0.0237}


def test_a_published_confidence_is_a_threshold():
    record = observe(wrap(net(), CLASSES), images(60))
    one = Odin(temperature=2, epsilon=0).fit(record)
    confidence = (record.logits.double() / 2).softmax(1).amax(1)
    limit = float(confidence.sort().values[20:22].mean())
    assert torch.equal(Fixed(doubt_of(limit)).alarms(one.score(record)), confidence < limit)
    assert doubt_of(0.2) == pytest.approx(log(4))
    for wrong, said in ((1, "expected a softmax value between 0 and 1"), ("0.2", "is '0.2', expected a number")):
        with pytest.raises(MistrustError, match=said):
            doubt_of(wrong)


def test_probabilities_are_read_as_their_logarithms():
    network, found = net(), images()
    ours = observe(wrap(network, CLASSES), found)
    theirs = observe(wrap(nn.Sequential(network, nn.Softmax(1)), CLASSES, outputs="probabilities"), found)
    one = Odin(temperature=1, epsilon=0.01).fit(ours)
    torch.testing.assert_close(one.score(theirs), one.score(ours), rtol=1e-4, atol=1e-4)


def test_blocks_change_nothing(monkeypatch):
    record = observe(wrap(net(), CLASSES), images())
    one = Odin(epsilon=0.02, temperature=1).fit(record)
    whole, passes = one.score(record), []
    record.classifier.module.register_forward_hook(lambda _, given, __: passes.append(len(given[0])))
    one.score(record)
    assert passes == [12, 12]  # one way there and back for all images, and one look
    monkeypatch.setattr(odin, "BLOCK", 5)
    # A processor may convolve five images in another order than twelve: digits of float32, not of the float64 scores.
    torch.testing.assert_close(one.score(record), whole, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"temperature": 0}, "temperature is 0, expected a number above 0 such as 1000"),
        ({"epsilon": -1}, "epsilon is -1, expected a number from 0 on"),
        ({"epsilon": float("nan")}, "epsilon is nan"),
        ({"scale": (0.2, 0.0, 0.2)}, r"scale is \(0.2, 0.0, 0.2\), expected numbers above 0"),
        ({"scale": ()}, "expected numbers above 0: one, or one per channel"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(MistrustError, match=message):
        Odin(**parameters)


def test_bad_records_are_refused():
    record = observe(wrap(net(1), CLASSES), images(channels=1))
    with pytest.raises(MistrustError, match="scale has 3 numbers, these images have 1 channels"):
        Odin(scale=SIGMA).fit(record).score(record)
    record.classifier.module.train()
    with pytest.raises(MistrustError, match="is in training mode"):
        Odin().fit(record).score(record)
    for limit in (0.0, 1.0, float("nan")):
        with pytest.raises(MistrustError, match="expected a softmax value between 0 and 1"):
            doubt_of(limit)


def test_under_inference_mode_it_scores_as_outside():
    classifier = wrap(net(), CLASSES)
    expected = Odin(temperature=2.0).fit(observe(classifier, images())).score(observe(classifier, images()))
    with torch.inference_mode():
        record = observe(classifier, images())
        said = Odin(temperature=2.0).fit(record).score(record)
    assert torch.equal(said, expected)


def test_attacks_under_inference_mode_do_not_blame_the_network():
    with torch.inference_mode(), pytest.raises(MistrustError, match=r"Under torch.inference_mode\(\) there is no grad"):
        ascent_direction(wrap(net(), CLASSES), images().images, torch.zeros(12, dtype=torch.int64))
