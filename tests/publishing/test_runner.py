"""Chapters really run: real papermill, real kernels, some of them really killed."""

import os
import re
import signal
import tempfile
from argparse import Namespace
from contextlib import ExitStack, nullcontext
from pathlib import Path

import killing
import nbformat
import psutil
import pytest
import tiny_run

from mistrust import engine, paths
from mistrust.engine import cluster
from mistrust.errors import MistrustError, NotHere
from mistrust.publishing import chapter_run, claims, freshness, preflight, runner
from mistrust.publishing.chapters import CHAPTERS
from mistrust.store import entries

pytestmark = pytest.mark.whole

HERE = Path(__file__).parent
LIGHT = "print(networks, rate, data, flag, levels, limit, type(flag).__name__)"  # loads nothing


@pytest.fixture(autouse=True)
def library(tmp_path, monkeypatch):
    """A library that nobody else edits while the test compares its digests."""
    package = tmp_path / "lib" / "mistrust"
    (package / "figures").mkdir(parents=True)
    (package / "figures" / "tiny.py").write_text("colour = 1\n")
    (package / "cli.py").write_text("verbs = 1\n")
    monkeypatch.setattr(paths, "PACKAGE", package)
    return package


@pytest.fixture
def light(project, parameters):
    project.chapter(parameters, LIGHT)
    return project


@pytest.fixture
def parameters():
    source = nbformat.read(CHAPTERS["tiny"].path, as_version=4) if "tiny" in CHAPTERS else None
    return source.cells[1].source


@pytest.fixture
def run():
    """Run chapters through the library; gives what was said."""

    def call(*names, profile="quick", p=(), **more):
        said = []
        runner.run(runner.plan(names, profile, p), say=said.append, **more)
        return "\n".join(said)

    return call


def test_parameters_arrive_with_their_types_and_the_page_shows_them(project, run):
    said = run("tiny", p=["flag=false", "levels=3,4", "limit=0.5"])
    assert project.output() == "2 0.5 digits False [3, 4] 0.5 bool\n[0.5, 1.0]\n"
    cells = nbformat.read(project.executed(), as_version=4).cells
    assert [cell.id for cell in cells] == ["head", "cell-0", "cell-1"]  # no injected cell
    assert "flag = False\nlevels = [3, 4]\nlimit = 0.5" in cells[1].source
    assert [cell.execution_count for cell in cells[1:]] == [1, 2]
    assert "tiny (custom): runs, because: not run yet" in said
    assert (project.build / "rows" / "tiny" / "values.custom.csv").is_file()
    assert "flag = True" in CHAPTERS["tiny"].path.read_text()  # never written back


def test_nothing_is_run_again_until_something_changed(light, run, library, parameters):
    assert "runs, because: not run yet" in run("tiny")
    assert "fresh, not run again" in run("tiny")
    (library / "cli.py").write_text("verbs = 2\n")
    assert "fresh" in run("tiny")

    def why(**more):
        return freshness.why(CHAPTERS["tiny"], CHAPTERS["tiny"].parameters()(**more))

    assert why(networks=1, levels=(1,)) == ["parameter levels: [1, 2] -> [1]", "parameter networks: 2 -> 1"]
    (library / "figures" / "tiny.py").write_text("colour = 2\n")
    (library / "new.py").write_text("")
    assert why() == ["lib/mistrust/figures/tiny.py changed", "lib/mistrust/new.py is new"]
    (library / "new.py").unlink()
    (library / "figures" / "tiny.py").write_text("colour = 1\n")
    assert why() == []
    published = light.root / "data" / "published" / "tiny-table1.csv"
    published.parent.mkdir(parents=True)
    published.write_text("x")
    assert why() == ["data/published/tiny-table1.csv is new"]
    published.unlink()
    (light.build / "rows" / "tiny" / "values.quick.csv").write_text("x")
    assert why() == ["rows of the run changed"]
    light.executed().write_text("{}")
    assert why() == ["executed notebook altered", "rows of the run changed"]
    light.executed().unlink()
    assert "executed notebook missing" in why()
    light.chapter(parameters, LIGHT + "\n")
    assert "notebook changed" in run("tiny")
    assert "fresh" in run("tiny")


def test_two_runs_are_byte_equal(project, run, parameters):
    shout = "    print(i, flush=True)\n    print(i / 7, file=sys.stderr, flush=True)\n"
    noisy = f"import sys\nfor i in range(3):\n{shout}object()"
    project.chapter(parameters, noisy)
    run("tiny")
    first = project.executed().read_bytes()
    run("tiny", force=True)
    assert project.executed().read_bytes() == first
    assert b"<object at 0x0>" in first
    assert b'"name": "stderr"' not in first


