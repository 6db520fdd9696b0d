"""What a monitor is told of as it is fitted: known images, scores that are all equal, classes with too few images."""

import warnings
from dataclasses import replace

import pytest
import torch
from torch import nn

from mistrust.errors import MistrustWarning
from mistrust.networks import wrap
from mistrust.supervisors import ClassMean, Fixed, Monitor, Quantile, TrainingExtreme, make_supervisor
from mistrust.supervisors.given_images import checksums
from mistrust.supervisors.made_up import made_up


@pytest.fixture(scope="module")
def world():
    return made_up()


def told(*given, **more):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        Monitor.fit(*given, **more)
    return [str(one.message) for one in found if one.category is MistrustWarning]


def softmax():
    return make_supervisor("max_softmax")


def test_nominal_images_that_are_training_images(world):
    train, known = world.training, r"180 of 180 nominal images are training images, pixel by pixel"
    with pytest.warns(MistrustWarning, match=known):
        Monitor.fit(world.classifier, softmax(), train, train)
    # The same pixels by other numbers and as another kind; ids alone are no sign.
    bytes_ = replace(train, images=(train.images * 255).round().to(torch.uint8))
    floats = replace(bytes_, images=bytes_.images / 255, ids=train.ids + 1000)
    assert len(told(world.classifier, softmax(), bytes_, floats)) == 1
    assert told(world.classifier, softmax(), train, replace(world.nominal, ids=train.ids[: len(world.nominal)])) == []


def test_few_of_them_do_not_matter_nor_where_the_rule_was_published_so(world):
    train = world.training
    for share, expected in ((0.05, 0), (0.2, 1)):
        n = round(share * len(train))
        images = torch.cat([train.images[:n], 1 - train.images[n:]])
        assert len(told(world.classifier, softmax(), train, replace(train, images=images))) == expected
    for rule in (ClassMean(), TrainingExtreme(), Fixed(0.0)):
        assert told(world.classifier, softmax(), train, train, rule) == []


def test_checksums_tell_images_apart_in_blocks(world):
    some = world.training
    many = replace(
        some, images=torch.rand(2500, 1, 4, 4), labels=torch.zeros(2500, dtype=torch.int64), ids=torch.arange(2500)
    )
    found = checksums(many)
    assert len(found.unique()) == 2500
    assert torch.equal(found[1700:1703], checksums(many.take(slice(1700, 1703))))
    assert checksums(some.take(slice(0, 0))).shape == (0,)


class Beside(nn.Module):
    """The made-up network, and a layer beside it that gives the same numbers whatever it sees."""

    def __init__(self):
        super().__init__()
        self.inner = made_up().classifier.module
        self.still = nn.Linear(64, 4)
        nn.init.zeros_(self.still.weight)

    def forward(self, images):
        return self.inner(images) + 0 * self.still(images.flatten(1)).sum(1, keepdim=True)


@pytest.mark.parametrize("name", ["knn", "dsa", "relative_mahalanobis", "outside_the_box"])
def test_a_layer_that_never_moves(world, name):
    classifier = wrap(Beside(), world.classifier.classes)
    with pytest.warns(MistrustWarning, match=r"All 60 nominal scores are equal, and layer 'still' gives the same"):
        monitor = Monitor.fit(classifier, make_supervisor(name, layer="still"), world.training, world.nominal)
    assert not monitor(world.novel).any()
    assert told(classifier, make_supervisor(name, layer="inner.hidden"), world.training, world.nominal) == []


def test_a_network_that_never_moves_and_scores_that_are_coarse(world):
    still = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
    nn.init.zeros_(still[1].weight)
    found = told(wrap(still, world.classifier.classes), softmax(), world.training, world.nominal)
    assert len(found) == 1
    assert "the classifier gives the same numbers for every training image" in found[0]
    # Passes that all agree on nominal images say something of others.
    votes = make_supervisor("mc_variation_ratio")
    assert told(world.classifier, votes, world.training, world.nominal, samples=4) == []


def test_classes_with_too_few_nominal_images(world):
    given = world.classifier, softmax(), world.training, world.nominal
    assert told(*given, Quantile(0.05), by_class=True) == []  # 20 of each class, 19 are enough
    assert told(*given, Quantile(0.04)) == []  # by class alone
    [found] = told(*given, Quantile(0.04), by_class=True)
    assert "3 of 3 classes (north-west, north-east, south-west) have no limit of their own: fewer than 24" in found
    two = world.nominal.take(world.nominal.labels != 1)
    for rule in (Quantile(0.05), ClassMean()):
        [found] = told(*given[:3], two, rule, by_class=True)
        assert found.startswith("1 of 3 classes (north-east) have no limit of their own")
    assert told(*given[:3], two, Fixed(0.0), by_class=True) == []
