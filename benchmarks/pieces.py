"""What it takes to remake one piece of each chapter's full run, and whether its numbers come out again.

    python benchmarks/pieces.py                      # all below; an hour of one core
    python benchmarks/pieces.py search               # one chapter; its rows replace the former ones
    python benchmarks/pieces.py search --no-rows     # print only

Each piece is made by `mistrust rows compare CHAPTER --piece NAME` with one thread and a store that is empty, so that
networks are trained again. "Core minutes" are processor time, "peak megabytes" the largest memory of one process.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from platform import machine

from mistrust import paths, rows
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile

# The shortest kind of piece that trains what it measures; the authors' rows need no network. Every piece of the
# supervisors rests on generators of all pairs and on an ensemble: none is short.
PIECES = (
    ("search", "authors' rows"),
    ("misclassification", "network 0"),
    ("ambiguity", "mnist: ambiguess-fc clean 0"),
    ("robustness", "fmnist: vgg6-w16 all 0"),
    ("monitoring", "gtsrb-thin: farm-lenet 0"),
    ("search", "biased/25 4"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", help="of these only")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    note = f"{machine()}, {os.cpu_count()} cores, 1 thread"
    for chapter, name in PIECES:
        if options.chapters and chapter not in options.chapters:
            continue
        measures = {**remade(chapter, name), "pieces": len(all_pieces(chapter))}
        said = (f"{value:,.4g} {metric}" for metric, value in measures.items())
        print(f"{chapter}: {name}", *said, sep="\n  ", flush=True)
        if not options.no_rows:
            new = [{"condition": chapter, "at": name, "metric": key, "value": value} for key, value in measures.items()]
            rows.update(
                rows.table(new, chapter="benchmarks", table="pieces", note=note),
                paths.results() / "benchmarks" / "pieces.csv",
            )


def all_pieces(chapter: str) -> list[str]:
    return CHAPTERS[chapter].module().pieces(profile(CHAPTERS[chapter], "full"))


def remade(chapter: str, name: str) -> dict[str, float]:
    """Measure one piece in a process of its own."""
    with tempfile.TemporaryDirectory() as store:
        process = subprocess.Popen(
            [sys.executable, "-m", "mistrust.cli", "rows", "compare", chapter, "--piece", name],
            cwd=paths.root(),
            env={**os.environ, "MISTRUST_STORE": store, "OMP_NUM_THREADS": "1", "MISTRUST_PROGRESS": "0"},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    found = re.search(r"^([\d,]+) of ([\d,]+) numbers reproduce\.$", said, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{chapter}: {name} was not compared (status {process.returncode}):\n{said[-2000:]}")
    good, count = (float(one.replace(",", "")) for one in found.groups())
    heads, whole = (re.search(rf"^{word} .*$", said, re.MULTILINE) for word in ("table", "all"))
    assert heads is not None
    assert whole is not None
    words = dict(zip(heads[0].split()[1:], whole[0].split()[1:], strict=True))
    return {
        "core minutes": (used.ru_utime + used.ru_stime) / 60,
        "peak megabytes": used.ru_maxrss / 1024,
        "numbers": count,
        "reproduce": good,
        "equal": float(words.get("equal", "0").replace(",", "")),
    }


if __name__ == "__main__":
    main()
