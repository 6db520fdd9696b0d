"""Claims of section VII-C, "Ambiguous Data": who notices an image that is two things at once.

That such images are in distribution once others of them were learnt stands in VII-A, too. Ours come from decoders that
made no training image; in the paper one pool of decoders made both. Images of known decoders were tried in one run.
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.claim_tests.supervisors.reading import (
    ACCEPTABLE,
    AMBIGUOUS,
    ARCHITECTURES,
    CHANCE,
    CHAPTER,
    DROPOUT,
    ENSEMBLES,
    NAMES,
    OUTLIER,
    PLAIN,
    SUPERIOR,
    SURPRISE,
    TITLES,
    UNKNOWN,
    WELL,
    Cell,
    cells,
    detected,
    gap,
    level,
    named,
    on,
)
from mistrust.publishing.claim_tests.supervisors.weights import whatever_they_weigh
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, greater

VOTES = "mc_variation_ratio"  # it counts classes, and the paper does not list it here


KNOWN = "ambiguous/known decoders"
DENSE = ("lsa", "mdsa")  # they ask how usual activations are for a class, not, as DSA does, how near another class is


@claim_test("ambiguess-ambiguous-in-distribution", CHAPTER)
@whatever_they_weigh
def ambiguous_in_distribution(rows: Reader) -> Verdict:
    """LSA and MDSA on both sets: no farther above chance than 0.1, and lower than fitted on nominal images alone.

    In the same runs. DSA, which is of two minds, is told beside.
    """
    wanted = cells([*DENSE, "dsa"], [AMBIGUOUS])
    found = detected(rows, wanted)
    dense = [cell for cell in wanted if cell[2] in DENSE]
    parts = [below(level(found, cell), CHANCE + SUPERIOR, named(cell)) for cell in dense]
    for cell in dense:
        text = f"{named(cell)}, fitted on nominal images alone minus fitted on ambiguous ones, too"
        parts.append(greater(_without(rows, cell), found[cell], text))
    each = [
        f"{TITLES[data]} {level(found, (data, AMBIGUOUS, 'dsa'))}{_of_known_decoders(rows, data)}" for data in TITLES
    ]
    verdict = every(parts)
    told = f"DSA, which also asks how near another class is: {', '.join(each)}"
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")


def _without(rows: Reader, cell: Cell) -> "pd.Series[float]":
    """AUROC by run, the mean over architectures, of one that was fitted on nominal images alone."""
    data, condition, method = cell
    where = {"table": "variants", "condition": condition, "metric": "auroc", "network": list(ARCHITECTURES)}
    found = rows.find(**where, method=f"{method}/nominal only", data=data)
    single = found[found["seed"].notna()]
    if single.empty:
        raise NotRun(f"{named(cell)}, fitted on nominal images alone, by run")
    return single.groupby("seed")["value"].mean()


def _of_known_decoders(rows: Reader, data: str) -> str:
    where = {"table": "other-sets", "condition": KNOWN, "method": "dsa", "metric": "auroc", "data": data}
    found = rows.find(**where, network=list(ARCHITECTURES))
    single = found[found["seed"].notna()]["value"]
    return "" if single.empty else f" (where decoders made training images, too, {single.mean():.3f})"


@claim_test("ambiguess-softmax-sees-ambiguity", CHAPTER)
@whatever_they_weigh
def softmax_sees_ambiguity(rows: Reader) -> Verdict:
    """Each of four, on both sets."""
    wanted = cells(PLAIN, [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])


@claim_test("ambiguess-indirect-softmax-sees-ambiguity", CHAPTER)
@whatever_they_weigh
def indirect_softmax_sees_ambiguity(rows: Reader) -> Verdict:
    """Each of seven, on both sets."""
    wanted = cells(["dissector", *(name for name in DROPOUT if name != VOTES), *ENSEMBLES], [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])


@claim_test("ambiguess-ood-blind-to-ambiguity", CHAPTER)
@whatever_they_weigh
def ood_blind_to_ambiguity(rows: Reader) -> Verdict:
    """Each stays below what is acceptable, on both sets."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([below(level(found, cell), ACCEPTABLE, named(cell)) for cell in wanted])


@claim_test("ambiguess-ood-barely-above-chance", CHAPTER)
@whatever_they_weigh
def ood_barely_above_chance(rows: Reader) -> Verdict:
    """Seven of the eight numbers of Table II at least."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    parts = [below(level(found, cell), CHANCE, named(cell)) for cell in wanted]
    return at_least(parts, len(parts) - 1, "below chance")


@claim_test("ambiguess-surprise-low-on-ambiguous", CHAPTER)
@whatever_they_weigh
def surprise_low_on_ambiguous(rows: Reader) -> Verdict:
    """Lower than chance, and than the autoencoder in the same runs."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    parts = []
    for data in TITLES:
        for cell in cells(SURPRISE, [AMBIGUOUS], [data]):
            parts.append(below(level(found, cell), CHANCE, named(cell)))
            text = f"{on(data, AMBIGUOUS)}: AUROC of Autoencoder minus {NAMES[cell[2]]}"
            parts.append(above(gap(found, (data, AMBIGUOUS, "autoencoder"), cell), 0.0, text))
    return every(parts)


@claim_test("ambiguess-surprise-detects-ood", CHAPTER)
@whatever_they_weigh
def surprise_detects_ood(rows: Reader) -> Verdict:
    """Each of three, on adversarial, corrupted and invalid images of both sets."""
    wanted = cells(SURPRISE, UNKNOWN)
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])
