"""Claims of sections I and V-A on where errors of high confidence come from, and how much overconfidence there is.

Read: `panel`, metrics "pool sdr", "accuracy", "validation accuracy" (and "gates"); `reliability` (bins of confidence by
`at`, of all test images of a network), metrics "accuracy", "confidence", "n".
"""

from dataclasses import replace
from itertools import combinations

import pandas as pd

from mistrust.publishing.claim_tests.search.mechanisms import weighted
from mistrust.publishing.claim_tests.search.panels import against, by_model, left_out, networks, panels
from mistrust.publishing.claim_tests.search.reading import (
    CHAPTER,
    CONDITION,
    CONTROLS,
    CRITICAL,
    MEANT,
    NEAR,
    WAYS,
    each,
    gap,
    opposite,
    rate,
)
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, within

# Pools' SDR that differ by less are alike.
ALIKE = 0.1


@claim_test("adversarial-distance-shift-causes", CHAPTER)
def shift_causes(rows: Reader) -> Verdict:
    """Both classes critical in turn, grey test images against the same in colour."""
    return _causes(rows, "gray")


@claim_test("adversarial-distance-bias-causes", CHAPTER)
def bias_causes(rows: Reader) -> Verdict:
    """Both classes critical in turn, so that wherever the errors arise they are seen."""
    return _causes(rows, "biased")


@claim_test("adversarial-distance-overfitting-causes", CHAPTER)
def overfitting_causes(rows: Reader) -> Verdict:
    """Both classes critical in turn, few training images against many, equally many steps."""
    return _causes(rows, "overfit")


@claim_test("adversarial-distance-bias-critical", CHAPTER)
def bias_critical(rows: Reader) -> Verdict:
    """Of what is called a cat: the pool's SDR by dose less the control's."""
    return _causes(rows, "biased", CRITICAL, " of what is called a cat")


@claim_test("adversarial-distance-errors-expected", CHAPTER)
def errors_expected(rows: Reader) -> Verdict:
    """Level by level, where nothing was done to the data: in one sum the many errors of doubt hide the few others."""
    found = rows.find(table="reliability", method="", condition=list(CONTROLS))
    found = found[found["seed"].notna()]
    wide = found.pivot(index=[*CONDITION, "seed", "level"], columns="metric", values="value")
    wide = wide.reindex(columns=["accuracy", "confidence", "n"]).dropna()
    if wide.empty:
        raise NotRun("errors by level of confidence, without bias, shift or overfitting")
    ratios = (1 - wide["accuracy"]) / (1 - wide["confidence"])
    means = (wide["confidence"] * wide["n"]).groupby(level="level").sum() / wide["n"].groupby(level="level").sum()

    def judge(level: float) -> Verdict:
        own = ratios.xs(level, level="level")
        return within(rate(by_model(own)), *NEAR, f"errors over those expected at {100 * means[level]:.0f}% confidence")

    return every(each(sorted(set(ratios.index.get_level_values("level"))), judge))


@claim_test("adversarial-distance-little-overconfidence", CHAPTER)
def little_overconfidence(rows: Reader) -> Verdict:
    """The pool's SDR of what is called a cat, below what counts as near one."""
    return below(rate(_pools(rows, "biased")), NEAR[1], "pool's SDR of what is called a cat, biased training")


@claim_test("adversarial-distance-much-overconfidence", CHAPTER)
def much_overconfidence(rows: Reader) -> Verdict:
    """The pool's SDR after overfitting, above what counts as near one."""
    return above(rate(_pools(rows, "overfit")), NEAR[1], "pool's SDR, overfitting")


@claim_test("adversarial-distance-levels-differ", CHAPTER)
def levels_differ(rows: Reader) -> Verdict:
    """Each mechanism against each other: apart either way."""

    def judge(pair: tuple[str, str]) -> Verdict:
        one, other = (_pools(rows, name).to_list() for name in pair)
        found = weighted([(1.0, one), (-1.0, other)])
        text = f"pool's SDR, {WAYS[pair[0]].title} minus {WAYS[pair[1]].title}"
        shown = f"{found.of(text)}, expected below {number(-ALIKE)} or above {number(ALIKE)}"
        return replace(opposite(within(found, -ALIKE, ALIKE)), evidence=shown)

    return every(each(combinations(("gray", "overfit", "biased"), 2), judge))


@claim_test("adversarial-distance-gray-drop", CHAPTER)
def gray_drop(rows: Reader) -> Verdict:
    """Mainly: more than half of the drop from validation to test is not there in colour."""
    way = WAYS["gray"]
    gray, colour = _drop(rows, way.doses), _drop(rows, [way.control])
    text = "drop in accuracy from validation to grey test images, minus twice that to the same in colour"
    return above(gap(gray - 2 * colour), 0.0, text)


@claim_test("adversarial-distance-adequate", CHAPTER)
def adequate(rows: Reader) -> Verdict:
    """Not run: it is said of UT-Zap50K, which we do not have; no row of other images says how long these take."""
    raise NotRun("a network trained on UT-Zap50K for a third of the epochs")


def _pools(rows: Reader, name: str) -> "pd.Series[float]":
    """The pool's SDR by model, of the class that the paper has as critical where we have it."""
    return by_model(panels(rows, "pool sdr", WAYS[name].doses, table="panel", at=MEANT.get(name)))


def _causes(rows: Reader, name: str, at: str | None = None, of: str = "") -> Verdict:
    way = WAYS[name]
    found = against(rows, "pool sdr", way.doses, way.control, at)
    verdict = above(gap(by_model(found)), 0.0, f"pool's SDR{of}, {way.title} minus control")
    return replace(verdict, evidence=f"{verdict.evidence}{left_out(found)}")


def _drop(rows: Reader, conditions: "tuple[str, ...] | list[str]") -> "pd.Series[float]":
    validation, test = (networks(rows, metric, conditions) for metric in ("validation accuracy", "accuracy"))
    return by_model(validation - test)
