"""A small network on 8 by 8 digits and what watches it, made once for all tests that read it."""

import pytest
import torch

from mistrust.comparison.scorers import SCORERS, Watched, asked
from mistrust.data import load
from mistrust.networks import ARCHITECTURES, Recipe, observe, trained
from mistrust.supervisors import SUPERVISORS
from mistrust.supervisors.head import feature_layer

NAME = "ambiguess-fc-relu"
# One supervisor of every need (all of them keep the contract in tests/supervisors), and all that are none.
CHECKED = (
    "max_softmax", "mc_mean_softmax", "ensemble_mean_softmax", "dissector", "outside_the_box", "knn", "mdsa", "odin",
    *(name for name in SCORERS if name not in SUPERVISORS),
)  # fmt: skip


@pytest.fixture(scope="session")
def watched(tmp_path_factory):
    """A network that learnt 200 digits, another for an ensemble, and 100 held-back digits, 40 of them a sample."""
    digits, test = load("digits", "train").take(slice(0, 200)), load("digits", "test")
    recipe = Recipe(epochs=8, batch=16, optimiser="adam", rate=1e-3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(tmp_path_factory.mktemp("networks")))
        patch.setenv("MISTRUST_PROGRESS", "0")
        first, second = (trained(NAME, digits, recipe, seed) for seed in (0, 1))
    entry = ARCHITECTURES[NAME]
    features = feature_layer(observe(first, digits.take(slice(0, 2))))
    held = observe(first, test.take(slice(0, 100)))
    return Watched(
        first, observe(first, digits, layers=[entry.surprise, features]), held, held.take(torch.arange(40)), [second],
        entry.surprise, features, entry.dissector,
        settings={
            "all": {"samples": 4}, "dissector": {"epochs": 1},
            "breaking_noise": {"seeds": 1},
        },
    )  # fmt: skip


@pytest.fixture(scope="session")
def readings(watched, tmp_path_factory):
    """Scorers made for that network; what is learnt lies in a store of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(tmp_path_factory.mktemp("store")))
        patch.setenv("MISTRUST_PROGRESS", "0")
        return {name: SCORERS[name].make(watched) for name in CHECKED}


@pytest.fixture(scope="session")
def record(watched, readings):
    """Six digits that nothing has learnt from, observed once for all scorers."""
    some = load("digits", "test").take(slice(200, 206))
    return observe(watched.classifier, some, **asked(readings))
