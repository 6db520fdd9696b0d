"""What `mistrust search` says: the answers' numbers and their reliability diagram, and the authors' rows."""

from collections.abc import Hashable, Mapping
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.publishing.commands.console import table
from mistrust.search.authors import BARS, ROWS, Authors
from mistrust.search.labelling import Report, Together
from mistrust.search.methods import SEARCHES
from mistrust.search.pool import THRESHOLD
from mistrust.search.residual import FRACTION

NEARLY = 1.1  # up to so many times as many errors as expected, or as many times fewer, are about as many


def text(report: Report, method: str) -> str:
    """The report for a terminal."""
    asked = report.answered + report.unsure + report.open
    left = [f"{report.unsure} unsure"] * bool(report.unsure) + [f"{report.open} without an answer"] * bool(report.open)
    lines = [
        f"{report.answered} of {asked} images answered right or wrong" + (f" ({', '.join(left)})" if left else ""),
        f"Errors found   {report.errors}, where the confidences let one expect {report.expected:.2f}",
    ]
    sdr, *more = _chance(report) if report.p == report.p else _none(report, method)
    lines += [sdr, _meaning(report), *more]
    if report.open:
        lines.append(f"Not answered   {report.open}, left out: what is said here covers the images answered only")
    if report.unsure:
        least, most = report.sdr_least, report.sdr_most
        lines.append(f"Unsure         SDR would be {least:.2f} were all of them right, {most:.2f} were all wrong")
    if not method:
        lines.append("The file names no search: the interval holds if its order looked at no answer.")
    marks = report.marks
    if len(marks) > 1:
        heads = ("answers", "errors", "expected", "SDR", "95 %", "p")
        lines += ["", table([_mark(row) for _, row in marks.iterrows()], heads)]
    lines += ["", "Errors found" if len(report.found) else "No error found"]
    if len(report.found):
        rows = [(r, i, p, f"{c:.4f}") for r, i, p, c in report.found.itertuples(index=False)]
        lines.append(table(rows, ("rank", "id", "predicted", "confidence")))
    lines += ["", "Reliability of the images answered" + ("" if method == "random" else ", which the search chose:")]
    if method != "random":
        lines[-1] += " the pool's may be better (--method random tells)"
    groups = [
        (f"{g['from']:.2f} to {g['to']:.2f}", int(g["n"]), f"{g['confidence']:.3f}", f"{g['right']:.3f}",
         _ends(g["low"], g["high"]))
        for g in report.reliability.to_dict("records")
    ]  # fmt: skip
    lines.append(table(groups, ("confidence", "n", "mean", "share right", "95 %")))
    return "\n".join(lines)


def _chance(report: Report) -> list[str]:
    n, many = report.errors, "error" if report.errors == 1 else "errors"
    exact = f"exact, of the {report.answered} answered" if report.open or report.unsure else "exact"
    factor = f"{report.low:.2f} to {report.high:.2f}" if isfinite(report.high) else f"{report.low:.2f} or more"
    p = f"chance of {n} {many} or more, were the confidences right" if n else "no error speaks against the confidences"
    return [
        f"SDR            {report.sdr:.2f}, 95 % interval {report.sdr_low:.2f} to {report.sdr_high:.2f} ({exact})",
        f"Factor         {factor} times 1 - confidence may be the true chance of an error (95 %, {exact})",
        f"p-value        {report.p:.2g}: {p}",
    ]


def _meaning(report: Report) -> str:
    """What SDR says in words: by its interval where it has one, else by the number."""
    told = report.sdr_low == report.sdr_low
    if report.sdr_low > 1 if told else report.sdr > NEARLY:
        said = "more errors than its confidences admit: on these images the classifier is overconfident"
    elif report.sdr_high < 1 if told else report.sdr < 1 / NEARLY:
        said = "fewer errors than its confidences admit: on these images the classifier is underconfident"
    elif told and not 1 / NEARLY <= report.sdr <= NEARLY:
        said = f"{'more' if report.sdr > 1 else 'fewer'} errors than its confidences admit, but chance may explain it"
    else:
        said = "about as many errors as its confidences admit"
    return f"That is        {said}"


def _none(report: Report, method: str) -> list[str]:
    """Why there is no interval."""
    return [
        f"SDR            {report.sdr:.2f}, without an interval",
        f"'{method}' chooses each image by the answers before, so that exact intervals and p-values do not hold. In",
        "Python `mistrust.search.measures.simulated_null` gives a p-value, by the search itself and simulated answers.",
    ]


