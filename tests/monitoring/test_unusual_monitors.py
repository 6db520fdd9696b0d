"""Whole monitors where something is lacking: a class without training images, and scores that are no numbers."""

from contextlib import nullcontext
from dataclasses import dataclass, replace

import pytest
import torch

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.supervisors import Card, Fixed, Monitor, Quantile, Supervisor, make_supervisor
from mistrust.supervisors.made_up import made_up

LACKING = 2


@pytest.fixture(scope="module")
def world():
    return made_up()


@pytest.fixture(params=["no image", "none that is right"])
def training(request, world):
    """Training images of which none of one class is there, or none is classified correctly."""
    usual, of = world.training, world.training.labels == LACKING
    if request.param == "no image":
        return usual.take(~of)
    return replace(usual, labels=torch.where(of, 0, usual.labels))


@pytest.mark.parametrize("projection", ["none", "pca"])
@pytest.mark.parametrize("as_published", [False, True])
def test_boxes_alarm_at_what_is_predicted_as_a_class_that_has_none(world, training, projection, as_published):
    boxes = make_supervisor(
        "outside_the_box", layer="hidden", clusters=1, projection=projection, as_published=as_published
    )
    # The highest limit that a person might set, and images whose share of infinite scores is above the rate.
    for rule in (Fixed(1e300), Quantile(0.05)):
        with pytest.warns(MistrustWarning, match="20 of 60") if rule.name == "quantile" else nullcontext():
            monitor = Monitor.fit(world.classifier, boxes, training, world.nominal, rule)
        said = monitor.watch(world.nominal)
        lacking = said.predicted == LACKING
        assert 0 < int(lacking.sum()) < len(lacking)
        assert bool((said.scores[lacking] == torch.inf).all())
        assert bool(said.alarms[lacking].all())
        # One image at a time, too, and after the file.
        assert bool(monitor(world.nominal.take(lacking.nonzero()[:1, 0])).all())
    usual = said.scores[~lacking]
    assert as_published or bool(torch.isfinite(usual).all())


def test_a_fixed_limit_leaves_the_other_classes_alone(world, training):
    boxes = make_supervisor("outside_the_box", layer="hidden", clusters=1)
    monitor = Monitor.fit(world.classifier, boxes, training, world.nominal, Fixed(1e300))
    said = monitor.watch(world.nominal)
    assert torch.equal(said.alarms, said.predicted == LACKING)


@dataclass(eq=False)
class Broken(Supervisor):
    """A score that is no number where the image is bright at one place."""

    card = Card("Broken", "surprise", "none", "none", "none", ("logits",), "none")
    limit: float = torch.inf

    def _fit(self, record, layers):
        return {}

    def _score(self, record, learnt):
        best = record.logits.double().amax(1)
        return torch.where(best > self.limit, torch.nan, best)


class TestNaN:
    """It is an error, and no image is let through by a comparison with it."""

    def test_where_it_is_first_met_when_watching(self, world):
        monitor = Monitor.fit(world.classifier, Broken(), world.training, world.nominal)
        assert monitor(world.nominal).dtype == torch.bool
        monitor.supervisor.limit = 0.0  # the monitor's own: it holds a copy
        for images in (world.novel, world.nominal.floats()[:1]):
            with pytest.raises(MistrustError, match=rf"Broken gave NaN for \d+ of {len(images)} images"):
                monitor(images)

    def test_where_the_threshold_would_be_set_by_it(self, world):
        with pytest.raises(MistrustError, match=r"Broken gave NaN for \d+ of \d+ images"):
            Monitor.fit(world.classifier, Broken(0.0), world.training, world.nominal)

    def test_of_one_image_among_many(self, world):
        monitor = Monitor.fit(world.classifier, Broken(), world.training, world.nominal)
        best = monitor.watch(world.nominal).scores.sort().values
        monitor.supervisor.limit = float(best[-2:].mean())
        with pytest.raises(MistrustError, match=r"Broken gave NaN for 1 of 60 images"):
            monitor(world.nominal)

    @pytest.mark.parametrize("name", ["max_softmax", "energy", "outside_the_box", "mdsa", "knn"])
    def test_from_the_classifier_itself(self, world, name):
        """A network that gives NaN: what a monitor reads of it is refused, not compared."""
        layer = {"layer": "hidden"} if name in ("outside_the_box", "mdsa", "knn") else {}
        own = made_up()
        monitor = Monitor.fit(own.classifier, make_supervisor(name, **layer), own.training, own.nominal)
        with torch.no_grad():
            own.classifier.module.get_submodule("hidden").weight[0] = torch.nan
        with pytest.raises(MistrustError, match="NaN"):
            monitor(own.nominal)


def test_images_that_are_no_numbers_are_refused(world):
    monitor = Monitor.fit(world.classifier, make_supervisor("max_softmax"), world.training, world.nominal)
    pixels = world.nominal.floats()[:3].clone()
    pixels[1, 0, 0, 0] = torch.nan
    with pytest.raises(MistrustError, match="NaN"):
        monitor(pixels)


def test_a_class_never_predicted_among_nominal_images_has_the_limit_of_all(world):
    some, rule = world.nominal.take(world.nominal.labels != LACKING), Quantile(0.1)
    with pytest.warns(MistrustWarning, match="1 of 3 classes"):
        monitor = Monitor.fit(world.classifier, make_supervisor("energy"), world.training, some, rule, by_class=True)
    assert LACKING not in rule.limits.groups.tolist()
    for images in (world.nominal, world.ambiguous):
        said = monitor.watch(images)
        lacking = said.predicted == LACKING
        assert bool(lacking.any())
        assert torch.equal(said.alarms[lacking], said.scores[lacking] > float(rule.limits.overall))
    assert bool(said.alarms[lacking].any())
