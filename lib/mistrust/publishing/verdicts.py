"""What a claim's test returns, and the few rules that turn an interval into a word.

A test reads rows and gives a `Verdict`. *holds* or *does not hold* is said only where the whole interval lies on one
side, or, of what is no matter of chance within a network, where all agree (`counted`); else *undecided*; where rows are
missing, *not run*. `TESTS` is the table of all tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import ClassVar, Literal

import pandas as pd

from mistrust import evaluation
from mistrust import rows as tidy
from mistrust.publishing.estimates import LEVEL, Estimate, NotRun, Reader, difference, number
from mistrust.publishing.shelf import Shelf
from mistrust.registry import Registry

Word = Literal["holds", "does not hold", "undecided", "not run"]
DECIDED: tuple[Word, Word] = ("holds", "does not hold")
WORDS: tuple[Word, ...] = (*DECIDED, "undecided", "not run")


@cache
def _none() -> pd.DataFrame:
    return tidy.empty()


@dataclass(frozen=True)
class Verdict:
    """A word, what it rests on, and the rows that were read.

    `p` is the two-sided p-value of the comparison that decided, for Holm's correction; None where nothing was tested
    (rows missing) or where nothing is random: such a verdict takes no part in the correction, and none changes it.
    `lacking` are the tables that were looked into for nothing; `failed` says of a claim of several parts that does not
    hold how many of them fail, and how many there are.

    Examples
    --------
    >>> Verdict("holds", "lift 1.48 (1.19 to 1.85), expected above 1", p=0.007)
    Verdict(verdict='holds', evidence='lift 1.48 (1.19 to 1.85), expected above 1', p=0.007, lacking=())
    """

    verdict: Word
    evidence: str
    p: float | None = None
    rows: pd.DataFrame = field(default_factory=_none, compare=False, repr=False)
    lacking: tuple[str, ...] = field(default=(), compare=False)
    failed: tuple[int, int] = field(default=(1, 1), compare=False, repr=False)

    @property
    def in_part(self) -> bool:
        """Whether it does not hold because some of its parts fail, while others do not."""
        return self.verdict == "does not hold" and self.failed[0] < self.failed[1]


@dataclass(frozen=True)
class Test:
    """A claim's test: a pure function of rows that reads those of one chapter.

    `printed`: of the paper's printed numbers (`publishing.published`), which decide by themselves, not of our rows.
    """

    name: str
    chapter: str
    function: Callable[[Reader], Verdict]
    printed: bool = False
    __test__: ClassVar[bool] = False  # not one of pytest's

    def __call__(self, rows: pd.DataFrame | Shelf) -> Verdict:
        """Judge by these rows; the verdict holds the rows that were read."""
        reader = Reader(rows, self.chapter)
        try:
            verdict = self.function(reader)
        except NotRun as lack:
            verdict = Verdict("not run", f"no rows: {lack}")
        return replace(verdict, rows=reader.used(), lacking=reader.lacking())

    @property
    def tested(self) -> str:
        """What is tested, in one sentence for readers: the first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0].strip()

    @property
    def module(self) -> str:
        """The module that holds the test ("mistrust.publishing.claim_tests.search.rate")."""
        return self.function.__module__


TESTS: Registry[Test] = Registry("claim test", "mistrust list claims")


def above(estimate: Estimate, bound: float, evidence: str = "") -> Verdict:
    """Holds where the whole interval lies above `bound`."""
    shown = f"{estimate.of(evidence or 'value')}, expected above {number(bound)}"
    return Verdict(_side(estimate.low > bound, estimate.high < bound), shown, estimate.p(bound))


def below(estimate: Estimate, bound: float, evidence: str = "") -> Verdict:
    """Holds where the whole interval lies below `bound`."""
    shown = f"{estimate.of(evidence or 'value')}, expected below {number(bound)}"
    return Verdict(_side(estimate.high < bound, estimate.low > bound), shown, estimate.p(bound))


def _side(right: bool, wrong: bool) -> Word:
    return "holds" if right else "does not hold" if wrong else "undecided"


def counted(found: "pd.Series[bool]", things: str, yes: str, no: str) -> Verdict:
    """Decide by counting: holds where something is true of all, does not hold where it is true of none.

    For facts that need no interval. Nothing is tested, so there is no p; one network alone decides nothing.

    Parameters
    ----------
    found : whether it is true of each thing, indexed by the seed of its network (first level of the index).
    things : what they are ("images", "networks").
    yes, no : what is said of those of which it is true, and of the others.
    """
    if found.empty:
        raise NotRun(f"{things} to count")
    hits, n = int(found.sum()), len(found)
    told = [f"in {count} of {n} {things} {what}" for count, what in ((hits, yes), (n - hits, no)) if count]
    evidence = f"by counting, {', '.join(told)}"
    if found.index.get_level_values(0).nunique() < 2:
        return Verdict("undecided", f"{evidence}; one network alone decides nothing")
    return Verdict(_side(hits == n, hits == 0), evidence)


def in_each(found: "pd.Series[bool]", things: str, yes: str, no: str) -> Verdict:
    """As `counted`, of what is said of each thing: two exceptions refute it, one may be that thing's own."""
    verdict, exceptions = counted(found, things, yes, no), int((~found.astype(bool)).sum())
    return replace(verdict, verdict="does not hold") if exceptions > 1 else verdict


def greater(
    first: "pd.Series[float]", second: "pd.Series[float]", evidence: str = "difference", grain: float = 0.0
) -> Verdict:
    """Holds where the first exceeds the second in the same networks: interval of the paired difference above 0.

    `grain`: 1 where both are counts, see `between_models`.
    """
    return above(difference(first, second, grain), 0.0, evidence)


