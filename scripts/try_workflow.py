"""Run the commands of the workflow that publishes the book, in their order, on this machine and in a scratch folder.

    .venv/bin/python scripts/try_workflow.py                        all chapters, profile smoke
    .venv/bin/python scripts/try_workflow.py search                 the pieces of these chapters alone
    .venv/bin/python scripts/try_workflow.py search --only pieces   this job alone
    .venv/bin/python scripts/try_workflow.py --list                 say what would run

They are read from `.github/workflows/book.yml`, so that nothing here can say otherwise than it. What only GitHub can do
(actions: checkout, caches, artifacts, pages) is named and left out. The scratch folder is a clone of what is committed,
with a store of its own; it borrows this checkout's environment, which nothing there may make anew.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
JOBS = ("pieces", "book")
# Smoke reads no image set but embedded ones, and a Chromium is this machine's business.
ELSEWHERE = {
    "data get": "fetches image sets",
    "scripts/chromium": "installs a browser",
    "make environment": "this checkout's is borrowed",
}
NOWHERE = "file:///nowhere"  # for an address that only GitHub knows: nothing is published there


def steps(
    workflow: Mapping[str, Any], chapters: Collection[str] = (), jobs: Sequence[str] = JOBS
) -> Iterator[tuple[str, str, dict[str, str], str]]:
    """Give (job, command, its surroundings, why it is left out or ""), one chapter of the matrix after the other."""
    for job in jobs:
        found = workflow["jobs"][job]
        matrix = found.get("strategy", {}).get("matrix", {}).get("chapter", [""])
        for chapter in [one for one in matrix if not one or not chapters or one in chapters]:
            for step in found["steps"]:
                command = step.get("run", "").strip()
                told = "GitHub's" if not command else ""
                told = told or next((why for part, why in ELSEWHERE.items() if part in command), "")
                given = {name: str(value).replace("${{ matrix.chapter }}", chapter) for name, value in
                         step.get("env", {}).items()}  # fmt: skip
                given = {name: NOWHERE if "${{" in value else value for name, value in given.items()}
                yield job, command or step["uses"], given, told


def main() -> int:
    """Run them; the first that fails ends it with its status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", help="pieces of these only")
    parser.add_argument("--only", choices=JOBS, help="this job alone")
    parser.add_argument("--list", action="store_true", help="say what would run")
    options = parser.parse_args()
    workflow = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8"))
    jobs = (options.only,) if options.only else JOBS
    with tempfile.TemporaryDirectory(prefix="try-workflow-") as scratch:
        place = Path(scratch) / "checkout"
        if not options.list:
            subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, place], check=True)
            (place / ".venv").symlink_to(ROOT / ".venv")
            # `make browser` asks for the environment first, and would make the borrowed one anew.
            (place / "scripts/environment").write_text("#!/bin/sh\n", encoding="utf-8")
        own = {"PROFILE": "smoke", "GITHUB_STEP_SUMMARY": f"{scratch}/summary", "PYTHONPATH": f"{place}/lib"}
        base = {name: value for name, value in os.environ.items() if not name.startswith("MISTRUST_")} | own
        for job, command, given, told in steps(workflow, options.chapters, jobs):
            head = " ".join(re.sub(r"#.*", "", command).split())[:100]
            print(f"== {job}: {head}{f'  (left out: {told})' if told else ''}", *given.values(), flush=True)
            if told or options.list:
                continue
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]  # as GitHub calls it
            ran = subprocess.run(shell, cwd=place, env={**base, **given}, check=False)
            if ran.returncode:
                print(f"== status {ran.returncode}", flush=True)
                return ran.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
