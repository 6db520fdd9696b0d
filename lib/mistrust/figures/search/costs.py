"""What the searches cost beside their plain forms, as a table."""

import math
from collections.abc import Callable, Mapping

import pandas as pd

from mistrust.figures.search.parts import words

Read = Callable[[pd.DataFrame], Mapping[str, str]]
NETWORK, QUERIES = "time in the network", "times fewer queries"
# Times as fast as was wanted, set before anything was measured.
BARS: Mapping[str, float] = {"coverage": 8.0, "replicates": 50.0, "boundary": 2.0}
_TO = "to the same distance as foolbox 3.3.4's boundary attack"
_ATTACKS = {
    "boundary": f"boundary attack, {_TO}",
    "boundary-quick": f"quick boundary attack, {_TO}",
    "boundary-smooth": f"quick boundary attack with smooth directions, {_TO}",
    "hopskip": f"HopSkipJump, {_TO}",
    "hopskip-smooth": f"HopSkipJump with smooth directions, {_TO}",
}


def costs(*benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each thing that was timed.

    Parameters
    ----------
    benchmarks : rows of "coverage", "replicates" and "boundary"; none of one that was not run.

    Returns
    -------
    Columns "what", "times as fast" and "wanted", the bar (text); where a benchmark says them, "times fewer queries" and
    "time in the network", ours and the peer's.

    Examples
    --------
    >>> from mistrust import rows
    >>> ratio = {"metric": "ratio", "value": 62.7, "condition": "loop/plain", "at": "sdr"}
    >>> costs(rows.table([ratio], table="replicates")).values.tolist()
    [['SDR of all replicates, compared with a loop over replicates and queries', '63', 'at least 50']]
    """
    lines: list[dict[str, str]] = []
    for found in benchmarks:
        ratios = found[found["metric"] == "ratio"]
        for table, read in _READ.items():
            said = read(ratios[ratios["table"] == table])
            wanted = f"at least {BARS[table]:g}"
            lines += [{"what": what, "times as fast": ratio, "wanted": wanted} for what, ratio in said.items()]
    table = pd.DataFrame(lines, columns=["what", "times as fast", "wanted"])
    for name, read_more in {QUERIES: _queries, NETWORK: _shares}.items():
        said = {what: text for found in benchmarks for what, text in read_more(found).items()}
        if said:
            table[name] = table["what"].map(said).fillna("not measured")
    return table


def attacked(benchmark: pd.DataFrame) -> str:
    """Say how many images the attacks were timed on; "not run" without rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> attacked(rows.table([{"value": 2.2, "n": 60}], table="boundary", metric="ratio"))
    '60'
    """
    counts = benchmark.loc[benchmark["metric"] == "ratio", "n"].dropna()
    return " to ".join(f"{n:,.0f}" for n in dict.fromkeys((counts.min(), counts.max()))) if len(counts) else "not run"


def _times(value: float, bar: float | None = None) -> str:
    """Write a ratio; where rounding would hide on which side of its bar it lies, with one decimal, cut off."""
    text = f"{value:.1f}" if value < 10 else f"{value:,.0f}"
    if bar is not None and (value < bar) != (float(text.replace(",", "")) < bar):
        return f"{math.floor(value * 10) / 10:,.1f}"
    return text


def _coverage(ratios: pd.DataFrame) -> dict[str, str]:
    """Read each search: alone, and with the similarities that both sides begin with."""
    found = ratios.set_index(["method", "at"])["value"]
    return {
        f"{words(str(method))}, recomputed only where it may be best, compared with the published form": (
            f"{_times(found[method, 'search'], BARS['coverage'])}; "
            f"{_times(found[method, 'whole'])} with the similarities"
        )
        for method in dict.fromkeys(ratios["method"])
    }


def _replicates(ratios: pd.DataFrame) -> dict[str, str]:
    plain = ratios[ratios["condition"] == "loop/plain"].set_index("at")["value"]
    measured = {"sdr": "SDR", "spread": "SDR and distance to the nearest query"}
    return {
        f"{what} of all replicates, compared with a loop over replicates and queries": _times(
            plain[at], BARS["replicates"]
        )
        for at, what in measured.items()
        if at in plain
    }


def _shares(found: pd.DataFrame) -> dict[str, str]:
    """Read the share of its seconds that a boundary attack spends in the network: ours, and foolbox's beside it."""
    own = found[(found["table"] == "boundary") & (found["metric"] == "network share")]
    said = {}
    for method, title in _ATTACKS.items():
        sides = own[own["method"] == method].groupby(own["condition"] != "")["value"].agg(["min", "max"])
        each = {bool(peer): _range(low, high) for peer, low, high in sides.itertuples()}
        if False in each:
            said[title] = each[False] + (f"; foolbox {each[True]}" if True in each else "")
    return said


def _range(low: float, high: float) -> str:
    ends = f"{low:.0%}", f"{high:.0%}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _queries(found: pd.DataFrame) -> dict[str, str]:
    """Read queries to an equally small distance: unlike seconds, the same on every machine."""
    return _boundary(found[(found["table"] == "boundary") & (found["metric"] == "ratio of queries")])


def _boundary(ratios: pd.DataFrame) -> dict[str, str]:
    """Read what is saved on the way to an equally small distance; the least of both classes."""
    least = ratios.sort_values("value").drop_duplicates(["method", "level"]).sort_values("level")
    said = {}
    for method, title in _ATTACKS.items():
        own = least[least["method"] == method]
        each = [
            f"{'at least ' * ('lower bound' in note)}{_times(value, BARS['boundary'])} ({level:,.0f} steps)"
            for level, value, note in zip(own["level"], own["value"], own["note"], strict=True)
        ]
        if each:
            said[title] = ", ".join(each)
    return said


_READ: Mapping[str, Read] = {"coverage": _coverage, "replicates": _replicates, "boundary": _boundary}