def within(estimate: Estimate, low: float, high: float, evidence: str = "") -> Verdict:
    """Holds where the whole interval lies in [low, high], does not hold where all of it lies outside."""
    shown = f"{estimate.of(evidence or 'value')}, expected {number(low)} to {number(high)}"
    if low <= estimate.low and estimate.high <= high:
        return Verdict("holds", shown, max(estimate.p(low), estimate.p(high)))
    if estimate.low > high or estimate.high < low:
        return Verdict("does not hold", shown, estimate.p(high if estimate.low > high else low))
    return Verdict("undecided", shown, max(estimate.p(low), estimate.p(high)))


def every(parts: Sequence[Verdict], evidence: str = "") -> Verdict:
    """Holds where each part holds; one part that fails, after Holm's correction over the parts, refutes the whole.

    That all hold needs no correction (an intersection-union test: p is the largest of the parts); that one of many
    fails does, for one of many fails by chance.
    """
    if not parts:
        raise NotRun(evidence or "any part")
    corrected = holm(parts)
    failed = [part for part in corrected if part.verdict == "does not hold"]
    told = f"{evidence}: " if evidence else ""
    if failed:
        smallest = min((part.p for part in failed if part.p is not None), default=None)
        many = f"{len(failed)} of {len(parts)} fail: " if len(parts) > 1 else ""
        return Verdict("does not hold", told + many + _few(failed), smallest, failed=(len(failed), len(parts)))
    lacking = [part for part in parts if part.verdict == "not run"]
    if lacking:
        return Verdict("not run", told + _few(lacking))
    known = [part.p for part in parts if part.p is not None]
    largest = max(known) if known else None
    # Where the correction alone leaves a part open, it says so.
    both = zip(parts, corrected, strict=True)
    open_parts = [then if part.verdict == "does not hold" else part for part, then in both if part.verdict != "holds"]
    if open_parts:
        count = len(parts) - len(open_parts)
        return Verdict("undecided", f"{told}{count} of {len(parts)} hold, open are: {_few(open_parts)}", largest)
    closest = sorted(parts, key=lambda part: -(part.p or 0.0))
    many = f"all {len(parts)} hold, nearest to failing: " if len(parts) > 1 else ""
    return Verdict("holds", told + many + _few(closest), largest)


def divided(whole: Verdict, parts: Sequence[Verdict], things: str) -> Verdict:
    """A verdict on a mean of several things, undecided where these are decided both ways.

    Which side the mean is on is then a matter of how much each counts, which no interval between networks knows of.
    """
    ways = {part.verdict for part in parts}
    if whole.verdict not in DECIDED or not {*DECIDED} <= ways:
        return whole
    note = f"{whole.verdict} by this mean, undecided because {things} lie on both sides of the bound"
    return replace(whole, verdict="undecided", evidence=f"{whole.evidence}; {note}")


def _few(parts: Sequence[Verdict], most: int = 2) -> str:
    """The evidence of the first parts, and how many more there are."""
    more = f"; and {len(parts) - most} more" if len(parts) > most else ""
    return "; ".join(part.evidence for part in parts[:most]) + more


def falling(values: "dict[float, pd.Series[float]]", evidence: str = "") -> Verdict:
    """Holds where the value falls from each level to the next in the same networks (values by level, by seed)."""
    levels = sorted(values)
    if len(levels) < 2:
        raise NotRun("values at two levels or more")
    steps = [greater(values[a], values[b], f"fall from {number(a)} to {number(b)}") for a, b in pairwise(levels)]
    return every(steps, evidence)


def holm(family: Sequence[Verdict]) -> list[Verdict]:
    """The same verdicts after Holm's correction over those that have a p-value.

    A decided verdict whose corrected p is not below 0.05 becomes undecided. Nothing ever becomes decided.
    The verdicts come back with the corrected p.
    """
    corrected = list(family)
    tested = {i: one.p for i, one in enumerate(family) if one.p is not None}
    for i, p in zip(tested, evaluation.holm([*tested.values()]), strict=True):
        one = replace(family[i], p=p)
        if one.verdict in ("holds", "does not hold") and p >= LEVEL:
            note = f"{one.verdict} by itself, undecided among {len(tested)} tested together (Holm: p = {number(p)})"
            one = replace(one, verdict="undecided", evidence=f"{one.evidence}; {note}")
        corrected[i] = one
    return corrected


def claim_test(name: str, chapter: str, *, printed: bool = False) -> Callable[[Callable[[Reader], Verdict]], Test]:
    """Register a claim's test; the function gets a `Reader` of its chapter's rows, or of its `printed` numbers.

    Examples
    --------
    ::

        @claim_test("mlm-accuracy-test", "misclassification")
        def accuracy_test(rows: Reader) -> Verdict:
            return within(rows.estimate(table="accuracy", condition="clean", at="test"), 0.98, 0.99, "accuracy")

    A test judges by rows, here those of three networks; a name that is taken is refused:

    >>> from mistrust import rows
    >>> three = [{"seed": seed, "value": 0.984 + seed / 10_000, "at": "test"} for seed in range(3)]
    >>> common = {"chapter": "misclassification", "condition": "clean", "method": "network", "metric": "accuracy"}
    >>> TESTS["mlm-accuracy-test"](rows.table(three, table="accuracy", **common)).verdict
    'holds'
    >>> claim_test("mlm-accuracy-test", "misclassification")(lambda rows: Verdict("holds", ""))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is a claim test 'mlm-accuracy-test' already: give the new one another name.
    """

    def decorate(function: Callable[[Reader], Verdict]) -> Test:
        return TESTS.add(name, Test(name, chapter, function, printed))

    return decorate
