"""In which way the claims are judged: on rows, or by reading the paper and its code."""

import pandas as pd

READ, ALONE = "without any run", "(no interval between networks)"
_WORDS = {"holds": ("holds", "hold"), "does not hold": ("does not hold", "do not hold")}


def on_rows(ledger: pd.DataFrame) -> str:
    """Count the claims that are tested on rows, by verdict, and those among them that no row could decide.

    Parameters
    ----------
    ledger : the claims of the chapter, with the columns verdict and evidence.

    Returns
    -------
    "2: 1 holds, 1 is undecided; of those undecided, 1 for want of an interval between networks".

    Examples
    --------
    >>> said = ["lift = 1.4 [1.2, 1.6]", "share = 0.9 (no interval between networks)", "without any run: the code"]
    >>> held = pd.DataFrame({"verdict": ["holds", "undecided", "does not hold"], "evidence": said})
    >>> on_rows(held), by_reading(held)
    ('2: 1 holds, 1 is undecided; of those undecided, 1 for want of an interval between networks', '1: 1 does not hold')
    """
    found = ledger[~_read(ledger)]
    alone = found["verdict"].eq("undecided") & found["evidence"].str.contains(ALONE, regex=False)
    wanting = f"; of those undecided, {int(alone.sum())} for want of an interval between networks"
    return _counted(found) + (wanting if alone.any() else "")


def by_reading(ledger: pd.DataFrame) -> str:
    """Count the claims that need no rows, since the paper or its code decides them, by verdict.

    Parameters
    ----------
    ledger : as for `on_rows`.

    Examples
    --------
    >>> said = ["without any run: the code", "lift = 1.4 [1.2, 1.6]"]
    >>> by_reading(pd.DataFrame({"verdict": ["does not hold", "holds"], "evidence": said}))
    '1: 1 does not hold'
    """
    return _counted(ledger[_read(ledger)])


def _read(ledger: pd.DataFrame) -> "pd.Series[bool]":
    return ledger["evidence"].str.startswith(READ)


def _counted(found: pd.DataFrame) -> str:
    each = []
    for verdict, count in found["verdict"].value_counts(sort=False).sort_index(key=lambda one: one.map(_place)).items():
        one, many = _WORDS.get(str(verdict), (f"is {verdict}", f"are {verdict}"))
        each.append(f"{count} {one if count == 1 else many}")
    return f"{len(found)}: {', '.join(each)}" if each else "none"


def _place(verdict: str) -> int:
    order = ("holds", "does not hold", "undecided", "not run")
    return order.index(verdict) if verdict in order else len(order)
