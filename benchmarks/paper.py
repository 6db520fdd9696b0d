"""What pieces of the profile `paper`, the papers' own scale, take on a machine with a GPU.

    python benchmarks/paper.py search "pools: biased/25 0" "searches: biased/25 0" -p mechanisms=biased_training
    python benchmarks/paper.py supervisors "mnist: network 0, resnet50-v1" --out mine.csv

Each piece is made by `mistrust make CHAPTER --profile paper --piece NAME` in a process of its own, one after another,
with the store that MISTRUST_STORE names: give those first that prepare others. -p is passed on, for images that are not
at hand or to leave out what a piece waits for; what is given stands in the rows' note. "minutes" are by the clock,
"core minutes" processor time, "peak megabytes" the memory of the command, the GPU's not counted. --beside says how many
such commands ran on the machine at the same time: then the minutes are an upper bound.
"""

import argparse
import sys
from pathlib import Path

import torch
from timing import taken_on
from watching import watched

from mistrust import paths, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter")
    parser.add_argument("pieces", nargs="+", help="mistrust make CHAPTER --profile paper --list")
    parser.add_argument("-p", "--parameter", action="append", default=[], help="passed on to `mistrust make`")
    parser.add_argument("--beside", type=int, default=0, help="how many others run meanwhile")
    parser.add_argument("--out", type=Path, help="the file of rows; data/results/benchmarks/paper.csv if not given")
    options = parser.parse_args()
    given = " ".join(options.parameter)
    note = taken_on(device="cuda" if torch.cuda.is_available() else "cpu")
    note += f", {options.beside} others beside it" * bool(options.beside) + f", with {given}" * bool(given)
    for name in options.pieces:
        measures = made(options.chapter, name, options.parameter)
        print(f"{options.chapter}: {name}:", *(f"{value:,.3g} {key}" for key, value in measures.items()), flush=True)
        found = [{"condition": options.chapter, "at": name, "metric": key, "value": v} for key, v in measures.items()]
        new = rows.table(found, chapter="benchmarks", table="paper", note=note)
        rows.update(new, options.out or paths.results() / "benchmarks" / "paper.csv")


def made(chapter: str, name: str, parameters: list[str]) -> dict[str, float]:
    """Make one piece and give what it took."""
    command = [sys.executable, "-m", "mistrust.cli", "make", chapter, "--profile", "paper", "--piece", name]
    command += ["--engine", "inline", *(word for one in parameters for word in ("-p", one))]
    took = watched(command, {"MISTRUST_PROGRESS": "0"}, every=0.5)
    if took.status != 0:
        raise SystemExit(f"{chapter}: {name} ended with {took.status} after {took.seconds:.0f} s.")
    return {"minutes": took.seconds / 60, "core minutes": took.worked / 60, "peak megabytes": took.peak / 1e6}


if __name__ == "__main__":
    main()
