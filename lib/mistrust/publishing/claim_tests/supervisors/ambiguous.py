"""Claims of section VII-C, "Ambiguous Data": who notices an image that is two things at once."""

from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.claim_tests.supervisors.reading import (
    ACCEPTABLE,
    AMBIGUOUS,
    CHANCE,
    CHAPTER,
    DROPOUT,
    ENSEMBLES,
    NAMES,
    OUTLIER,
    PLAIN,
    SURPRISE,
    TITLES,
    UNKNOWN,
    WELL,
    cells,
    detected,
    level,
    named,
    on,
)
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, greater

VOTES = "mc_variation_ratio"  # it counts classes, and the paper does not list it here


@claim_test("ambiguess-softmax-sees-ambiguity", CHAPTER)
def softmax_sees_ambiguity(rows: Reader) -> Verdict:
    """Each of four, on both sets."""
    wanted = cells(PLAIN, [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])


@claim_test("ambiguess-indirect-softmax-sees-ambiguity", CHAPTER)
def indirect_softmax_sees_ambiguity(rows: Reader) -> Verdict:
    """Each of seven, on both sets."""
    wanted = cells(["dissector", *(name for name in DROPOUT if name != VOTES), *ENSEMBLES], [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])


@claim_test("ambiguess-ood-blind-to-ambiguity", CHAPTER)
def ood_blind_to_ambiguity(rows: Reader) -> Verdict:
    """Each stays below what is acceptable, on both sets."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([below(level(found, cell), ACCEPTABLE, named(cell)) for cell in wanted])


@claim_test("ambiguess-ood-barely-above-chance", CHAPTER)
def ood_barely_above_chance(rows: Reader) -> Verdict:
    """Seven of the eight numbers of Table II at least."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    parts = [below(level(found, cell), CHANCE, named(cell)) for cell in wanted]
    return at_least(parts, len(parts) - 1, "below chance")


@claim_test("ambiguess-surprise-low-on-ambiguous", CHAPTER)
def surprise_low_on_ambiguous(rows: Reader) -> Verdict:
    """Lower than chance, and than the autoencoder in the same runs."""
    wanted = cells(OUTLIER, [AMBIGUOUS])
    found = detected(rows, wanted)
    parts = []
    for data in TITLES:
        for cell in cells(SURPRISE, [AMBIGUOUS], [data]):
            parts.append(below(level(found, cell), CHANCE, named(cell)))
            theirs = found[data, AMBIGUOUS, "autoencoder"]
            text = f"{on(data, AMBIGUOUS)}: AUROC of Autoencoder minus {NAMES[cell[2]]}"
            parts.append(greater(theirs, found[cell], text))
    return every(parts)


@claim_test("ambiguess-surprise-detects-ood", CHAPTER)
def surprise_detects_ood(rows: Reader) -> Verdict:
    """Each of three, on adversarial, corrupted and invalid images of both sets."""
    wanted = cells(SURPRISE, UNKNOWN)
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])
