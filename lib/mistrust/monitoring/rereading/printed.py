"""Printed rows as a frame: one line per row of the paper's tables, with its label and its six numbers."""

import pandas as pd

from mistrust.errors import MistrustError, UnknownName

NUMBERS = ("mcc", "fpr", "fnr", "precision", "recall", "f1")
KEY = ("place", "data", "condition", "level", "method")


def printed(published: pd.DataFrame, table: str = "complete") -> pd.DataFrame:
    """One line for each printed row of a detection table, in the order of print.

    Parameters
    ----------
    published : the chapter's published rows (`publishing.published`).
    table : "complete", the authors' full tables of 79 sets and three monitors, or "table2", "table3", "table4".

    Returns
    -------
    Columns `place`, `data`, `kind` of fault ("noise"), `label` as printed ("spatter (2)"), `method`, and `NUMBERS`
    as printed: nothing is mended here.

    Raises
    ------
    MistrustError
        No such table; a row that lacks one of the six numbers.

    Examples
    --------
    >>> from mistrust import rows
    >>> numbers = {"mcc": 0.47, "fpr": 0.03, "fnr": 0.59, "precision": 0.9, "recall": 0.41, "f1": 0.4}
    >>> fog = {"table": "complete", "condition": "shift/fog", "level": 5, "data": "cifar10", "method": "alooc"}
    >>> lines = [fog | {"place": "Table IV", "metric": metric, "value": value} for metric, value in numbers.items()]
    >>> found = printed(rows.check(pd.DataFrame(lines), extra=("place",)))
    >>> found[["data", "kind", "label", "method", "fpr", "fnr"]].to_dict("records")
    [{'data': 'cifar10', 'kind': 'shift', 'label': 'fog (5)', 'method': 'alooc', 'fpr': 0.03, 'fnr': 0.59}]
    """
    detection = sorted(published.loc[published["metric"] == "fpr", "table"].unique())
    if table not in detection:
        raise UnknownName("detection table among the published rows", table, detection)
    rows = published[(published["table"] == table) & published["metric"].isin(NUMBERS)].copy()
    rows["level"] = rows["level"].fillna(0).astype(int)
    wide = rows.pivot_table(index=list(KEY), columns="metric", values="value", sort=False).reset_index()
    lacking = [name for name in NUMBERS if name not in wide.columns or wide[name].isna().any()]
    if lacking:
        raise MistrustError(f"Rows of '{table}' lack {', '.join(lacking)}: a printed row has {', '.join(NUMBERS)}.")
    parts = wide["condition"].str.partition("/")
    wide["kind"] = parts[0]
    wide["label"] = [labelled(name, level) for name, level in zip(parts[2], wide["level"], strict=True)]
    return pd.DataFrame(wide[["place", "data", "kind", "label", "method", *NUMBERS]]).rename_axis(columns=None)


def labelled(name: str, level: int) -> str:
    """A label as the tables print it: the variation, and its severity in brackets where it has one."""
    return f"{name} ({level})" if level else name
