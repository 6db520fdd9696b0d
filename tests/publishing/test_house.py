"""What commands give the processes that they start."""

import os
import subprocess
import sys

import pytest

from mistrust.publishing.commands.bytecode import compiling_once
from mistrust.publishing.commands.house import LEFT


@pytest.fixture
def settings(monkeypatch):
    """This process's own, put back afterwards."""
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        monkeypatch.setenv(name, "")  # so that it is put back even where there was none
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    return monkeypatch


def test_processes_compile_once_where_nothing_may_lie_beside_the_sources(house, settings, tmp_path):
    settings.setenv("PYTHONDONTWRITEBYTECODE", "1")
    compiling_once()
    place = house / "build" / "bytecode"
    assert (sys.pycache_prefix, sys.dont_write_bytecode) == (str(place), False)
    (tmp_path / "tried.py").write_text("colour = 1\n")
    subprocess.run([sys.executable, "-c", "import tried"], cwd=tmp_path, check=True)
    assert not (tmp_path / "__pycache__").exists()
    assert len(list(place.rglob("tried.*.pyc"))) == 1
    assert "bytecode" in LEFT  # `mistrust clean` takes it away


def test_other_settings_are_left_alone(settings):
    settings.setenv("PYTHONPYCACHEPREFIX", "there")
    compiling_once()
    assert (os.environ["PYTHONPYCACHEPREFIX"], sys.pycache_prefix, sys.dont_write_bytecode) == ("there", None, True)
    settings.setenv("PYTHONDONTWRITEBYTECODE", "x")
    compiling_once()
    assert (os.environ["PYTHONPYCACHEPREFIX"], sys.pycache_prefix) == ("there", "there")
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
