"""Kinds of bad input: which set has which, one fault an image by its id, ids that tie an input to its image."""

import pytest
import torch

from mistrust.comparison.troubles import TROUBLES, Making, one_fault_each
from mistrust.data import load
from mistrust.inputs import fashion_mnist_c, faulty, mnist_c
from mistrust.inputs.faults import CATEGORIES, FAULTS
from mistrust.networks import wrap


@pytest.fixture(scope="module")
def digits():
    return load("digits", "test").take(slice(0, 120))


@pytest.fixture(scope="module")
def classifier(digits):
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
    with torch.no_grad():
        network[1].weight.copy_(torch.linspace(-1, 1, 640).view(10, 64).sin())
        network[1].bias.zero_()
    return wrap(network.eval(), digits.classes)


def test_both_papers_kinds_are_there_and_say_whether_a_prediction_can_be_wrong():
    assert {name for name, one in TROUBLES.items() if not one.labelled} == {"ambiguous", "invalid", "novelty"}
    thirds = [name for name, one in TROUBLES.items() if "Safety Monitors" in one.source]
    assert len(thirds) == len(CATEGORIES)


def test_a_set_has_what_can_be_made_of_it(digits):
    colour = load("photos", "test")
    have = {name for name, one in TROUBLES.items() if one.of("digits", digits)}
    assert have == {*TROUBLES} - {"novelty"}  # the invalid inputs of digits are new classes already
    assert not TROUBLES["ambiguous"].of("cifar10-jpeg", colour)
    assert TROUBLES["novelty"].of("cifar10-jpeg", colour)


@pytest.mark.parametrize("category", ["anomaly", "shift", "noise", "adversarial"])
def test_each_image_has_one_fault_of_the_category_that_its_id_draws(category, digits, classifier):
    whole = one_fault_each(digits, category, classifier, 3)
    assert whole.ids.equal(digits.ids)
    assert whole.labels.equal(digits.labels)
    some = torch.tensor([80, 7, 33])
    assert one_fault_each(digits.take(some), category, classifier, 3).images.equal(whole.images[some])
    ways = [
        faulty(digits, name, severity, seed=3, classifier=classifier).images.unflatten(0, (fault.times, len(digits)))
        for name, fault in FAULTS.items()
        if fault.category == category and not fault.colour
        for severity in fault.severities or (None,)
    ]
    same = torch.cat([(one == whole.images).flatten(2).all(2) for one in ways])
    assert same.any(0).all()  # every image is one that the benchmark's own template gives
    assert len(ways) == 1 or same.any(1).sum() > 1  # and not all of them by one


def test_colour_images_have_faults_of_colour_too(classifier):
    photos = load("photos", "test").take(slice(0, 40))
    for category in {fault.category for fault in FAULTS.values() if fault.colour}:
        whole = one_fault_each(photos, category, classifier, 3)
        assert any(
            (one == whole.images).flatten(1).all(1).any()
            for name, fault in FAULTS.items()
            if fault.category == category and fault.colour
            for severity in fault.severities or (None,)
            for one in faulty(photos, name, severity, seed=3, classifier=classifier).images.split(len(photos))
        )


@pytest.mark.parametrize(("data", "benchmark"), [("fmnist", fashion_mnist_c), ("digits", mnist_c), ("mnist", mnist_c)])
def test_corruptions_are_those_of_the_sets_own_benchmark(data, benchmark, digits, classifier):
    found = TROUBLES["corrupted"].make(Making(data, digits, classifier, lambda: digits, 0, 5))
    assert found.images.equal(benchmark(digits, 5).images.images)


def test_another_seed_draws_other_faults(digits, classifier):
    first, other = (one_fault_each(digits, "shift", classifier, seed).images for seed in (0, 1))
    assert not first.equal(other)


@pytest.mark.parametrize("name", ["corrupted", "invalid", "shift"])
def test_inputs_keep_the_ids_of_what_they_were_made_from(name, digits, classifier):
    found = TROUBLES[name].make(Making("digits", digits, classifier, lambda: digits, 0, 0))
    assert found.classes == digits.classes
    assert found.images.shape[1:] == digits.images.shape[1:]
    assert len(found.ids.unique()) == len(found)
    if TROUBLES[name].labelled:
        assert found.ids.equal(digits.ids)
    else:
        assert not torch.isin(found.ids, digits.ids).any()
