"""Claims of sections I and V-A on where errors of high confidence come from, and how much overconfidence there is.

Read: `panel`, metrics "pool sdr", "accuracy", "validation accuracy" (and "gates").
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.search.mechanisms import weighted
from mistrust.publishing.claim_tests.search.panels import against, by_model, left_out, networks, panels
from mistrust.publishing.claim_tests.search.reading import (
    CHAPTER,
    CONTROLS,
    CRITICAL,
    MEANT,
    NEAR,
    WAYS,
    gap,
    opposite,
    rate,
)
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, within

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
    """The pool's SDR where nothing was done to the data."""
    found = rate(by_model(panels(rows, "pool sdr", CONTROLS, table="panel")))
    return within(found, *NEAR, "pool's SDR without bias, shift or overfitting")


@claim_test("adversarial-distance-little-overconfidence", CHAPTER)
def little_overconfidence(rows: Reader) -> Verdict:
    """The pool's SDR of what is called a cat, below what counts as near one."""
    found = rate(by_model(panels(rows, "pool sdr", WAYS["biased"].doses, table="panel", at=CRITICAL)))
    return below(found, NEAR[1], "pool's SDR of what is called a cat, biased training")


@claim_test("adversarial-distance-levels-differ", CHAPTER)
def levels_differ(rows: Reader) -> Verdict:
    """Grey against biased, the pairs that the paper sets against each other in V-B: apart either way."""
    gray, biased = (
        by_model(panels(rows, "pool sdr", WAYS[name].doses, table="panel", at=MEANT.get(name)))
        for name in ("gray", "biased")
    )
    found = weighted([(1.0, gray.to_list()), (-1.0, biased.to_list())])
    verdict = opposite(within(found, -ALIKE, ALIKE))
    text = "pool's SDR, grey test images minus biased training"
    return replace(verdict, evidence=f"{found.of(text)}, expected below {number(-ALIKE)} or above {number(ALIKE)}")


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


def _causes(rows: Reader, name: str, at: str | None = None, of: str = "") -> Verdict:
    way = WAYS[name]
    found = against(rows, "pool sdr", way.doses, way.control, at)
    verdict = above(gap(by_model(found)), 0.0, f"pool's SDR{of}, {way.title} minus control")
    return replace(verdict, evidence=f"{verdict.evidence}{left_out(found)}")


def _drop(rows: Reader, conditions: "tuple[str, ...] | list[str]") -> "pd.Series[float]":
    validation, test = (networks(rows, metric, conditions) for metric in ("validation accuracy", "accuracy"))
    return by_model(validation - test)
