"""What can rot in the set-up: pins, targets, links, workflows, and the one-line messages of the bootstrap."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import killing
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version
from pybtex.database import parse_file

import mistrust
from mistrust.assess.models.onnx_file import PACKAGE
from mistrust.data.sources import SOURCES
from mistrust.publishing import profiles
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.papers import PAPERS
from mistrust.search.mechanisms import biased, celeba, overfitted, shifted, zappos

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYTHONS = ("3.11", "3.12", "3.13")
READ_BY = {
    "celeba": celeba.NAME, "zappos": zappos.NAME, "biased_training": biased.NAME, "shift_to_gray": shifted.NAME,
    "overfitting": overfitted.NAME,
}  # fmt: skip
LATER = "import resource, sys, torch\n"  # in the text of a script of its own, which a test starts


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def locked() -> list[tuple[Requirement, int]]:
    """Every requirement of the lock with its number of hashes."""
    joined = LOCK.replace("\\\n", " ")
    entries = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [(Requirement(line.split("--hash")[0]), line.count("--hash=sha256:")) for line in entries]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(python: str) -> dict[str, Version]:
    """Name to version, as Linux with this Python installs it."""
    system = {"python_version": python, "python_full_version": f"{python}.9", "sys_platform": "linux"}
    system |= {"platform_machine": "x86_64", "implementation_name": "cpython"}
    fitting = [one for one, _ in locked() if one.marker is None or one.marker.evaluate(system)]
    names = [canonical(one.name) for one in fitting]
    assert len(names) == len(set(names)), "two versions of one package for one Python"
    return {canonical(one.name): Version(str(one.specifier).removeprefix("==")) for one in fitting}


# The lock


def test_lock_pins_everything_by_version_and_hash_and_names_no_address():
    assert len(locked()) > 100
    for requirement, hashes in locked():
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes > 0, requirement
        assert requirement.url is None
    assert "://" not in LOCK
    assert not re.search(r"^\s*-(-index|-extra-index|-find-links|i|f|e|r)\b", LOCK, re.MULTILINE)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_dependency_is_locked_within_its_range(python):
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [Requirement(text) for text in (*PROJECT["project"]["dependencies"], *extras["book"], *extras["dev"])]
    versions = pinned(python)
    for requirement in wanted:
        assert canonical(requirement.name) in versions, f"{requirement} is not locked: run scripts/lock"
        assert requirement.specifier.contains(versions[canonical(requirement.name)], prereleases=True), requirement


@pytest.mark.parametrize("python", PYTHONS)
def test_lock_keeps_to_the_stated_pins(python):
    versions = pinned(python)
    for text in PROJECT["tool"]["uv"]["constraint-dependencies"]:
        pin = Requirement(text)
        if pin.marker is None or pin.marker.evaluate({"python_version": python}):
            assert pin.specifier.contains(versions[canonical(pin.name)]), f"{pin}: run scripts/lock"


def test_build_backend_is_locked_so_that_installing_needs_no_unpinned_package():
    [backend] = [Requirement(text) for text in PROJECT["build-system"]["requires"]]
    assert backend.specifier.contains(pinned("3.12")[backend.name])


def test_conda_environment_takes_the_same_pins():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    [pip] = [part["pip"] for part in environment["dependencies"] if isinstance(part, dict)]
    assert pip == ["--requirement requirements.lock"]
    [python] = [part for part in environment["dependencies"] if str(part).startswith("python=")]
    assert python.removeprefix("python=") in PYTHONS


# The Makefile


def targets() -> dict[str, str]:
    """Each target with its recipe."""
    return dict(re.findall(r"^([a-z]+):[^\n]*\n((?:\t[^\n]*\n)*)", MAKEFILE, re.MULTILINE))


def test_nothing_tells_to_install_this_project_from_an_index():
    """It is on none, so that `pip install mistrust` would fail, or fetch what a stranger put there under that name."""
    texts = [
        path for one in ("README.md", "CONTRIBUTING.md", "book", "lib", "notebooks") for path in written(ROOT / one)
    ]
    assert len(texts) > 500
    told = re.compile(r"pip\s+\"?\s*\"?install(?:\s+-\S+)*\s+[\"'`]*mistrust\b")
    assert told.search("pip install 'mistrust[assess]'")
    assert told.search("pip install -U mistrust")
    assert not told.search('pip install --editable "./mistrust[book]"')
    assert [str(path) for path in texts if told.search(path.read_text(encoding="utf-8"))] == []


def test_the_package_for_onnx_files_is_named_as_the_project_asks_for_it():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["assess"]
    assert extra == [PACKAGE]
    assert f"`pip install '{PACKAGE}'`" in (ROOT / "book" / "assess.md").read_text(encoding="utf-8")


def written(place):
    """A file, or the files of a folder that people read."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.suffix in {".md", ".py", ".ipynb"})


