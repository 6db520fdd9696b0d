"""How time and memory of surprise supervisors grow with the training rows, as tables and in words."""

import re

import pandas as pd

from mistrust.figures.parts import and_so_on
from mistrust.figures.supervisors.parts import words

START = "growth, "
TENFOLD = (10_000, 100_000)  # training rows between which growth is told
# What compares with training rows or sums over them, in the order of the benchmark.
GROWN = ("dsa", "lsa", "mdsa", "knn", "relative_mahalanobis", "vim")
_WRITE = {"seconds": "{:,.2f}", "peak_mb": "{:,.0f}"}
_CAP = re.compile(r"over (?P<cap>[\d.]+) s: (?P<which>.+)$")  # of a note: what was stopped
_STOPPED = re.compile(r"(?P<name>\w+) of (?P<rows>\d+) rows")


def growth(benchmark: pd.DataFrame, metric: str = "seconds") -> pd.DataFrame:
    """Give a line for each supervisor, and a column for each number of training rows.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise"; those of its growth are read.
    metric : "seconds" of fitting and scoring, or "peak_mb", the peak of memory in megabytes.

    Returns
    -------
    Text; without lines where the benchmark was not run. A run that was stopped for its time reads "over" its limit, in
    seconds; one that is lacking for another reason "not run".

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": 1000, "value": 0.1}, {"level": 10_000, "value": 1.5}]
    >>> one = rows.table(found, table="surprise", metric="seconds", at="growth, relative_mahalanobis")
    >>> growth(one).to_dict("list")
    {'supervisor': ['Relative Mahalanobis'], '1,000': ['0.10'], '10,000': ['1.50']}
    """
    table, stopped = _measured(benchmark, metric), _stopped(benchmark)
    names = [name for name in GROWN if name in table.index or name in {one for one, _ in stopped}]
    counts = sorted({*map(int, table.columns), *(count for _, count in stopped)})
    if table.empty:
        return pd.DataFrame()

    def cell(name: str, count: int) -> str:
        if name in table.index and count in table.columns and pd.notna(table.loc[name, count]):
            return _WRITE[metric].format(table.loc[name, count])
        return f"over {stopped[name, count]} s" if (name, count) in stopped else "not run"

    columns = {f"{count:,}": [cell(name, count) for name in names] for count in counts}
    return pd.DataFrame({"supervisor": [words(name) for name in names], **columns})


def growth_rate(benchmark: pd.DataFrame, name: str) -> float:
    """Give how many times as long fitting and scoring take with 100,000 training rows as with 10,000.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise".
    name : "dsa", "lsa" or another of `GROWN`.

    Returns
    -------
    NaN where either was not measured.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": 10_000, "value": 0.1}, {"level": 100_000, "value": 0.8}]
    >>> growth_rate(rows.table(found, table="surprise", metric="seconds", at="growth, dsa"), "dsa")
    8.0
    """
    found = benchmark[(benchmark["at"] == f"{START}{name}") & (benchmark["metric"] == "seconds")]
    times = {int(row["level"]): float(row["value"]) for row in found.to_dict("records")}
    few, many = (times.get(count, float("nan")) for count in TENFOLD)
    return many / few


