"""The printed detection tables beside what they say when they are read right, and beside our own runs."""

from collections.abc import Mapping

import pandas as pd

from mistrust.monitoring.rereading.composition import composed, paper_share
from mistrust.monitoring.rereading.labels import DROPPED
from mistrust.monitoring.rereading.printed import labelled, printed
from mistrust.monitoring.rereading.rates import reread

# Read: false alarms, misses, Matthews' correlation. The paper prints these two rates exchanged.
RATES = ("fpr", "fnr", "mcc")
OPEN = " (assignment open)"


def beside(
    published: pd.DataFrame,
    table: str,
    ours: Mapping[str, pd.DataFrame],
    names: Mapping[str, str],
    network: str,
    whole: pd.DataFrame | None = None,
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

    Returns
    -------
    A line a printed row. `printed` has the rates as they stand there: false-positive rate, false-negative rate, MCC.
    All other columns have false alarms, misses and MCC of that set, those of the paper from the row that belongs there
    (`mended`); "none" where no row does, "not run" where nothing was. Where it stays open which row belongs there, the
    row that stands there is read right, and "(assignment open)" follows. MCC of ours is that of our mean rates at the
    paper's share of nominal images (`composed`), for half of our own images are nominal.

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
    right = _right(reread(printed(published)) if whole is None else whole)
    runs = {
        f"{title}, {kind}": _by_label(rows[rows["network"] == network], names, suffix)
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
                "printed": _text([row[name] for name in RATES], ""),
                "re-read": right.get(at, "none"),
                **{name: _text(rows.get(at, []), "not run") for name, rows in runs.items()},
            }
        )
    return pd.DataFrame(lines)


def _right(whole: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """What the printed rows say, by the paper's data, label and monitor."""
    found = {}
    for row in whole.to_dict("records"):
        rates, unplaced = (
            [row["false_alarm"], row["miss"], row["mcc"]],
            row["status"] == DROPPED and not row["true_data"],
        )
        if unplaced:
            found[row["data"], row["label"], row["method"]] = _text(rates, "") + OPEN
        elif row["ranked"]:
            found[row["true_data"], row["true_label"], row["method"]] = _text(rates, "")
    return found


def _by_label(rows: pd.DataFrame, names: Mapping[str, str], suffix: str) -> dict[tuple[str, str, str], list[float]]:
    """Rates of our rows by the paper's data, label and monitor, and what they make of MCC in a set as the paper's."""
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    wanted = rows[(rows["table"] == "detection") & rows["metric"].isin(RATES[:2]) & rows["data"].isin(list(names))]
    for row in wanted[wanted["seed"].isna()].to_dict("records"):
        own, slash, variant = row["method"].partition("/")
        if slash + variant != suffix:
            continue
        level = 0 if pd.isna(row["level"]) else int(row["level"])
        label = labelled(str(row["condition"]).partition("/")[2], level)
        found.setdefault((names[row["data"]], label, own), {})[row["metric"]] = row["value"]
    return {at: _rates(at[:2], one) for at, one in found.items() if len(one) == len(RATES) - 1}


def _rates(place: tuple[str, str], one: Mapping[str, float]) -> list[float]:
    return [one["fpr"], one["fnr"], float(composed("mcc", paper_share(*place), one["fpr"], one["fnr"]))]


def _text(rates: list[float], lacking: str) -> str:
    return " / ".join(f"{rate:.2f}" for rate in rates) if rates else lacking
