"""One row of a table, or one parameter, as a text for the prose."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.compare import NOT_PRINTED, NOT_RUN


def in_words(source: pd.DataFrame, form: str, select: Mapping[str, Any]) -> str:
    """Write the one row with these values; without a seed among them, the mean over networks is meant."""
    found = tidy.select(source, **select)
    if "seed" not in select:
        found = found[found["seed"].isna()]
    if len(found) == 0:
        return NOT_RUN
    if len(found) > 1:
        raise MistrustError(f"{len(found)} rows have {dict(select)}: name more columns, so that one is left.")
    row = found.iloc[0]
    count = NOT_PRINTED if pd.isna(row["n"]) else int(row["n"])
    return form.format(value=row["value"], low=row["low"], high=row["high"], n=count)


def of_a_parameter(value: object) -> str:
    """Write a parameter's value: whole numbers with commas between thousands, several values one after the other.

    Examples
    --------
    >>> of_a_parameter(1000), of_a_parameter(("biased/0:1", "biased/12:2")), of_a_parameter(())
    ('1,000', 'biased/0:1, biased/12:2', 'none')
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(of_a_parameter(one) for one in value) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