def test_help_lists_every_target():
    shown = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = re.findall(r"^  make (\w+)\s+\S", shown, re.MULTILINE)
    assert named == list(targets())
    [phony] = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert sorted(phony.split()) == sorted(named)


def test_every_target_is_one_command_of_mistrust():
    for name, recipe in targets().items():
        if name not in ("help", "environment"):
            assert recipe.startswith("\t@$(MISTRUST) "), name
            more = rf"( --profile {name}( --strict)?| -m {name})?"
            assert re.fullmatch(rf"\.venv/bin/mistrust [a-z]+{more}", called(name)), name


def called(target: str, *variables: str) -> str:
    """The command that a target would run after the environment stands."""
    here = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # tests are run by make
    command = ["make", "--dry-run", target, *variables]
    return (
        subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True, check=True)
        .stdout.split("scripts/environment\n")[-1]
        .rstrip()
    )


def test_one_chapter_or_one_piece_at_the_papers_scale():
    assert called("paper", "CHAPTER=search") == ".venv/bin/mistrust make search --profile paper"
    given = called("paper", "CHAPTER=search", "PIECE=authors' rows")
    assert given == '.venv/bin/mistrust make search --profile paper --piece "authors\' rows"'


def test_a_piece_without_its_chapter_is_refused_before_anything_is_made():
    here = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--dry-run", "paper", "PIECE=authors' rows"]
    done = subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name CHAPTER as well, as in make paper CHAPTER=search PIECE=" in done.stderr
    assert called("smoke", "PIECE=1") == ".venv/bin/mistrust book --profile smoke --strict"  # another target's business


# What is kept in the repository


def test_nothing_tracked_is_large():
    large = {str(path.relative_to(ROOT)): path.stat().st_size for path in tracked() if path.stat().st_size > 1_000_000}
    assert large == {}


def test_lines_end_alike_on_every_system():
    """Git for Windows would end them with CR LF, which checksums and shells do not take."""
    names = ["data/results/benchmarks/book.csv", "scripts/environment", "lib/mistrust/rows.py"]
    found = subprocess.run(
        ["git", "check-attr", "eol", "--", *names], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines() == [f"{name}: eol: lf" for name in names]


def test_notebooks_are_committed_without_outputs():
    for path in tracked():
        if path.suffix == ".ipynb":
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                assert not cell.get("outputs"), path
                assert cell.get("execution_count") is None, path


def test_every_test_can_be_collected_where_there_is_no_unix():
    """What only Unix has is imported in the test that wants it, by `pytest.importorskip`."""
    only = re.compile(r"^(?:import|from) (?:resource|fcntl|termios|pty|pwd|grp)\b", re.MULTILINE)
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert [path.name for path in tests if only.search(path.read_text(encoding="utf-8").replace(LATER, ""))] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_to_files_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if link and not (ROOT / link).exists()] == []


@pytest.mark.whole
def test_citation_is_valid_and_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == mistrust.__version__ == PROJECT["project"]["version"]
    schema("vendor.citation-file-format", "CITATION.cff")


