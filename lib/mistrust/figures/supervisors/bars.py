"""Bars for speed beside dnn-tip, met or missed, as a table and counted; and what part of a time is the fit."""

import pandas as pd

from mistrust.figures.supervisors.parts import words
from mistrust.figures.written import three

BARS = {"dsa": 100.0, "lsa": 4.0, "mdsa": 2.0}  # times as fast, set before anything was measured
_PEER = "dnn-tip"
_FEW, _MANY = 1000, 10_000


def bars(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each supervisor, number of threads and of inputs: times as fast as dnn-tip, and its bar.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise"; those beside dnn-tip are read.

    Returns
    -------
    Text; without lines where the benchmark was not run.

    Examples
    --------
    >>> from mistrust import rows
    >>> at = {"lsa, 1 threads, 1000 queries": 2.27, "lsa, 2 threads, 10000 queries": 6.06}
    >>> found = [{"at": name, "value": value} for name, value in at.items()]
    >>> bars(rows.table(found, table="surprise", metric="ratio", condition="dnn-tip"))["bar"].tolist()
    ['at least 4: missed', 'at least 4: met']
    """
    found = benchmark[(benchmark["metric"] == "ratio") & (benchmark["condition"] == _PEER)]
    lines = []
    for at, ratio in zip(found["at"], found["value"], strict=True):
        name, threads, inputs = (part.split()[0] for part in str(at).split(", "))
        bar = BARS[name]
        told = f"at least {bar:.0f}: {'met' if ratio >= bar else 'missed'}"
        lines.append((words(name), threads, f"{int(inputs):,}", three(ratio), told))
    return pd.DataFrame(lines, columns=["supervisor", "threads", "inputs", "times as fast", "bar"])


def bars_met(benchmark: pd.DataFrame) -> str:
    """Say how many of the lines of `bars` meet their bar, for a sentence.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"lsa, {n} threads, 1000 queries", "value": ratio} for n, ratio in ((1, 2.27), (2, 6.06))]
    >>> bars_met(rows.table(found, table="surprise", metric="ratio", condition="dnn-tip"))
    '1 of 2'
    """
    told = bars(benchmark)["bar"]
    return f"{sum(one.endswith(': met') for one in told)} of {len(told)}" if len(told) else "not run"


def fit_share(benchmark: pd.DataFrame, name: str, threads: int = 1) -> tuple[float, float]:
    """Give the share of the time for 1,000 inputs that does not depend on them: ours, and dnn-tip's.

    A line through the times for 1,000 and for 10,000 inputs has it as its value at none.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise".
    name : "dsa", "lsa" or "mdsa".

    Returns
    -------
    Two shares; NaN where it was not measured.

    Examples
    --------
    >>> from mistrust import rows
    >>> times = [("", "seconds", 1000, 0.07), ("", "seconds", 10_000, 0.25)]
    >>> ratios = [("dnn-tip", "ratio", 1000, 2.0), ("dnn-tip", "ratio", 10_000, 4.0)]
    >>> found = [{"condition": on, "metric": metric, "at": f"lsa, 1 threads, {count} queries", "value": value}
    ...          for on, metric, count, value in times + ratios]
    >>> [round(share, 2) for share in fit_share(rows.table(found, table="surprise"), "lsa")]
    [0.71, 0.32]
    """

    def value(metric: str, count: int) -> float:
        at = f"{name}, {threads} threads, {count} queries"
        found = benchmark[(benchmark["metric"] == metric) & (benchmark["at"] == at)]["value"]
        return float(found.iloc[-1]) if len(found) else float("nan")

    ours = {count: value("seconds", count) for count in (_FEW, _MANY)}
    theirs = {count: time * value("ratio", count) for count, time in ours.items()}
    few, many = ((_MANY * side[_FEW] - _FEW * side[_MANY]) / (_MANY - _FEW) / side[_FEW] for side in (ours, theirs))
    return few, many
