"""What commands give the processes that they start."""

import importlib.util
import os
import py_compile
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from mistrust.publishing.commands import house as house_commands
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


def test_lints_tools_are_found_beside_python_where_their_files_have_an_ending(house, monkeypatch, tmp_path):
    """As on Windows without the environment activated: `ruff.exe` in its `Scripts`, nothing on the PATH."""
    (tmp_path / "ruff.exe").touch()
    called = []

    def windows(name, path=None):
        return next((str(at) for at in Path(path or "nowhere").glob(f"{name}.exe")), None)

    monkeypatch.setattr(shutil, "which", windows)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python.exe"))
    monkeypatch.setattr(subprocess, "call", lambda command, cwd: called.append(command) or 0)
    assert house_commands._tool("ruff", "check") == 0
    assert called == [[str(tmp_path / "ruff.exe"), "check"]]


@pytest.mark.parametrize(("system", "shared"), [("nt", False), ("posix", True)])
def test_a_port_in_use_is_never_shared_on_windows(monkeypatch, system, shared):
    """SO_REUSEADDR binds there beside who listens already; elsewhere it only takes over what has just ended."""
    spec = importlib.util.spec_from_file_location("house_as_there", house_commands.__file__)
    there = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(os, "name", system)
    spec.loader.exec_module(there)
    monkeypatch.undo()
    monkeypatch.setattr(there.site, "html", lambda: "book")
    with there._server(0) as server:
        assert bool(server.allow_reuse_address) is shared
