"""Claims of sections I and IX on who detects ambiguity: seldom those that detect what is out of distribution.

The paper calls doubt from ambiguity aleatoric, and doubt about what was never seen epistemic. Adversarial, corrupted
and invalid images stand for the latter. Orders are compared over all sixteen supervisors, on adversarial images over
thirteen; in the authors' way of attacking over the six that were tried.
"""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.attacked import (
    NOT_TRIED,
    TRIED,
    in_detection,
    theirs,
    whichever_attack,
)
from mistrust.publishing.claim_tests.supervisors.reading import (
    ADVERSARIAL,
    AMBIGUOUS,
    CHAPTER,
    OUTLIER,
    SIXTEEN,
    TITLES,
    UNKNOWN,
    WELL,
    cells,
    detected,
    level,
    named,
)
from mistrust.publishing.claim_tests.supervisors.weights import whatever_they_weigh
from mistrust.publishing.estimates import Estimate, Reader, between_models
from mistrust.publishing.verdicts import Verdict, below, claim_test, every

ALIKE_ORDER = 0.5  # above it, orders are called consistent (`stability`)


@claim_test("ambiguess-aleatoric-not-implied", CHAPTER)
@whatever_they_weigh
def aleatoric_not_implied(rows: Reader) -> Verdict:
    """Spearman's correlation of AUROCs on ambiguous images and on each other kind, by run, on both sets: below 0.5."""
    return _orders(rows, ALIKE_ORDER)


@claim_test("ambiguess-aleatoric-opposite", CHAPTER)
@whatever_they_weigh
def aleatoric_opposite(rows: Reader) -> Verdict:
    """Spearman's correlation of AUROCs on ambiguous images and on each other kind, by run, on both sets: below 0."""
    return _orders(rows, 0.0)


@claim_test("ambiguess-only-softmax-sees-ambiguity", CHAPTER)
@whatever_they_weigh
def only_softmax_sees_ambiguity(rows: Reader) -> Verdict:
    """None of the four that read no softmax detects ambiguous images well, on either set."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([below(level(found, cell), WELL, named(cell)) for cell in wanted])


def _orders(rows: Reader, bound: float) -> Verdict:
    parts = []
    for data, kind, found in _correlations(rows):
        text = f"{TITLES[data]}, ambiguous and {kind.partition('/')[0]}: correlation of the supervisors' order"
        attacked_so = _in_theirs(rows, data) if kind == ADVERSARIAL else NOT_TRIED
        parts.append(whichever_attack(found, attacked_so, partial(below, bound=bound, evidence=text)))
    return every(parts)


def _correlations(rows: Reader) -> Iterator[tuple[str, str, Estimate]]:
    found = detected(rows, cells(SIXTEEN))
    for data in TITLES:
        for kind in UNKNOWN:
            names = [name for name in SIXTEEN if (data, kind, name) in found.columns]
            first, second = (found[cells(names, [one], [data])].droplevel([0, 1], axis=1) for one in (AMBIGUOUS, kind))
            by_run = first.corrwith(second, axis=1, method="spearman")
            yield data, kind, between_models(by_run.to_list(), scale="fisher")


def _in_theirs(rows: Reader, data: str) -> "pd.Series[float]":
    """The same of the supervisors that were tried on images attacked in the authors' way, by network and run."""
    attacked = pd.concat({name: theirs(rows, data, [name]) for name in TRIED}, axis=1).dropna()
    if attacked.empty:
        return NOT_TRIED
    ambiguous = pd.concat({name: in_detection(rows, data, AMBIGUOUS, [name]) for name in TRIED}, axis=1)
    return ambiguous.reindex(attacked.index).dropna().corrwith(attacked, axis=1, method="spearman").dropna()