@pytest.mark.parametrize(
    ("cores", "gigabytes", "wanted"), [(2, 24, 2), (2, 5.9, 1), (8, 10, 3), (64, 512, 4), (1, 64, 1), (4, 0.5, 1)]
)
def test_as_many_notebooks_as_cores_and_memory_allow(cores, gigabytes, wanted, monkeypatch):
    monkeypatch.setattr(preflight.engine, "cores", lambda: cores)
    monkeypatch.setattr(preflight.free, "memory", lambda: int(gigabytes * 2**30))
    assert preflight.side_by_side() == wanted


def test_two_chapters_run_at_the_same_time(project, run, parameters):
    meet = """import pathlib, time
here = pathlib.Path(r"{root}")
(here / "{own}").touch()
start = time.monotonic()
while not (here / "{other}").exists():
    assert time.monotonic() - start < 60
    time.sleep(0.02)
print("met", pathlib.Path.cwd().name)"""
    project.chapter(parameters, meet.format(root=project.root, own="a", other="b"))
    project.chapter(parameters, meet.format(root=project.root, own="b", other="a"), name="other")
    run("tiny", "other", parallel=2)
    assert project.output("tiny") == project.output("other") == "met notebooks\n"


def test_a_failing_cell_is_told_shortly_and_leaves_no_page(light, mistrust, parameters):
    for former in (light.executed(), light.page()):
        former.parent.mkdir(parents=True)
        former.write_text("of a former run")
    light.chapter(parameters, "# divide\n1 / 0", "print('never')")
    light.chapter(parameters, LIGHT, name="other")
    status, _, err = mistrust("run", "tiny", "other")
    assert status == 2
    assert "tiny: cell 3 failed\n  1 / 0\n  ZeroDivisionError: division by zero\n" in err
    assert "No page was made for tiny, and a former one was taken away." in err
    assert "Traceback" not in err
    assert not light.executed().exists()
    assert not light.page().exists()
    assert light.executed("other").exists()
    assert light.page("other").exists()  # one chapter's failure withholds no other's page
    kept = light.build / "executed" / "failed" / "tiny.ipynb"
    assert f"as far as it ran: {kept}" in err
    assert "ZeroDivisionError" in kept.read_text()
    assert freshness.why(CHAPTERS["tiny"], CHAPTERS["tiny"].parameters()()) == ["the last run failed"]


def test_a_killed_kernel_is_no_success(project, run, parameters):
    project.chapter(parameters, "import os\nos.kill(os.getpid(), 9)", "print('never')")
    project.chapter(parameters, "import os", "os.kill(os.getpid(), 9)", name="other")
    with pytest.raises(MistrustError) as caught:
        run("tiny", "other", parallel=2)
    for told in (
        r"tiny: cell 3 failed\n  import os\n  DeadKernelError: the kernel died",
        r"other: cell 4 failed\n  os.kill.*\n  DeadKernelError",
    ):
        assert re.search(told, str(caught.value))
    assert not project.executed().exists()
    assert not project.executed("other").exists()


# Loaded at the start of every Python process that finds it: the first kernels end before they say anything.
STILLBORN = """
import os, sys
from pathlib import Path
born = Path(__file__).with_name("born")
if any("ipykernel_launcher" in word for word in sys.orig_argv):
    with born.open("a") as file:
        file.write("x")
    if len(born.read_text()) <= {}:
        os._exit(1)
"""


@pytest.mark.parametrize(("dying", "told"), [(2, ""), (3, "tiny: the notebook did not start\n  RuntimeError: Kernel")])
def test_a_kernel_that_ends_before_its_first_word_is_started_again_but_not_for_ever(
    light, run, monkeypatch, tmp_path, dying, told
):
    """As one does whose ports another program was given meanwhile."""
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "sitecustomize.py").write_text(STILLBORN.format(dying))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "start"))
    with pytest.raises(MistrustError, match=told) if told else nullcontext():
        run("tiny")
    assert len((tmp_path / "start" / "born").read_text()) == 3
    assert light.executed().is_file() == (not told)


