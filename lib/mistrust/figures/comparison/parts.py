"""What the chapter's figures share: scorers and troubles in their order, and words for both."""

from collections.abc import Iterable

import pandas as pd

from mistrust.comparison.advice import order
from mistrust.comparison.scorers import SCORERS, in_order
from mistrust.comparison.tables.cells import BREAKING, MLM, MLM_MEAN, SOFTMAX, TARGETED, TRUTH
from mistrust.comparison.tables.wrong import TOGETHER
from mistrust.comparison.troubles import NOMINAL, TROUBLES
from mistrust.errors import NoRows
from mistrust.figures.parts import some
from mistrust.rows import select

__all__ = ["data_in", "in_order", "number", "of", "short", "tidy_bytes", "troubles_in", "words"]

_SHORT = {
    "prediction_confidence_score": "PCS", "relative_mahalanobis": "Rel. Mahalanobis", "dsa": "DSA", "lsa": "LSA",
    "mdsa": "MDSA", "mlm_distance": "To the centroid", "breaking_noise": "Breaking noise",
    "boundary_distance": "To the boundary", "targeted_distance": "To 2nd answer",
    "distance_residual": "Residual",
}  # fmt: skip
_WORDS = {
    NOMINAL: "Nominal", TOGETHER: "All of these", "mnist": "MNIST", "mnist5k": "MNIST, 5,000 images",
    "fmnist": "Fashion-MNIST", "cifar10-jpeg": "CIFAR-10, thin copy", "digits": "digits of 8 × 8 pixels",
    "every kind": "every kind together", TRUTH: "true confusion", MLM: "MLM, smallest distance (paper)",
    MLM_MEAN: "MLM, mean distance", SOFTMAX: "Mean softmax", TARGETED: "Targeted distance",
    BREAKING: "Class after breaking noise",
}  # fmt: skip


def words(name: str) -> str:
    """Give what a reader calls a scorer, a trouble, a reading of cells or an image set; other names come back."""
    if name in SCORERS:
        return {"dsa": "DSA", "lsa": "LSA", "mdsa": "MDSA"}.get(name, SCORERS[name].title)
    return TROUBLES[name].title if name in TROUBLES else _WORDS.get(name, name)


def short(name: str) -> str:
    """Give a scorer's name for a narrow place: "MC-Dropout (MI)"."""
    title = _SHORT.get(name) or words(name)
    whole, colon, how = title.partition(": ")
    return f"{whole} ({''.join(word[0] for word in how.split()).upper()})" if colon else title


def troubles_in(found: pd.DataFrame) -> list[str]:
    """Give the conditions of these rows, nominal inputs first."""
    return sorted(set(found["condition"]) - {""}, key=order)


def data_in(found: pd.DataFrame) -> list[str]:
    """Give the image sets of these rows, in their order."""
    return list(dict.fromkeys(found["data"]))


def of(rows: pd.DataFrame, table: str, what: str, *, data: str | None = None, **more: object) -> pd.DataFrame:
    """Give the means over classifiers of one table and image set; of the first set for None.

    Raises
    ------
    NoRows
        There are no such rows; the message names the image sets that there are.
    """
    held = select(rows, table=table, **more)
    some(held, what)
    there = data_in(held)
    if data is not None and data not in there:
        raise NoRows(f"There are no rows of '{data}' for the {what}; there are {', '.join(there)}.")
    held = held[held["data"] == (data or there[0])]
    mean = held[held["seed"].isna()]
    return mean if len(mean) else held


def number(value: float, low: float, high: float) -> str:
    """Write "0.91 (.88–.93)"; "0.91" where there is no interval."""
    return f"{value:.2f}" if pd.isna(low) or pd.isna(high) else f"{value:.2f} ({_bare(low)}–{_bare(high)})"


def _bare(value: float) -> str:
    text = f"{value:.2f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def tidy_bytes(value: float) -> str:
    """Write a number of bytes: "0", "1 kB", "2.3 MB"."""
    if value < 1000:
        return f"{value:.0f} B" if value else "0"
    return f"{value / 1e3:.0f} kB" if value < 1e6 else f"{value / 1e6:.1f} MB"


def names_in(found: Iterable[str]) -> list[str]:
    """Give scorers in the order of their families."""
    return in_order(found)
