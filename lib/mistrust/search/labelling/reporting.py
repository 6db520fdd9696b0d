"""What the answers say: SDR with its exact interval, the errors found, and how reliable the confidences were.

Exact for orders that look at no answer, which is all that `ranking.rank` makes; of others SDR is told without interval
and p-value. Answers "unsure" and images that nobody answered are left out; what SDR would be if every unsure image were
right, or wrong, stands beside it.
"""

from dataclasses import dataclass
from math import isclose

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64

from mistrust.errors import MistrustError
from mistrust.search.labelling.answers import RIGHT, UNSURE, WRONG, Answers
from mistrust.search.measures import chances, p_value, rate_interval, sdr, sdr_interval
from mistrust.search.reliability import reliability

BINS = 20  # of the reliability diagram, from 0 to 1: so the usual threshold, 0.65, is an edge
LEVEL = 0.95
MARKS = (10, 20, 50, 100, 200, 500, 1000, 2000)  # after which SDR is told, too


@dataclass(frozen=True)
class Report:
    r"""Numbers of one labelling.

    Where the order was made by answers on the way, all ends of intervals and p-values are NaN: the exact ones do not
    hold, and those that do need the search itself (`measures.simulated_null`).

    Attributes
    ----------
    answered : answers "right" or "wrong": what everything else is computed from.
    unsure, open : answers "unsure", and images without an answer; left out.
    errors : answers "wrong".
    expected : errors that the confidences let one expect among those answered: sum of 1 - confidence.
    sdr, sdr_low, sdr_high : errors over expected, and its exact interval of 95 % (`measures.sdr_interval`), which ends
        at the SDR of nothing but errors.
    low, high : exact interval of 95 % of the factor rho by which 1 - confidence is too small (`high` infinite where all
        were wrong). Chances are min(1, rho (1 - c)): where they reach 1, the factor is larger than SDR.
    p : chance of as many errors or more, if each image were wrong with 1 - confidence.
    sdr_least, sdr_most : SDR if every unsure image were right, or wrong.
    found : the errors in the order in which they were found: rank (the file's own, or else the place in it), id,
        predicted, confidence.
    course : SDR after each answer: answers, id, confidence, wrong, errors, expected, sdr.
    marks : the same after 10, 20, 50, ... and all answers, with its interval and p-value: answers, errors, expected,
        sdr, sdr_low, sdr_high, low, high, p.
    reliability : the bins of the reliability diagram that hold answers: from, to, n, confidence (mean), right (share),
        low, high (its exact interval of 95 %, Clopper and Pearson).

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("answers.csv").write_text("id,confidence,answer\na,0.9,wrong\nb,0.8,right\nc,0.7,unsure\n")
    >>> told = report(read_answers("answers.csv"))
    >>> told.answered, told.errors, round(told.sdr, 2)  # one error, where 0.1 + 0.2 were to be expected
    (2, 1, 3.33)
    >>> round(told.sdr_least, 2), round(told.sdr_most, 2)  # were the third right, or wrong
    (1.67, 3.33)
    >>> told.course[["id", "errors", "sdr"]].round(2).values.tolist()
    [['a', 1, 10.0], ['b', 1, 3.33]]
    """

    answered: int
    unsure: int
    open: int
    errors: int
    expected: float
    sdr: float
    sdr_low: float
    sdr_high: float
    low: float
    high: float
    p: float
    sdr_least: float
    sdr_most: float
    found: pd.DataFrame
    course: pd.DataFrame
    marks: pd.DataFrame
    reliability: pd.DataFrame