def test_a_failing_piece_fails_its_chapter_and_keeps_the_others(light, run, monkeypatch):
    monkeypatch.setenv("TINY_BAD", "network 1")
    with pytest.raises(
        MistrustError, match=r"(?s)^tiny: 1 of 2 pieces failed; the.*:\n  network 1: network 1 is bad\nNo page was"
    ):
        run("tiny")
    assert not light.executed().exists()
    assert len(entries()) == 1
    monkeypatch.delenv("TINY_BAD")
    before = entries()[0].made
    run("tiny")
    assert min(one.made for one in entries()) == before
    assert light.executed().exists()


def test_warnings_are_told_and_are_errors_under_strict(project, run, parameters):
    project.chapter(parameters, "import warnings\nwarnings.warn('mind the gap')")
    assert "tiny: cell 3: " in (said := run("tiny"))
    assert "UserWarning: mind the gap" in said
    assert "mind the gap')" in project.executed().read_text()  # the source, and no output
    assert "stderr" not in project.executed().read_text()
    with pytest.raises(MistrustError, match=r"(?s)warnings, which are errors under --strict.*mind the gap"):
        run("tiny", strict=True)
    assert not project.executed().exists()


def test_everything_is_checked_before_anything_runs(light, mistrust, parameters):
    light.chapter(parameters, LIGHT, name="other", tags=())
    for arguments, message in (
        (("tiny", "other"), r"other.ipynb has no cell tagged 'parameters'"),
        (("tiny", "tinny"), "There is no chapter 'tinny'. Did you mean 'tiny'?"),
        (("tiny", "--profile", "quik"), "There is no profile 'quik'. Did you mean 'quick'?"),
        (("tiny", "-p", "networks=9"), "'networks' is 9, expected 1 to 8: how many"),
        (("tiny", "-p", "network=1"), "no parameter 'network'. Did you mean 'networks'?"),
        (("tiny", "--jobs", "0"), "--jobs is 0, expected at least 1"),
    ):
        status, out, err = mistrust("run", *arguments)
        assert status == 2
        assert message in err
        assert out == ""
    assert not light.build.exists()
    assert not entries()


def test_a_dry_run_says_all_and_makes_nothing(light, mistrust, run):
    status, out, _ = mistrust("run", "tiny", "--profile", "full", "-p", "networks=3", "--dry-run")
    assert status == 0
    assert out.startswith("tiny (custom)\n  parameters\n    networks = 3\n    rate = 0.25\n")
    assert "    3 network 2: not made yet\n  notebook notebooks/tiny.ipynb: runs: not run yet\n" in out
    assert str(light.page()) in out
    assert not light.house.exists()
    run("tiny", profile="full", p=["networks=3"])
    _, out, _ = mistrust("run", "tiny", "--profile", "full", "-p", "networks=3", "--dry-run")
    assert "    3 network 2: in the store\n  notebook notebooks/tiny.ipynb: fresh, does not run\n" in out


def test_make_needs_no_notebook_run(light, mistrust):
    assert mistrust("make", "tiny", "--list")[1] == "1 network 0\n2 network 1\n"
    assert mistrust("make", "tiny", "--piece", "2")[:2] == (0, "tiny (quick), network 1: 1 rows, kept in the store\n")
    assert [one.spec["piece"] for one in entries()] == ["network 1"]
    assert not (light.build / "rows").exists()
    assert mistrust("make", "tiny", "--piece", "network 1")[0] == 0
    assert mistrust("make", "tiny", "-p", "networks=3", "--piece", "3", "--piece", "network 0")[1].splitlines() == [
        "tiny (custom), network 2: 1 rows, kept in the store", "tiny (custom), network 0: 1 rows, kept in the store",
    ]  # fmt: skip
    several = mistrust("make", "tiny", "-p", "networks=4", "--piece", "4", "--piece", "7")
    assert (several[0], several[1]) == (2, "")  # nothing is made where one is unknown
    status, out, _ = mistrust("make", "tiny")
    assert (status, out) == (0, f"tiny (quick): 2 rows in {light.build / 'rows' / 'tiny'}\n")
    assert (light.build / "rows" / "tiny" / "values.quick.csv").is_file()
    assert not light.executed().exists()
    for piece, message in (
        ("3", "no piece 3: pieces are numbered 1 to 2"),
        ("0", "no piece 0"),
        ("network 7", "There is no piece 'network 7'. Did you mean 'network"),
    ):
        status, _, err = mistrust("make", "tiny", "--piece", piece)
        assert status == 2
        assert message in err


