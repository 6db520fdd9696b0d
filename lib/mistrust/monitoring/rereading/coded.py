"""Table I read again: what the authors' code sets of all that the paper says it tried."""

import pandas as pd

SETS = {"gtsrb": "GTSRB", "cifar10": "CIFAR-10"}
COLUMN, LACKING = "re-read: the authors' code", "no code"


def coded(lines: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Put beside the printed settings what the code runs with, image set by image set.

    Parameters
    ----------
    lines : a line a parameter, with `monitor`, `parameter` and "the paper", as `experiment.settings.settings` gives.
    published : the paper's rows, of which those of table "code" are read that are of a setting, with the image set.

    Returns
    -------
    The same lines, with a column behind "the paper". A value that both image sets have stands once; "no code" where the
    repositories hold nothing that says it: the folder of ALOOC is a link to a commit that is not there.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"method": "oob", "metric": "number of clusters"}
    >>> found = [one | {"data": "gtsrb", "at": "0", "value": 0}, one | {"data": "cifar10", "at": "5", "value": 5}]
    >>> code = rows.check(rows.table(found, table="code").assign(place="the code"), extra=("place",))
    >>> names = [("oob", "number of clusters"), ("alooc", "epoch")]
    >>> lines = pd.DataFrame(names, columns=["monitor", "parameter"]).assign(**{"the paper": "..."})
    >>> coded(lines, code).iloc[:, -1].tolist()
    ['0 (GTSRB), 5 (CIFAR-10)', 'no code']
    """
    code = published[(published["table"] == "code") & published["data"].isin(list(SETS)) & (published["at"] != "")]
    found = {at: _said(rows) for at, rows in code.groupby(["method", "metric"])}
    cells = [found.get(at, LACKING) for at in zip(lines["monitor"], lines["parameter"], strict=True)]
    behind = list(lines.columns).index("the paper") + 1
    more = lines.copy()
    more.insert(behind, COLUMN, cells)
    return more


def _said(rows: pd.DataFrame) -> str:
    """Each value once, with its image sets where these differ."""
    by = {SETS[data]: at for data, at in sorted(zip(rows["data"], rows["at"], strict=True), reverse=True)}
    if len(set(by.values())) == 1 and len(by) == len(SETS):
        return next(iter(by.values()))
    return ", ".join(f"{at} ({name})" for name, at in by.items())
