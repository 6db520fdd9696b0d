"""The command line: help at once, mistakes explained, exit statuses. Running chapters: tests/publishing."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
import urllib.request

import pytest

import mistrust
from mistrust import cli, engine, errors, paths
from mistrust.publishing.commands import console, house


@pytest.fixture
def call(capsys):
    def call(*arguments):
        status = cli.main(list(arguments))
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def test_help_comes_without_the_heavy_libraries():
    probe = (
        "import sys; from mistrust import cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'pandas', 'numpy', 'nbformat', 'yaml'} & set(sys.modules)\nassert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "mistrust run misclassification -p networks=4" in done.stdout


@pytest.mark.parametrize("what", ["chapters", "profiles"])
def test_lists_of_plain_entries_come_without_the_heavy_libraries(what):
    probe = (
        f"import sys; from mistrust import cli\nassert cli.main(['list', '{what}']) == 0\n"
        "heavy = {'torch', 'pandas', 'numpy', 'nbformat'} & set(sys.modules)\nassert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "misclassification" in done.stdout


@pytest.mark.whole
def test_every_verb_is_there_and_explains_itself(call, capsys):
    wanted = {
        "run", "make", "book", "serve", "clean", "lint", "test", "browser", "status", "store", "data", "rows", "claims",
        "list", "ambiguous", "search", "assess", "check", "release",
    }  # fmt: skip
    _, verbs = cli.parser()
    assert set(verbs) == wanted
    for verb in verbs:
        with pytest.raises(SystemExit) as end:
            cli.main([verb, "--help"])
        assert end.value.code == 0
        assert f"usage: mistrust {verb}" in capsys.readouterr().out


def every_command(top, words=()):
    """All commands that do something, by the words that call them."""
    deeper = [one for one in top._actions if isinstance(one, argparse._SubParsersAction)]
    if not deeper:
        yield words, top
    for group in deeper:
        for name, one in group.choices.items():
            yield from every_command(one, (*words, name))


@pytest.mark.parametrize("words", [" ".join(words) for words, _ in every_command(cli.parser()[0])])
def test_every_help_ends_with_examples_that_the_parser_takes(words):
    top, _ = cli.parser()
    mine = dict(every_command(top))[tuple(words.split())]
    lines = [re.split(r"\s{3,}", line.strip())[0] for line in (mine.epilog or "").splitlines()]
    calls = [line for line in lines if line.startswith("mistrust ")]
    assert calls, f"mistrust {words} --help has no example"
    for call in calls:
        given = shlex.split(call)[1:]
        assert given[: len(words.split())] == words.split()
        rest = given[:1] if given[0] in cli.FORWARDED else given  # what follows these belongs to pytest
        assert top.parse_known_args(rest)[1] == []


@pytest.mark.parametrize("verb", ["run", "make", "book"])
def test_help_and_the_table_of_engines_name_every_place_for_pieces(verb, capsys):
    with pytest.raises(SystemExit):
        cli.main([verb, "--help"])
    told = " ".join(capsys.readouterr().out.split())
    for name in (*engine.ENGINES, "tcp://HOST:PORT", "dask://HOST:PORT"):
        assert name in told
        assert f"`{name}`" in engine.__doc__


def test_the_installed_command_is_this_one():
    script = tomllib.loads((paths.PACKAGE.parents[1] / "pyproject.toml").read_text())["project"]["scripts"]["mistrust"]
    assert script == "mistrust.cli:main"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("runn",), "There is no command 'runn'. Did you mean 'run'?"),
        (("list", "chapter"), "There is no list 'chapter'. Did you mean 'chapters'?"),
        (("list", "parameters"), "Whose parameters? `mistrust list parameters CHAPTER`"),
        (("list", "data", "x"), "takes no name"),
        (("list", "supervisors", "mdas"), "There is no supervisor 'mdas'. Did you mean 'mdsa'?"),
        (("list", "supervisor"), "There is no list 'supervisor'. Did you mean 'supervisors'?"),
        (("list", "parameters", "misclasification"), "There is no chapter 'misclasification'. Did you mean 'misclass"),
        (("run", "misclasification"), "There is no chapter 'misclasification'. Did you mean 'misclassification'?"),
        (("claims", "misclasification"), "There is no chapter 'misclasification'"),
        (("claims", "--profile", "ful"), "There is no profile 'ful'. Did you mean 'full'?"),
        (("status", "misclasification"), "There is no chapter 'misclasification'"),
        (("data", "get", "mnit"), "There is no data set 'mnit'. Did you mean 'mnist'?"),
        (("rows", "accept", "misclassification"), "There is no run of chapter 'misclassification' to accept."),
        (("store", "prune", "--kind", "netwrok"), "There is no kind of stored things 'netwrok'."),
        (("serve",), "There is no book in"),
        (("browser",), "There is no book in"),
    ],
)
def test_mistakes_are_explained_without_a_traceback(call, arguments, message):
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("mistrust: ")
    assert message in err
    assert "Traceback" not in err


def test_wrong_options_are_explained(capsys):
    for arguments in (["run"], ["run", "x", "--nonsense"], ["make", "x", "--piece", "1", "--list"], ["store"]):
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        assert end.value.code == 2
        assert "usage: mistrust" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (("store", "prun"), "prune"),
        (("rows", "acept"), "accept"),
        (("run", "x", "--forse"), "--force"),
        (("store", "prune", "--dryrun"), "--dry-run"),
        (("make", "x", "--peice=3"), "--piece"),
        (("--verion",), "--version"),
    ],
)
def test_the_nearest_command_or_option_is_named(capsys, arguments, near):
    with pytest.raises(SystemExit) as end:
        cli.main(list(arguments))
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert err.endswith(f". Did you mean '{near}'?\n")
    assert f"usage: mistrust {arguments[0] if len(arguments) > 1 else ''}" in err


def test_no_command_shows_the_help(call):
    status, out, _ = call()
    assert status == 0
    assert "examples:" in out


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"mistrust {mistrust.__version__}\n"


def test_other_errors_keep_their_traceback_and_an_interrupt_is_130(call, monkeypatch):
    def broken(options):
        raise RuntimeError("a bug")

    def stopped(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(house, "clean", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        call("clean")
    monkeypatch.setattr(house, "clean", stopped)
    status, _, err = call("clean")
    assert status == 130
    assert "the same command goes on from there" in err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied", "/some/file"), "mistrust: /some/file: Permission denied.\n"),
        (OSError(28, "No space left on device"), "mistrust: The system: No space left on device.\n"),
        (OSError("a reason"), "mistrust: The system: a reason.\n"),
    ],
)
def test_what_the_system_refuses_is_named_without_a_traceback(call, monkeypatch, error, said):
    def refused(options):
        raise error

    monkeypatch.setattr(house, "clean", refused)
    assert call("clean") == (2, "", said)


def test_known_names_are_listed_once():
    assert "Known: a, b." in str(errors.UnknownName("thing", "x", ["b", "a", "b"]))


def test_a_data_folder_that_is_none_is_told(call, monkeypatch):
    import warnings

    monkeypatch.setenv("MISTRUST_DATA", "/nonexistent")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        status, out, err = call("data", "list")
    assert status == 0
    assert "mnist5k" in out
    assert err.startswith("mistrust: warning: MISTRUST_DATA names /nonexistent, which is no folder")
    assert err.count("MISTRUST_DATA") == 1


def test_our_warnings_come_without_file_and_line(call, monkeypatch):
    import warnings

    def warned(options):
        warnings.warn("made again", errors.MistrustWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(house, "clean", warned)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert call("clean")[2] == "mistrust: warning: made again\n"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "chapters"), ("misclassification", "notebooks/misclassification.ipynb")),
        (("list", "parameters", "misclassification"), ("networks (int, 1 to 100; ", "[section 3.1]")),
        (("list", "profiles"), ("misclassification smoke: ", "misclassification full: data = 'mnist'")),
        (("list", "profiles", "misclassification"), ("misclassification quick",)),
        (("list", "architectures"), ("mlm-cnn",)),
        (("list", "perturbations"), ("brightness",)),
        (("list", "corruptions"), ("mnistc/fog", "fmnistc/turn_left", "Mu and Gilmer", "cifar10c/snow")),
        (("list", "faults"), ("pixel_trap", "anomaly", "1, 3", "Hendrycks and Dietterich")),
        (("list", "benchmark-sets"), ("gtsrb/noise/spatter/5", "novelty/BTSC")),
        (
            ("list", "supervisors"),
            ("max_softmax", "softmax", "logits, layer", "Kim, Feldt and Yoo, Guiding deep learnin"),
        ),
        (("list", "mechanisms"), ("biased_training", "0, 12, 25", "shift_to_gray")),
        (("list", "distances"), ("boundary-quick", "labels", "deepfool", "gradients")),
        (("list", "searches"), ("adversarial_distance", "fixed order", "lakkaraju_coded", "adapts")),
        (("list", "data"), ("mnist5k", "gtsrb-thin")),
        (("data", "list"), ("mnist5k", "gtsrb-thin")),
        (("store", "list"), ("0 things, 0 bytes, in ",)),
        (("store", "prune", "--dry-run"), ("0 things would be removed",)),
        (("status",), ("misclassification: page: none", "not run yet")),
    ],
)
def test_what_can_be_looked_at(call, arguments, words):
    status, out, err = call(*arguments)
    assert (status, err) == (0, "")
    for word in words:
        assert word in out


@pytest.mark.parametrize(
    ("given", "last"),
    [
        ((), ["-m", "not whole"]),
        (("-m", "whole"), ["-m", "whole"]),
        (("tests/store/test_killed.py",), ["tests/store/test_killed.py"]),  # whole, and asked for by its name
    ],
)
def test_tests_that_run_something_whole_are_left_out_where_nothing_is_asked_for(call, monkeypatch, given, last):
    asked = []
    monkeypatch.setattr(house.subprocess, "call", lambda command, cwd: asked.append(command) or 0)
    assert call("test", *given)[0] == 0
    assert asked[0][-len(last) :] == last
    assert ("not whole" in asked[0]) is (not given)


@pytest.mark.whole
def test_waiting_for_a_state_or_for_verdicts_shows_how_far_it_is(call, monkeypatch):
    monkeypatch.setenv("MISTRUST_PROGRESS", "1")
    _, out, err = call("status", "robustness")
    assert "1/1" in err
    assert "status" not in out
    _, out, err = call("claims", "ambiguity", "--profile", "smoke")  # without rows: at once
    assert re.search(r"claims: 100%.*(\d+)/\1 ", err)
    assert "claims:" not in out


def test_clean_takes_what_runs_left_and_nothing_else(call, house):
    for path in ("html/index.html", "executed/notebooks/a.ipynb", "stage/x", "site.json", "mine/keep.txt"):
        (house / "build" / path).parent.mkdir(parents=True, exist_ok=True)
        (house / "build" / path).touch()
    (house / "store" / "kind").mkdir(parents=True)
    status, out, _ = call("clean")
    assert status == 0
    assert out.endswith("mine\n")
    assert [path.name for path in (house / "build").iterdir()] == ["mine"]
    assert (house / "store" / "kind").is_dir()
    (house / "build" / "mine" / "keep.txt").unlink()
    (house / "build" / "mine").rmdir()
    assert call("clean") == (0, "", "")
    assert not (house / "build").exists()
    assert call("clean") == (0, "", "")


def test_clean_deletes_nothing_in_a_folder_that_is_shut(call, house, monkeypatch):
    (house / "build" / "html").mkdir(parents=True)
    with monkeypatch.context() as patch:  # root may write everywhere
        patch.setattr(os, "access", lambda path, mode: False)
        status, _, err = call("clean")
    assert status == 2
    assert err.startswith(f"mistrust: {house / 'build'} cannot be written to, so nothing was deleted. Make")
    assert "MISTRUST_BUILD" in err
    assert (house / "build" / "html").is_dir()


def test_clean_names_what_it_cannot_delete(call, house, monkeypatch):
    page = house / "build" / "html" / "a"
    page.parent.mkdir(parents=True)

    def refused(path):
        raise PermissionError(13, "Permission denied", str(page))

    monkeypatch.setattr("shutil.rmtree", refused)
    status, _, err = call("clean")
    assert status == 2
    assert err.startswith(f"mistrust: {page} could not be deleted (Permission denied). Make the folder writable")


@pytest.mark.whole
def test_serve_shows_the_book_to_this_machine_alone(house):
    (house / "build" / "html").mkdir(parents=True)
    (house / "build" / "html" / "index.html").write_text("a page")
    command = [sys.executable, "-m", "mistrust.cli", "serve", "--port", "18640"]
    served = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) for _ in range(2)]
    try:
        said = [one.stdout.readline() for one in served]
        ports = sorted(int(line.split("localhost:")[1].split("/")[0]) for line in said)
        assert len(set(ports)) == 2  # the second took the next free one
        for port in ports:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
                assert page.read() == b"a page"
    finally:
        for one in served:
            one.terminate()
            one.communicate()


def test_text_for_a_terminal():
    assert console.table([("a", 1, "x"), ("bb", 22, "")], ("one", "n", "note")) == "one  n   note\na    1   x\nbb   22"
    assert console.table([]) == ""
    assert [console.size(n) for n in (0, 999, 1000, 2_500_000, 7.25e9)] == [
        "0 bytes",
        "999 bytes",
        "1 kB",
        "2 MB",
        "7.2 GB",
    ]


@pytest.mark.whole
def test_lint_runs_every_check_and_says_which_found_something(call, monkeypatch, tmp_path):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    (tmp_path / "pyproject.toml").write_text('[tool.pyrefly]\nproject-includes = ["a.py"]\n')
    (tmp_path / "a.py").write_text("import os\nx: int = 'a'\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: a\n")  # by this a clone is known
    start = time.monotonic()
    status, out, _ = call("lint")
    assert status == 1
    assert out.splitlines()[-1] == "lint: ruff, ruff, pyrefly, lint-imports found something"
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    "words",
    ["run search", "make search", "make search --list", "book", "status", "claims", "rows accept search",
     "rows compare search", "rows restore search", "release", "lint", "test"],
)  # fmt: skip
def test_what_reads_the_project_says_so_where_only_the_library_is(call, monkeypatch, tmp_path, words):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    status, _, err = call(*words.split())
    assert status == 2
    assert f"`mistrust {words.split()[0]}` needs a clone of the project" in err
    assert "MISTRUST_ROOT" in err


@pytest.mark.parametrize("answer", ["-1/4", "-0.25", "-25%", "-.25"])
def test_an_answer_below_zero_is_no_option(call, answer):
    status, out, err = call("check", "ceiling", answer)
    assert (status, out) == (2, "")
    assert err.startswith(f"mistrust: The answer to 'ceiling' is {answer}, expected one number in [0, 1]")
