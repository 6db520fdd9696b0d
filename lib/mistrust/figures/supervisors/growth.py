"""How time and memory of surprise supervisors grow with the training rows, as a table."""

import pandas as pd

START = "growth, "
HEADS = {"seconds": "seconds", "peak_mb": "MB"}
TENFOLD = (10_000, 100_000)  # training rows between which growth is told


def growth(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each number of training rows, and seconds and peak megabytes of each supervisor.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise"; those of its growth are read.

    Returns
    -------
    Text; without lines where the benchmark was not run. What was stopped for its time reads "not run".

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"level": 1000, "metric": "seconds", "value": 0.1},
    ...     {"level": 1000, "metric": "peak_mb", "value": 3.2},
    ...     {"level": 10_000, "metric": "seconds", "value": 1.5},
    ... ]
    >>> growth(rows.table(found, table="surprise", at="growth, dsa")).to_dict("list")
    {'training rows': ['1,000', '10,000'], 'DSA, seconds': ['0.10', '1.50'], 'DSA, MB': ['3', 'not run']}
    """
    found = benchmark[benchmark["at"].astype(str).str.startswith(START) & benchmark["metric"].isin(list(HEADS))]
    lines: dict[int, dict[str, str]] = {}
    names = [*dict.fromkeys(found["at"])]
    for row in found.to_dict("records"):
        line = lines.setdefault(int(row["level"]), {})
        line[f"{row['at']}|{row['metric']}"] = (
            f"{row['value']:,.2f}" if row["metric"] == "seconds" else f"{row['value']:,.0f}"
        )
    columns = {
        f"{name.removeprefix(START).upper()}, {head}": [
            line.get(f"{name}|{metric}", "not run") for line in lines.values()
        ]
        for name in names
        for metric, head in HEADS.items()
    }
    return pd.DataFrame({"training rows": [f"{count:,}" for count in lines], **columns})


def growth_rate(benchmark: pd.DataFrame, name: str) -> float:
    """Give how many times as long fitting and scoring take with 100,000 training rows as with 10,000.

    Parameters
    ----------
    benchmark : rows of the benchmark "surprise".
    name : "dsa", "lsa" or "mdsa".

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
