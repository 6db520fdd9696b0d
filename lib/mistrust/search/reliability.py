"""Confidence against accuracy, bin by bin: the numbers of a reliability diagram, and the expected calibration error.

Guo, Pleiss, Sun and Weinberger (2017), section 2, with 15 bins. Bins are [a, b); the published code keeps to that up to
1, so that images with a confidence of **exactly 1**, the most certain ones, are in no bin: `ones="dropped"`. The right
way is `ones="last"`: the last bin is closed. How many there are is reported either way.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError, check_known
from mistrust.evaluation import share
from mistrust.evaluation.given import truths
from mistrust.inputs.limits import whole
from mistrust.registry import Registry
from mistrust.search.poisson_binomial import confidences

Array = NDArray[np.float64]
ONES = ("last", "dropped")
EDGES: Registry[Callable[[Array, int], Array]] = Registry("edges of the bins")
EDGES.add("unit", lambda c, bins: np.linspace(0, 1, bins + 1))
# As the published diagram has them: as many edges as its error has bins, so one bin fewer, from the least confidence.
EDGES.add("published", lambda c, bins: np.linspace(c.min(), 1, bins))


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram in numbers; NaN stands where a bin is empty.

    Attributes
    ----------
    edges : (m + 1,) rising.
    n : (m,) images in each bin.
    confidence, accuracy : (m,) their means.
    low, high : (m,) exact 95 % interval of the accuracy (Clopper and Pearson).
    certain : images whose confidence is exactly 1.
    dropped : images in no bin.
    """

    edges: Float64[np.ndarray, " m+1"]
    n: Int64[np.ndarray, " m"]
    confidence: Float64[np.ndarray, " m"]
    accuracy: Float64[np.ndarray, " m"]
    low: Float64[np.ndarray, " m"]
    high: Float64[np.ndarray, " m"]
    certain: int
    dropped: int

    @property
    def gap(self) -> Float64[np.ndarray, " m"]:
        """Confidence less accuracy: above 0 where the classifier is overconfident, the red of the paper's Figure 2."""
        return self.confidence - self.accuracy


def reliability(
    confidence: ArrayLike, correct: ArrayLike, bins: int = 15, ones: str = "last", edges: str = "unit"
) -> Reliability:
    """Sort images into bins of confidence.

    Parameters
    ----------
    confidence : (n,) in (0, 1].
    correct : (n,) whether each prediction is right: booleans, or 0 and 1.
    bins : how many, a whole number.
    ones : where a confidence of exactly 1 goes: "last" bin, or "dropped" as published.
    edges : "unit": equal bins from 0 to 1. "published": the published diagram's, bins - 1 of them from the least
        confidence to 1.

    Raises
    ------
    MistrustError
        No images, lengths that differ, what is no numbers, confidences outside (0, 1], what is neither right nor wrong;
        fewer bins than one (two for "published"), or no whole number of them; other `ones` or `edges`.
    """
    c, right = _checked(confidence, correct)
    check_known("rule for a confidence of 1", ones, ONES)
    limits = EDGES[edges](c, whole("bins", bins, 1 + (edges == "published")))
    m = len(limits) - 1
    place = np.searchsorted(limits, c, side="right") - 1
    if ones == "last":
        place = np.minimum(place, m - 1)
    inside = place < m
    n = np.bincount(place[inside], minlength=m)
    with np.errstate(invalid="ignore"):
        means = [np.bincount(place[inside], weights=of[inside], minlength=m) / n for of in (c, right)]
    hits = np.bincount(place[inside], weights=right[inside], minlength=m).astype(int)
    exact = [share(int(k), int(size)) if size else None for k, size in zip(hits, n, strict=True)]
    low, high = (np.array([getattr(one, end) if one else np.nan for one in exact]) for end in ("low", "high"))
    return Reliability(limits, n, means[0], means[1], low, high, int((c == 1).sum()), int((~inside).sum()))


def ece(confidence: ArrayLike, correct: ArrayLike, bins: int = 15, ones: str = "last") -> float:
    """Expected calibration error: mean over images of |confidence - accuracy| of their bin, as a share.

    With `ones="dropped"` images of confidence 1 are in no bin, and count as if they had no gap; the published code
    gives percent. Parameters and errors are those of `reliability`.
    """
    found = reliability(confidence, correct, bins, ones)
    total = int(found.n.sum()) + found.dropped
    return float(np.nansum(np.abs(found.gap) * found.n) / total)


def _checked(confidence: ArrayLike, correct: ArrayLike) -> tuple[Array, Array]:
    c = confidences(confidence)
    right = truths("Outcomes (is the prediction right?)", correct).astype(np.float64)
    if c.ndim != 1 or c.shape != right.shape or len(c) == 0:
        raise MistrustError(
            f"Confidences and whether they are right have shapes {c.shape} and {right.shape}, expected (n,) for both."
        )
    return c, right
