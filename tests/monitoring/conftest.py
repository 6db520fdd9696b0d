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
def kept(tmp_path_factory):
    """The store that the tiny run is kept in."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="session")
def found(parameters, kept):
    """All rows of the tiny run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(kept))
        patch.setenv("MISTRUST_ENGINE", "inline")
        patch.setenv("MISTRUST_PROGRESS", "0")
        return rows(parameters)


@pytest.fixture
def run(found, kept, monkeypatch):
    """The tiny run's store, for a test that reads it."""
    monkeypatch.setenv("MISTRUST_STORE", str(kept))
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    return found
