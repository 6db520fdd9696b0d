"""Which monitor is best? Ranks over sets by the printed MCC, as labelled and as mended."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError, UnknownName
from mistrust.evaluation import critical_difference, friedman, rank_differences

# Where a row's set stands: as printed, or as `mended` says.
VERSIONS: Mapping[str, tuple[str, str]] = {"as labelled": ("data", "label"), "mended": ("true_data", "true_label")}


def by_set(table: pd.DataFrame, version: str = "mended", data: str | None = None, score: str = "mcc") -> pd.DataFrame:
    """Scores of the monitors, one line per set.

    Parameters
    ----------
    table : rows by `mended` or `reread`.
    version : "as labelled": all rows where they are printed. "mended": rows of sets that can be ranked, where they
        belong.
    data : sets of this data set alone.
    score : the printed column.

    Returns
    -------
    Indexed by data set and label, a column for each monitor, in the order of print; sets by name.

    Raises
    ------
    MistrustError
        Another version; no set of that data set.

    Examples
    --------
    >>> again = {"data": "gtsrb", "label": "fog (2)", "true_data": "gtsrb", "true_label": "fog (5)", "ranked": True}
    >>> table = pd.DataFrame([again | {"method": "oob", "mcc": 0.1}, again | {"method": "odin", "mcc": 0.3}])
    >>> by_set(table).to_dict("index"), by_set(table, "as labelled").to_dict("index")
    ({('gtsrb', 'fog (5)'): {'oob': 0.1, 'odin': 0.3}}, {('gtsrb', 'fog (2)'): {'oob': 0.1, 'odin': 0.3}})
    """
    if version not in VERSIONS:
        raise UnknownName("version of the rows", version, VERSIONS)
    place = list(VERSIONS[version])
    rows = table[table["ranked"]] if version == "mended" else table
    rows = rows if data is None else rows[rows[place[0]] == data]
    if rows.empty:
        raise MistrustError(f"No rows of data '{data}'. Known: {', '.join(sorted(set(table['data'])))}.")
    wide = pd.DataFrame(rows.pivot(index=place, columns="method", values=score))
    return wide[list(dict.fromkeys(table["method"]))].rename_axis(index=["data", "label"], columns=None)


def ranking(table: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """Friedman's test of both versions, over all sets and by data set.

    Returns
    -------
    Six lines: `version`, `data` ("" for all), `n` sets, mean rank of each monitor, `statistic`, `p` (chi-squared,
    corrected for ties), `f`, `f_p` (Iman and Davenport), `difference` (Nemenyi's critical one). The p values take sets
    for independent, which they are not: all sets of a data set share monitors and nominal images, and severities are
    nested in faults.

    Examples
    --------
    >>> mcc = {"fog (2)": (0.1, 0.5, 0.3), "fog (5)": (0.2, 0.6, 0.4), "snow (2)": (0.1, 0.3, 0.2)}
    >>> lines = [{"data": "gtsrb", "label": label, "true_data": "gtsrb", "true_label": label, "ranked": True,
    ...           "method": method, "mcc": value}
    ...          for label, three in mcc.items() for method, value in zip(("alooc", "oob", "odin"), three)]
    >>> found = ranking(pd.DataFrame(lines))
    >>> found[["version", "n", "alooc", "oob", "odin", "p"]].round(2).to_dict("records")[0]
    {'version': 'as labelled', 'n': 3, 'alooc': 3.0, 'oob': 1.0, 'odin': 2.0, 'p': 0.05}
    """
    lines = []
    for version in VERSIONS:
        for data in ("", *sorted(set(table["data"]))):
            scores = by_set(table, version, data or None)
            found = friedman(scores.to_numpy())
            ranks = dict(zip(scores.columns, found.ranks, strict=True))
            difference = critical_difference(found.methods, found.sets, alpha)
            tests = {"statistic": found.statistic, "p": found.p, "f": found.f, "f_p": found.f_p}
            lines.append(
                {"version": version, "data": data, "n": found.sets, **ranks, **tests, "difference": difference}
            )
    return pd.DataFrame(lines)


def differences(
    table: pd.DataFrame, resamples: int, draw: np.random.Generator, version: str = "mended", data: str | None = None
) -> pd.DataFrame:
    """Differences of mean ranks, with intervals that draw whole faults: all severities, of either data set, together.

    Parameters
    ----------
    resamples, draw : see `evaluation.cluster_bootstrap`.
    table, version, data : see `by_set`.

    Returns
    -------
    One line per pair: `first`, `second` monitor, `value` (mean rank of the first less that of the second: below 0 the
    first is better), `low`, `high`, `n` sets, `faults`.

    Examples
    --------
    >>> mcc = {"fog (2)": (0.5, 0.1), "fog (5)": (0.6, 0.2), "snow (2)": (0.4, 0.2), "snow (5)": (0.1, 0.3)}
    >>> lines = [{"data": "gtsrb", "label": label, "method": method, "mcc": value}
    ...          for label, pair in mcc.items() for method, value in zip(("oob", "odin"), pair)]
    >>> found = differences(pd.DataFrame(lines), 50, np.random.default_rng(0), version="as labelled")
    >>> found[["first", "second", "value", "n", "faults"]].to_dict("records")
    [{'first': 'oob', 'second': 'odin', 'value': -0.5, 'n': 4, 'faults': 2}]
    """
    scores = by_set(table, version, data)
    faults = [label.partition(" (")[0] for label in scores.index.get_level_values("label")]
    found = rank_differences(scores.to_numpy(), faults, resamples, draw)
    names = list(scores.columns)
    lines = [
        {"first": names[i], "second": names[j], "value": found.value[i, j], "low": found.low[i, j],
         "high": found.high[i, j], "n": found.sets, "faults": found.clusters}
        for i in range(len(names)) for j in range(i + 1, len(names))
    ]  # fmt: skip
    return pd.DataFrame(lines)
