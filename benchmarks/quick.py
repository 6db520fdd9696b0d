"""What each chapter takes with the profile `quick`: seconds by the clock and the peak of memory.

    python benchmarks/quick.py                       # every chapter and demo; twenty minutes on two idle cores
    python benchmarks/quick.py search monitoring     # these only; their rows replace the former ones
    python benchmarks/quick.py search --no-rows      # print only

Each is `mistrust run CHAPTER --no-page` from an empty store, so everything is made and trained anew and the notebook is
executed; pages are not built. Then, from the store that it left, come the demos: the chapter's other commands in
`book/course.md`. The memory is that of a command and all its processes together (shared pages counted once, "PSS", on
Linux; elsewhere their resident sizes added up), looked at every two seconds.
"""

import argparse
import re
import shlex
import sys
import tempfile

from timing import taken_on
from watching import watched

from mistrust import paths, rows
from mistrust.publishing.chapters import CHAPTERS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", help="these only", metavar="CHAPTER")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    note = taken_on()
    failed = []
    for chapter in options.chapters or CHAPTERS:
        with tempfile.TemporaryDirectory() as folder:
            for more in ("", *demos(chapter)):
                measures = measured(chapter, more, folder)
                if not measures:
                    failed.append(f"mistrust run {chapter} {more}".rstrip())
                    continue
                said = (f"{value:,.4g} {metric}" for metric, value in measures.items())
                print(f"{chapter} {more}", *said, sep="\n  ", flush=True)
                new = [{"condition": chapter, "at": more, "metric": key, "value": v} for key, v in measures.items()]
                if not options.no_rows:
                    rows.update(
                        rows.table(new, chapter="benchmarks", table="quick", note=note),
                        paths.results() / "benchmarks" / "quick.csv",
                    )
    if failed:
        raise SystemExit(f"These failed, and have no rows: {'; '.join(failed)}.")


def demos(chapter: str) -> list[str]:
    """Find what the course adds to a chapter's command."""
    text = (paths.root() / "book" / "course.md").read_text(encoding="utf-8")
    return re.findall(rf"^mistrust run {chapter} (.+)$", text, re.MULTILINE)


def measured(chapter: str, more: str, folder: str) -> dict[str, float]:
    """Run a chapter once, in a process of its own that knows only the store of this folder; nothing where it fails."""
    command = ["run", chapter, "--profile", "quick", "--force", "--no-page", *shlex.split(more)]
    places = {"MISTRUST_STORE": f"{folder}/store", "MISTRUST_BUILD": f"{folder}/build"}
    found = watched([sys.executable, "-m", "mistrust.cli", *command], places, every=2)
    if found.status:
        return {}
    return {"seconds": round(found.seconds, 1), "peak gigabytes": round(found.peak / 1e9, 2)}


if __name__ == "__main__":
    main()
