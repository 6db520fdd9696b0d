"""Numbers that `benchmarks/` measured, for sentences of the book: a page names the row, and never types the number."""

import re

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
        benchmarks, a row's condition (followed by its `at`, where it has one), and what was measured. "lowest" and
        "highest" as the condition mean over all rows without `at`.

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
    values = {
        (" ".join(filter(None, (str(row["condition"]), str(row["at"])))), str(row["metric"])): float(row["value"])
        for row in rows.to_dict("records")
    }
    if found["at"] in EXTREMES:
        plain = set(rows.loc[rows["at"] == "", "condition"])
        of = [
            value for (condition, metric), value in values.items() if condition in plain and metric == found["metric"]
        ]
        value = EXTREMES[found["at"]](of) if of else None
    else:
        value = values.get((found["at"], found["metric"]))
    if value is None:
        known = [f"{table}: {metric}" for table, metric in values]
        raise UnknownName("measured number", f"{found['at']}: {found['metric']}", known)
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