def test_every_paper_of_the_book_can_be_cited_from_the_citation_file():
    """Who is asked to cite the paper whose chapter they use finds it there, as the book's own list has it."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    entries = parse_file(str(ROOT / "book/references.bib")).entries
    for paper in PAPERS.values():
        entry = entries[paper.cite]
        title = re.sub("[{}]", "", entry.fields["title"])
        (found,) = [one for one in cited if one["title"] == title]
        family = [" ".join(person.last_names).strip("{}") for person in entry.persons["author"]]
        assert [person.get("family-names", person.get("name")) for person in found["authors"]] == family
        assert str(found.get("year", "")) == entry.fields.get("year", "")


# Workflows


def schema(name: str, *files: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", name, *files]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def workflows() -> list[str]:
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / ".github/workflows").glob("*.yml"))]


@pytest.mark.whole
def test_workflows_are_valid_and_end_by_themselves():
    assert len(workflows()) == 2
    schema("vendor.github-workflows", *workflows())
    schema("custom.github-workflows-require-timeout", *workflows())
    schema("vendor.dependabot", ".github/dependabot.yml")


@pytest.mark.parametrize("path", workflows())
def test_actions_are_pinned_and_rights_are_small(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+(\.\d+\.\d+)?", comment), action
    flow = yaml.safe_load(text)
    assert flow["permissions"] == {"contents": "read"}
    for name, job in flow["jobs"].items():
        assert "permissions" not in job or name == "publish"


def test_the_book_workflow_fetches_all_that_can_be_fetched_and_names_what_cannot():
    """Sets of the paper profile: `mistrust data get` runs for each that it knows, the head names the others."""
    flow = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    papers = {name: profiles.profile(chapter, "paper") for name, chapter in CHAPTERS.items()}
    wanted = {READ_BY[mechanism] for mechanism in papers["search"].mechanisms}
    for name, parameters in papers.items():
        also = () if name == "search" else getattr(parameters, "also", ())  # there it names searches
        for values in (getattr(parameters, "data", ()), also):
            wanted |= {values} if isinstance(values, str) else set(values)
    fetchable = {name for name in wanted if name in SOURCES and SOURCES[name].remotes}
    loops = re.findall(r"for name in (.+?); do (.+)$", flow, re.MULTILINE)
    fetched = [set(names.split()) for names, command in loops if "data get" in command]
    assert len(fetched) == 2  # in the jobs of pieces and in that of the book
    assert all(fetchable <= names for names in fetched)
    head = flow[: flow.index("\nname: ")]
    assert {name for name in wanted if f"`{name}`" in head} == wanted - fetchable


def test_the_same_checks_run_everywhere():
    checks = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]["checks"]
    assert checks["steps"][-1]["run"] == "bash .ci/run ${{ matrix.part }}"
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    parts = re.search(r"^(\w+(?: \| \w+)+)\) ;;$", script, re.MULTILINE)[1].split(" | ")
    assert checks["strategy"]["matrix"]["part"] == parts
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [hook["entry"] for repo in hooks["repos"] for hook in repo["hooks"]] == ["make lint"]
    steps = re.findall(r"^ *make (\w+)$", script, re.MULTILINE)
    assert steps == ["environment", "lint", "test", "whole", "smoke", "browser"]
    refused = subprocess.run(["bash", ".ci/run", "all"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (refused.returncode, "not 'all'" in refused.stderr) == (2, True)


# The bootstrap


class Place:
    """A copy of the scripts in a folder of its own, and a PATH that holds nothing but what is put there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder / "clone", folder / "bin"
        shutil.copytree(ROOT / "scripts", self.folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, self.folder)
        self.bin.mkdir()
        for name in ("dirname", "cut"):
            (self.bin / name).symlink_to(str(shutil.which(name)))
        self.command("git", "exit 0")

    def command(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def python(self, name: str, version: str, fits: bool, venv: bool = True) -> None:
        """A Python that answers as one of this version would; asked to run a file, it says its own name."""
        self.command(
            name,
            f"""case "$*" in
*platform*) echo {version} ;;
*version_info*) exit {0 if fits else 1} ;;
*ensurepip*) exit {0 if venv else 1} ;;
*) echo "{name} runs $2" ;;
esac""",
        )

    def run(self, *command: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
        command = command or ("scripts/environment",)
        environment = {"PATH": str(self.bin), **surroundings}
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def complaint(self, **surroundings: str) -> str:
        """The one line that it stops with."""
        ended = self.run(**surroundings)
        assert ended.returncode == 1
        assert ended.stdout == ""
        [line] = ended.stderr.splitlines()
        return line


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_a_python_that_is_too_old_is_named_with_what_to_install(place):
    place.python("python3", "3.9.2", fits=False)
    assert place.complaint() == (
        "mistrust: needs Python 3.11, 3.12 or 3.13; python3 is 3.9.2. "
        "Install one: apt install python3 python3-venv, or name one: make PYTHON=/path/to/python3.12"
    )


def test_no_python_at_all_is_said(place):
    assert "python3 is missing. Install one: apt install python3 python3-venv" in place.complaint()


def test_the_python_that_was_asked_for_is_the_one_that_is_judged(place):
    place.python("python3", "3.12.1", fits=True)
    place.python("python3.8", "3.8.18", fits=False)
    assert "python3.8 is 3.8.18" in place.complaint(PYTHON="python3.8")


def test_missing_venv_is_named_with_its_package(place):
    place.python("python3", "3.12.4", fits=True, venv=False)
    assert place.complaint().endswith("apt install python3-venv (or python3.12-venv)")


def test_missing_git_is_named_with_its_package(place):
    place.python("python3", "3.12.4", fits=True)
    (place.bin / "git").unlink()
    assert place.complaint() == "mistrust: git is missing. Install it: apt install git"


def test_everything_missing_fits_in_one_line(place):
    (place.bin / "git").unlink()
    place.python("python3", "3.12.4", fits=True, venv=False)
    assert "apt install git python3-venv" in place.complaint()


def test_commands_that_exist_but_do_not_run_are_passed_over(place):
    place.command("python3.13", "echo 'the command exists in these versions: 3.13.0' >&2; exit 127")
    place.python("python3.12", "3.12.4", fits=True, venv=False)
    place.python("python3", "3.11.7", fits=True)
    ended = place.run()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "python3 runs scripts/environment.py\n"


def test_a_wrong_torch_is_refused_before_anything_is_made(place):
    ended = place.run(sys.executable, "scripts/environment.py", TORCH="gpu")
    assert (ended.returncode, ended.stderr) == (1, "mistrust: TORCH is 'gpu', expected 'cpu' or 'locked'.\n")
    assert not (place.folder / ".venv").exists()


@pytest.mark.parametrize(("system", "gigabytes"), [("linux", 7), ("darwin", 3), ("win32", 3)])
def test_only_linux_is_told_of_cudas_gigabytes(tmp_path, system, gigabytes):
    """The lock has CUDA for Linux alone: elsewhere there is nothing to leave out, and often no make."""
    code = (
        "import sys, pathlib, shutil; sys.path.insert(0, 'scripts'); import tempfile, subprocess, os, json, hashlib\n"
        f"sys.platform = {system!r}; import environment as e\n"
        f"e.VENV = pathlib.Path({str(tmp_path / 'venv')!r})\n"
        "shutil.disk_usage = lambda _: shutil._ntuple_diskusage(2e9, 1e9, 1e9); e.clear_place('locked')"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"Setting up .venv, once: {gigabytes} GB on disk; 1 GB are free." in ended.stdout
    assert ("make TORCH=cpu" in ended.stderr) is (system == "linux")


def test_a_folder_in_the_way_is_not_deleted(place):
    keep = place.folder / ".venv" / "letters.txt"
    keep.parent.mkdir()
    keep.write_text("mine", encoding="utf-8")
    ended = place.run(sys.executable, "scripts/environment.py")
    assert ended.returncode == 1
    assert "is in the way: it is no virtual environment" in ended.stderr
    assert keep.read_text(encoding="utf-8") == "mine"


def test_a_lock_without_uv_is_refused_before_anything_is_made(place):
    (place.folder / "requirements.lock").write_text("nothing==1\n", encoding="utf-8")
    ended = place.run(sys.executable, "scripts/environment.py")
    assert ended.returncode == 1
    assert "requirements.lock names no uv with hashes" in ended.stderr
    assert not (place.folder / ".venv").exists()


@pytest.mark.whole
def test_what_stands_is_left_alone_until_something_it_was_made_from_changes(place):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place.folder / ".venv"], check=True)
    python = place.folder / ".venv" / "bin" / "python"
    (place.folder / "stamp.py").write_text(
        "import sys, json; sys.path.insert(0, 'scripts'); import environment as e\n"
        "e.STAMP.write_text(json.dumps(e.description()))",
        encoding="utf-8",
    )
    place.run(str(python), "stamp.py")

    def stands(**surroundings: str) -> bool:
        return place.run(str(python), "-I", "scripts/environment.py", "--stands", **surroundings).returncode == 0

    assert stands()
    assert place.run().stdout == ""  # no other Python is on the PATH: only one that stands can end well
    assert not stands(TORCH="cpu")
    for name in ("requirements.lock", "pyproject.toml"):
        path = place.folder / name
        before = path.read_bytes()
        path.write_bytes(before + b"# a word more\n")
        assert not stands(), name
        path.write_bytes(before)
    assert stands()
    moved = place.folder.rename(place.folder.with_name("moved"))
    assert subprocess.run([moved / ".venv/bin/python", "-I", moved / "scripts/environment.py", "--stands"]).returncode


WHEELS = {  # by their digests, which are made up; and whether Python 3.11 to 3.13 can install them
    "one-1-py2.py3-none-any.whl": True, "one-1-cp311-cp311-manylinux_2_28_x86_64.whl": True,
    "one-1-cp313-cp313-macosx_11_0_arm64.whl": True, "one-1-cp38-abi3-win_amd64.whl": True,
    "one-1-cp310-cp310-win_amd64.whl": False, "one-1-cp313-cp313t-win_amd64.whl": False,
    "one-1-cp314-abi3-win_amd64.whl": False, "one-1-pp311-pypy311_pp73-win_amd64.whl": False,
}  # fmt: skip


def test_the_lock_keeps_the_hashes_that_can_be_installed(tmp_path):
    digests = {name: f"{place:064x}" for place, name in enumerate(("one-1.tar.gz", *WHEELS))}
    hashes = [f"    --hash=sha256:{digest}" for digest in digests.values()]
    lock, named = tmp_path / "lock", tmp_path / "named"
    lock.write_text(" \\\n".join(["one==1 ; python_version < '4'", *hashes]) + "\ntwo==2 \\\n" + hashes[0] + "\n")
    wheels = [
        f'{{ url = "https://files/{name.replace("+", "%2B")}", hashes = {{ sha256 = "{digests[name]}" }} }}'
        for name in WHEELS
    ]
    sdist = f'{{ url = "https://files/one-1.tar.gz", hashes = {{ sha256 = "{digests["one-1.tar.gz"]}" }} }}'
    named.write_text(f'[[packages]]\nname = "one"\nsdist = {sdist}\nwheels = [{", ".join(wheels)}]\n')
    command = [sys.executable, str(ROOT / "scripts" / "installable.py"), str(lock), str(named)]
    subprocess.run(command, check=True)
    left = [digests["one-1.tar.gz"], *(digests[name] for name, kept in WHEELS.items() if kept)]
    assert re.findall("[0-9a-f]{64}", lock.read_text()) == [*left, left[0]]
    assert lock.read_text().startswith("one==1 ; python_version < '4' \\\n    --hash=sha256:")
    named.write_text(f'[[packages]]\nname = "one"\nwheels = [{wheels[4]}]\n')
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode
    assert "no file of one==1 ; python_version < '4', two==2 can be installed by Python 3.11 to 3.13" in ended.stderr


def test_shell_scripts_are_valid():
    for name in ("scripts/environment", "scripts/lock", "scripts/chromium"):
        subprocess.run(["sh", "-n", name], cwd=ROOT, check=True)
    subprocess.run(["bash", "-n", ".ci/run"], cwd=ROOT, check=True)


def test_a_named_browser_is_found(place):
    place.command("my-chromium", "exit 0")
    ended = place.run("scripts/chromium", MISTRUST_CHROMIUM="my-chromium")
    assert shlex.split(ended.stdout) == [str(place.bin / "my-chromium")]


# What the pages tell


def examples(page: str) -> str:
    """All Python examples of a page, one below the other."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    return "\n".join(blocks)


def test_the_example_of_the_readme_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # it saves a monitor
    exec(compile(examples("README.md"), "README.md", "exec"), {"__name__": "readme"})
    out = capsys.readouterr().out
    assert "torch.Size([1000, 10])\ntensor([[0.0000," in out  # the record's shape, then the mean softmax


@pytest.mark.whole
def test_the_examples_of_contributing_run_and_do_what_the_page_says(tmp_path):
    checks = """
import torch
from mistrust.data import load
from mistrust.inputs import faulty, perturbed
from mistrust.monitoring.assembly import assemble
from mistrust.monitoring.benchmark_sets import BenchmarkSet
from mistrust.networks import observe, trained
from mistrust.search.searching import Searching

grey = perturbed(load("bars", "test"), "fading", 10)
assert perturbed(load("bars", "test"), "fading", {"severity": 1}).images.unique().tolist() == [127]
assert len(load("bars", "train")) == 150 and grey.images.max() == 140
black = faulty(load("digits", "test"), "dead_columns", 2).images.eq(0).all(2).sum(2)
assert black.min() >= 3 and black.max() <= 8
stream = assemble(BenchmarkSet("digits", "anomaly", "dead columns", 2, "dead_columns"), load("digits", "test"))
assert (len(stream), int(stream.out.sum())) == (1000, 500)
network = trained("mlm-cnn", load("digits", "train"), Recipe(epochs=1), 0)
record = observe(network, load("digits", "test"), layers=["8"])
scores = Remote().fit(record).score(record)
assert scores.shape == (500,) and 0 < scores.min()
assert torch.allclose(scores, (record.layer("8") - record.layer("8").mean(0)).norm(dim=1).double(), rtol=1e-4)
pool = Pool([0, 1, 2, 3], [0.9, 0.7, 0.8, 0.85], features=[[0.0], [1.0], [5.0], [1.1]])
asked = Searching(pool, "near_errors", 4, threshold=0).against(np.array([False, True, False, False]))
assert asked.tolist() == [1, 3, 2, 0]  # the least confident, an error; beside it; then by confidence again
found = rows(Parameters())
assert list(found["n"]) == [500] and list(found["seed"]) == [0]
assert rows(Parameters()).equals(found)
"""
    script = tmp_path / "pages.py"
    script.write_text(examples("CONTRIBUTING.md") + checks, encoding="utf-8")
    # In a process of its own: the examples add to the tables that other tests list.
    with killing.running(killing.script, tmp_path / "said", script) as ended:
        ended.join(300)
        assert ended.exitcode == 0, (tmp_path / "said").read_text(encoding="utf-8")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("title", "package", "check"),
    [
        ("Add a perturbation", "inputs", "from mistrust.inputs import PERTURBATIONS as t; t['fading']"),
        ("Add a fault", "inputs/faults", "from mistrust.inputs import FAULTS as t; t['dead_columns']"),
        ("Add a supervisor", "supervisors", "from mistrust.supervisors import SUPERVISORS as t; t['remote']"),
        ("Add a search", "search/methods", "from mistrust.search.methods import SEARCHES as t; t['near_errors']"),
    ],
)
def test_an_example_stands_in_its_package_too(title, package, check, tmp_path):
    """Imported by the package itself, as the page says, before the package has its names."""
    # With its bytecode, but for what another process is writing now.
    shutil.copytree(ROOT / "lib", tmp_path / "lib", ignore=shutil.ignore_patterns("*.pyc.*"))
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    place = tmp_path / "lib" / "mistrust" / package
    (place / "aa_added.py").write_text(re.findall(r"```python\n(.*?)```", page, re.S)[0], encoding="utf-8")
    first = f"from mistrust.{package.replace('/', '.')} import aa_added\n"  # where sorted imports would have it
    init = (place / "__init__.py").read_text(encoding="utf-8")
    (place / "__init__.py").write_text(init.replace("from mistrust", f"{first}from mistrust", 1), encoding="utf-8")
    with killing.running(killing.library, tmp_path / "said", tmp_path / "lib", check) as ended:
        ended.join(300)
        assert ended.exitcode == 0, (tmp_path / "said").read_text(encoding="utf-8")


def test_targets_and_pages_name_verbs_that_exist():
    from mistrust.cli import parser

    _, verbs = parser()
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"\$\(MISTRUST\) (\w+)", MAKEFILE)) | set(re.findall(r"(?:`|^)mistrust (\w+)", text, re.M))
    assert len(named) > 8
    assert named <= set(verbs)