def test_a_folder_that_cannot_be_written_to(light, mistrust, monkeypatch):
    with tempfile.TemporaryDirectory() as closed:
        Path(closed).chmod(0o555)
        if os.geteuid() == 0:
            os.seteuid(65534)  # to root every folder is writable
        try:
            with pytest.raises(MistrustError, match=r"cannot be written to \(Permission denied\): make it"):
                preflight.writable(Path(closed) / "build", "MISTRUST_BUILD")
        finally:
            if os.getuid() == 0:
                os.seteuid(0)
    taken = light.root / "a file"
    taken.touch()
    monkeypatch.setenv("MISTRUST_BUILD", str(taken / "build"))
    status, _, err = mistrust("run", "tiny")
    assert status == 2
    assert "MISTRUST_BUILD=folder. Nothing was run." in err
    assert not entries()


@pytest.fixture
def former(light):
    """A good page of a former run and its record, whose chapter is run again and must not lose them."""
    for made in (light.executed(), light.page()):
        made.parent.mkdir(parents=True)
        made.write_text("of a former run")
    record = {"chapter": "tiny", "profile": "quick", "page": freshness.digest(light.executed()), "rows": {}}
    freshness.write(CHAPTERS["tiny"], record)

    def stands():
        assert light.executed().read_text() == light.page().read_text() == "of a former run"
        assert freshness.read(CHAPTERS["tiny"]) == record
        return True

    return stands


def test_nothing_is_lost_by_what_is_not_the_chapters_fault(former, light, mistrust, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 0.2)
    for engine_name, message in (
        ("loca", "There is no engine 'loca'. Did you mean 'local'?"),
        ("tcp://127.0.0.1:9", "No Dask scheduler answers at tcp://127.0.0.1:9"),
        ("tcp://localhost", "'tcp://localhost' is no address of a Dask scheduler, expected tcp://HOST:PORT"),
    ):
        for verb in (("run", "tiny", "--force"), ("make", "tiny"), ("make", "tiny", "--piece", "1")):
            status, out, err = mistrust(*verb, "--engine", engine_name)
            assert (status, out) == (2, "")
            assert message in err
            assert former()
    for verb in (("make", "tiny", "--list"), ("run", "tiny", "--dry-run")):
        assert mistrust(*verb, "--engine", "loca")[0] == 2
    taken = light.root / "a file"
    taken.touch()
    monkeypatch.setenv("MISTRUST_STORE", str(taken / "store"))
    status, _, err = mistrust("run", "tiny", "--force")
    assert status == 2
    assert "cannot be written to (Not a directory): make it writable, or name another one by MISTRUST_STORE=" in err
    assert former()


def test_a_fault_of_the_machine_on_the_way_leaves_the_former_page(former, run, monkeypatch):
    def gone(*_, **__):
        raise MistrustError("the scheduler went away")

    with monkeypatch.context() as patch:
        patch.setattr(engine, "map", gone)
        with pytest.raises(MistrustError, match=r"tiny: the scheduler went away\nNo page .* a former one is as it was"):
            run("tiny", force=True)
    assert former()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(chapter_run, "publish", full)
    with pytest.raises(MistrustError, match="No space left on device"):
        run("tiny", force=True)
    assert former()


def test_what_only_the_experiment_can_judge_is_refused_before_anything_runs(light, mistrust, monkeypatch):
    module = CHAPTERS["tiny"].module()

    def inputs(parameters):
        if parameters.data != "digits":
            raise MistrustError(f"There is no data set '{parameters.data}'.")
        return {}

    def check(parameters):
        if parameters.rate == 0:
            raise MistrustError("rate is 0, which trains nothing.")

    monkeypatch.setattr(module, "inputs", inputs)
    monkeypatch.setattr(module, "check", check, raising=False)
    for assignment, message in (("data=digts", "There is no data set 'digts'."), ("rate=0", "rate is 0, which")):
        for verb in (("run", "tiny"), ("run", "tiny", "--dry-run"), ("make", "tiny"), ("make", "tiny", "--list")):
            status, out, err = mistrust(*verb, "-p", assignment)
            assert (status, out) == (2, "")
            assert message in err
    assert not light.build.exists()
    assert not entries()


def test_pieces_are_listed_of_data_that_are_not_on_this_machine(light, mistrust, monkeypatch):
    def inputs(parameters):
        raise NotHere("The test part of 'cifar10' is not here.")

    monkeypatch.setattr(CHAPTERS["tiny"].module(), "inputs", inputs)
    assert mistrust("make", "tiny", "--list")[:2] == (0, "1 network 0\n2 network 1\n")
    assert "'cifar10' is not here" in mistrust("make", "tiny")[2]


