"""FGSM as it is meant, against its closed form for a linear network, and what the authors' code does instead."""

import pytest
import torch
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import FAULTS, faulty, to_uint8
from mistrust.inputs.attacks import ascent_direction
from mistrust.inputs.faults.adversarial import label_free_direction
from mistrust.networks import initialise, wrap

CLASSES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def images():
    pixels = random.uniform(3, "attacked", torch.arange(60), (3, 6, 6))
    return ImageSet("made-up", pixels, torch.arange(60) % 4, torch.arange(60) * 7 + 5, CLASSES)


@pytest.fixture(scope="module")
def curved():
    network = nn.Sequential(nn.Flatten(), nn.Linear(108, 16), nn.Tanh(), nn.Linear(16, 4))
    initialise(network, 1)
    return wrap(network, CLASSES, mean=0.5, std=0.25)


def test_of_two_classes_it_steps_along_the_difference_of_weights():
    network = nn.Sequential(nn.Flatten(), nn.Linear(12, 2))
    initialise(network, 2)
    pixels = random.uniform(0, "pixels", torch.arange(8), (3, 2, 2))
    given = ImageSet("two", pixels, torch.tensor([0, 1] * 4), torch.arange(8), ("a", "b"))
    found = faulty(given, "fgsm", classifier=wrap(network, ("a", "b")))
    weights = network[1].weight.detach()
    step = torch.where(given.labels[:, None] == 0, weights[1] - weights[0], weights[0] - weights[1]).sign()
    expected = (pixels + 0.05 * step.view_as(pixels)).clamp(0, 1)
    assert torch.equal(found.images, to_uint8(expected))
    assert torch.equal(found.ids, given.ids)


def test_it_raises_the_loss_and_changes_no_pixel_by_more_than_epsilon(images, curved):
    found = faulty(images, "fgsm", classifier=curved)
    assert (found.floats() - images.floats()).abs().max() <= 0.05 + 1 / 255
    losses = [
        nn.functional.cross_entropy(curved(one.floats()), images.labels, reduction="none") for one in (images, found)
    ]
    assert (losses[1] > losses[0]).double().mean() > 0.95


def test_of_some_images_it_is_that_part_of_all(images, curved):
    for published in (False, True):
        whole = faulty(images, "fgsm", classifier=curved, as_published=published)
        part = faulty(images.take([40, 2, 11]), "fgsm", classifier=curved, as_published=published)
        assert torch.equal(part.images, whole.images[[40, 2, 11]])


def test_as_coded_the_direction_is_that_of_the_mean_square_for_every_label(images, curved):
    x = images.floats().double().requires_grad_()
    network = curved.network
    double = nn.Sequential(
        *(type(one)(*([108, 16] if i == 1 else [16, 4] if i == 3 else [])) for i, one in enumerate(network))
    )
    double.load_state_dict(network.state_dict())
    softmax = double.double()((x - 0.5) / 0.25).softmax(1)
    gradients = [
        torch.autograd.grad((label - softmax).square().mean(1).sum(), x, retain_graph=True)[0] for label in range(4)
    ]
    ours = label_free_direction(curved, images.floats())
    for label, gradient in enumerate(gradients):
        assert (gradient - gradients[0]).abs().max() < 1e-14 * (1 + label)  # facts 12: equal for every label
        certain = gradient.abs() > 1e-6
        assert torch.equal(ours[certain], gradient.sign().float()[certain])
        assert certain.double().mean() > 0.95


def test_as_coded_it_is_no_attack_but_raises_confidence(images, curved):
    named = curved(images.floats()).argmax(1)
    right = ImageSet("right", images.images, named, images.ids, CLASSES)
    clean = curved(right.floats()).softmax(1).square().sum(1)
    meant, coded = (faulty(right, "fgsm", classifier=curved, as_published=one) for one in (False, True))
    concentration = curved(coded.floats()).softmax(1).square().sum(1)
    assert (concentration > clean).double().mean() > 0.95
    kept = [(curved(one.floats()).argmax(1) == named).double().mean().item() for one in (meant, coded)]
    assert kept[1] > 0.95
    assert kept[0] < 0.5
    other = ImageSet("other", images.images, (named + 1) % 4, images.ids, CLASSES)
    assert torch.equal(faulty(other, "fgsm", classifier=curved, as_published=True).images, coded.images)
    assert not torch.equal(faulty(other, "fgsm", classifier=curved).images, meant.images)


def test_the_two_differ_from_each_other(images, curved):
    meant = ascent_direction(curved, images.floats(), images.labels)
    assert (meant == label_free_direction(curved, images.floats())).double().mean() < 0.9


def test_an_attack_needs_a_classifier_and_has_no_severity(images, curved):
    assert FAULTS["fgsm"].needs_classifier
    assert FAULTS["fgsm"].differs_as_published
    with pytest.raises(MistrustError, match=r"'fgsm' is an attack and needs the classifier that it fools"):
        faulty(images, "fgsm")
    with pytest.raises(MistrustError, match="'fgsm' has no severities, got 2"):
        faulty(images, "fgsm", 2, classifier=curved)
