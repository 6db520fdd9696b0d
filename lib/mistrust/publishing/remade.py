"""Pieces of the full runs that are short enough to be remade, and what that took, by `benchmarks/pieces.py`."""

from collections.abc import Mapping

import pandas as pd

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import tables
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.results import accepted_pieces

FILE = "pieces.csv"
# Of each chapter the pieces that take minutes; the first is the one to recommend, and reads no image set but such as
# `mistrust data get` fetches. A chapter that is not here has none. On images those of ambiguity and supervisors rest on
# generators of all pairs, so theirs are of worlds that are drawn.
SHORT: Mapping[str, tuple[str, ...]] = {
    "misclassification": ("network 0",),
    "ambiguity": ("known world",),
    "supervisors": ("three clusters: seen",),
    "search": ("overfit/125 1", "authors' rows"),
    "robustness": ("fmnist: resnet8-w8 half 0",),
}
HEADS = ("Chapter", "Piece", "Processor", "Numbers", "Equal", "Core minutes", "Memory, MB", "Pieces of the full run")


def remade(rows: pd.DataFrame | None = None) -> str:
    """Give the measured pieces as HTML, one line per piece; complete without JavaScript.

    Parameters
    ----------
    rows : of the benchmark, metrics by chapter (`condition`), piece (`at`) and kind of processor (`method`); left out,
        the committed ones.

    Raises
    ------
    MistrustError
        There are no rows; the message says how to measure them.
    """
    rows = _committed() if rows is None else rows
    if rows.empty:
        raise MistrustError(f"There is no {FILE} among the benchmarks: `python benchmarks/pieces.py` measures it.")
    wide = rows.pivot(index=["condition", "at", "method"], columns="metric", values="value")
    # The shortest piece first; what different processors made of one piece stays together.
    wide["shortest"] = wide.groupby(["condition", "at"])["core minutes"].transform("min")
    wide = wide.sort_values(["shortest", "condition", "at", "method"])
    lines = []
    for line in wide.reset_index().to_dict("records"):
        count, equal, same = (int(line[name]) for name in ("numbers", "equal", "reproduce"))
        found = "all" if equal == count else f"{equal:,}; {same:,} with those inside an interval"
        cells = (
            CHAPTERS[line["condition"]].title, line["at"], line["method"], f"{count:,}", found,
            f"{line['core minutes']:.1f}", f"{line['peak megabytes']:,.0f}", f"{accepted_pieces(line['condition']):,}",
        )  # fmt: skip
        lines.append(dict(zip(HEADS, cells, strict=True)))
    note = ", ".join(sorted(set(rows["note"])))
    return tables.html(pd.DataFrame(lines), f"One piece of a chapter, made again on {note}")


def minutes(chapter: str, piece: str) -> float | None:
    """Minutes of one core that a piece took, by the committed rows, on the slowest processor; None if unmeasured."""
    rows = _committed()
    found = rows[(rows["condition"] == chapter) & (rows["at"] == piece) & (rows["metric"] == "core minutes")]
    return float(found["value"].max()) if len(found) else None


def _committed() -> pd.DataFrame:
    path = paths.results() / "benchmarks" / FILE
    return tidy.read(path) if path.is_file() else tidy.empty()
