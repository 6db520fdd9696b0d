import pytest


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A store, a cache and a build folder of the test's own: no test writes into the project."""
    folder = tmp_path / "house"
    for name in ("STORE", "CACHE", "BUILD"):
        monkeypatch.setenv(f"MISTRUST_{name}", str(folder / name.lower()))
    monkeypatch.setenv("MISTRUST_PROGRESS", "0")
    return folder
