"""The computing time behind accepted rows, as the store kept it when they were made."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mistrust.store import seconds


def core_seconds(rows: pd.DataFrame, before: Mapping[str, float] | None = None) -> dict[str, float]:
    """Processor seconds of each part, by the key that its rows were made from; a piece has one part or a few.

    Parameters
    ----------
    before : what was known already; of parts that the store no longer has, it stands.

    Returns
    -------
    Nothing of a part whose time nobody knows: made before times were kept, or elsewhere.

    Examples
    --------
    >>> from mistrust import rows
    >>> two = [{"metric": "accuracy", "seed": seed, "value": 0.9, "made": f"0{'ab'[seed]}"} for seed in (0, 1)]
    >>> found = rows.table(two, table="accuracy")
    >>> core_seconds(found, {"0a": 61.5, "0c": 20.0})
    {'0a': 61.5}
    """
    known = dict(before or {})
    for made in parts(rows):
        took = seconds(made)
        if took is not None:
            known[made] = took
    return {made: known[made] for made in parts(rows) if made in known}


def parts(rows: pd.DataFrame) -> list[str]:
    """The keys that rows were made from, each once."""
    return sorted(set(rows["made"]) - {""})


def told(rows: pd.DataFrame, about: Mapping[str, Any]) -> str:
    """Say how long it took, and of how many parts that is known.

    Parameters
    ----------
    about : a manifest, whose "core seconds" `core_seconds` gave.

    Examples
    --------
    >>> from mistrust import rows
    >>> two = [{"metric": "accuracy", "seed": seed, "value": 0.9, "made": f"0{'ab'[seed]}"} for seed in (0, 1)]
    >>> found = rows.table(two, table="accuracy")
    >>> told(found, {"core seconds": {"0a": 5400.0}})
    "1.5 hours of one processor core for 1 of 2 parts; the others' was not recorded"
    >>> told(found, {})
    'not recorded'
    """
    known, every = about.get("core seconds", {}), parts(rows)
    if not known:
        return "not recorded"
    rest = "" if len(known) == len(every) else "; the others' was not recorded"
    total = sum(known.values())
    time = f"{total / 3600:.1f} hours" if total >= 3600 else f"{total / 60:.1f} minutes"
    return f"{time} of one processor core for {len(known)} of {len(every)} parts{rest}"
