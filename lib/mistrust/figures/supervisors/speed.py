"""How fast corruptions, MC-Dropout, ensembles and one record for all are, beside others: tables and words."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mistrust.figures.parts import and_so_on
from mistrust.figures.supervisors.parts import words
from mistrust.figures.supervisors.threads import by_worker, in_threads, thread_words
from mistrust.figures.written import three

BARS = {"dropout": 20.0, "corruptions": 10.0}  # times as fast, set before anything was measured
AGREEMENT = 1e-6  # relative, likewise
_REPEATED = "ambiguess-conv"  # repeats its last layer alone; for the others there is no bar
_PEERS = {"repeat": "calling the network again", "whole": "the whole network with the same masks"}
_ALL = "all"


@dataclass(frozen=True)
class _Line:
    """What was timed, by whom, times as fast, the bar (0 for none), largest relative difference (NaN: not compared)."""

    what: str
    worker: str
    ratio: float
    bar: float = 0
    apart: float = float("nan")


def speed(*benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each thing that was timed: times as fast by threads, its bar, and how far results lie apart.

    Parameters
    ----------
    benchmarks : rows of "dropout", "corruptions", "ensembles" and "supervisors"; none of one that was not run.

    Returns
    -------
    Text; without lines where none was run. Below 1 the other way is faster.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"samples=100, {count} threads", "value": value} for count, value in ((1, 30.6), (2, 19.5))]
    >>> one = rows.table(found, table="dropout", metric="ratio", condition="repeat", network="ambiguess-conv")
    >>> list(speed(one).iloc[0])[1:]
    ['30.6', '19.5', 'at least 20: missed', 'not compared']
    """
    lines = [line for rows in benchmarks for line in _lines(rows)]
    workers = in_threads(pd.Series([line.worker for line in lines], dtype=object))
    found = []
    for what in dict.fromkeys(line.what for line in lines):
        same = [line for line in lines if line.what == what]
        ratios = {line.worker: three(line.ratio) for line in same}
        bar = same[0].bar
        met = all(line.ratio >= bar for line in same)
        apart = [line.apart for line in same if not np.isnan(line.apart)]
        found.append(
            {
                "what": what,
                **{thread_words(name) or "times as fast": ratios.get(name, "not run") for name in workers},
                "bar": f"at least {bar:g}: {'met' if met else 'missed'}" if bar else "none",
                "largest difference": (f"{max(apart):.0e}" if max(apart) else "0") if apart else "not compared",
            }
        )
    return pd.DataFrame(found)


