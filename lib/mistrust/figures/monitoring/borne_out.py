"""Do our own runs bear out the re-reading? Rank correlations by monitor and image set, as a table."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mistrust.figures.monitoring.parts import words
from mistrust.figures.written import interval, two

# What rows of `mistrust.monitoring.rereading.borne_out` call a number -> its column, after the run's name.
NUMBERS = {"labelled": "as labelled", "mended": "mended", "gain": "gain"}
BY = ("data", "method", "rows")


def borne_out(runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Lay the correlations of printed misses with ours side by side, runs across.

    Parameters
    ----------
    runs : what a run is called -> what `mistrust.monitoring.rereading.borne_out` says of its rows.

    Returns
    -------
    One line per image set, monitor and kind of printed rows, in words: "data", "monitor", "printed rows" ("all", or
    those that are "moved"), and for each run "sets", and "as labelled", "mended" and "gain" with their intervals. "–":
    not defined, or nothing moves. A run without a line has no columns; "not run" where it lacks one that another has.

    Examples
    --------
    >>> line = {"data": "gtsrb-thin", "method": "odin/as published", "rows": "all", "n": 35, "faults": 19}
    >>> for name, value in (("labelled", 0.45), ("mended", 0.75), ("gain", 0.3)):
    ...     line |= {name: value, f"{name}_low": value - 0.2, f"{name}_high": value + 0.1}
    >>> found = borne_out({"full": pd.DataFrame([line]), "this": pd.DataFrame()})
    >>> found.to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'data': 'GTSRB, thinned', 'monitor': 'ODIN, as published', 'printed rows': 'all', 'full, sets': '35',
      'full, as labelled': '0.45 (0.25 to 0.55)', 'full, mended': '0.75 (0.55 to 0.85)',
      'full, gain': '0.30 (0.10 to 0.40)'}]
    """
    held = {title: {tuple(one[name] for name in BY): _cells(one) for one in found.to_dict("records")}
            for title, found in runs.items() if len(found)}  # fmt: skip
    lines = []
    for key in dict.fromkeys(key for own in held.values() for key in own):
        data, method, kind = key
        line = {"data": words(data), "monitor": words(method), "printed rows": kind}
        for title, own in held.items():
            cells = own.get(key, {})
            line |= {f"{title}, {name}": cells.get(name, "not run") for name in ("sets", *NUMBERS.values())}
        lines.append(line)
    return pd.DataFrame(lines)


def borne_out_numbers(name: str, found: pd.DataFrame) -> dict[str, str]:
    """Write each number of a run for the sentences of a page.

    Parameters
    ----------
    name : what the numbers' names begin with.
    found : what `mistrust.monitoring.rereading.borne_out` says of one run's rows.

    Returns
    -------
    By name: "NAME-odin-gtsrb-thin-all-gain" with its interval, and alone under "...-gain-value"; "labelled" and
    "mended" likewise.

    Examples
    --------
    >>> line = {"data": "gtsrb-thin", "method": "odin/as published", "rows": "all"}
    >>> for number, value in (("labelled", 0.45), ("mended", 0.75), ("gain", 0.3)):
    ...     line |= {number: value, f"{number}_low": value - 0.2, f"{number}_high": value + 0.1}
    >>> borne_out_numbers("borne", pd.DataFrame([line]))["borne-odin-gtsrb-thin-all-gain"]
    '0.30 (0.10 to 0.40)'
    """
    numbers: dict[str, str] = {}
    for one in found.to_dict("records"):
        at = f"{name}-{one['method'].partition('/')[0]}-{one['data']}-{one['rows']}"
        for number in NUMBERS:
            written = _interval(*(one[f"{number}{end}"] for end in ("", "_low", "_high")))
            numbers |= {f"{at}-{number}": written, f"{at}-{number}-value": written.partition(" ")[0]}
    return numbers


def _cells(one: Mapping[Any, Any]) -> dict[str, str]:
    written = {title: _interval(*(one[f"{name}{end}"] for end in ("", "_low", "_high")))
               for name, title in NUMBERS.items()}  # fmt: skip
    return {"sets": str(one["n"]), **written}


def _interval(value: float, low: float, high: float) -> str:
    return "–" if pd.isna(value) else interval(value, low, high, lambda one: two(round(one, 2) + 0.0))  # no -0.00
