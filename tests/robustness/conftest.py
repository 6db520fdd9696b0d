import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust.data import load
from mistrust.networks import initialise, wrap

# Helpers are imported by name.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def digit_network(tmp_path_factory):
    """A small convolutional network, trained on `mnist5k` for a moment, and images that it was not trained on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_CACHE", str(tmp_path_factory.mktemp("cache")))
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
