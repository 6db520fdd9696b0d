"""Claims of section VII-C, "Ambiguous Data": who notices an image that is two things at once.

That such images are in distribution once others of them were learnt stands in VII-A, too. Ours come from decoders that
made no training image; in the paper one pool of decoders made both. Images of known decoders were tried in one run.
"""

from dataclasses import replace
from functools import partial

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.attacked import beside_theirs, of_cell, whichever_attack
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
from mistrust.publishing.verdicts import DECIDED, Verdict, above, below, claim_test, every, greater

VOTES = "mc_variation_ratio"  # it counts classes, and the paper does not list it here


KNOWN = "ambiguous/known decoders"


@claim_test("ambiguess-ambiguous-in-distribution", CHAPTER)
@whatever_they_weigh
def ambiguous_in_distribution(rows: Reader) -> Verdict:
    """Three surprise adequacies: near chance, lower than fitted on nominal images alone; open where they disagree.

    No farther above chance than 0.1, on both sets; in the same runs. That images are in distribution is one fact, of
    which each is a witness: where one says yes and another no, they leave it open. DSA, which also asks how near
    another class is, is told beside with images of decoders that made training images, too.
    """
    found = detected(rows, cells(SURPRISE, [AMBIGUOUS]))
    parts: dict[str, list[Verdict]] = {name: [] for name in SURPRISE}
    for cell in cells(SURPRISE, [AMBIGUOUS]):
        text = f"{named(cell)}, fitted on nominal images alone minus fitted on ambiguous ones, too"
        parts[cell[2]] += [
            below(level(found, cell), CHANCE + SUPERIOR, named(cell)),
            greater(_without(rows, cell), found[cell], text),
        ]
    whole, each = every([part for name in SURPRISE for part in parts[name]]), {n: every(parts[n]) for n in SURPRISE}
    if {*DECIDED} <= {one.verdict for one in each.values()}:
        told = ", ".join(f"by {NAMES[name]} it {one.verdict}" for name, one in each.items())
        whole = replace(whole, verdict="undecided", evidence=f"{whole.evidence}; undecided because {told}")
    known = [f"{TITLES[data]} {value}" for data in TITLES if (value := _of_known_decoders(rows, data))]
    told = f"; DSA where decoders made training images, too: {', '.join(known)}" if known else ""
    return replace(whole, evidence=f"{whole.evidence}{told}")


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
    return "" if single.empty else f"{single.mean():.3f}"


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
    parts = []
    for cell in wanted:
        judge = partial(above, bound=WELL, evidence=named(cell))
        parts.append(whichever_attack(level(found, cell), of_cell(rows, cell), judge))
    return beside_theirs(rows, every(parts), SURPRISE, parts)
