"""What a person answered: the file that the labelling page exports, or any table with ids and answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float64

from mistrust.errors import MistrustError, nearest
from mistrust.search.labelling.columns import Column, Sheet, dropped_zeros, read_sheet
from mistrust.search.labelling.scores import COLUMNS as SCORES
from mistrust.search.labelling.scores import Scores
from mistrust.search.methods import SEARCHES

RIGHT, WRONG, UNSURE = "right", "wrong", "unsure"
ANSWERS = (RIGHT, WRONG, UNSURE)
NAME, PREDICTED, CONFIDENCE = SCORES[:3]
COLUMNS = (
    Column("id", NAME.also),
    Column("answer", ("label", "judgement")),
    Column("rank", needed=False),
    Column("predicted", PREDICTED.also, needed=False),
    Column("confidence", CONFIDENCE.also, needed=False),
    Column("method", needed=False),
)


@dataclass(frozen=True)
class Answers:
    r"""Answers about m instances in the order in which they were asked for; "" where nothing was answered.

    Attributes
    ----------
    names : ids, unique.
    predicted : names of the predicted classes, "" where the file tells none.
    confidence : (m,) float64 in (0, 1].
    answers : "right", "wrong", "unsure" or "".
    method : the search that made the order, "" where the file does not tell.
    path : the file they were read from.
    ranks : the file's own ranks, which stay right where lines were deleted; empty where it tells none.

    Examples
    --------
    >>> from pathlib import Path
    >>> text = "id,predicted,confidence,answer\na.png,cat,0.9,wrong\nb.png,cat,0.8,right\nc.png,cat,0.7,\n"
    >>> _ = Path("answers.csv").write_text(text)
    >>> answers = read_answers("answers.csv")
    >>> answers.answers, answers.are("wrong")
    (('wrong', 'right', ''), array([ True, False, False]))
    """

    names: tuple[str, ...]
    predicted: tuple[str, ...]
    confidence: Float64[np.ndarray, " m"]
    answers: tuple[str, ...]
    method: str
    path: Path
    ranks: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def adaptive(self) -> bool:
        """Whether the order was made by answers on the way; where the file names no search, nobody knows of any."""
        return bool(self.method) and SEARCHES[self.method].adaptive

    def are(self, *words: str) -> Bool[np.ndarray, " m"]:
        """Which instances have one of these answers."""
        return np.array([answer in words for answer in self.answers], dtype=bool)


def read_answers(path: str | Path, scores: Scores | None = None, renamed: Mapping[str, str] | None = None) -> Answers:
    r"""Read answers: columns `id, answer`, and `confidence` unless `scores` tell it; `rank, predicted` where there.

    Raises
    ------
    MistrustError
        Ids that stand twice or, where scores are given, not in them; answers other than right, wrong, unsure or
        nothing; no answer at all; no confidence anywhere; a confidence or a predicted class that differs from the
        scores'; two searches, or one that does not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("answers.csv").write_text("id,confidence,answer\na,0.9,wrong\nb,0.8,right\nc,0.7,unsure\n")
    >>> answers = read_answers("answers.csv")
    >>> answers.names, answers.answers
    (('a', 'b', 'c'), ('wrong', 'right', 'unsure'))
    """
    sheet = read_sheet(path, "answers file", COLUMNS, renamed)
    names = sheet.unique("id", "Keep one answer an image.")
    words = [word.lower() for word in sheet.text("answer")]
    wrong = [(i, f"'{word}'") for i, word in enumerate(words) if word and word not in ANSWERS]
    if wrong:
        near = nearest(words[wrong[0][0]], ANSWERS)
        hint = f"Did you mean '{near}'? " if near else ""
        expected = "expected right, wrong or unsure, or nothing where nobody answered."
        sheet.refuse("answer", wrong, f"{expected} {hint}".strip())
    if not any(words):
        raise MistrustError(
            f"{sheet.path}: nobody has answered yet: column 'answer' is empty in all {len(sheet):,} lines. Answer on "
            f"the page and export, or write right, wrong or unsure there."
        )
    confidence, predicted = _told(sheet, names, scores)
    ranks = _ranks(sheet)
    order = [int(i) for i in np.argsort(ranks, kind="stable")] if ranks else list(range(len(sheet)))
    methods = {text for text in sheet.text("method") if text} if "method" in sheet.cells else set()
    if len(methods) > 1:
        raise MistrustError(
            f"{sheet.path}: column 'method' names {len(methods)} searches ({', '.join(sorted(methods))}), and SDR is "
            "of one. Give the answers to each in a file of their own."
        )
    for name in methods - {*SEARCHES}:
        near = nearest(name, SEARCHES)
        hint = f" Did you mean '{near}'?" if near else ""
        raise MistrustError(
            f"{sheet.path}: column 'method' names '{name}', which is no search here (mistrust list searches).{hint} "
            "Whether its order looked at answers decides what can be said: write the search's name, or clear the "
            "column if the order stood before the first answer."
        )
    return Answers(
        tuple(names[i] for i in order), tuple(predicted[i] for i in order), confidence[order],
        tuple(words[i] for i in order), "".join(methods), sheet.path, tuple(ranks[i] for i in order if ranks),
    )  # fmt: skip


def _told(sheet: Sheet, names: list[str], scores: Scores | None) -> tuple[np.ndarray, list[str]]:
    """Confidences and predicted classes, from the file itself or from the scores; where both tell, they must agree."""
    own = None
    if "confidence" in sheet.cells:
        own = sheet.numbers("confidence", lambda c: 0 < c <= 1, "a number in (0, 1]", "Mend these lines.")
    predicted = sheet.text("predicted") if "predicted" in sheet.cells else [""] * len(names)
    if scores is None:
        if own is None:
            raise MistrustError(
                f"{sheet.path}: the answers file has no column 'confidence', and SDR needs it: name the scores that "
                f"the list was made from by --scores."
            )
        return own, predicted
    rows = {name: row for row, name in enumerate(scores.names)}
    unknown = [(i, f"'{name}'") for i, name in enumerate(names) if name not in rows]
    if unknown:
        near = nearest(names[unknown[0][0]], rows)
        zeros = next(filter(None, (dropped_zeros(name[1:-1], rows) for _, name in unknown)), "")
        hint = f" {zeros}" if zeros else f" Nearest: '{near}'." if near else ""
        sheet.refuse(
            "id", unknown, f"expected ids of {scores.path}.{hint} Name the scores that the list was made from, or drop "
            f"these lines."
        )  # fmt: skip
    at = np.array([rows[name] for name in names])
    said = scores.confidence[at]
    if own is not None:
        other = [
            (i, f"{mine:g}, where the scores have {theirs:g}")
            for i, (mine, theirs) in enumerate(zip(own, said, strict=True))
            if not isclose(mine, theirs, rel_tol=1e-6)
        ]
        if other:
            sheet.refuse("confidence", other, f"expected those of {scores.path}. These answers belong to other scores.")
    # An answer is about what was predicted: where that differs, "wrong" may be right.
    foretold = [scores.predicted[i] for i in at]
    if another := [
        (i, f"'{mine}', where the scores have '{theirs}'")
        for i, (mine, theirs) in enumerate(zip(predicted, foretold, strict=True))
        if mine and mine != theirs
    ]:
        sheet.refuse("predicted", another, f"expected those of {scores.path}. These answers belong to other scores.")
    return said, foretold


def _ranks(sheet: Sheet) -> list[int]:
    """The lines' own ranks; empty where the file tells none, and lines stand in their order."""
    if "rank" not in sheet.cells:
        return []
    out = "Mend these lines, or drop the column."
    ranks = sheet.numbers("rank", lambda r: r >= 1 and r == int(r), "a whole number from 1 on", out)
    sheet.unique("rank", out)
    return [int(rank) for rank in ranks]
