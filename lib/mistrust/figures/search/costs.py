"""What the searches cost beside their plain forms, as a table."""

from collections.abc import Callable, Mapping

import pandas as pd

from mistrust.figures.search.parts import words

Read = Callable[[pd.DataFrame], Mapping[str, str]]


def costs(*benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each thing that was timed.

    Parameters
    ----------
    benchmarks : rows of "coverage", "replicates" and "boundary"; none of one that was not run.

    Returns
    -------
    Columns "what" and "times as fast" (text).

    Examples
    --------
    >>> from mistrust import rows
    >>> ratio = {"metric": "ratio", "value": 62.7, "condition": "loop/plain", "at": "sdr"}
    >>> costs(rows.table([ratio], table="replicates")).to_dict("records")
    [{'what': 'SDR of all replicates, beside a loop over replicates and queries', 'times as fast': '63'}]
    """
    lines: list[dict[str, str]] = []
    for found in benchmarks:
        ratios = found[found["metric"] == "ratio"]
        for table, read in _READ.items():
            said = read(ratios[ratios["table"] == table])
            lines += [{"what": what, "times as fast": ratio} for what, ratio in said.items()]
    return pd.DataFrame(lines, columns=["what", "times as fast"])


def _times(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _coverage(ratios: pd.DataFrame) -> dict[str, str]:
    """Read each search: alone, and with the similarities that both sides begin with."""
    found = ratios.set_index(["method", "at"])["value"]
    return {
        f"{words(str(method))}, recomputed only on change, beside the published form": (
            f"{_times(found[method, 'search'])}; {_times(found[method, 'whole'])} with the similarities"
        )
        for method in dict.fromkeys(ratios["method"])
    }


def _replicates(ratios: pd.DataFrame) -> dict[str, str]:
    plain = ratios[ratios["condition"] == "loop/plain"].set_index("at")["value"]
    measured = {"sdr": "SDR", "spread": "SDR and distance to the nearest query"}
    return {
        f"{what} of all replicates, beside a loop over replicates and queries": _times(plain[at])
        for at, what in measured.items()
        if at in plain
    }


def _boundary(ratios: pd.DataFrame) -> dict[str, str]:
    """Read seconds to an equally small distance; the least of both classes."""
    least = ratios.sort_values("value").drop_duplicates(["method", "level"]).sort_values("level")
    titles = {"boundary": "boundary attack", "boundary-quick": "boundary attack, the quick one"}
    said = {}
    for method, title in titles.items():
        own = least[least["method"] == method]
        each = [
            f"{'at least ' * ('lower bound' in note)}{_times(value)} ({level:,.0f} steps)"
            for level, value, note in zip(own["level"], own["value"], own["note"], strict=True)
        ]
        if each:
            said[f"{title}, to the same distance as foolbox 3.3.4"] = ", ".join(each)
    return said


_READ: Mapping[str, Read] = {"coverage": _coverage, "replicates": _replicates, "boundary": _boundary}
