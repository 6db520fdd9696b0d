"""Claims of section IV-D-1 on new classes (Table II), and of IV-E on signs shown to a classifier of photographs.

The monitors are those as published, and correlations those at the paper's share of nominal images (`weighed`): the
sentences report their run.
"""

from itertools import product

from mistrust.publishing.claim_tests.monitoring.reading import (
    CHAPTER,
    CIFAR,
    FAIR,
    GTSRB,
    HALF,
    MANY,
    THREE,
    called,
    level,
    named,
    nominal_of_both,
    on_set,
    published,
)
from mistrust.publishing.claim_tests.monitoring.weighed import SHARE, weighed_set
from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.estimates import Estimate, Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, within

# Table II's three sets.
SETS = ((GTSRB, "novelty/BTSC"), (CIFAR, "novelty/GTSRB"), (GTSRB, "novelty/CIFAR-10"))
MONITORS = tuple(published(name) for name in THREE)
INPUTS, *OTHERS = MONITORS


@claim_test("farm-novelty-slightly-better", CHAPTER)
def novelty_slightly_better(rows: Reader) -> Verdict:
    """Of nine correlations at the paper's share of nominal images, one at least is above 0, and all are poor."""
    found = [_weighed(rows, one, name) for one, name in product(SETS, MONITORS)]
    better = at_least([above(estimate, 0.0, text) for estimate, text in found], 1, "novelty, MCC above 0")
    return every([better, *(below(estimate, FAIR, text) for estimate, text in found)])


@claim_test("farm-novelty-false-alarms", CHAPTER)
def novelty_false_alarms(rows: Reader) -> Verdict:
    """Each of three on each of three sets."""
    found = [_read(rows, one, name, "fpr") for one, name in product(SETS, MONITORS)]
    return every([above(estimate, MANY, text) for estimate, text in found])


@claim_test("farm-novelty-alooc-half", CHAPTER)
def novelty_alooc_half(rows: Reader) -> Verdict:
    """Mean of both image sets; signs that BTSC shares with GTSRB are left out."""
    found = {name: nominal_of_both(rows, name, "fpr") for name in MONITORS}
    texts = {name: f"nominal images, mean of both image sets: false alarms of {called(name)}" for name in MONITORS}
    own = within(level(found[INPUTS], "fpr"), *HALF, texts[INPUTS])
    return every([own, *(above(level(found[name], "fpr"), HALF[1], texts[name]) for name in OTHERS)])


@claim_test("farm-novelty-alooc-misses", CHAPTER)
def novelty_alooc_misses(rows: Reader) -> Verdict:
    """On each of three sets."""
    found = [_read(rows, one, INPUTS, "fnr") for one in SETS]
    return every([above(estimate, MANY, text) for estimate, text in found])


@claim_test("farm-novelty-far-inefficient", CHAPTER)
def novelty_far_inefficient(rows: Reader) -> Verdict:
    """Each of three on the one set, at the paper's share of nominal images."""
    found = [_weighed(rows, SETS[1], name) for name in MONITORS]
    return every([below(estimate, FAIR, text) for estimate, text in found])


def _read(rows: Reader, one: tuple[str, str], method: str, metric: str) -> tuple[Estimate, str]:
    return on_set(rows, *one, method, metric), named(*one, method, metric)


def _weighed(rows: Reader, one: tuple[str, str], method: str) -> tuple[Estimate, str]:
    return weighed_set(rows, *one, method), f"{named(*one, method, 'mcc')} {SHARE}"
