"""Claims of section VII-C on corrupted images, from "Corrupted Data" and "Discussion".

That MDSA is faster than DSA is judged in `speed`.
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.claim_tests.supervisors.reading import (
    ALIKE,
    CHAPTER,
    CORRUPTED,
    FASHION,
    NAMES,
    SIXTEEN,
    SOFTMAX_BASED,
    SUPERIOR,
    TITLES,
    by_architecture,
    cells,
    detected,
    gap,
    on,
    typical_fall,
)
from mistrust.publishing.claim_tests.supervisors.weights import whatever_they_weigh
from mistrust.publishing.estimates import Estimate, Reader, difference
from mistrust.publishing.verdicts import Verdict, above, claim_test, every, within

OTHERS = tuple(name for name in SIXTEEN if name != "dsa")


@claim_test("ambiguess-corrupted-comparable", CHAPTER)
@whatever_they_weigh
def corrupted_comparable(rows: Reader) -> Verdict:
    """More than half of the sixteen lie within 0.05 of the median of all, in the same runs; on both sets."""
    found = detected(rows, cells(SIXTEEN, [CORRUPTED]))
    sets = []
    for data in TITLES:
        median = found[cells(SIXTEEN, [CORRUPTED], [data])].median(axis=1)
        parts = [
            within(difference(found[cell], median), -ALIKE, ALIKE, f"AUROC of {NAMES[cell[2]]} minus the median")
            for cell in cells(SIXTEEN, [CORRUPTED], [data])
        ]
        sets.append(at_least(parts, len(parts) // 2 + 1, f"{on(data, CORRUPTED)}, within 0.05 of the median"))
    return every(sets)


@claim_test("ambiguess-corrupted-dsa-superior", CHAPTER)
@whatever_they_weigh
def corrupted_dsa_superior(rows: Reader) -> Verdict:
    """By more than 0.1, in the same runs, over more than half of the other fifteen; on Fashion-MNIST."""
    found = detected(rows, cells(SIXTEEN, [CORRUPTED], [FASHION]))
    parts = [above(_lead(found, FASHION, name), SUPERIOR, f"AUROC of DSA minus {NAMES[name]}") for name in OTHERS]
    return at_least(parts, len(parts) // 2 + 1, f"{on(FASHION, CORRUPTED)}, DSA higher by more than 0.1")


@claim_test("ambiguess-corrupted-dsa-alone", CHAPTER)
@whatever_they_weigh
def corrupted_dsa_alone(rows: Reader) -> Verdict:
    """No other of the sixteen comes within 0.025 of it, half of what is alike, in the same runs; on Fashion-MNIST."""
    found = detected(rows, cells(SIXTEEN, [CORRUPTED], [FASHION]))
    parts = []
    for name in OTHERS:
        text = f"{on(FASHION, CORRUPTED)}: AUROC of DSA minus {NAMES[name]}"
        parts.append(above(_lead(found, FASHION, name), ALIKE / 2, text))
    return every(parts)


@claim_test("ambiguess-corrupted-softmax-less-fashion", CHAPTER)
@whatever_they_weigh
def corrupted_softmax_less_fashion(rows: Reader) -> Verdict:
    """Their mean, between runs; why it is so (feature collapse, says the paper) no row tells."""
    wanted = cells(SOFTMAX_BASED, [CORRUPTED])
    lost = typical_fall(detected(rows, wanted), CORRUPTED, SOFTMAX_BASED)
    verdict = above(lost, 0.0, "corrupted, MNIST minus Fashion-MNIST: mean AUROC of softmax-based supervisors")
    told = by_architecture(rows, wanted, lambda runs: str(typical_fall(runs, CORRUPTED, SOFTMAX_BASED)))
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")


@claim_test("ambiguess-corrupted-dsa-best", CHAPTER)
@whatever_they_weigh
def corrupted_dsa_best(rows: Reader) -> Verdict:
    """It exceeds each of the other fifteen in the same runs, on both sets."""
    found = detected(rows, cells(SIXTEEN, [CORRUPTED]))
    parts = []
    for data in TITLES:
        for name in OTHERS:
            text = f"{on(data, CORRUPTED)}: AUROC of DSA minus {NAMES[name]}"
            parts.append(above(_lead(found, data, name), 0.0, text))
    return every(parts)


@claim_test("ambiguess-corrupted-mdsa-near-dsa", CHAPTER)
@whatever_they_weigh
def corrupted_mdsa_near_dsa(rows: Reader) -> Verdict:
    """It loses no more than 0.05 in the same runs, on both sets."""
    found = detected(rows, cells(("dsa", "mdsa"), [CORRUPTED]))
    parts = []
    for data in TITLES:
        lead = gap(found, (data, CORRUPTED, "mdsa"), (data, CORRUPTED, "dsa"))
        parts.append(above(lead, -ALIKE, f"{on(data, CORRUPTED)}: AUROC of MDSA minus DSA"))
    return every(parts)


def _lead(found: pd.DataFrame, data: str, name: str) -> Estimate:
    """By how much DSA exceeds another supervisor on corrupted images, in the same runs."""
    return gap(found, (data, CORRUPTED, "dsa"), (data, CORRUPTED, name))
