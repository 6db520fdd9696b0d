"""How many numbers of a small run another processor, or another number of threads, would change.

    python benchmarks/processors.py              # two minutes of two cores
    python benchmarks/processors.py --no-rows    # print only

The first piece of `misclassification` with the profile `smoke` is made with one thread, and again with other settings,
each of which makes this processor compute as another one would; `mistrust rows compare` judges numbers in these words.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from timing import taken_on

from mistrust import paths, rows
from mistrust.publishing.moved import WORDS, moved

ALONE = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
SETTINGS = {
    "vector instructions": {**ALONE, "ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41"},
    "matrix product": {**ALONE, "MKL_CBWR": "COMPATIBLE"},
    "threads": {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
}
# In a process of its own, since the settings are read when torch is loaded.
MAKE = """
import sys
from pathlib import Path
from mistrust import rows
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile
chapter = CHAPTERS["misclassification"]
rows.write(rows.check(chapter.module().piece(profile(chapter, "smoke"), "network 0")), Path(sys.argv[1]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    plain, again = made(ALONE), made(ALONE)
    for name, words in {"the same": again, **{name: made(settings) for name, settings in SETTINGS.items()}}.items():
        found = moved(plain, words)["word"].value_counts().reindex(WORDS, fill_value=0)
        measures = {"numbers": found.sum(), "percent changed": 100 * (1 - found["equal"] / found.sum()), **found}
        print(name, *(f"{float(value):,.4g} {metric}" for metric, value in measures.items()), sep="\n  ", flush=True)
        if not options.no_rows:
            new = [{"condition": name, "metric": key, "value": float(value)} for key, value in measures.items()]
            rows.update(
                rows.table(new, chapter="benchmarks", table="processors", note=taken_on()),
                paths.results() / "benchmarks" / "processors.csv",
            )


def made(settings: dict[str, str]) -> pd.DataFrame:
    """Make the piece with these settings and an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        environment = {**os.environ, "MISTRUST_STORE": f"{folder}/store", **settings}
        subprocess.run([sys.executable, "-c", MAKE, str(file)], check=True, cwd=paths.root(), env=environment)
        return rows.read(file)


if __name__ == "__main__":
    main()
