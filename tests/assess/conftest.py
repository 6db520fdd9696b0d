"""A small world to assess, and reports on it that are made once."""

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from mistrust.assess import Asked, Report, assess
from mistrust.assess.writing import files

sys.path.insert(0, str(Path(__file__).parent))  # what tests share is imported by its name

from small_world import SIDE, bars, folder_of, network


class World(NamedTuple):
    """Folders of test and training images, and the files that a network was saved in."""

    test: Path
    train: Path
    script: Path
    pickled: Path

    def asked(self, **more):
        """The shortest assessment of the TorchScript file."""
        return Asked(**{"model": str(self.script), "images": str(self.test), "minutes": 1e-6, "budget": 12, **more})


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    place = tmp_path_factory.mktemp("world")
    test, train = (folder_of(place / part, *bars(n, seed)) for part, n, seed in (("test", 81, 0), ("train", 60, 1)))
    script, pickled = place / "script.pt", place / "pickled.pt"
    with warnings.catch_warnings():  # torch says that TorchScript is old
        warnings.simplefilter("ignore")
        torch.jit.trace(network(), torch.rand(2, 1, SIDE, SIDE)).save(str(script))
    torch.save(network(), pickled)
    return World(test, train, script, pickled)


class Assessed(NamedTuple):
    """A report, its files, and the store that its pieces lie in."""

    report: Report
    files: dict[str, str]
    store: Path


@pytest.fixture(scope="session")
def assess_once(tmp_path_factory):
    """Assess in a store of its own, for all tests that read what it gave."""

    def run(asked):
        store = tmp_path_factory.mktemp("store")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MISTRUST_STORE", str(store))
            patch.setenv("MISTRUST_PROGRESS", "0")
            report = assess(asked)
            return Assessed(report, files(report), store)

    return run


@pytest.fixture(scope="session")
def whole(world, assess_once):
    """A report with everything: a pickled module, training images."""
    return assess_once(world.asked(model=str(world.pickled), train=str(world.train), trust=True))