def report(answers: Answers) -> Report:
    r"""Compute what a labelling found.

    Raises
    ------
    MistrustError
        Nothing but "unsure" was answered; all confidences are exactly 1, so that no error is expected and SDR is not
        defined.

    Examples
    --------
    Two of three images of confidence 0.9 are wrong, where 0.3 errors were to be expected:

    >>> from pathlib import Path
    >>> text = "id,confidence,answer\na,0.9,wrong\nb,0.9,wrong\nc,0.9,right\nd,0.9,unsure\n"
    >>> _ = Path("answers.csv").write_text(text)
    >>> told = report(read_answers("answers.csv"))
    >>> told.errors, round(told.expected, 2), round(told.sdr, 2)
    (2, 0.3, 6.67)
    >>> round(told.p, 3)  # the chance of two or three errors: 3 * 0.1 * 0.1 * 0.9 + 0.1 * 0.1 * 0.1
    0.028
    """
    known = answers.are(RIGHT, WRONG)
    if not known.any():
        raise MistrustError(
            f"{answers.path}: all {int(answers.are(UNSURE).sum())} answers are 'unsure': SDR needs one that is right "
            f"or wrong."
        )
    wrong, confidence = answers.are(WRONG)[known], answers.confidence[known]
    expected = np.cumsum(1 - confidence)
    if expected[-1] == 0:
        raise MistrustError(
            f"{answers.path}: all {known.sum()} confidences are exactly 1, so that no error is expected and SDR is not "
            f"defined: take the softmax in float64, or calibrate it by a temperature."
        )
    errors, p = np.cumsum(wrong), chances(confidence)
    names = np.array(answers.names, dtype=object)[known]
    course = pd.DataFrame(
        {
            "answers": np.arange(1, len(p) + 1), "id": names, "confidence": confidence, "wrong": wrong.astype(int),
            "errors": errors, "expected": expected, "sdr": sdr(wrong, confidence),
        }
    )  # fmt: skip
    places, ranks = np.flatnonzero(answers.are(WRONG)), answers.ranks or range(1, len(answers) + 1)
    found = pd.DataFrame(
        [(ranks[i], answers.names[i], answers.predicted[i], answers.confidence[i]) for i in places],
        columns=["rank", "id", "predicted", "confidence"],
    )
    marks = pd.DataFrame([_mark(course, p[:m]) for m in [*(one for one in MARKS if one < len(p)), len(p)]])
    groups = _reliability(confidence, wrong)
    if answers.adaptive:
        marks[["sdr_low", "sdr_high", "low", "high", "p"]] = np.nan
        groups[["low", "high"]] = np.nan
    all_of = marks.iloc[-1]
    unsure = answers.are(UNSURE)
    most = expected[-1] + float((1 - answers.confidence[unsure]).sum())
    told = ("sdr", "sdr_low", "sdr_high", "low", "high", "p")
    return Report(
        answered=len(p), unsure=int(unsure.sum()), open=len(answers) - int((known | unsure).sum()),
        errors=int(errors[-1]), expected=float(expected[-1]), **{name: float(all_of[name]) for name in told},
        sdr_least=float(errors[-1] / most), sdr_most=float((errors[-1] + unsure.sum()) / most), found=found,
        course=course, marks=marks, reliability=groups,
    )  # fmt: skip


def continues(course: pd.DataFrame, answers: Answers) -> bool:
    r"""Whether a course of before is of the same list: its images are among these, in this order and as sure.

    More answers, or fewer of them left unsure, change nothing in that; another order or classifier does.

    Parameters
    ----------
    course : columns id and confidence, as in `Report.course`.

    Examples
    --------
    >>> from pathlib import Path
    >>> for name in ("half", "whole"):
    ...     last = "right" if name == "whole" else ""
    ...     _ = Path(f"{name}.csv").write_text(f"id,confidence,answer\na,0.9,wrong\nb,0.8,{last}\n")
    >>> half, whole = (read_answers(f"{name}.csv") for name in ("half", "whole"))
    >>> continues(report(half).course, whole), continues(report(whole).course.iloc[::-1], half)
    (True, False)
    """
    left = iter(zip(answers.names, answers.confidence, strict=True))
    return all(
        any(name == image and isclose(c, confidence, rel_tol=1e-6) for name, c in left)
        for image, confidence in zip(course["id"], course["confidence"], strict=True)
    )


def _mark(course: pd.DataFrame, p: Float64[np.ndarray, " m"]) -> dict[str, float]:
    """SDR after the first m answers, which are a labelling of their own."""
    row = course.iloc[len(p) - 1]
    count = int(row["errors"])
    (low, high), (sdr_low, sdr_high) = (interval(count, p, LEVEL) for interval in (rate_interval, sdr_interval))
    return {
        "answers": len(p), "errors": count, "expected": float(row["expected"]), "sdr": float(row["sdr"]),
        "sdr_low": float(sdr_low), "sdr_high": float(sdr_high), "low": float(low), "high": float(high),
        "p": float(p_value(count, p)),
    }  # fmt: skip


def _reliability(confidence: Float64[np.ndarray, " m"], wrong: Bool[np.ndarray, " m"]) -> pd.DataFrame:
    """The bins that hold answers."""
    found = reliability(confidence, ~wrong, BINS)
    table = pd.DataFrame(
        {
            "from": found.edges[:-1], "to": found.edges[1:], "n": found.n, "confidence": found.confidence,
            "right": found.accuracy, "low": found.low, "high": found.high,
        }
    )  # fmt: skip
    return table[table["n"] > 0].reset_index(drop=True)
