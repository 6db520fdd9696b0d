"""The one step of the book's workflow that decides by an exit status, run in the shell that GitHub runs it in."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    jobs = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8"))["jobs"]
    (found,) = [step["run"] for step in jobs["book"]["steps"] if "rows compare" in step.get("run", "")]
    return found


@pytest.mark.parametrize(
    ("status", "trouble", "good"),
    [(0, "", True), (1, "", True), (2, "", False), (130, "", False), (1, "Traceback (most recent call last):", False)],
)
def test_only_what_moved_is_forgiven_and_all_is_told(status, trouble, good, script, tmp_path):
    command = tmp_path / ".venv/bin/mistrust"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\necho "said: $*"\necho "{trouble}" >&2\nexit {status}\n')
    command.chmod(0o755)
    summary = tmp_path / "summary"
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PROFILE": "paper", "GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode == 0) == good
    assert summary.read_text() == f"```text\nsaid: rows compare --profile paper\n{trouble}\n```\n"
