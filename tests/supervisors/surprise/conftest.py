from types import SimpleNamespace

import pytest
import torch

from mistrust.data import ImageSet
from mistrust.networks import Record, wrap


@pytest.fixture
def golden():
    """Two classes of five rows and four queries, `facts/ambiguess.md` section 11: no two distances are equal."""
    return SimpleNamespace(
        train=torch.tensor(
            [(0, 0), (1, 0), (0, 1), (1, 1), (0.5, 2), (4, 4), (5, 4), (4, 5), (5, 6), (6, 5)], dtype=torch.float64
        ),
        groups=torch.tensor([0] * 5 + [1] * 5),
        queries=torch.tensor([(0.4, 0.25), (3, 3), (4.4, 4.45), (10, -2)], dtype=torch.float64),
        predicted=torch.tensor([0, 0, 1, 1]),
    )


@pytest.fixture
def clouds():
    """Make classes of correlated rows, float64, and queries that lie wider."""

    def make(rows=60, features=5, classes=3, queries=20, seed=0, spread=1.0):
        source = torch.Generator().manual_seed(seed)
        groups, predicted = torch.arange(rows) % classes, torch.arange(queries) % classes
        mix = torch.randn(features, features, generator=source, dtype=torch.float64)
        middles = 3 * torch.randn(classes, features, generator=source, dtype=torch.float64)
        train = torch.randn(rows, features, generator=source, dtype=torch.float64) @ mix + middles[groups]
        wide = 1.5 * torch.randn(queries, features, generator=source, dtype=torch.float64) @ mix + middles[predicted]
        return SimpleNamespace(train=spread * train, groups=groups, queries=spread * wide, predicted=predicted)

    return make


@pytest.fixture
def recorded():
    """Make a record of a layer "hidden" with these rows, whose predictions are these classes of three."""

    def make(rows, predicted, classes=("a", "b", "c"), first_id=0):
        n = len(rows)
        images = ImageSet(
            "made", torch.zeros(n, 1, 2, 2, dtype=torch.uint8), predicted, torch.arange(first_id, first_id + n), classes
        )
        classifier = wrap(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, len(classes))), classes)
        logits = torch.nn.functional.one_hot(predicted, len(classes)).to(torch.float32)
        return Record(images, classifier, logits, {"hidden": rows})

    return make