def growth_told(benchmark: pd.DataFrame) -> str:
    """Say how many times as long ten times as many rows take, where memory grows least and most, and who has no time.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise".

    Returns
    -------
    Sentences; one that it was not measured, where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"growth, {name}", "level": rows_, "metric": metric, "value": value}
    ...          for name, rows_, metric, value in (("dsa", 10_000, "seconds", 0.1), ("dsa", 100_000, "seconds", 0.8),
    ...          ("dsa", 100_000, "peak_mb", 40), ("lsa", 100_000, "peak_mb", 311))]
    >>> told = growth_told(rows.table(found, table="surprise"))
    >>> told.partition(" MDSA")[0]
    'DSA takes 8.0 times as long with 100,000 rows as with 10,000. Not timed in this way: LSA,'
    >>> told.partition("ViM. ")[2]
    'With 100,000 rows, DSA needs the least memory, 40 MB, and LSA the most, 311 MB.'
    """
    few, many = TENFOLD
    rates = {name: rate for name in GROWN if (rate := growth_rate(benchmark, name)) > 0}
    if not rates:
        return "How time grows with the number of rows was not measured."
    (first, rate), *others = rates.items()
    told = [
        and_so_on(
            [
                f"{words(first)} takes {rate:.1f} times as long with {many:,} rows as with {few:,}",
                *(f"{words(name)} {rate:.1f} times" for name, rate in others),
            ]
        )
        + "."
    ]
    lacking = [words(name) for name in GROWN if name not in rates]
    if lacking:
        told.append(f"Not timed in this way: {and_so_on(lacking)}.")
    count, memory = _largest(benchmark, "peak_mb")
    if len(memory) > 1:
        least, most = memory.idxmin(), memory.idxmax()
        told.append(
            f"With {count:,} rows, {words(str(least))} needs the least memory, {memory[least]:,.0f} MB, and "
            f"{words(str(most))} the most, {memory[most]:,.0f} MB."
        )
    return " ".join(told)


def practical(benchmark: pd.DataFrame) -> str:
    """Say what was stopped for its time, and what the most rows that were timed take: time and memory.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise".

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"growth, {name}", "metric": metric, "value": value}
    ...          for name, metric, value in (("dsa", "seconds", 6.06), ("lsa", "seconds", 12.6),
    ...                                      ("dsa", "peak_mb", 46), ("lsa", "peak_mb", 1257))]
    >>> practical(rows.table(found, table="surprise", level=1_000_000)).partition("timed, ")[2]
    'the slowest is LSA with 12.6 seconds; LSA needs the most memory, 1,257 MB.'
    """
    count, times = _largest(benchmark, "seconds")
    if not len(times):
        return "That was not measured."
    memory = _largest(benchmark, "peak_mb")[1]
    slowest = times.idxmax()
    stopped, slowest = _stopped(benchmark), times.idxmax()
    each = [f"{words(name)} with {rows:,} rows (over {cap} seconds)" for (name, rows), cap in stopped.items()]
    told = (
        f"Stopped because they took too long: {and_so_on(each)}. "
        if each
        else "None of those that were timed was stopped. "
    )
    told += f"With {count:,} rows, the most that were timed, the slowest is {words(str(slowest))} with "
    told += f"{times[slowest]:,.3g} seconds"
    if len(memory):
        told += f"; {words(str(memory.idxmax()))} needs the most memory, {memory.max():,.0f} MB"
    return f"{told}."


def _measured(benchmark: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One line per supervisor, one column per number of rows; NaN where it was not measured."""
    found = benchmark[benchmark["at"].astype(str).str.startswith(START) & (benchmark["metric"] == metric)]
    named = found.assign(name=found["at"].astype(str).str.removeprefix(START))
    return named.pivot_table(index="name", columns="level", values="value")


def _largest(benchmark: pd.DataFrame, metric: str) -> tuple[int, pd.Series]:
    """The largest number of rows that was tried, and what each supervisor has there."""
    table = _measured(benchmark, metric)
    return (int(max(table.columns)), table[max(table.columns)].dropna()) if len(table) else (0, pd.Series(dtype=float))


def _stopped(benchmark: pd.DataFrame) -> dict[tuple[str, int], str]:
    """The limit in seconds of each run that notes say was stopped and that has no time from another."""
    table = _measured(benchmark, "seconds")
    found: dict[tuple[str, int], str] = {}
    for note in dict.fromkeys(benchmark["note"].astype(str)):
        said = _CAP.search(note)
        if said is None:
            continue
        for one in _STOPPED.finditer(said["which"]):
            name, count = one["name"], int(one["rows"])
            if name not in table.index or count not in table.columns or pd.isna(table.loc[name, count]):
                found[name, count] = said["cap"]
    return found
