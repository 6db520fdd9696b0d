"""What the workers of the tests do before they begin (`conftest.py`): in an order, and asserts rewritten by shares."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def conftest():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])
        return runpy.run_path(str(HERE / "conftest.py"))


def session(folder, **worker):
    config = SimpleNamespace(workerinput=worker, args=["."], invocation_params=SimpleNamespace(dir=folder))
    return SimpleNamespace(config=config)


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)  # beside the module, wherever this run keeps its own
    path = tmp_path / "test_one.py"
    path.write_text("import os\n\n\ndef test_one():\n    assert os\n")
    return path


def test_files_that_are_begun_first_exist_and_are_named_once(conftest):
    names = conftest["LONGEST"]
    assert [name for name in names if not (HERE / name).is_file()] == []
    assert len(names) == len(set(names))


def test_a_share_of_the_asserts_is_rewritten_and_kept(conftest, module):
    conftest["pytest_collection"](session(module.parent, workerid="gw1", workercount=2))
    assert not list(module.parent.rglob("*.pyc"))  # the other worker's share
    conftest["pytest_collection"](session(module.parent, workerid="gw0", workercount=2))
    assert [path.name.partition(".")[0] for path in module.parent.rglob("*.pyc")] == ["test_one"]


class AssertionRewritingHook:
    """As pytest's is called, and no loader that Python would take."""

    def exec_module(self, module):
        raise NotImplementedError


@pytest.mark.parametrize("finders", [[], [AssertionRewritingHook()]], ids=["no hook", "another hook"])
def test_with_another_pytest_all_workers_rewrite_for_themselves(conftest, module, monkeypatch, finders):
    monkeypatch.setattr(sys, "meta_path", [*finders, *(one for one in sys.meta_path if "Rewriting" not in repr(one))])
    conftest["pytest_collection"](session(module.parent, workerid="gw0", workercount=1))
    assert not list(module.parent.rglob("*.pyc"))


def test_workers_that_are_called_otherwise_rewrite_for_themselves(conftest, module):
    conftest["pytest_collection"](session(module.parent, workerid="far", workercount=1))
    assert not list(module.parent.rglob("*.pyc"))


@pytest.mark.parametrize(
    ("asked", "marked", "read"),
    [("whole", True, True), ("whole", False, False), ("not whole", False, True), ("not whole", True, True)],
)
def test_for_tests_marked_whole_alone_no_other_file_is_read(conftest, module, asked, marked, read):
    if marked:
        module.write_text(f"import pytest\n\npytestmark = pytest.{'mark'}.whole\n")
    config = SimpleNamespace(option=SimpleNamespace(markexpr=asked), args=["."])
    config.invocation_params = SimpleNamespace(dir=module.parent)
    assert conftest["pytest_ignore_collect"](module, config) is (None if read else True)
    assert conftest["pytest_ignore_collect"](module.parent, config) is None  # a folder may hold both
