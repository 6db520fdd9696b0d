"""What the chapter's figures share: scorers and troubles in their order, and words for both."""

import pandas as pd

from mistrust.comparison.advice import order
from mistrust.comparison.scorers import SCORERS, in_order
from mistrust.comparison.tables.cells import BREAKING, MLM, MLM_MEAN, OWN, SOFTMAX, TARGETED, TRUTH
from mistrust.comparison.tables.wrong import TOGETHER
from mistrust.comparison.troubles import NOMINAL, TROUBLES
from mistrust.errors import NoRows
from mistrust.figures.image_sets import TITLES as IMAGE_SETS
from mistrust.figures.parts import some
from mistrust.figures.written import percent, wide
from mistrust.rows import select

__all__ = ["data_in", "in_order", "number", "of", "share", "short", "tidy_bytes", "troubles_in", "words"]

_SHORT = {
    "prediction_confidence_score": "PCS", "relative_mahalanobis": "Rel. Mahalanobis", "dsa": "DSA", "lsa": "LSA",
    "mdsa": "MDSA", "mlm_distance": "To the centroid", "breaking_noise": "Breaking noise",
    "boundary_distance": "To the boundary", "targeted_distance": "To 2nd answer",
    "distance_residual": "Residual",
}  # fmt: skip
_WORDS = IMAGE_SETS | {
    NOMINAL: "Nominal", TOGETHER: "All of these",
    "every kind": "every kind together", TRUTH: "true confusion", OWN: "own confusion",
    MLM: "MLM, smallest distance (paper)", MLM_MEAN: "MLM, mean distance", SOFTMAX: "Mean softmax",
    TARGETED: "Targeted distance", BREAKING: "Class after breaking noise",
}  # fmt: skip


def words(name: str) -> str:
    """Give what a reader calls a scorer, a trouble, a reading of cells or an image set; other names come back.

    Examples
    --------
    >>> words("max_softmax"), words("fgsm"), words("fmnist"), words("my scorer")
    ('Max Softmax', 'Adversarial, one step', 'Fashion-MNIST', 'my scorer')
    """
    if name in SCORERS:
        return {"dsa": "DSA", "lsa": "LSA", "mdsa": "MDSA"}.get(name, SCORERS[name].title)
    return TROUBLES[name].title if name in TROUBLES else _WORDS.get(name, name)


def short(name: str) -> str:
    """Give a scorer's name for a narrow place: "MC-Dropout (MI)".

    Examples
    --------
    >>> short("mc_mutual_information"), short("boundary_distance"), short("max_softmax")
    ('MC-Dropout (MI)', 'To the boundary', 'Max Softmax')
    """
    title = _SHORT.get(name) or words(name)
    whole, colon, how = title.partition(": ")
    return f"{whole} ({''.join(word[0] for word in how.split()).upper()})" if colon else title


def troubles_in(found: pd.DataFrame) -> list[str]:
    """Give the conditions of these rows, nominal inputs first.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"condition": name, "value": 0.5} for name in ("noise", "adversarial", "nominal")]
    >>> troubles_in(rows.table(found, table="detection", metric="alarms"))
    ['nominal', 'adversarial', 'noise']
    """
    return sorted(set(found["condition"]) - {""}, key=order)


def data_in(found: pd.DataFrame) -> list[str]:
    """Give the image sets of these rows: those with most kinds of input first, else in their order.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"data": "mnist", "value": 0.9}, {"data": "fmnist", "value": 0.8}]
    >>> data_in(rows.table(found, table="detection", metric="auroc"))
    ['mnist', 'fmnist']
    """
    kinds = found.groupby("data")["condition"].nunique()
    return sorted(found["data"].unique(), key=lambda name: -int(kinds[name]))


def of(rows: pd.DataFrame, table: str, what: str, *, data: str | None = None, **more: object) -> pd.DataFrame:
    """Give the means over classifiers of one table and image set; of the first set for None.

    Raises
    ------
    NoRows
        There are no such rows; the message names the image sets that there are.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"value": 0.9}, {"seed": 0, "value": 0.88}, {"seed": 1, "value": 0.92}]  # the mean, and what it is of
    >>> found = rows.table(found, table="detection", metric="auroc", data="mnist")
    >>> of(found, "detection", "AUROC of scorers")["value"].tolist()
    [0.9]
    >>> of(found, "detection", "AUROC of scorers", data="fmnist")
    Traceback (most recent call last):
    mistrust.errors.NoRows: There are no rows of 'fmnist' for the AUROC of scorers; there are mnist.
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
    """Write "0.91 (.88–.93)"; "0.91" where there is no interval, or none of any width.

    Examples
    --------
    >>> number(0.913, 0.884, 0.926), number(0.98, 0.95, 1.0), number(0.913, float("nan"), float("nan"))
    ('0.91 (.88–.93)', '0.98 (.95–1.00)', '0.91')
    """
    return f"{value:.2f} ({_bare(low)}–{_bare(high)})" if wide(low, high) else f"{value:.2f}"


def _bare(value: float) -> str:
    text = f"{value:.2f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def share(value: float, low: float, high: float) -> str:
    """Write "5% (3–7)"; "5%" where there is no interval, or none of any width, "–" where there is no share.

    Examples
    --------
    >>> share(0.052, 0.031, 0.074).replace("\u2060", ""), share(0.052, float("nan"), float("nan"))
    ('5% (3–7)', '5%')
    """
    if pd.isna(value):
        return "–"
    if not wide(low, high):
        return percent(value)
    # U+2060 joins: a line ends before the bracket, never within an interval.
    return f"{percent(value)} ({100 * low:.0f}–\u2060{100 * high:.0f})"


def tidy_bytes(value: float) -> str:
    """Write a number of bytes: "0", "1 kB", "2.3 MB".

    Examples
    --------
    >>> [tidy_bytes(value) for value in (0, 16, 5000, 2_340_000)]
    ['0', '16 B', '5 kB', '2.3 MB']
    """
    if value < 1000:
        return f"{value:.0f} B" if value else "0"
    return f"{value / 1e3:.0f} kB" if value < 1e6 else f"{value / 1e6:.1f} MB"
