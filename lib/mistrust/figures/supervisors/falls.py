"""What supervisors lose from one image set to another, run by run, as rows."""

import pandas as pd

from mistrust import rows as tidy


def falls(
    rows: pd.DataFrame, network: str, kind: str, methods: tuple[str, ...], data: tuple[str, str] = ("mnist", "fmnist")
) -> pd.DataFrame:
    """Give a row for each run: the mean AUROC of these supervisors on the first image set minus that on the second.

    The runs of two sets have nothing in common but their number.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection"; those of single networks are read.
    network : the architecture.
    kind : of bad input ("invalid").
    methods : which supervisors.

    Returns
    -------
    Rows with the columns seed and value; none where a set or a supervisor lacks all runs.

    Examples
    --------
    >>> from mistrust import rows
    >>> values = {"mnist": (0.9, 0.8), "fmnist": (0.6, 0.7)}
    >>> found = [{"data": data, "seed": run, "value": value}
    ...          for data, each in values.items() for run, value in enumerate(each)]
    >>> about = {"table": "detection", "metric": "auroc", "method": "dsa", "network": "ambiguess-fc"}
    >>> one = rows.table(found, condition="invalid/other", **about)
    >>> falls(one, "ambiguess-fc", "invalid", ("dsa",))["value"].round(3).tolist()
    [0.3, 0.1]
    >>> falls(one, "ambiguess-fc", "invalid", ("dsa", "lsa")).empty
    True
    """
    held = tidy.select(rows, table="detection", metric="auroc", network=network, method=list(methods), data=list(data))
    held = held[held["seed"].notna() & held["condition"].str.startswith(f"{kind}/")]
    columns = pd.MultiIndex.from_product([data, methods])
    wide = held.pivot(index="seed", columns=["data", "method"], values="value").reindex(columns=columns).dropna()
    first, second = (wide[[(one, name) for name in methods]].mean(axis=1) for one in data)
    return (first - second).rename("value").reset_index()