def corruption_speed(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give times as fast as a loop over images: a line for each corruption and number of threads, a column a severity.

    Parameters
    ----------
    benchmark : rows of the benchmark "corruptions".

    Returns
    -------
    Text; without lines where the benchmark was not run.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": "mnistc/dotted_line, 1 threads", "level": level, "value": 5.0 + level} for level in (1, 2)]
    >>> corruption_speed(rows.table(found, table="corruptions", metric="ratio")).to_dict("records")
    [{'corruption': 'Dotted line', 'threads': 'one thread', '1': '6', '2': '7'}]
    """
    found = _settings(benchmark, "ratio")
    if not len(found):
        return pd.DataFrame()
    levels, workers = sorted(set(found["level"])), in_threads(found["worker"])
    values = found.set_index(["at", "worker", "level"])["value"]
    lines = [
        {"corruption": _corruption(at), "threads": thread_words(worker)}
        | {
            f"{level:.0f}": three(values[at, worker, level]) if (at, worker, level) in values else ""
            for level in levels
        }
        for at in sorted(set(found["at"]), key=_corruption)
        for worker in workers
    ]
    return pd.DataFrame(lines)


def corruptions_told(benchmark: pd.DataFrame) -> str:
    """Say the geometric mean by threads, the slowest setting, and what is farther from the loop's result than 1e-6.

    Parameters
    ----------
    benchmark : rows of the benchmark "corruptions".

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": "mnistc/fog, 1 threads", "level": 1, "metric": "ratio", "value": 4.0},
    ...          {"at": "mnistc/shear, 1 threads", "level": 2, "metric": "ratio", "value": 9.0},
    ...          {"at": "mnistc/fog, 1 threads", "level": 1, "metric": "agreement", "value": 2e-6}]
    >>> told = corruptions_told(rows.table(found, table="corruptions")).split("; ")
    >>> told[0]
    'In the geometric mean over 2 settings, ours are 6 times as fast with one thread'
    >>> told[1].partition(" Results ")[0]
    'the smallest factor is that for Fog, severity 1: 4 times with one thread.'
    >>> told[1].partition(" Results ")[2]
    'differ by more than 1e-06 for Fog, severity 1 (2e-06).'
    """
    ratios, apart = _settings(benchmark, "ratio"), _settings(benchmark, "agreement")
    if not len(ratios):
        return "Corruptions were not timed."
    means = [f"{three(_mean(ratios, worker))} times as fast{_with(worker)}" for worker in in_threads(ratios["worker"])]
    slow = min(ratios.to_dict("records"), key=lambda one: one["value"])
    count = len(ratios.drop_duplicates(["at", "level"]))
    told = f"In the geometric mean over {count} settings, ours are {and_so_on(means)}; the smallest factor "
    told += f"is that for {_setting(slow)}: {three(slow['value'])} times{_with(slow['worker'])}."
    if not len(apart):
        return told
    worst = apart.sort_values("value").drop_duplicates(["at", "level"], keep="last")
    over = [f"{_setting(one)} ({one['value']:.0e})" for one in worst[worst["value"] > AGREEMENT].to_dict("records")]
    far = f"differ by more than {AGREEMENT:.0e} for {and_so_on(over)}" if over else f"agree to {AGREEMENT:.0e}"
    return f"{told} Results {far}."


def ensembles_told(benchmark: pd.DataFrame) -> str:
    """Say in how many settings members train faster one after another than as one stack.

    Parameters
    ----------
    benchmark : rows of the benchmark "ensembles"; its ratio is the loop's time over the stack's.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"batch=32, {count} threads", "value": value} for count, value in ((1, 0.6), (2, 1.25))]
    >>> ensembles_told(rows.table(found, table="ensembles", metric="ratio", condition="stacked/library"))[71:]
    ' in 1 of 2 settings: the loop takes 0.6 to 1.25 times as long.'
    """
    found = by_worker(benchmark[benchmark["metric"] == "ratio"])["value"]
    if not len(found):
        return "Ensembles were not timed."
    told = "Members of an ensemble train faster one after another than as one stack in "
    told += f"{int((found < 1).sum())} of {len(found)} settings: the loop takes "
    return f"{told}{three(found.min())} to {three(found.max())} times as long."


def _lines(rows: pd.DataFrame) -> Iterator[_Line]:
    for table, read in _READ.items():
        found = rows[rows["table"] == table]
        ratios, apart = (by_worker(found[found["metric"] == metric]) for metric in ("ratio", "agreement"))
        yield from read(ratios, apart)


def _dropout(ratios: pd.DataFrame, apart: pd.DataFrame) -> Iterator[_Line]:
    for row in ratios.to_dict("records"):
        network, peer = str(row["network"]), str(row["condition"])
        same = apart[(apart["network"] == network) & (apart["condition"] == peer)]["value"]
        bar = BARS["dropout"] if (network, peer) == (_REPEATED, "repeat") else 0
        what = f"MC-Dropout, {words(network)}, compared with {_PEERS[peer]}"
        yield _Line(what, row["worker"], row["value"], bar, same.max())


def _corruptions(ratios: pd.DataFrame, apart: pd.DataFrame) -> Iterator[_Line]:
    single = ratios[ratios["at"] != _ALL]
    for worker in in_threads(single["worker"]):
        far = apart[apart["worker"] == worker]["value"].max()
        what = "corruptions, geometric mean, compared with a loop over images"
        yield _Line(what, worker, _mean(single, worker), BARS["corruptions"], far)


def _ensembles(ratios: pd.DataFrame, apart: pd.DataFrame) -> Iterator[_Line]:
    for row in ratios.to_dict("records"):
        same = apart[(apart["network"] == row["network"]) & (apart["condition"] == row["condition"])]["value"]
        how = str(row["condition"]).partition("/")[2]
        named = words(str(row["network"])) + ("" if how == "library" else f", {how}")
        what = (
            f"{row['n']:.0f} networks trained as one, {named}, batches of {row['level']:.0f}, compared with one by one"
        )
        yield _Line(what, row["worker"], row["value"], apart=same.max())


def _one_record(ratios: pd.DataFrame, apart: pd.DataFrame) -> Iterator[_Line]:
    for row in ratios.to_dict("records"):
        far = apart[apart["worker"] == row["worker"]]["value"].max()
        yield _Line("all supervisors from one record, compared with each alone", row["worker"], row["value"], apart=far)


_READ: dict[str, Callable[[pd.DataFrame, pd.DataFrame], Iterator[_Line]]] = {
    "dropout": _dropout,
    "corruptions": _corruptions,
    "ensembles": _ensembles,
    "supervisors": _one_record,
}


def _settings(benchmark: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Rows of single corruptions and severities."""
    found = by_worker(benchmark[benchmark["metric"] == metric])
    return found[found["at"] != _ALL]


def _mean(ratios: pd.DataFrame, worker: str) -> float:
    return float(np.exp(np.log(ratios[ratios["worker"] == worker]["value"]).mean()))


def _corruption(at: str) -> str:
    return words(f"corrupted/{at.partition('/')[2]}")


def _setting(row: Mapping[Hashable, Any]) -> str:
    return f"{_corruption(str(row['at']))}, severity {row['level']:.0f}"


def _with(worker: str) -> str:
    return f" with {thread_words(worker)}" if worker else ""