def test_what_a_page_reads_is_checked_before_anything_runs(light, mistrust, monkeypatch):
    folder = light.root / "data" / "published"
    folder.mkdir(parents=True)
    (folder / "tiny-table1.csv").write_text("chaptr\n")
    status, out, err = mistrust("run", "tiny")
    assert (status, out) == (2, "")
    assert "tiny-table1.csv, line 1: unknown column 'chaptr'. Did you mean 'chapter'?" in err
    assert mistrust("make", "tiny", "--list")[0] == 0  # rows are made without them
    (folder / "tiny-table1.csv").unlink()
    monkeypatch.setitem(claims.TESTS._entries, "tiny test", Namespace(chapter="tiny"))
    (folder / "claims.csv").write_text("id,paper,place,claim,test\na,mlm,section 1,d,tinny test\n")
    assert "line 2, claim 'a': There is no claim test 'tinny test'" in mistrust("run", "tiny", "--dry-run")[2]
    (folder / "claims.csv").unlink()
    claims.TESTS._entries.pop("tiny test")
    accepted = light.root / "data" / "results" / "tiny"
    accepted.mkdir(parents=True)
    (accepted / "full.json").write_text("{")
    assert "full.json" in mistrust("run", "tiny", "--dry-run")[2]
    assert not light.build.exists()


def test_a_device_is_checked_and_reaches_the_kernel(light, mistrust, parameters, monkeypatch):
    monkeypatch.setenv("MISTRUST_DEVICE", "auto")
    for verb in (("run", "tiny"), ("make", "tiny", "--list"), ("book", "--dry-run")):
        assert "There is no device 'cpuu'. Did you mean 'cpu'?" in mistrust(*verb, "--device", "cpuu")[2]
    light.chapter(parameters, "import os\nprint(os.environ['MISTRUST_DEVICE'])")
    assert mistrust("run", "tiny", "--no-page", "--device", "cpu")[0] == 0
    assert light.output() == "cpu\n"


@pytest.fixture
def started(tmp_path):
    """Start a run of eight pieces in a process of its own; what it says is in the file."""
    said = tmp_path / "said"
    said.touch()
    with ExitStack() as ended:

        def start(**environment):
            environment["PYTHONPATH"] = str(HERE)  # for its kernel
            return ended.enter_context(killing.running(tiny_run.alone, said, environment))

        yield start, said


def until(condition, process, said):
    """Wait until something is so while a process runs; where that never comes, show what was said."""
    try:
        killing.until(lambda: condition() or process.exitcode is not None, 90)
        assert process.exitcode is None
    except AssertionError:
        pytest.fail(said.read_text())


def good():
    return {one.key: one.made for one in entries() if one.state == "good"}


def test_killed_among_its_pieces_a_run_goes_on_where_it_was(light, run, started):
    start, said = started
    killed = start(TINY_SECONDS="0.3")
    until(lambda: len(good()) >= 2, killed, said)
    killed.kill()
    killed.join(60)
    assert killed.exitcode == -signal.SIGKILL
    kept = good()
    assert 2 <= len(kept) < 8
    assert not light.executed().exists()
    run("tiny", p=["networks=8"])
    assert {key: made for key, made in good().items() if key in kept} == kept
    assert len(good()) == 8
    assert light.output() == "8 0.5 digits True [1, 2] None bool\n"


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_its_notebook_a_run_leaves_no_process_and_no_new_page(project, parameters, run, sent, started):
    sign = project.root / "kernel"
    project.executed().parent.mkdir(parents=True)
    project.executed().write_text("of a former run")
    project.chapter(parameters, f"import os, time\nopen(r'{sign}', 'w').write(str(os.getpid()))\ntime.sleep(90)")
    start, file = started
    ended = start()
    until(lambda: sign.exists() and sign.read_text(), ended, file)
    below = psutil.Process(ended.pid).children(recursive=True)
    assert int(sign.read_text()) in [one.pid for one in below]
    os.kill(ended.pid, sent)
    ended.join(60)
    said = file.read_text()
    assert ended.exitcode == (130 if sent == signal.SIGINT else -sent)
    assert ("the same command goes on from there" in said) == (sent == signal.SIGINT)
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(below, timeout=20)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
    assert project.executed().read_text() == "of a former run"  # an interrupted chapter has not failed
    if sent == signal.SIGINT:
        return
    project.chapter(parameters, LIGHT)
    run("tiny", p=["networks=8"])
    assert project.output() == "8 0.5 digits True [1, 2] None bool\n"
    assert not (project.build / "executed" / "work" / "tiny").exists()
