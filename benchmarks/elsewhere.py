"""How many numbers of small runs come out beyond their intervals on another device, and how many with another seed.

    mistrust make monitoring                                    # here, and on the other machine
    python benchmarks/elsewhere.py _build/rows there/rows --called "NVIDIA H200"
    mistrust make monitoring -p seed=1                          # with MISTRUST_BUILD at another folder
    python benchmarks/elsewhere.py _build/rows other/rows --called "another seed" --shift 1

Each folder holds what `mistrust make` wrote, one folder per chapter; those that both have are compared, in the words of
`mistrust rows compare`. Only numbers with an interval in one of the two runs count: those that are "equal" to ten
digits or up to rounding, "within" an interval, and beyond both.
"""

import argparse
from pathlib import Path

import pandas as pd
from timing import taken_on

from mistrust import paths, rows
from mistrust.publishing import rowfiles
from mistrust.publishing.moved import moved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("here", type=Path, help="rows of this machine")
    parser.add_argument("there", type=Path, help="rows to compare them with")
    parser.add_argument("--called", required=True, help="what the others differ in")
    parser.add_argument("--shift", type=float, default=0, help="by how much their seeds are higher")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    for chapter in sorted({one.name for one in options.here.iterdir()} & {one.name for one in options.there.iterdir()}):
        here, there = read(options.here / chapter), read(options.there / chapter)
        both = moved(here, there.assign(seed=there["seed"] - options.shift))
        known = both[both["old"].notna() & both["new"].notna() & (both["low"].notna() | both["new_low"].notna())]
        words = known["word"]
        same, beyond = words.isin(["equal", "rounding"]), words == "moved"
        measures = {
            "numbers": float(len(words)),
            "percent equal": 100 * float(same.mean()),
            "percent beyond": 100 * float(beyond.mean()),
        }
        print(f"{chapter}, {options.called}:", *(f"{value:,.3g} {key}" for key, value in measures.items()))
        if not options.no_rows:
            new = [{"condition": options.called, "at": chapter, "metric": k, "value": v} for k, v in measures.items()]
            note = f"beside {taken_on()}; profile {here['profile'].iloc[0]}"
            rows.update(
                rows.table(new, chapter="benchmarks", table="elsewhere", note=note),
                paths.results() / "benchmarks" / "elsewhere.csv",
            )


def read(folder: Path) -> pd.DataFrame:
    """All rows of a chapter's run."""
    found = rowfiles.read(folder, "run.json", "Make them again.")
    if found is None:
        raise SystemExit(f"{folder} holds no run.")
    return found[1]


if __name__ == "__main__":
    main()
