import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.networks import initialise, wrap
from mistrust.robustness.experiment import Parameters, rows

# Helpers are imported by name.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def digit_network(cellar):
    """A small convolutional network, trained on `mnist5k` for a moment, and images that it was not trained on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_CACHE", str(cellar))
        images, unseen = load("mnist5k", "train"), load("mnist5k", "test")
    network = nn.Sequential(nn.Conv2d(1, 8, 5, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 144, 10))
    initialise(network, 0)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.005)
    pixels = (images.floats() - 0.5) / 0.5
    for _ in range(2):
        for x, y in zip(pixels.split(50), images.labels.split(50), strict=True):
            optimiser.zero_grad()
            functional.cross_entropy(network(x), y).backward()
            optimiser.step()
    return wrap(network, images.classes, name="digits", mean=0.5, std=0.5, device="cpu"), unseen


@pytest.fixture(scope="session")
def small():
    """A small network of four classes in float64, with weights as they were drawn."""
    network = nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.Tanh(), nn.Flatten(), nn.Linear(216, 12), nn.ReLU(), nn.Linear(12, 4)
    )
    initialise(network, 1)
    return wrap(network.double(), ("a", "b", "c", "d"), mean=0.5, std=0.25)


@pytest.fixture(scope="session")
def images(small):
    """20 images with the network's own answers as labels, but for one."""
    pixels = random.uniform(3, "gradient", torch.arange(20), (1, 8, 8)) * 0.6 + 0.2
    labels = small(pixels.double()).argmax(1)
    labels[3] = (labels[3] + 1) % 4
    return ImageSet("made-up", pixels, labels, torch.arange(20) * 3 + 1, small.classes)


# One tiny run of the chapter's experiment, for all tests that read it; the tight search, which costs most, is left out.
TINY = {
    "data": "digits", "networks": ("resnet8-w8",), "runs": 2, "train_images": 400, "epochs": 6,
    "images": 6, "noise_seeds": 2, "variants": ("fixed-clipped", "fresh-clipped"), "fields": 2, "audit": 0.5,
    "sources": 1, "steps": 30, "rate": 8.0, "rates": (16.0,), "tight": 0, "layer_images": 2, "layer_seeds": 1,
    "region_networks": ("resnet8-w8",), "region_samples": 3, "region_searches": 1, "resamples": 20,
}  # fmt: skip


@pytest.fixture(scope="session")
def parameters():
    return Parameters.of(TINY)


@pytest.fixture(scope="session")
def kept(run_once, parameters):
    """The tiny run, and the store that it is kept in."""
    return run_once(rows, parameters)


@pytest.fixture(scope="session")
def found(kept):
    """All rows of the tiny run."""
    return kept.rows


@pytest.fixture
def run(kept, reread):
    """The tiny run's store, for a test that reads it."""
    return reread(kept)
