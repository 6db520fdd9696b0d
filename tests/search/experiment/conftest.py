import pytest

from mistrust.search.experiment import Parameters, rows

# One tiny run of the chapter's experiment, for all tests that read it.
TINY = {
    "doses": ("20",), "models": 2, "epochs": 4, "validation_images": 60, "test_images": 300,
    "distance_steps": 20, "methods": ("adversarial_distance", "low_confidence", "highest_distance", "lakkaraju_coded"),
    "scores": ("knn", "mahalanobis", "ensemble", "dropout"), "replicates": 6, "few": 2, "budget": 20, "oracles": 2,
    "attack_images": 4, "attack_steps": (2, 5), "attack_jumps": (1, 3), "foolbox_steps": 25,
    "control_oracles": 4, "shown": 3, "resamples": 20, "authors": "none",
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
