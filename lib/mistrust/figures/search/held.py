"""Which rows a figure of the search shows: those of one table, image set and class, in an order of their own."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from mistrust.figures.parts import one_of, some
from mistrust.figures.search.parts import classes_in, data_in
from mistrust.rows import select


def queries(rows: pd.DataFrame, table: str, level: float | None, **where: Any) -> float:
    """Give the number of queries that is asked for; for None the largest that the rows of a table have."""
    known = select(rows, table=table, **where)["level"]
    return float(known.max()) if level is None and known.notna().any() else float(50 if level is None else level)


def wanted(names: Sequence[str] | None, there: Sequence[str], what: str) -> list[str]:
    """Give the names that are asked for, in the order asked; all that are there for None; refuse one without rows."""
    return list(there) if names is None else [one_of(name, there, what) for name in names]


def of(
    rows: pd.DataFrame, table: str, what: str, *, data: str | None = None, at: str | None = None, **where: object
) -> pd.DataFrame:
    """Give the rows of one table, in an order of their own: the same rows make the same picture however they come.

    Parameters
    ----------
    what : what is missing, for the message.
    data : which image set; None for all.
    at : the critical class; None takes of each image set the paper's, else its first.
    where : further columns.

    Raises
    ------
    MistrustError
        There are no such rows; an image set or class is said with those that there are.
    """
    held = select(rows, table=table, **where)
    held = held[held["at"] != ""]
    some(held, what)
    if data is not None:
        held = held[held["data"] == one_of(data, data_in(held["data"]), what)]
    if at is not None:
        held = held[held["at"] == one_of(at, classes_in(held["at"]), what)]
    else:
        first = {name: classes_in(own["at"])[0] for name, own in held.groupby("data")}
        held = held[held["at"] == held["data"].map(first)]
    keys = ["data", "network", "condition", "method", "at", "metric", "level", "seed"]
    return held.sort_values(keys, kind="stable")


def of_authors(rows: pd.DataFrame, what: str, *, data: str | None = None, **where: object) -> pd.DataFrame:
    """Give the rows of searches on the authors' own rows, in an order of their own; they have no condition or class.

    Parameters
    ----------
    what : what is missing, for the message.
    data : which image set; None for the first.
    where : further columns.

    Raises
    ------
    MistrustError
        There are no such rows; an image set is said with those that there are.
    """
    held = select(rows, table="authors", **where)
    held = held[held["method"] != ""]
    some(held, what)
    held = held[held["data"] == one_of(data, data_in(held["data"]), what)]
    return held.sort_values(["method", "metric", "level", "seed"], kind="stable")
