"""Numbers that `benchmarks/` measured, for sentences of the book: a page names the row, and never types the number."""

import re

import pandas as pd

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError, UnknownName

# Over all conditions of a table, in place of one.
EXTREMES = {"lowest": min, "highest": max}
KEY = re.compile(r"(?P<table>[a-z]+): (?P<at>.+): (?P<metric>[a-z ]+)")


def measured(key: str) -> str:
    """Give one measured number as a page prints it.

    Parameters
    ----------
    key : "TABLE: CONDITION: METRIC", such as "quick: search -p fraction=0.3: seconds": a file of the accepted
        benchmarks, a row's condition (followed by its `at`, where it has one, and by its method in brackets, which only
        tells apart what was measured of several), and what was measured. "lowest" and "highest" as the condition mean
        over all rows without `at`.

    Returns
    -------
    str
        The number; from ten on it is whole.

    Raises
    ------
    MistrustError
        The key has another form, or no such file was measured.
    UnknownName
        The table has no such condition, or the condition no such metric.

    Examples
    --------
    >>> measured("cluster: dask: rows equal")
    '10,442'
    """
    found = KEY.fullmatch(key)
    if not found:
        raise MistrustError(f'"{key}" names no measured number: write "TABLE: CONDITION: METRIC".')
    path = paths.results() / "benchmarks" / f"{found['table']}.csv"
    if not path.is_file():
        raise MistrustError(f'"{key}": there is no {path.name}. `python benchmarks/{path.stem}.py` measures it.')
    rows = tidy.read(path)
    values = _named(rows)
    if found["at"] in EXTREMES:
        of = rows.loc[(rows["at"] == "") & (rows["metric"] == found["metric"]), "value"]
        value = float(EXTREMES[found["at"]](of)) if len(of) else None
    else:
        value = values.get((found["at"], found["metric"]))
    if value is None:
        known = [f"{table}: {metric}" for table, metric in values]
        raise UnknownName("measured number", f"{found['at']}: {found['metric']}", known)
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _named(rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Each value by what a key calls it, and what was measured; without its method where no other has that name."""
    plain, full = dict[tuple[str, str], list[float]](), dict[tuple[str, str], float]()
    for row in rows.to_dict("records"):
        name, metric, value = " ".join(filter(None, (row["condition"], row["at"]))), row["metric"], float(row["value"])
        plain.setdefault((name, metric), []).append(value)
        if row["method"]:
            full[f"{name} ({row['method']})", metric] = value
    return full | {key: value for key, (value, *others) in plain.items() if not others}
