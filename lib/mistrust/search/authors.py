"""The rows of the paper's authors: their prototype's confidences, distances, features and errors, one image per row.

The layout is that of `adversarialImages/dataForKarsten.csv` in kmaurer/uuutils (commit c0e8193): a nameless index,
`Prediction` (always 1), `Confidence` (not calibrated), `True Label`, `X1` to `X5` (principal components of the pixels),
`Misclassified` (True or False) and `MAE` (distance of the boundary attack). No licence is stated there: such a file is
read where it lies, never copied.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int64

from mistrust.errors import MistrustError, UnknownName
from mistrust.progress import bar
from mistrust.search.labelling.columns import Column, MissingColumns, read_sheet
from mistrust.search.measures import chances, sdr_interval
from mistrust.search.methods import SEARCHES
from mistrust.search.options import refuse_score, refuse_unread
from mistrust.search.pool import THRESHOLD, Pool
from mistrust.search.searching import search

FEATURES = tuple(f"X{i}" for i in range(1, 6))
BUDGETS = (20, 50)
# What was measured on these rows before this library was written, with statsmodels' lowess of fraction 0.1, by search
# and budget: a run on the same file must give these digits.
ROWS = 5058  # of the authors' file, which alone these numbers are of
BARS = {("pool", 0): 2.98, ("adversarial_distance", 20): 4.22, ("adversarial_distance", 50): 4.05}
_SAID = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
COLUMNS = tuple(Column(name) for name in ("Prediction", "Confidence", "True Label", *FEATURES, "Misclassified", "MAE"))


@dataclass(frozen=True)
class Authors:
    """A pool whose errors are known; `pool.ids` are the rows' numbers in the file, from 0 on, ascending.

    Attributes
    ----------
    pool : confidence, features (n, 5) and distance of n instances.
    errors : (n,) bool, whether the classifier was wrong.
    rows : how many rows the file has, those below the threshold included, copies not.
    path : the file they were read from.
    threshold : the confidence that all of the pool are strictly above.
    copies : lines that equal another in all cells, index included, and were left out.
    """

    pool: Pool
    errors: Bool[np.ndarray, " n"]
    rows: int
    path: Path
    threshold: float
    copies: int = 0

    def oracle(self, instance: int) -> bool:
        """Whether the instance with that id is an error: what a person would have answered."""
        return bool(self.errors[np.searchsorted(self.pool.ids, instance)])

    @property
    def sdr(self) -> float:
        """The pool's own SDR: errors over what the confidences let one expect."""
        return float(self.errors.sum() / (1 - self.pool.confidence).sum())


def read_rows(path: str | Path, threshold: float = THRESHOLD, renamed: Mapping[str, str] | None = None) -> Authors:
    """Read a file in the authors' layout and keep the rows with a confidence strictly above the threshold.

    A line that is a copy of another to the last cell, such as where a file was appended to itself, counts once.

    Parameters
    ----------
    path : the file.
    threshold : in [0, 1), 0.65 in the paper.
    renamed : the file's own names of columns, where they are others: {"MAE": "distance"}.

    Raises
    ------
    MistrustError
        No such file, a column missing (names the nearest), cells that are no numbers, confidences outside (0, 1],
        distances that are not above 0, `Misclassified` other than True, False, 1 or 0, or at odds with prediction and
        true label, no row above the threshold.
    """
    if not 0 <= threshold < 1:
        raise MistrustError(f"--threshold is {threshold:g}, expected a confidence in [0, 1).")
    try:
        sheet = read_sheet(path, "file of rows", COLUMNS, renamed)
    except MissingColumns as error:
        # A predicted class is no `Prediction`, which is 1 in all their rows: what is nearest would lead astray.
        if {"predicted", "confidence"} <= {head.strip().lower() for head in error.heads}:
            raise MistrustError(
                f"{path}: this looks like a scores file, and --rows reads the layout of the paper's authors. Rank it "
                f"by --scores FILE. For the layout it lacks the columns {', '.join(error.missing)}."
            ) from error
        raise
    out = "Mend or drop these lines."
    confidence = sheet.numbers("Confidence", lambda c: 0 < c <= 1, "a number in (0, 1]", out)
    distance = sheet.numbers("MAE", lambda d: d > 0, "a finite distance above 0", out)
    features = np.stack([sheet.numbers(name, lambda x: True, "a finite number", out) for name in FEATURES], 1)
    words = [word.lower() for word in sheet.text("Misclassified")]
    strange = [(i, f"'{word}'") for i, word in enumerate(words) if word not in _SAID]
    if strange:
        sheet.refuse("Misclassified", strange, f"expected True or False (or 1 or 0). {out}")
    errors = np.array([_SAID[word] for word in words])
    labels = enumerate(zip(sheet.text("Prediction"), sheet.text("True Label"), errors, strict=True))
    odd = [(i, f"{e}, with prediction {p} and true label {t}") for i, (p, t, e) in labels if _differ(p, t) != e]
    if odd:
        sheet.refuse("Misclassified", odd, f"expected True where the two differ. {out}")
    first = ~sheet.cells.duplicated().to_numpy()
    ids: Int64[np.ndarray, " n"] = np.flatnonzero((confidence > threshold) & first)
    if len(ids) == 0:
        raise MistrustError(
            f"{sheet.path}: none of {int(first.sum()):,} rows has a confidence above {threshold:g}; the largest is "
            f"{confidence.max():g}: name a lower --threshold."
        )
    pool = Pool(ids=ids, confidence=confidence[ids], features=features[ids], distance=distance[ids])
    count = int(first.sum())
    return Authors(pool, errors[ids], count, sheet.path, threshold, len(sheet) - count)