def agreement(found: Together) -> str:
    """How far several people agree, and where they contradict each other, for a terminal."""
    pairs = [
        (f"{first} and {second}", both, alike, "not defined" if k != k else f"{k:.2f}")
        for first, second, both, alike, k in found.agreement.itertuples(index=False, name=None)
    ]
    lines = [table(pairs, ("", "both said right or wrong", "the same", "Cohen's kappa")), ""]
    conflicts = found.conflicts
    if conflicts.empty:
        return "\n".join([*lines, "No image is right to one and wrong to another."])
    count = len(conflicts)
    said = "image is right to one and wrong to another, and counts" if count == 1 else (
        "images are right to one and wrong to another, and count"
    )  # fmt: skip
    rows = [(i, p, f"{c:.4f}", *said) for i, p, c, *said in conflicts.itertuples(index=False, name=None)]
    return "\n".join(
        [*lines, f"{count} {said} as unsure:", table(rows, ("id", "predicted", "confidence", *found.labellers))]
    )


def _ends(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}" if low == low else "-"


def _mark(row: "pd.Series[float]") -> tuple[object, ...]:
    interval = _ends(row["sdr_low"], row["sdr_high"])
    return (
        int(row["answers"]),
        int(row["errors"]),
        f"{row['expected']:.2f}",
        f"{row['sdr']:.2f}",
        interval,
        "-" if row["p"] != row["p"] else f"{row['p']:.2g}",
    )


def diagram(report: Report, method: str) -> Picture:
    """Reliability diagram: share right against confidence, with exact intervals and the line of honest confidences."""
    groups = report.reliability
    mean, right, low, high = np.asarray(groups[["confidence", "right", "low", "high"]], dtype=np.float64).T
    with style():
        drawn = figure(4.0)
        axes = drawn.add_subplot()
        least = max(0.0, min(float(groups["from"].min()), 0.65) - 0.02)
        axes.plot([least, 1], [least, 1], color="#555555", linestyle="--", label="as often right as it says")
        bars = np.clip(np.stack([right - low, high - right]), 0, None)  # rounding may leave -0
        axes.errorbar(mean, right, yerr=bars, fmt="o", color=PALETTE[0], capsize=3, label="answers")
        for _, group in groups.iterrows():
            place = (group["confidence"], group["right"])
            axes.annotate(f"n = {int(group['n'])}", place, xytext=(5, 4), textcoords="offset points", fontsize=10)
        axes.set(xlabel="confidence", ylabel="share right", xlim=(least, 1.02), ylim=(-0.03, 1.05))
        ends = _ends(report.sdr_low, report.sdr_high)
        head = f"SDR {report.sdr:.2f}{'' if ends == '-' else f' ({ends})'}, {report.answered} answers"
        axes.set_title(head)
        legend_beneath(drawn, ncols=2)
        alt = (
            f"Reliability diagram of {report.answered} answers in {len(groups)} bins of confidence: share right from "
            f"{right.min():.2f} to {right.max():.2f} at mean confidences from {groups['confidence'].min():.2f} to "
            f"{groups['confidence'].max():.2f}. {head}."
        )
        return picture(drawn, alt, f"Reliability of the images that {method or 'the search'} chose.", "reliability")


def rows_text(authors: Authors, found: pd.DataFrame, fraction: float = FRACTION) -> str:
    """SDR of each search on the authors' rows, beside what was measured before, on their file as they searched it."""
    pool, theirs = authors.pool, (authors.rows, authors.threshold, fraction) == (ROWS, THRESHOLD, FRACTION)

    def before(method: str, budget: int) -> str:
        known = BARS.get((method, budget)) if theirs else None
        return "" if known is None else f" (measured before: {known:.2f})"

    expected = float((1 - pool.confidence).sum())
    lines = [
        f"{len(pool):,} of {authors.rows:,} rows above the threshold, {int(authors.errors.sum()):,} errors, "
        f"{expected:.2f} expected",
        f"Pool SDR {authors.sdr:.2f}" + before("pool", 0),
        *[_copied(authors.copies)] * bool(authors.copies),
        "",
        table(
            [
                (SEARCHES[one["method"]].title, f"{one['sdr20']:.2f}" + before(one["method"], 20),
                 f"{one['sdr50']:.2f}" + before(one["method"], 50), one["errors50"], _interval(one))
                for one in found.to_dict("records")
            ],
            ("search", "SDR at 20", "SDR at 50", "errors", "95 % at 50"),
        ),
        "",
        "Random is one draw; over many it comes to the pool's SDR. '-': the search looks at answers, so the exact "
        "interval does not hold.",
    ]  # fmt: skip
    return "\n".join(lines)


def _copied(copies: int) -> str:
    return (
        "One line is a copy of another to the last cell and was left out"
        if copies == 1
        else f"{copies:,} lines are copies of others to the last cell and were left out"
    )


def _interval(one: Mapping[Hashable, Any]) -> str:
    return "-" if SEARCHES[one["method"]].adaptive else f"{one['low50']:.2f} to {one['high50']:.2f}"
