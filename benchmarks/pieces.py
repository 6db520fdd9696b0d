"""What it takes to remake one piece of some chapters' full runs, and whether its numbers come out again.

    python benchmarks/pieces.py                          # all short ones that were accepted
    python benchmarks/pieces.py misclassification        # one chapter; its rows replace the former ones
    python benchmarks/pieces.py search --no-rows         # print only

Each piece of `mistrust.publishing.remade.SHORT` is made by `mistrust rows compare CHAPTER --piece NAME` with a store
that is empty, so that networks are trained again. "Core minutes" are processor time, "peak megabytes" the memory of
the command and all its processes together, both looked at twice a second. The kind of processor stands with each
(`method`, as the accepted rows name theirs): rows of another kind stay beside them.
"""

import argparse
import re
import sys
import tempfile

from timing import taken_on
from watching import watched

from mistrust import paths, rows
from mistrust.publishing.acceptance import read_accepted
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.manifests import PROCESSOR, versions
from mistrust.publishing.remade import SHORT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", help="of these only")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    note, processor = taken_on(1), versions()[PROCESSOR]
    for chapter, name in [(chapter, name) for chapter, names in SHORT.items() for name in names]:
        if (options.chapters and chapter not in options.chapters) or not accepted(chapter, name):
            continue
        measures = remade(chapter, name)
        said = (f"{value:,.4g} {metric}" for metric, value in measures.items())
        print(f"{chapter}: {name}", *said, sep="\n  ", flush=True)
        if not options.no_rows:
            new = [{"condition": chapter, "at": name, "metric": key, "value": value} for key, value in measures.items()]
            rows.update(
                rows.table(new, chapter="benchmarks", table="pieces", method=processor, note=note),
                paths.results() / "benchmarks" / "pieces.csv",
            )


def accepted(chapter: str, name: str) -> bool:
    """Say whether there is something to compare the piece with."""
    found = read_accepted(CHAPTERS[chapter], "full")
    return found is not None and name in found[0]["pieces"]


def remade(chapter: str, name: str) -> dict[str, float]:
    """Measure one piece in a process of its own."""
    command = [sys.executable, "-m", "mistrust.cli", "rows", "compare", chapter, "--piece", name]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        places = {"MISTRUST_STORE": f"{folder}/store", "MISTRUST_PROGRESS": "0"}
        took = watched(command, places, every=0.5, output=output)
        output.seek(0)
        said = output.read()
    found = re.search(r"^([\d,]+) of ([\d,]+) numbers reproduce\.$", said, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{chapter}: {name} was not compared (status {took.status}):\n{said[-2000:]}")
    good, count = (float(one.replace(",", "")) for one in found.groups())
    heads, whole = (re.search(rf"^{word} .*$", said, re.MULTILINE) for word in ("table", "all"))
    assert heads is not None
    assert whole is not None
    words = dict(zip(heads[0].split()[1:], whole[0].split()[1:], strict=True))
    return {
        "core minutes": took.worked / 60,
        "peak megabytes": took.peak / 1e6,
        "numbers": count,
        "reproduce": good,
        "equal": float(words.get("equal", "0").replace(",", "")),
    }


if __name__ == "__main__":
    main()
