"""What commands give the processes that they start."""

import os
import py_compile
import subprocess
import sys
import sysconfig

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


@pytest.mark.whole
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


def test_what_was_compiled_when_libraries_were_installed_is_not_compiled_again(house, settings, tmp_path):
    library = tmp_path / "library"
    (library / "tests").mkdir(parents=True)
    for name in ("good", "outdated", "tests/passed"):
        source = library / f"{name}.py"
        source.write_text("colour = 1\n")
        py_compile.compile(source, optimize=0)
    (library / "outdated.py").write_text("colour = 22\n")
    before = {path: path.read_bytes() for path in library.rglob("*.pyc")}
    assert len(before) == 3
    settings.setattr(sysconfig, "get_path", lambda name: str(library))
    settings.setenv("PYTHONDONTWRITEBYTECODE", "1")
    compiling_once()
    linked = {path.name.partition(".")[0]: path for path in (house / "build").rglob("*.pyc")}
    assert set(linked) == {"good", "outdated"}
    number = linked["good"].stat().st_ino
    code = "import good, outdated; assert (good.colour, outdated.colour) == (1, 22)"
    subprocess.run([sys.executable, "-c", code], cwd=library, check=True)
    assert linked["good"].stat().st_ino == number  # read, where Python looks for it
    assert linked["outdated"].read_bytes() not in before.values()
    assert {path: path.read_bytes() for path in library.rglob("*.pyc")} == before


def test_other_settings_are_left_alone(settings):
    settings.setenv("PYTHONPYCACHEPREFIX", "there")
    compiling_once()
    assert (os.environ["PYTHONPYCACHEPREFIX"], sys.pycache_prefix, sys.dont_write_bytecode) == ("there", None, True)
    settings.setenv("PYTHONDONTWRITEBYTECODE", "x")
    compiling_once()
    assert (os.environ["PYTHONPYCACHEPREFIX"], sys.pycache_prefix) == ("there", "there")
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
