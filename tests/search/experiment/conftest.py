import pytest

from mistrust.search.experiment import Parameters, rows

# One tiny run of the chapter's experiment, for all tests that read it.
TINY = {
    "doses": ("20",), "models": 2, "epochs": 4, "validation_images": 60, "test_images": 300,
    "distance_steps": 20, "methods": ("adversarial_distance", "low_confidence", "highest_distance", "lakkaraju_coded"),
    "scores": ("knn", "mahalanobis", "ensemble", "dropout"), "replicates": 6, "few": 2, "budget": 20, "oracles": 2,
    "attack_images": 6, "attack_steps": (2, 5), "control_oracles": 4, "shown": 3, "resamples": 20, "authors": "none",
}  # fmt: skip


@pytest.fixture(scope="session")
def parameters():
    return Parameters.of(TINY)


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """The store that the tiny run is kept in."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="session")
def found(parameters, kept, tmp_path_factory):
    """All rows of the tiny run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(kept))
        patch.setenv("MISTRUST_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("MISTRUST_ENGINE", "inline")
        patch.setenv("MISTRUST_PROGRESS", "0")
        return rows(parameters)


@pytest.fixture
def run(found, kept, monkeypatch):
    """The tiny run's store, for a test that reads it."""
    monkeypatch.setenv("MISTRUST_STORE", str(kept))
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    return found
