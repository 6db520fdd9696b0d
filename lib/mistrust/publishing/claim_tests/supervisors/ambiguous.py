"""Claims of section VII-C, "Ambiguous Data": who notices an image that is two things at once.

That such images are in distribution once others of them were learnt stands in VII-A, too. Ours come from decoders that
made no training image; in the paper one pool of decoders made both. Images of known decoders were tried in one run.
"""

from dataclasses import replace

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
    cells,
    detected,
    gap,
    level,
    named,
    on,
)
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every

VOTES = "mc_variation_ratio"  # it counts classes, and the paper does not list it here


KNOWN = "ambiguous/known decoders"
DENSE = ("lsa", "mdsa")  # they ask how usual activations are for a class, not, as DSA does, how near another class is


@claim_test("ambiguess-ambiguous-in-distribution", CHAPTER)
def ambiguous_in_distribution(rows: Reader) -> Verdict:
    """LSA and MDSA are no farther above chance than 0.1 on both sets; DSA, which is of two minds, is told beside.

    So is what they have where no ambiguous image was fitted on: LSA, which is low even so, is a weak witness.
    """
    wanted = cells([*DENSE, "dsa"], [AMBIGUOUS])
    found = detected(rows, wanted)
    dense = [cell for cell in wanted if cell[2] in DENSE]
    verdict = every([below(level(found, cell), CHANCE + SUPERIOR, named(cell)) for cell in dense])
    each = [
        f"{TITLES[data]} {level(found, (data, AMBIGUOUS, 'dsa'))}{_of_known_decoders(rows, data)}" for data in TITLES
    ]
    told = f"DSA, which also asks how near another class is: {', '.join(each)}"
    return replace(verdict, evidence=f"{verdict.evidence}; {told}{_without(rows)}")


def _without(rows: Reader) -> str:
    """What the two have that saw nominal images alone, mean over architectures and runs."""
    where = {"table": "variants", "condition": AMBIGUOUS, "metric": "auroc", "network": list(ARCHITECTURES)}
    found = rows.find(**where, method=[f"{name}/nominal only" for name in DENSE], data=list(TITLES))
    single = found[found["seed"].notna()].groupby(["method", "data"])["value"].mean().reset_index()
    each = [
        f"{NAMES[str(method).partition('/')[0]]} {TITLES[str(data)]} {value:.3f}"
        for method, data, value in single.itertuples(index=False)
    ]
    return f"; fitted on nominal images alone: {', '.join(each)}" if each else ""


def _of_known_decoders(rows: Reader, data: str) -> str:
    where = {"table": "other-sets", "condition": KNOWN, "method": "dsa", "metric": "auroc", "data": data}
    found = rows.find(**where, network=list(ARCHITECTURES))
    single = found[found["seed"].notna()]["value"]
    return "" if single.empty else f" (where decoders made training images, too, {single.mean():.3f})"


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
            text = f"{on(data, AMBIGUOUS)}: AUROC of Autoencoder minus {NAMES[cell[2]]}"
            parts.append(above(gap(found, (data, AMBIGUOUS, "autoencoder"), cell), 0.0, text))
    return every(parts)


@claim_test("ambiguess-surprise-detects-ood", CHAPTER)
def surprise_detects_ood(rows: Reader) -> Verdict:
    """Each of three, on adversarial, corrupted and invalid images of both sets."""
    wanted = cells(SURPRISE, UNKNOWN)
    found = detected(rows, wanted)
    return every([above(level(found, cell), WELL, named(cell)) for cell in wanted])
