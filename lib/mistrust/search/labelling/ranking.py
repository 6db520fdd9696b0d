"""Which images a person should look at first: the order of a search that needs no answer on its way."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.search.labelling.pictures import below
from mistrust.search.labelling.scores import Scores, pool_rows
from mistrust.search.methods import SEARCHES
from mistrust.search.options import refuse_score, refuse_unread
from mistrust.search.pool import THRESHOLD, Pool
from mistrust.search.residual import FRACTION, rounded_up
from mistrust.search.searching import search

# Images in a window of the trend of distance on confidence. The farthest of a window counts nothing, so that of three a
# line goes through the other two: no residual is left but rounding, and the order is one of rounding. Of four or five
# up to half are so, of six none.
USUAL, FEWEST = 10, 6
TRENDS = ("adversarial_distance", "lowest_distance")  # they compare distances


@dataclass(frozen=True)
class Query:
    """One image of the list: its rank from 1 on, its id in the scores, what the classifier said, and how surely.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a.png", "b.png"], "predicted": "cat", "confidence": [0.9, 0.7]})
    >>> frame.to_csv("scores.csv", index=False)
    >>> rank(read_scores("scores.csv"), budget=1).queries[0]
    Query(rank=1, name='b.png', predicted='cat', confidence=0.7, distance=None)
    """

    rank: int
    name: str
    predicted: str
    confidence: float
    distance: float | None = None


@dataclass(frozen=True)
class Ranked:
    """A list to label, best first.

    Attributes
    ----------
    method : the search that made it.
    queries : as many as the budget.
    pool : how many images it was chosen from.
    fraction : share of them in each window of the trend, where that was made larger because they are few.

    Warns
    -----
    MistrustWarning
        All confidences on the list are exactly 1, so that no answer could make an SDR.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "predicted": "cat", "confidence": [0.9, 0.7, 0.8]})
    >>> frame.to_csv("scores.csv", index=False)
    >>> ranked = rank(read_scores("scores.csv"), budget=2)
    >>> [query.name for query in ranked.queries], ranked.pool
    (['b', 'c'], 3)
    >>> round(ranked.expected, 2)  # errors, if the confidences can be believed
    0.5
    """

    method: str
    queries: tuple[Query, ...]
    pool: int
    fraction: float | None = None

    @property
    def expected(self) -> float:
        """Errors that the confidences let one expect among the queries."""
        return float(sum(1 - query.confidence for query in self.queries))

    def frame(self, files: Sequence[Path] | None = None, folder: str | Path | None = None) -> pd.DataFrame:
        """The list as a table with an empty column `answer`, to be filled on the page or in a spreadsheet.

        With `files`, their paths below the `folder` stand in it, without a folder their names (`pictures.below`).
        """
        frame = pd.DataFrame([vars(query) for query in self.queries]).rename(columns={"name": "id"})
        if frame["distance"].isna().all():
            frame = frame.drop(columns="distance")
        if files is not None:
            frame.insert(2, "file", below(files, folder))
        return frame.assign(method=self.method, answer="")


def fixed_methods() -> list[str]:
    """Searches whose order is known before the first answer, and that need nothing but what a scores file holds.

    Examples
    --------
    >>> "low_confidence" in fixed_methods(), "lakkaraju" in fixed_methods()  # the latter waits for answers
    (True, False)
    """
    return [name for name, search in SEARCHES.items() if not search.adaptive and name != "score"]


def rank(
    scores: Scores,
    budget: int,
    method: str | None = None,
    threshold: float = THRESHOLD,
    critical: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Ranked:
    """Choose the images to label first.

    Parameters
    ----------
    scores : what the classifier said of each image.
    budget : how many a person will look at, at least 1.
    method : a search of `SEARCHES` that does not adapt; None takes "adversarial_distance" where there are distances,
        else "low_confidence".
    threshold : the pool holds confidences strictly above it (0.65 in the paper).
    critical : the pool holds images predicted as this class only; None: all.
    parameters : of the search (`SEARCHES[method].parameters`). Where the trend of distance on confidence would be
        fitted on fewer than `USUAL` images at a time, and no `fraction` is given, windows are made to hold as many.

    Raises
    ------
    MistrustError
        A pool smaller than the budget or empty (`pool_rows`), a budget below 1, a threshold outside [0, 1), a search
        that does not exist, that adapts to answers, or that needs what the scores lack; a parameter that it does not
        read; too few images, or too small a `fraction`, for a trend to leave residuals.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "predicted": "cat", "confidence": [0.9, 0.7, 0.8]})
    >>> frame.to_csv("scores.csv", index=False)
    >>> ranked = rank(read_scores("scores.csv"), budget=2)
    >>> ranked.method, [(query.rank, query.name) for query in ranked.queries]
    ('low_confidence', [(1, 'b'), (2, 'c')])
    """
    if budget < 1:
        raise MistrustError(f"--budget is {budget}, expected the number of images that you will look at, at least 1.")
    if not 0 <= threshold < 1:
        raise MistrustError(f"--threshold is {threshold:g}, expected a confidence in [0, 1).")
    method = method or ("low_confidence" if scores.distance is None else "adversarial_distance")
    if SEARCHES[method].adaptive:
        raise MistrustError(
            f"--method {method} chooses each image by the answers to those before, so it has no list that could be "
            f"labelled at once. With a list: {', '.join(fixed_methods())}. In Python, `mistrust.search.search` asks "
            f"an oracle of yours one by one."
        )
    refuse_score([method], "scores files", "distance", fixed_methods())
    if method in TRENDS and scores.distance is None:
        raise MistrustError(
            f"{scores.path}: --method {method} needs a column 'distance'. Add it, name it (--column distance=OTHER), "
            f"or take --method low_confidence."
        )
    refuse_unread([method], parameters or {}, fixed_methods())
    rows = pool_rows(scores, threshold, critical, budget)
    kept = scores.take(rows)
    # Rows of the file are the ids, so that a random order of one image stays where it is when others leave the pool.
    pool = Pool(ids=rows, confidence=kept.confidence, features=kept.features, distance=kept.distance)
    wider = _wider(parameters or {}, len(pool)) if method == "adversarial_distance" else None
    asked: dict[str, Any] = dict(parameters or {}) | ({} if wider is None else {"fraction": wider})
    # No answer changes this order, so that any stands in for the person's.
    order = search(pool, lambda id: False, budget, method, threshold=0, **asked).order
    queries = [
        Query(
            place, kept.names[i], kept.predicted[i], float(kept.confidence[i]),
            None if kept.distance is None else float(kept.distance[i]),
        )
        for place, i in enumerate(np.searchsorted(rows, order), 1)
    ]  # fmt: skip
    if all(query.confidence == 1 for query in queries):
        warnings.warn(
            f"{scores.path}: all {budget} images on the list have a confidence of exactly 1, so that no error is "
            "expected and SDR will not be defined. Take the softmax in float64, or calibrate it by a temperature, and "
            "rank again before anybody labels.",
            MistrustWarning,
            stacklevel=2,
        )
    return Ranked(method, tuple(queries), len(pool), wider)


def _wider(parameters: Mapping[str, Any], n: int) -> float | None:
    """A fraction whose windows hold enough of n images, where none was given and the usual one is too small."""
    out = "or take --method low_confidence, which needs no trend"
    if n < FEWEST:
        raise MistrustError(
            f"{n} {'image is' if n == 1 else 'images are'} too few for a trend of distance on confidence, which needs "
            f"{FEWEST} at least: lower --threshold, {out}."
        )
    given = next((float(parameters[name]) for name in ("fraction", "frac") if name in parameters), None)
    if given is None:
        return rounded_up(min(1.0, USUAL / n)) if FRACTION * n < USUAL else None
    if 0 < given * n < FEWEST:
        raise MistrustError(
            f"--fraction {given:g} of {n} images makes windows of {int(given * n)}, and a line through so few leaves "
            f"nothing but rounding to sort by: leave --fraction out, give {rounded_up(FEWEST / n):g} or more, {out}."
        )
    return None
