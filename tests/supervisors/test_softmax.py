"""The four scores of one softmax vector: golden values, by hand, and through the supervisors."""

from math import log

import pytest
import torch

from mistrust.data import ImageSet
from mistrust.networks import Record, wrap
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.softmax import entropy, gini, max_softmax, prediction_confidence

# ../shared/facts/ambiguess.md, section 11 (float64 numpy), with the sign of a suspicion: largest value and lead turned.
VECTORS = [(0.7, 0.2, 0.1), (0.5, 0.5, 0.0), (1.0, 0.0, 0.0)]
GOLDEN = {
    "max_softmax": (max_softmax, (-0.7, -0.5, -1)),
    "prediction_confidence_score": (prediction_confidence, (-0.5, 0, -1)),
    "deep_gini": (gini, (0.46, 0.5, 0)),
    "softmax_entropy": (entropy, (1.1567796494, 1, 0)),
}


def of(vectors):
    return torch.tensor(vectors, dtype=torch.float64)


@pytest.mark.parametrize("name", GOLDEN)
def test_to_the_printed_digits(name):
    score, expected = GOLDEN[name]
    assert score(of(VECTORS)).tolist() == pytest.approx(expected, abs=5e-11)


@pytest.mark.parametrize("name", GOLDEN)
def test_where_the_classes_stand_does_not_matter(name):
    score, expected = GOLDEN[name]
    turned = of([[vector[2], vector[0], vector[1]] for vector in VECTORS])
    assert score(turned).tolist() == pytest.approx(expected, abs=5e-11)


@pytest.mark.parametrize("classes", [2, 5, 1000])
def test_the_ends_of_the_ranges(classes):
    even, sure = torch.full((classes,), 1 / classes).double(), torch.eye(classes, dtype=torch.float64)[1]
    for score, (low, high) in {
        max_softmax: (-1, -1 / classes), prediction_confidence: (-1, 0), gini: (0, 1 - 1 / classes),
        entropy: (0, log(classes, 2)),
    }.items():  # fmt: skip
        assert (score(sure).item(), score(even).item()) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_supervisor_gives_them_of_logits(name):
    # A probability of 0 comes from a logit of minus infinity, which no network gives; e^-80 is 0 beside these digits.
    logits = of(VECTORS).clamp_min(1e-35).log()
    pixels, rows = torch.zeros(3, 1, 1, 1, dtype=torch.uint8), torch.arange(3)
    images = ImageSet("made", pixels, rows, rows, ("a", "b", "c"))
    record = Record(images, wrap(lambda x: x.flatten(1).expand(-1, 3), images.classes), logits, {})
    found = make_supervisor(name).fit(record).score(record)
    assert found.tolist() == pytest.approx(GOLDEN[name][1], abs=5e-11)
