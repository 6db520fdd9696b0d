import gc
import hashlib
import importlib.util
import os
import shutil
import signal
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from hypothesis import settings

BROWSER = Path(__file__).resolve().parent / "browser"
sys.path.insert(0, str(Path(__file__).parent))  # for `killing`


def pytest_ignore_collect(collection_path, config):
    """The browser's tests want a browser and a built book: they run when asked for by name, never along.

    And where tests that are marked whole are asked for alone, no file is read that marks none: that takes long.
    """
    if config.option.markexpr == "whole" and collection_path.suffix == ".py":
        return None if "mark.whole" in collection_path.read_text(encoding="utf-8") else True
    if collection_path != BROWSER:
        return None
    asked = (Path(config.invocation_params.dir, argument.partition("::")[0]).resolve() for argument in config.args)
    return None if any(path == BROWSER or BROWSER in path.parents for path in asked) else True


def pytest_configure(config):
    """A shell starts what it puts behind (`make test &`) deaf to Ctrl-C, and so would be what a test interrupts.

    Until all tests are collected, nothing is garbage that is worth the search among all that stays.
    """
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# What takes longest, longest first: begun early, none of it is at work alone while the other workers have ended. A file
# that is not listed is no mistake, nor one that has become fast.
LONGEST = (
    "publishing/test_runner.py", "test_examples.py", "search/attack/test_boundary.py", "ambiguity/test_experiment.py",
    "misclassification/test_experiment.py", "engine/test_cluster.py", "assess/test_assess_command.py",
    "publishing/claim_tests/test_supervisors.py", "robustness/experiment/test_imagenet_pieces.py",
    "publishing/claim_tests/test_misclassification.py", "test_cli.py", "supervisors/test_experiment.py",
    "figures/robustness/test_robustness_pictures.py", "search/experiment/test_experiment.py", "test_setup.py",
    "ambiguity/test_making.py", "publishing/test_site.py", "store/test_killed.py", "supervisors/test_alooc.py",
    "engine/test_map.py", "publishing/test_main_results.py", "monitoring/test_tried.py", "figures/test_pictures.py",
    "monitoring/test_page_example.py", "publishing/test_freshness.py", "publishing/test_results.py",
)  # fmt: skip


def pytest_collection_modifyitems(items):
    """Put what takes longest first."""
    here = Path(__file__).parent
    rank = {here / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Of the workers that begin at once, let each do a share of rewriting the asserts, for all: else each does all."""
    with suppress(Exception):  # the hook is pytest's own and may change: then each does all of it, and is slower
        rewrite_a_share(session)


def rewrite_a_share(session):
    """Import this worker's share of the test modules, by the hook that rewrites them and keeps what it made.

    A module that may import nothing ends at its first import, which comes when that is done.
    """
    given = getattr(session.config, "workerinput", None)
    hook = next((one for one in sys.meta_path if type(one).__name__ == "AssertionRewritingHook"), None)
    if given is None or hook is None or sys.dont_write_bytecode:
        return
    named = {Path(session.config.invocation_params.dir, one.partition("::")[0]) for one in session.config.args}
    files = sorted({file for one in named for file in (one.rglob("test_*.py") if one.is_dir() else [one])})
    for file in files[int(given["workerid"].removeprefix("gw")) :: given["workercount"]]:
        module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(file.stem, file, loader=hook))
        module.__builtins__ = {}
        with suppress(Exception):  # what else is wrong with it is told when it is collected
            hook.exec_module(module)


def pytest_collection_finish(session):
    """Let the collector of garbage pass by the modules and thousands of tests that stay to the end anyway.

    Later it looks at all that is new once that is a quarter of what it found here, so it has to look here once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # thousands of small tests leave little: looked for less often, it costs a tenth
    gc.enable()


# How long an example takes says something about the machine, nothing about the code.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def houses(tmp_path_factory):
    """Folders, one per test, that nobody makes before they are used: most tests write nothing."""
    street = tmp_path_factory.mktemp("houses")
    return (street / str(number) for number in count())


@pytest.fixture(scope="session")
def common(tmp_path_factory):
    """A folder that all workers have in common."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def cellar(common):
    """Where images are kept once they are decoded: for all tests but those about just that, each has its own."""
    folder = common / "cellar"
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


@pytest.fixture(autouse=True)
def draws():
    """Shared random numbers stand alike before each test, whatever ran before it: layers draw their first weights."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


class Kept(NamedTuple):
    """Rows of an experiment, and the store that their pieces lie in."""

    rows: pd.DataFrame
    store: Path


def copy_of(store, place):
    """A copy of a store, without what begins with a dot: locks, and another worker's unfinished work."""
    return shutil.copytree(store, place, ignore=shutil.ignore_patterns(".*"))


@pytest.fixture(scope="session")
def run_once(common, tmp_path_factory, cellar):
    """Run an experiment (from parameters to rows) in a store of its own, for all tests that read what it gave.

    It is made once for all workers: what one of them is making, the others wait for. Each goes on in a copy.
    """

    def run(rows, parameters):
        asked = f"{rows.__module__} {parameters!r}"
        store = common / "stores" / hashlib.sha256(asked.encode()).hexdigest()[:16]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MISTRUST_STORE", str(store))
            patch.setenv("MISTRUST_CACHE", str(cellar))
            patch.setenv("MISTRUST_ENGINE", "inline")
            patch.setenv("MISTRUST_PROGRESS", "0")
            found = rows(parameters)
        return Kept(found, copy_of(store, tmp_path_factory.mktemp("store") / "copy"))

    return run


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Let a test go on in a copy of the store of such a run: what was trained there is not trained again."""

    def copy(kept):
        monkeypatch.setenv("MISTRUST_STORE", str(copy_of(kept.store, tmp_path / "copy")))
        monkeypatch.setenv("MISTRUST_ENGINE", "inline")

    return copy


@pytest.fixture(scope="session")
def lost():
    """Name the pieces whose rows a run does not hold as the store does, so that its files could not bring them back."""
    from mistrust import rows as tidy
    from mistrust.store import key

    def find(experiment, parameters, run):
        def told(rows):
            return tidy.ordered(rows)[[*tidy.IDENTITY, "value", "n", "note"]].astype(object).reset_index(drop=True)

        found = []
        for name in experiment.pieces(parameters):
            keys = {key(*one) for one in experiment.made_from(parameters, name)}
            own = experiment.piece(parameters, name)
            if set(own["made"]) - keys or not told(own).equals(told(run[run["made"].isin(keys)])):
                found.append(name)
        return found

    return find


@pytest.fixture
def reread(monkeypatch):
    """Let a test read the store of such a run; gives its rows."""

    def read(kept):
        monkeypatch.setenv("MISTRUST_STORE", str(kept.store))
        monkeypatch.setenv("MISTRUST_ENGINE", "inline")
        return kept.rows

    return read
