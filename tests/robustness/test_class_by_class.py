"""What the number of bubbles of a class goes with: of rows that were made up, and beside a real network."""

from itertools import product

import numpy as np
import pytest
import torch

from mistrust import rows as tidy
from mistrust.data import ImageSet
from mistrust.evaluation import partial_spearman
from mistrust.networks import wrap
from mistrust.robustness.breaking import breaking
from mistrust.robustness.tables.regions import BESIDE, MEDIAN, RELATIVE, beside, class_by_class

NETWORKS, CLASSES = ("a", "b", "c"), "012345"


def made(bubbles, other):
    """Rows of each network and class: numbers of bubbles at two levels, and what stands beside them."""
    listed = []
    for (network, at), count, value in zip(product(NETWORKS, CLASSES), bubbles, other, strict=True):
        common = {"network": network, "at": at, "seed": 0.0, "table": "regions"}
        listed += [{**common, "method": RELATIVE, "level": level, "metric": "bubbles", "value": float(by)}
                   for level, by in ((0.5, 1), (MEDIAN, count))]  # fmt: skip
        listed += [{**common, "metric": metric, "value": value} for metric in BESIDE.values()]
    return tidy.table(listed)


def test_networks_are_held_fixed_and_the_median_margin_is_read():
    bubbles = np.array([1, 2, 3, 4, 5, 6] * 3)
    # In each network fewer are right where there are more bubbles; between networks nothing of the kind.
    other = 10 - bubbles + np.repeat([0, 100, 200], 6)
    found = {row["metric"]: row for row in class_by_class(made(bubbles, other), 50, 0)}
    assert set(found) == set(BESIDE)
    given = np.repeat(np.eye(3), 6, axis=0)[:, 1:].T
    for row in found.values():
        assert row["value"] == pytest.approx(partial_spearman(bubbles, other, list(given)))
        assert row["value"] < -0.9
        assert (row["n"], row["over"], row["level"]) == (6, "classes", 1.0)
        assert row["high"] < 0


def test_what_does_not_vary_or_is_of_few_classes_has_no_relation():
    assert not list(class_by_class(made([1] * 18, range(18)), 20, 0))
    rows = made([1, 2] * 9, range(18))
    assert not list(class_by_class(rows[rows["at"].isin(["0", "1", "2"])], 20, 0))
    assert not list(class_by_class(rows[rows["metric"] == "bubbles"], 20, 0))


def test_beside_a_class_stand_its_accuracy_and_what_breaks_it():
    """A classifier by brightness: of class 1 the two brighter images are right, and both of them get noise."""

    def logits(x):
        mean = x.flatten(1).mean(1)
        return torch.stack([0.5 - mean, mean - 0.5], 1)

    levels = torch.tensor([0.1, 0.2, 0.4, 0.9, 0.8])
    images = (levels[:, None, None, None].expand(-1, 1, 4, 4) * 255).to(torch.uint8)
    test = ImageSet("made", images, torch.tensor([0, 0, 1, 1, 1]), torch.arange(5), ("dark", "bright"))
    classifier = wrap(logits, test.classes)
    found = {row["metric"]: row for row in beside(classifier, test, 1, 30, "fixed-clipped", range(3), 20, 0)}
    assert (found["accuracy"]["value"], found["accuracy"]["n"]) == (2 / 3, 3)
    exact = breaking(classifier, test.take([3, 4]), variant="fixed-clipped", seeds=range(3))
    assert found["capped mean"]["value"] == pytest.approx(float(exact.sigma.mean()), rel=0.02)
    assert {row["at"] for row in found.values()} == {"bright"}
