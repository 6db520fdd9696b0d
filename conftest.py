"""For examples that are run where they stand, as by `pytest --doctest-modules lib/mistrust/rows.py`."""

import pytest


@pytest.fixture(autouse=True)
def examples_write_elsewhere(request):
    """What examples write is not left in the folder that they are run in."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
