"""Every name that a package exports has an example in its docstring; these are run, and so are all others."""

import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

import mistrust
from mistrust.publishing import reference

ROOT = Path(__file__).resolve().parents[1]
EVERY = {
    one.path: one
    for packages in reference.pages().values()
    for package in packages
    for one in reference.names(package)
    if one.kind in ("class", "function") and reference.told()[one.path] == one.path
}


def shown(one):
    """Whether a docstring has a line of code that is run."""
    lines = doctest.DocTestParser().get_examples(inspect.getdoc(one.held) or "")
    return any(not line.options.get(doctest.SKIP) for line in lines)


EXAMPLES = sorted(path for path, one in EVERY.items() if shown(one))


def inner():
    """Docstrings with examples of modules, of methods, and of what no package exports, with the module of each."""
    found = {}
    for info in pkgutil.walk_packages(mistrust.__path__, "mistrust."):
        source = Path(importlib.util.find_spec(info.name).origin).read_text(encoding="utf-8")
        if ">>> " not in source:
            continue
        for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(info.name)):
            if test.name not in reference.told() and any(not one.options.get(doctest.SKIP) for one in test.examples):
                found[test.name] = (test.docstring, info.name)
    return found


INNER = inner()
LONG = (
    "mistrust.publishing.ledger.judged_once",  # judges every claim, which takes a quarter of a minute
    "mistrust.ambiguity.convergence.learn", "mistrust.ambiguity.making.prepare",
    "mistrust.figures.robustness.reread.orders", "mistrust.supervisors.experiment.further.apart",
    "mistrust.supervisors.submodels.train_submodels",
)  # fmt: skip


def marked(names):
    """Names as parameters, those that take long marked whole."""
    return [pytest.param(path, marks=[pytest.mark.whole] if path in LONG else []) for path in sorted(names)]


def exported(around):
    """What a package exports, or what stands in a module that exports nothing."""
    module = importlib.import_module(around)
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("__")]
    return {name: getattr(module, name) for name in names}


def run(text, path, *around):
    """Run one docstring's examples as a reader would, with what its package exports and the usual libraries at hand."""
    given = {"torch": torch, "np": np, "pd": pd}
    for package in around:
        given |= exported(package)
    said = []
    test = doctest.DocTestParser().get_doctest(text, given, path, None, None)
    found = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=said.append)
    assert found.failed == 0, "".join(said)


@pytest.mark.parametrize("path", marked(EXAMPLES))
def test_an_example_gives_what_it_says(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    run(inspect.getdoc(EVERY[path].held), path, EVERY[path].package)
    written = {one.relative_to(tmp_path): one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    # Some make a project of their own, whose files have the names of ours.
    left = [str(one) for one, held in written.items() if (ROOT / one).is_file() and (ROOT / one).read_bytes() == held]
    assert left == [], "an example was run in the project: delete what it left"


@pytest.mark.parametrize("path", marked(INNER))
def test_an_example_that_the_reference_does_not_show_gives_what_it_says(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text, module = INNER[path]
    run(inspect.cleandoc(text), path, module.rpartition(".")[0], module)


@pytest.mark.whole
def test_examples_that_pytest_runs_where_they_stand_write_elsewhere(tmp_path):
    source = tmp_path / "writing.py"
    source.write_text('"""\n>>> from pathlib import Path\n>>> Path("left.txt").write_text("x")\n1\n"""\n')
    only = ["-p", "conftest", "-p", "no:cacheprovider", "--doctest-modules"]  # the project's, which lies above lib
    settings = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", *only, source.name]
    said = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False).stdout
    assert "1 passed" in said
    assert not (tmp_path / "left.txt").exists()


def test_every_name_has_an_example():
    assert len(EVERY) > 500
    assert sorted(set(EVERY) - set(EXAMPLES)) == [], "give these an example (>>> lines in the docstring)"


def test_a_wrong_example_is_found():
    with pytest.raises(AssertionError, match=r"Expected:\n\s+3\n\s*Got:\n\s+2"):
        run(">>> 1 + 1\n3\n", "wrong", "mistrust.evaluation")
