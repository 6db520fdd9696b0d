"""What it took to remake one piece of a chapter's full run, as measured by `benchmarks/pieces.py`, as a table."""

import pandas as pd

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import tables
from mistrust.publishing.chapters import CHAPTERS

FILE = "pieces.csv"
HEADS = ("Chapter", "Piece", "Numbers", "Equal", "Core minutes", "Memory, MB", "Pieces of the full run")


def remade(rows: pd.DataFrame | None = None) -> str:
    """Give the measured pieces as HTML, a line a piece; complete without JavaScript.

    Parameters
    ----------
    rows : of the benchmark, metrics by chapter (`condition`) and piece (`at`); left out, the committed ones.

    Raises
    ------
    MistrustError
        There are no rows; the message says how to measure them.
    """
    if rows is None:
        path = paths.results() / "benchmarks" / FILE
        rows = tidy.read(path) if path.is_file() else tidy.empty()
    if rows.empty:
        raise MistrustError(f"There is no {FILE} among the benchmarks: `python benchmarks/pieces.py` measures it.")
    wide = rows.pivot(index=["condition", "at"], columns="metric", values="value").sort_values("core minutes")
    lines = []
    for line in wide.reset_index().to_dict("records"):
        count, equal, same = (int(line[name]) for name in ("numbers", "equal", "reproduce"))
        found = "all" if equal == count else f"{equal:,}; {same:,} with those inside an interval"
        cells = (
            CHAPTERS[line["condition"]].title, line["at"], f"{count:,}", found, f"{line['core minutes']:.1f}",
            f"{line['peak megabytes']:,.0f}", f"{int(line['pieces']):,}",
        )  # fmt: skip
        lines.append(dict(zip(HEADS, cells, strict=True)))
    note = ", ".join(sorted(set(rows["note"])))
    return tables.html(pd.DataFrame(lines), f"One piece of a chapter, made again on {note}")
