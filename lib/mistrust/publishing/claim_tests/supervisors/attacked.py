"""Verdicts that do not turn on how images are attacked, and what they say of the authors' own way.

Ours are the smallest changes that fool a classifier; the authors' grid of strengths goes from 0.01 to 0.1 at once, and
pushes images much farther. Which of the two a claim means, its sentence seldom says. So what our attacks decide stays
undecided where images attacked in the authors' way lie on the other side of the bound with every network that was
attacked so (`whichever_attack`), in whichever direction. Theirs were tried on the first run's classifiers, with six
supervisors: they leave open, and decide nothing. As everywhere, the network with ReLU is told and counts in no verdict.

Sentences that are on one kind of attack, the smallest or a stronger one, are judged by that kind alone.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.reading import (
    ADVERSARIAL,
    ARCHITECTURES,
    BESIDE,
    CALLED,
    NAMES,
    OUTLIER,
    TITLES,
    Cell,
)
from mistrust.publishing.estimates import Estimate, Reader, digits
from mistrust.publishing.verdicts import DECIDED, Verdict

AS_PUBLISHED = "adversarial/as published"
# Of the supervisors that were tried on such images; they stand for all that are based on a softmax.
SOFTMAX = ("max_softmax", "softmax_entropy")
TRIED = (*SOFTMAX, *OUTLIER)
NOT_TRIED = pd.Series(dtype=float, index=pd.MultiIndex.from_tuples([], names=["network", "seed"]))


@dataclass(frozen=True)
class Turned(Verdict):
    """A part of a claim that stays undecided because it turns on the attack."""


def theirs(rows: Reader, data: str, methods: Sequence[str]) -> "pd.Series[float]":
    """AUROC on images attacked in the authors' way, the mean over these supervisors: by network and run.

    Empty where one of them was not tried: nothing is then known of their way.
    """
    return _mean(rows, "other-sets", AS_PUBLISHED, data, methods)


def of_cell(rows: Reader, cell: Cell) -> "pd.Series[float]":
    """As `theirs`, in the place of one cell of Table II: empty where it is of images that no attack made."""
    data, kind, method = cell
    return theirs(rows, data, [method]) if kind == ADVERSARIAL and method in TRIED else NOT_TRIED


def in_detection(rows: Reader, data: str, condition: str, methods: Sequence[str]) -> "pd.Series[float]":
    """The same of one of our test sets, to be compared in the same networks and runs."""
    return _mean(rows, "detection", condition, data, methods)


def _mean(rows: Reader, table: str, condition: str, data: str, methods: Sequence[str]) -> "pd.Series[float]":
    where = {"table": table, "condition": condition, "metric": "auroc", "data": data, "method": list(methods)}
    found = rows.find(**where, network=[*ARCHITECTURES, BESIDE])
    each = found[found["seed"].notna()].groupby(["network", "seed"])["value"].agg(["mean", "count"])
    return each.loc[each["count"] == len(methods), "mean"]


def whichever_attack(ours: Estimate, attacked_so: "pd.Series[float]", judge: Callable[[Estimate], Verdict]) -> Verdict:
    """Judge what our attacks give; undecided where the authors' way gives the other verdict with every network.

    Parameters
    ----------
    ours : what is compared with a bound, on our adversarial images.
    attacked_so : the same on images attacked in the authors' way, by network and run; empty where not tried.
    judge : compares with the bound.

    Examples
    --------
    >>> from functools import partial
    >>> from mistrust.publishing.verdicts import above
    >>> lead = Estimate(-0.09, -0.10, -0.08, models=3)
    >>> networks = pd.Series({"ambiguess-conv": 0.01, "ambiguess-fc": 0.24})
    >>> whichever_attack(lead, networks, partial(above, bound=0.0, evidence="lead")).evidence.partition("; ")[2]
    "turns on the attack: in the authors' way convolutional 0.0100, linear 0.240"
    >>> whichever_attack(lead, -networks, partial(above, bound=0.0)).verdict
    'does not hold'
    """
    part = judge(ours)
    if attacked_so.empty:
        return part
    by_network = {str(name): float(runs.mean()) for name, runs in attacked_so.dropna().groupby(level=0)}
    words = {judge(_alone(by_network[name])).verdict for name in ARCHITECTURES if name in by_network}
    if part.verdict not in DECIDED or (other := DECIDED[part.verdict == "holds"]) not in words:
        return part
    each = ", ".join(f"{CALLED[name]} {digits(by_network[name])[0]}" for name in CALLED if name in by_network)
    if words != {other}:
        return replace(part, evidence=f"{part.evidence}; in the authors' way of attacking, not so everywhere: {each}")
    return Turned("undecided", f"{part.evidence}; turns on the attack: in the authors' way {each}", part.p)


def _alone(value: float) -> Estimate:
    """A number as it is: without an interval it says on which side of a bound it lies."""
    return Estimate(value, value, value)


def beside_theirs(
    rows: Reader, verdict: Verdict, methods: Iterable[str] = TRIED, parts: Sequence[Verdict] = ()
) -> Verdict:
    """Add to a verdict's evidence what these supervisors have on images attacked in the authors' way.

    Parameters
    ----------
    parts : of the claim; how many of them turn on the attack is told, too.
    """
    where = {"table": "other-sets", "condition": AS_PUBLISHED, "metric": "auroc", "method": list(methods)}
    found = rows.find(**where, data=list(TITLES), network=list(ARCHITECTURES))
    by_run = found[found["seed"].notna()]
    single = by_run.groupby(["method", "data"])["value"].mean().unstack()
    if set(single.columns) != set(TITLES):
        return verdict
    each = [
        f"{NAMES[name]} {' and '.join(f'{single.loc[name, data]:.3f}' for data in TITLES)}"
        for name in methods
        if name in single.index
    ]
    runs, turn = by_run["seed"].nunique(), sum(isinstance(part, Turned) for part in parts)
    many = "one run" if runs == 1 else f"mean of {runs} runs"
    counted = f"{turn} of {len(parts)} turn on the attack; " if turn and len(parts) > 1 else ""
    told = f"{counted}attacked in the authors' way, {many}, AUROC on {' and '.join(TITLES.values())}: {', '.join(each)}"
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")
