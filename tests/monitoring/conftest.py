"""One tiny run of the chapter's experiment, for all tests that read it."""

import pytest

from mistrust.monitoring.experiment import Parameters, rows

TINY = {
    "data": ("digits",), "left_out": ("8", "9"), "novel": ("photos",),
    "faults": ("fog", "pixel_trap", "rotated", "fgsm"), "architectures": ("farm-lenet",), "network_epochs": 2,
    "runs": 2, "members": 2, "samples": 4, "supervisors": ("max_softmax", "mdsa"), "trained_on": 500, "images": 160,
    "shown": 2, "resamples": 20,
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
