"""Steps of the book's workflow that are more than a command, run in the shell that GitHub runs them in."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.commands.verbs import parser

ROOT = Path(__file__).parents[2]


def step(words):
    jobs = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8"))["jobs"]
    (found,) = [step["run"] for step in jobs["book"]["steps"] if words in step.get("run", "")]
    return found


@pytest.fixture(scope="module")
def script():
    return step("rows compare")


def stub(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(script, folder, **more):
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder,
        env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PROFILE": "paper", **more},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("published", [False, True])
def test_rows_are_compared_with_those_that_were_published_last(published, script, tmp_path):
    stub(tmp_path / "bin/curl", f'test {int(published)} = 1 && touch former.zip # "$5"')
    stub(tmp_path / ".venv/bin/mistrust", 'echo "said: $*"')
    stub(tmp_path / ".venv/bin/python", 'echo "$*" >>unpacked')
    ran = run(script, tmp_path, SITE="https://site", GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert ran.returncode == 0, ran.stderr
    assert "said: rows compare --profile paper\n" in (tmp_path / "summary").read_text()
    unpacked = tmp_path / "unpacked"  # into the place of accepted rows, with which a run is compared
    assert (unpacked.read_text() if unpacked.exists() else "") == "-m zipfile -e former.zip data/results\n" * published


def test_rows_of_every_chapter_are_put_beside_the_book(tmp_path):
    stub(tmp_path / ".venv/bin/mistrust", 'mkdir -p data/results/$3 && echo "$*" >data/results/$3/paper.json')
    stub(tmp_path / ".venv/bin/python", f'exec {sys.executable} "$@"')
    (tmp_path / "_build/html").mkdir(parents=True)
    ran = run(step("rows accept"), tmp_path)
    assert ran.returncode == 0, ran.stderr
    with zipfile.ZipFile(tmp_path / "_build/html/rows-paper.zip") as kept:
        assert {f"{name}/paper.json" for name in CHAPTERS} <= set(kept.namelist())
        assert kept.read("search/paper.json").decode() == "rows accept search --profile paper\n"


@pytest.mark.parametrize(
    ("status", "trouble", "good"),
    [(0, "", True), (1, "", True), (2, "", False), (130, "", False), (1, "Traceback (most recent call last):", False)],
)
def test_only_what_moved_is_forgiven_and_all_is_told(status, trouble, good, script, tmp_path):
    stub(tmp_path / ".venv/bin/mistrust", f'echo "said: $*"\necho "{trouble}" >&2\nexit {status}')
    stub(tmp_path / "bin/curl", "exit 22")  # nothing is published yet
    summary = tmp_path / "summary"
    ran = run(script, tmp_path, SITE="https://site", GITHUB_STEP_SUMMARY=str(summary))
    assert (ran.returncode == 0) == good
    assert summary.read_text() == f"```text\nsaid: rows compare --profile paper\n{trouble}\n```\n"


def steps():
    """Every step of every workflow that is a command, with the surroundings that it is given by name."""
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            yield from (step["run"] for step in job["steps"] if "run" in step)


@pytest.mark.parametrize("script", sorted(set(steps())))
def test_every_step_is_a_script_of_commands_that_exist(script):
    """Read by bash, by this command line and by make; the steps' own words are looked at above."""
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    names = {"CHAPTER": "search", "chapter": "search", "PROFILE": "paper", "name": "mnist"}
    plain = re.sub(r"\$(\w+)", lambda found: names.get(found[1], found[0]), script)
    commands = re.findall(r"\.venv/bin/mistrust ([^;>\n]+)", plain)
    for command in commands:
        parser()[0].parse_args(shlex.split(command))
    targets = re.findall(r"^make (\w+)", plain, re.MULTILINE)
    files = re.findall(r"(?<!\S)(?:scripts|\.ci)/\w+", plain)
    assert commands or targets or files
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [one for one in targets if f"\n{one}: " not in makefile] == []
    assert [one for one in files if not os.access(ROOT / one, os.X_OK)] == []


def test_the_pieces_of_every_chapter_are_made_before_the_book():
    jobs = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8"))["jobs"]
    assert sorted(jobs["pieces"]["strategy"]["matrix"]["chapter"]) == sorted(CHAPTERS)
    assert (jobs["book"]["needs"], jobs["publish"]["needs"]) == ("pieces", "book")


@pytest.fixture(scope="module")
def rehearsal():
    spec = importlib.util.spec_from_file_location("try_workflow", ROOT / "scripts/try_workflow.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_rehearsal_runs_the_workflows_own_commands_in_their_order(rehearsal):
    workflow = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8"))
    found = list(rehearsal.steps(workflow, ["search"]))
    written = [step.get("run", step.get("uses")).strip() for job in ("pieces", "book")
               for step in workflow["jobs"][job]["steps"]]  # fmt: skip
    assert [command for _, command, _, _ in found] == written
    assert {"CHAPTER": "search"} in [given for _, _, given, told in found if not told]
    ran = [command for _, command, _, told in found if not told]
    for words in ("mistrust make", "mistrust book", "make browser", "rows compare", "rows accept"):
        assert sum(words in command for command in ran) == 1
    assert not any("actions/" in command or "data get" in command for command in ran)
    assert not any("${{" in value for _, _, given, _ in found for value in given.values())
    every = [given["CHAPTER"] for _, _, given, _ in rehearsal.steps(workflow) if "CHAPTER" in given]
    assert sorted(every) == sorted(CHAPTERS)
