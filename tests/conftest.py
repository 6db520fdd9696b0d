import gc
import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from hypothesis import settings

BROWSER = Path(__file__).resolve().parent / "browser"
sys.path.insert(0, str(Path(__file__).parent))  # for `killing`


def pytest_ignore_collect(collection_path, config):
    """The browser's tests want a browser and a built book: they run when asked for by name, never along."""
    if collection_path != BROWSER:
        return None
    asked = (Path(config.invocation_params.dir, argument.partition("::")[0]).resolve() for argument in config.args)
    return None if any(path == BROWSER or BROWSER in path.parents for path in asked) else True


def pytest_configure(config):
    """A shell starts what it puts behind (`make test &`) deaf to Ctrl-C, and so would be what a test interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish(session):
    """Let the collector of garbage pass by the modules and thousands of tests that stay to the end anyway."""
    gc.collect()
    gc.freeze()


# How long an example takes says something about the machine, nothing about the code.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def houses(tmp_path_factory):
    """Folders, one a test, that nobody makes before they are used: most tests write nothing."""
    street = tmp_path_factory.mktemp("houses")
    return (street / str(number) for number in count())


@pytest.fixture(scope="session")
def cellar(tmp_path_factory):
    """Where images are kept once they are decoded: for all tests but those about just that, each has its own."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cellar"  # one for all workers
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def house(houses, cellar, monkeypatch):
    """A store and a build folder of the test's own, and a cache: no test writes into the project."""
    folder = next(houses)
    for name in ("STORE", "BUILD"):
        monkeypatch.setenv(f"MISTRUST_{name}", str(folder / name.lower()))
    monkeypatch.setenv("MISTRUST_CACHE", str(cellar))
    monkeypatch.setenv("MISTRUST_PROGRESS", "0")
    return folder


class Kept(NamedTuple):
    """Rows of an experiment, and the store that their pieces lie in."""

    rows: pd.DataFrame
    store: Path


@pytest.fixture(scope="session")
def run_once(tmp_path_factory, cellar):
    """Run an experiment (from parameters to rows) in a store of its own, for all tests that read what it gave."""

    def run(rows, parameters):
        store = tmp_path_factory.mktemp("store")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MISTRUST_STORE", str(store))
            patch.setenv("MISTRUST_CACHE", str(cellar))
            patch.setenv("MISTRUST_ENGINE", "inline")
            patch.setenv("MISTRUST_PROGRESS", "0")
            return Kept(rows(parameters), store)

    return run


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Let a test go on in a copy of the store of such a run: what was trained there is not trained again."""

    def copy(kept):
        monkeypatch.setenv("MISTRUST_STORE", str(shutil.copytree(kept.store, tmp_path / "copy")))
        monkeypatch.setenv("MISTRUST_ENGINE", "inline")

    return copy


@pytest.fixture
def reread(monkeypatch):
    """Let a test read the store of such a run; gives its rows."""

    def read(kept):
        monkeypatch.setenv("MISTRUST_STORE", str(kept.store))
        monkeypatch.setenv("MISTRUST_ENGINE", "inline")
        return kept.rows

    return read
