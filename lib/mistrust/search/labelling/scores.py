"""What a classifier said about a pool of images: id, predicted class, confidence, and what a search may go by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float64

from mistrust.errors import MistrustError, UnknownName, nearest
from mistrust.search.labelling.columns import Column, read_sheet
from mistrust.search.pool import THRESHOLD

COLUMNS = (
    Column("id", ("file", "filename", "image", "name")),
    Column("predicted", ("prediction", "predicted class", "class")),
    Column("confidence", ("c", "conf")),
    Column("distance", ("mae", "adversarial distance"), needed=False),
)
FEATURE = re.compile(r"[xX]_?(\d+)")


@dataclass(frozen=True)
class Scores:
    """A classifier's answers, one per image, in the order of the file.

    Attributes
    ----------
    names : file names or stems, unique.
    predicted : names of the predicted classes.
    confidence : (n,) float64 in (0, 1].
    distance : (n,) float64 above 0, smaller is nearer to another class, or None.
    features : (n, p) float64, or None.
    path : the file they were read from.
    overlooked : a column that was not read, although it is called nearly as the distance, which is not there; or "".

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a", "b"], "predicted": ["cat", "dog"], "confidence": [0.9, 0.7]})
    >>> frame.to_csv("scores.csv", index=False)
    >>> scores = read_scores("scores.csv")
    >>> scores.names, scores.predicted, scores.confidence, scores.distance
    (('a', 'b'), ('cat', 'dog'), array([0.9, 0.7]), None)
    """

    names: tuple[str, ...]
    predicted: tuple[str, ...]
    confidence: Float64[np.ndarray, " n"]
    distance: Float64[np.ndarray, " n"] | None
    features: Float64[np.ndarray, "n p"] | None
    path: Path
    overlooked: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def take(self, rows: np.ndarray) -> "Scores":
        """The same of some rows, in their order."""
        chosen = [int(row) for row in rows]
        return Scores(
            tuple(self.names[i] for i in chosen), tuple(self.predicted[i] for i in chosen), self.confidence[rows],
            None if self.distance is None else self.distance[rows],
            None if self.features is None else self.features[rows], self.path,
        )  # fmt: skip


def read_scores(path: str | Path, renamed: Mapping[str, str] | None = None) -> Scores:
    r"""Read a scores file: columns `id, predicted, confidence`, and `distance` and `x1, x2, ...` where there are any.

    Parameters
    ----------
    path : a comma-separated file with a line of column names.
    renamed : the file's own names of columns, where they are others: {"confidence": "softmax"}.

    Raises
    ------
    MistrustError
        A needed column is missing (names the nearest), an id stands twice or nowhere, a confidence lies outside
        (0, 1], a distance or feature is no number: each with its lines.

    Examples
    --------
    A file with names of its own:

    >>> from pathlib import Path
    >>> _ = Path("mine.csv").write_text("file,predicted,softmax\na.png,cat,0.9\n")
    >>> read_scores("mine.csv", renamed={"id": "file", "confidence": "softmax"}).confidence
    array([0.9])
    >>> _ = Path("percent.csv").write_text("id,predicted,confidence\na.png,cat,90\n")
    >>> read_scores("percent.csv")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: percent.csv: column 'confidence': line 2 has 90; expected ...
    """
    sheet = read_sheet(path, "scores file", COLUMNS, renamed)
    names = sheet.unique("id", "Keep one line per image.")
    predicted = sheet.text("predicted")
    nameless = [(i, "empty") for i, cell in enumerate(predicted) if not cell]
    if nameless:
        sheet.refuse("predicted", nameless, "expected the name of a class. Fill them in, or drop these lines.")
    confidence = sheet.numbers(
        "confidence", lambda c: 0 < c <= 1, "the probability of the predicted class, in (0, 1]",
        "Divide percents by 100, put logits through a softmax in float64, drop lines without a confidence.",
    )  # fmt: skip
    distance, overlooked = None, ""
    if "distance" not in sheet.cells:
        known = {column.name for column in COLUMNS}
        others = [str(name) for name in sheet.cells if name not in known and not FEATURE.fullmatch(str(name))]
        overlooked = nearest("distance", others) or ""
    else:
        distance = sheet.numbers(
            "distance", lambda d: d > 0, "a finite distance above 0",
            "Where an attack found nothing there is no distance: drop these lines, or the column.",
        )  # fmt: skip
    features = sorted((int(m[1]), str(name)) for name in sheet.cells if (m := FEATURE.fullmatch(str(name))))
    columns = [
        sheet.numbers(name, lambda x: True, "a finite number", "Fill them in, or drop these lines.")
        for _, name in features
    ]
    return Scores(
        tuple(names), tuple(predicted), confidence, distance, np.stack(columns, 1) if columns else None, sheet.path,
        overlooked,
    )  # fmt: skip


def pool_rows(scores: Scores, threshold: float = THRESHOLD, critical: str | None = None, budget: int = 1) -> np.ndarray:
    """Positions of the pool: predicted as the critical class (None: as any) with a confidence strictly above.

    Returns
    -------
    (m,) int64, ascending, m at least `budget`.

    Raises
    ------
    MistrustError
        No image is predicted as that class, none is above the threshold, or fewer are left than the budget.

    Examples
    --------
    >>> said = {"id": ["a", "b", "c"], "predicted": ["cat", "dog", "cat"], "confidence": [0.9, 0.8, 0.6]}
    >>> pd.DataFrame(said).to_csv("scores.csv", index=False)
    >>> scores = read_scores("scores.csv")
    >>> pool_rows(scores), pool_rows(scores, critical="cat"), pool_rows(scores, threshold=0.5)
    (array([0, 1]), array([0]), array([0, 1, 2]))
    """
    if critical is not None and critical not in scores.predicted:
        raise UnknownName("predicted class", critical, scores.predicted)
    of_class = np.array([critical is None or one == critical for one in scores.predicted], dtype=bool)
    rows = np.flatnonzero(of_class & (scores.confidence > threshold))
    where = f"{scores.path}: " + ("" if critical is None else f"of {of_class.sum():,} images predicted '{critical}', ")
    largest = float(scores.confidence[of_class].max())
    if len(rows) == 0:
        raise MistrustError(
            f"{where}none has a confidence above {threshold:g}; the largest is {largest:g}. A search for "
            f"high-confidence errors looks above a threshold: name a lower one by --threshold."
        )
    if len(rows) < budget:
        raise MistrustError(
            f"{where}{len(rows):,} of {of_class.sum():,} have a confidence above {threshold:g}, fewer than the budget "
            f"of {budget:,}: ask for at most {len(rows):,} by --budget, or lower --threshold."
        )
    return rows
