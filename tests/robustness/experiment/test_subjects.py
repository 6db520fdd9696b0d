"""Which images a network is trained on and measured with: the same for all, and parts of them as the paper has them."""

from dataclasses import replace

import pytest
import torch

from mistrust.data import load
from mistrust.networks import observe
from mistrust.robustness.experiment import Parameters
from mistrust.robustness.experiment.parameters import ALL, FRACTION, HALF
from mistrust.robustness.experiment.parts import _drawn, _steps
from mistrust.robustness.experiment.subjects import Trained, correct, correct_by_class, known_classes

P = Parameters(data="digits", networks=("resnet8-w8", "vgg6-w16"), train_images=400, class_share=0.3)


def subject(condition=ALL, run=0, network="resnet8-w8", data="digits", **changed):
    return Trained(replace(P, **changed), data, network, condition, run)


def counts(images):
    return images.labels.bincount(minlength=len(images.classes))


def test_images_are_chosen_once_for_all_networks_and_seeds():
    one, other = subject(), subject(run=3, network="vgg6-w16", images=5, noise_seeds=1)
    assert torch.equal(one.train.ids, other.train.ids)
    assert torch.equal(one.test.ids, other.test.ids)
    assert len(one.train) == 400
    assert sorted(one.test.ids.tolist()) == sorted(load("digits", "test").ids.tolist())
    assert one.test.ids.tolist() != load("digits", "test").ids.tolist()
    assert (one.seed, other.seed) == (0, 3)


def test_another_seed_shows_other_images_of_the_same_test_set():
    one, other = subject(), subject(seed=1)
    assert one.test.ids.tolist() != other.test.ids.tolist()
    assert set(one.test.ids.tolist()) == set(other.test.ids.tolist())
    assert torch.equal(one.train.ids, other.train.ids)  # networks of several seeds are of the same images


def test_more_training_images_contain_fewer():
    fewer, more, whole = (set(subject(train_images=n).train.ids.tolist()) for n in (200, 400, 0))
    assert fewer < more < whole == set(load("digits", "train").ids.tolist())


def test_further_sets_have_their_own_number_of_training_images():
    assert len(subject(data="photos", also_images=100, train_images=30).train) == 100
    assert len(subject(data="photos", also_images=0, train_images=30).train) == 390


def test_half_is_half_of_each_class_and_tested_on_everything():
    whole, half = subject(), subject(HALF)
    assert counts(half.train).tolist() == [(n + 1) // 2 for n in counts(whole.train).tolist()]
    assert set(half.train.ids.tolist()) < set(whole.train.ids.tolist())
    assert half.train.classes == whole.train.classes
    assert torch.equal(half.test.ids, whole.test.ids)


def test_a_fraction_is_all_samples_of_the_first_classes_alone():
    whole, some = subject(), subject(FRACTION)
    for split in ("train", "test"):
        all_of, part = getattr(whole, split), getattr(some, split)
        assert part.classes == all_of.classes[:3]
        assert counts(part).tolist() == counts(all_of).tolist()[:3]
        assert set(part.ids.tolist()) == set(all_of.ids[all_of.labels < 3].tolist())


@pytest.mark.parametrize(
    ("classes", "share", "known"), [(10, 0.5, 5), (10, 0.1, 2), (43, 0.1, 4), (3, 0.9, 3), (2, 0.5, 2)]
)
def test_a_share_of_the_classes_is_two_at_least(classes, share, known):
    assert known_classes(tuple(map(str, range(classes))), share) == known


@pytest.mark.whole
def test_correct_images_are_the_first_that_are_right(run, parameters):
    one = Trained(parameters, "digits", "resnet8-w8", ALL, 0)
    right = observe(one.classifier, one.test).logits.argmax(1) == one.test.labels
    assert 0.3 < right.double().mean() < 1
    expected = one.test.ids[right]
    assert torch.equal(correct(one, 7).ids, expected[:7])
    assert torch.equal(correct(one, 10_000).ids, expected)
    by_class = correct_by_class(one, 2, 3)
    assert by_class.labels.tolist() == [0, 0, 1, 1, 2, 2]
    for label in range(3):
        mine = one.test.ids[right & (one.test.labels == label)][:2]
        assert torch.equal(by_class.ids[by_class.labels == label], mine)
    assert set(correct_by_class(one, 1).labels.tolist()) == set(one.test.labels[right].tolist())


def test_drawn_targets_are_no_sources_and_hang_on_the_image_alone():
    one = subject(imagenet_targets=4)
    labels, ids = torch.arange(10).repeat(3), torch.arange(30) * 7
    targets = _drawn(one, labels, ids)
    assert targets.shape == (30, 4)
    assert not (targets == labels[:, None]).any()
    assert all(len(set(line)) == 4 for line in targets.tolist())
    assert targets.min() == 0
    assert targets.max() == 9
    assert torch.equal(_drawn(one, labels[5:9], ids[5:9]), targets[5:9])


def test_a_smaller_rate_gets_as_far_in_more_steps_and_a_larger_one_has_no_fewer():
    p = replace(P, rate=2.0, steps=100)
    assert [_steps(p, rate) for rate in (0.5, 1.5, 2.0, 10.0)] == [400, 134, 100, 100]
