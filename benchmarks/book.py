"""What the book takes from an empty clone: installation, `make book`, again, and with one notebook changed.

    python benchmarks/book.py               # a quarter of an hour on two idle cores
    python benchmarks/book.py --packages    # the size of an environment alone, a minute
    python benchmarks/book.py --no-rows     # print only

The clone is of the last commit, in a folder of its own with an empty store and no environment; packages come from the
index, or from the installer's cache where that holds them, and the row "installation" says only what this machine did.
The change is a sentence at the end of one notebook. "Chapters run" counts the notebooks that a build executed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from timing import taken_on

from mistrust import paths, rows

CHANGED = "misclassification"
OURS = "MISTRUST_"  # settings of this checkout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="quick", help="of the chapters (default %(default)s)")
    parser.add_argument("--packages", action="store_true", help="only install, and tell the size of what is there")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "mistrust"
        subprocess.run(["git", "clone", "-q", str(paths.root()), str(clone)], check=True)
        found: list[dict[str, object]] = []
        built = [(step, ["make", options.profile]) for step in ("from nothing", "again", "one notebook changed")]
        for step, command in [("installation", ["make", "environment"]), *([] if options.packages else built)]:
            if step == "one notebook changed":
                change(clone)
            seconds, text = timed(command, clone)
            ran = len(re.findall(r"^\w+ \(\w+\): runs, because", text, re.MULTILINE))
            print(f"{step}: {seconds:.1f} s, {ran} chapters run", flush=True)
            found.append({"condition": step, "metric": "seconds", "value": seconds})
            found.append({"condition": step, "metric": "chapters run", "value": ran})
        if options.packages:
            found.clear()  # a size is true on a busy machine, and a time is not
        packages = size(clone / ".venv") / 1e9
        print(f"packages: {packages:.2f} GB")
        found.append({"condition": "packages", "metric": "gigabytes", "value": packages})
        if not options.packages:
            built_size = size(clone / "_build" / "html") / 1e6
            print(f"size: {built_size:.1f} MB")
            found.append({"condition": "size", "metric": "megabytes", "value": built_size})
    if not options.no_rows:
        note = f"{taken_on()}, profile {options.profile}"
        new = rows.table(found, chapter="benchmarks", table="book", note=note)
        rows.update(new, paths.results() / "benchmarks" / "book.csv")


def timed(command: list[str], clone: Path) -> tuple[float, str]:
    """Seconds of a command in the clone, with none of our own settings, and what it said."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    start = perf_counter()
    done = subprocess.run(command, cwd=clone, env=surroundings, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return perf_counter() - start, done.stdout + done.stderr


def size(folder: Path) -> int:
    """Bytes of the files below a folder; what a link leads to is not below it."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file() and not one.is_symlink())


def change(clone: Path) -> None:
    """Add a sentence to a notebook."""
    path = clone / "notebooks" / f"{CHANGED}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cell = {"cell_type": "markdown", "id": "changed", "metadata": {}, "source": ["One sentence more."]}
    path.write_text(json.dumps({**notebook, "cells": [*notebook["cells"], cell]}), encoding="utf-8")


if __name__ == "__main__":
    main()