def _differ(prediction: str, label: str) -> bool:
    """Whether two cells name different classes: 1 and 1.0 do not, which one program wrote as a whole number."""
    if prediction == label:
        return False
    try:
        return float(prediction) != float(label)
    except ValueError:
        return True


def searches(methods: Iterable[str] | None = None, parameters: Mapping[str, Any] | None = None) -> list[str]:
    """Give the searches to compare on such rows: those named, or all that need nothing but what the rows hold.

    Raises
    ------
    MistrustError
        An unknown search; "score": the rows hold none; one of these parameters that no search of them reads.

    Examples
    --------
    >>> searches(["random", "low_confidence"])
    ['random', 'low_confidence']
    >>> "adversarial_distance" in searches(), "score" in searches()
    (True, False)
    """
    fitting = [name for name in SEARCHES if name != "score"]
    chosen = list(methods or fitting)
    unknown = [name for name in chosen if name not in SEARCHES]
    if unknown:
        raise UnknownName("search", unknown[0], SEARCHES, SEARCHES.listing)
    refuse_score(chosen, "the authors' rows", "MAE", fitting)
    refuse_unread(chosen, parameters or {}, fitting)
    return chosen


def compare(authors: Authors, methods: Iterable[str] | None = None, **parameters: Any) -> pd.DataFrame:
    """SDR of searches on the whole pool at 20 and 50 queries.

    Parameters
    ----------
    methods : see `searches`.
    parameters : of the searches, those that several of them share.

    Returns
    -------
    A row a search: `method, sdr20, sdr50, errors20, errors50, low50, high50`, the last two the exact interval of 95 %,
    which holds for searches that do not adapt.

    Raises
    ------
    MistrustError
        An unknown search or parameter, or one that needs a score; fewer than 50 instances in the pool.
    """
    chosen = searches(methods)  # in Python nobody else has looked; with what follows, before the first of them runs
    least = BUDGETS[-1]
    if len(authors.pool) < least:
        mend = "name a lower --threshold" if authors.rows >= least else "bring a longer file"
        raise MistrustError(
            f"{authors.path}: {len(authors.pool):,} of {authors.rows:,} rows have a confidence above "
            f"{authors.threshold:g}, and searches are compared at {' and '.join(map(str, BUDGETS))} queries, which "
            f"needs {least} of them: {mend}."
        )
    rows = []
    with bar(len(chosen), "searches", "search") as progress:
        for method in chosen:
            found = search(authors.pool, authors.oracle, least, method, threshold=0, **parameters)
            low, high = sdr_interval(int(found.errors[-1]), chances(found.confidence))
            at = {f"{what}{b}": getattr(found, what)[b - 1] for what in ("sdr", "errors") for b in BUDGETS}
            rows.append({"method": method, **at, "low50": float(low), "high50": float(high)})
            progress.update()
    return pd.DataFrame(rows)
