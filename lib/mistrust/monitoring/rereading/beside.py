"""The printed detection tables beside what they say when they are read right, and beside our own runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import pandas as pd

from mistrust.errors import UnknownName
from mistrust.monitoring.rereading.composition import composed, paper_share
from mistrust.monitoring.rereading.labels import DROPPED
from mistrust.monitoring.rereading.printed import labelled, printed
from mistrust.monitoring.rereading.rates import reread

OPEN = " (assignment open)"


@dataclass(frozen=True)
class Cell:
    """What a cell shows.

    Attributes
    ----------
    printed : columns of a printed row, as they stand there.
    read : numbers of a set by its share of nominal images, false alarms and misses.
    kept : printed column -> place among those that `read` gives, of numbers that are printed right.
    """

    printed: Sequence[str]
    read: Callable[[float, float, float], list[float]]
    kept: Mapping[str, int]


# The two printed rates change places; MCC and the weighted F1 are the same whichever answer is positive.
CELLS: Mapping[str, Cell] = {
    "rates": Cell(
        ("fpr", "fnr", "mcc"),
        lambda share, alarms, misses: [alarms, misses, float(composed("mcc", share, alarms, misses))],
        {"mcc": 2},
    ),
    "answers": Cell(
        ("precision", "recall", "f1"),
        lambda share, alarms, misses: [
            float(composed("precision", share, alarms, misses)),
            1 - misses,
            *(float(composed(name, share, alarms, misses)) for name in ("weighted-f1", "micro-f1")),
        ],
        {"f1": 2},
    ),
}


def comparable(runs: Mapping[str, pd.DataFrame], names: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Leave out runs of other image sets than the paper's: nothing of theirs can stand beside a printed number.

    Parameters
    ----------
    runs : what a run is called -> its rows. The first stays in any case: what it lacks is "not run".
    names : the paper's name of each of our image sets.

    Examples
    --------
    >>> from mistrust import rows
    >>> own = {"table": "nominal", "metric": "fpr", "value": 0.05}
    >>> digits, signs = rows.table([own | {"data": "digits"}]), rows.table([own | {"data": "gtsrb-thin"}])
    >>> list(comparable({"full": rows.empty(), "this": digits, "that": signs}, {"gtsrb-thin": "gtsrb"}))
    ['full', 'that']
    """
    first = next(iter(runs), None)
    return {title: rows for title, rows in runs.items() if title == first or rows["data"].isin(list(names)).any()}


def beside(
    published: pd.DataFrame,
    table: str,
    ours: Mapping[str, pd.DataFrame],
    names: Mapping[str, str],
    network: str,
    whole: pd.DataFrame | None = None,
    cell: str = "rates",
) -> pd.DataFrame:
    """Lay a printed table beside its re-reading and our rows.

    Parameters
    ----------
    published : the paper's rows.
    table : "table2", "table3" or "table4".
    ours : what a run is called -> its rows; each gives two columns, "as published" and right.
    names : the paper's name of each of our image sets.
    network : whose monitors are meant, the mean over its runs.
    whole : what `reread` says of all printed rows, where it is known; it takes seconds.
    cell : which numbers stand in it. "rates": false alarms, misses, MCC. "answers": precision, recall, weighted F1 and
        micro-F1 with OOD images as positives.

    Returns
    -------
    A line a printed row. `printed` has the numbers as they stand there, nominal images being the positives:
    false-positive rate, false-negative rate, MCC; or precision, recall and what is called micro-F1. All other columns
    have those of that set, those of the paper from the row that belongs there (`mended`); "none" where no row does,
    "not run" where nothing was. Where it stays open which row belongs there, the row that stands there is read right,
    at the share of nominal images that it implies, and "(assignment open)" follows. A number that is not defined is
    "–": the precision of a monitor that never alarms. What hangs on the share of nominal images is, of ours, that of
    our mean rates at the paper's share (`composed`), for half of our own images are nominal.

    Raises
    ------
    UnknownName
        Another cell.

    Examples
    --------
    >>> from mistrust import rows
    >>> numbers = {"mcc": 0.47, "fpr": 0.03, "fnr": 0.59, "precision": 0.9, "recall": 0.41, "f1": 0.4}
    >>> fog = {"condition": "shift/fog", "level": 5, "data": "cifar10", "method": "alooc", "place": "Table IV"}
    >>> tables = ("complete", "table4")
    >>> lines = [fog | {"table": t, "metric": m, "value": v} for t in tables for m, v in numbers.items()]
    >>> paper = rows.check(pd.DataFrame(lines), extra=("place",))
    >>> found = beside(paper, "table4", {"quick": rows.empty()}, {"cifar10-jpeg": "cifar10"}, "farm-lenet")
    >>> found[["printed", "re-read", "quick, right"]].to_dict("records")  # the two rates change places
    [{'printed': '0.03 / 0.59 / 0.47', 're-read': '0.59 / 0.03 / 0.47', 'quick, right': 'not run'}]
    """
    if cell not in CELLS:
        raise UnknownName("cell of a detection table", cell, CELLS)
    shown = CELLS[cell]
    right = _right(reread(printed(published)) if whole is None else whole, shown)
    runs = {
        f"{title}, {kind}": _by_label(rows[rows["network"] == network], names, suffix, shown)
        for title, rows in ours.items()
        for kind, suffix in (("as published", "/as published"), ("right", ""))
    }
    lines = []
    for row in printed(published, table).to_dict("records"):
        at = (row["data"], row["label"], row["method"])
        lines.append(
            {
                "data": row["data"],
                "set": row["label"],
                "monitor": row["method"],
                "printed": _text([row[name] for name in shown.printed], ""),
                "re-read": right.get(at, "none"),
                **{name: _text(rows.get(at, []), "not run") for name, rows in runs.items()},
            }
        )
    return pd.DataFrame(lines)


def _right(whole: pd.DataFrame, shown: Cell) -> dict[tuple[str, str, str], str]:
    """What the printed rows say, by the paper's data, label and monitor."""
    found = {}
    for row in whole.to_dict("records"):
        unplaced = row["status"] == DROPPED and not row["true_data"]
        if not (unplaced or row["ranked"]):
            continue
        where = (row["data"], row["label"]) if unplaced else (row["true_data"], row["true_label"])
        share = row["share"] if unplaced else paper_share(*where)
        numbers = shown.read(share, row["false_alarm"], row["miss"])
        for name, place in shown.kept.items():
            numbers[place] = row[name]
        found[(*where, row["method"])] = _text(numbers, "") + (OPEN if unplaced else "")
    return found


def _by_label(
    rows: pd.DataFrame, names: Mapping[str, str], suffix: str, shown: Cell
) -> dict[tuple[str, str, str], list[float]]:
    """Numbers of a set as the paper's that our rates make, by the paper's data, label and monitor."""
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    wanted = rows[(rows["table"] == "detection") & rows["metric"].isin(["fpr", "fnr"]) & rows["data"].isin(list(names))]
    for row in wanted[wanted["seed"].isna()].to_dict("records"):
        own, slash, variant = row["method"].partition("/")
        if slash + variant != suffix:
            continue
        level = 0 if pd.isna(row["level"]) else int(row["level"])
        label = labelled(str(row["condition"]).partition("/")[2], level)
        found.setdefault((names[row["data"]], label, own), {})[row["metric"]] = row["value"]
    return {at: shown.read(paper_share(*at[:2]), one["fpr"], one["fnr"]) for at, one in found.items() if len(one) == 2}


def _text(numbers: list[float], lacking: str) -> str:
    return " / ".join("–" if isnan(one) else f"{one:.2f}" for one in numbers) if numbers else lacking
