"""Claims on several kinds of input at once: Table II's caption, "Discussion", the summary, sections I and IX.

What is said of softmax-based supervisors or of outlier detectors in general is judged by their mean in each run; what
is said of each is judged one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.attacked import (
    NOT_TRIED,
    SOFTMAX,
    beside_theirs,
    in_detection,
    of_cell,
    theirs,
    whichever_attack,
)
from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.claim_tests.supervisors.reading import (
    ADVERSARIAL,
    ALIKE,
    AMBIGUOUS,
    CHANCE,
    CHAPTER,
    CORRUPTED,
    ENSEMBLES,
    KINDS,
    NAMES,
    OUTLIER,
    PLAIN,
    SIXTEEN,
    SOFTMAX_BASED,
    TITLES,
    UNKNOWN,
    VERY_WELL,
    WELL,
    WITHOUT_DISSECTOR,
    Cell,
    by_architecture,
    cells,
    detected,
    gap,
    level,
    named,
    of_one,
    of_shared,
    on,
    typical,
)
from mistrust.publishing.claim_tests.supervisors.weights import whatever_they_weigh
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, difference
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, greater, within

# What the paper prints of the softmax-based: one per family.
PRINTED = ("max_softmax", "mc_mean_softmax", "ensemble_mean_softmax")
# Supervisor -> the one that it performs like.
LIKE_MAX_SOFTMAX = dict.fromkeys(PLAIN[1:], "max_softmax")
LIKE_MEAN_SOFTMAX = {
    f"{family}_{quantifier}": f"{family}_mean_softmax"
    for family in ("mc", "ensemble")
    for quantifier in ("mutual_information", "predictive_entropy")
}
# Two as one.
NAMED, PAIR = ("max_softmax", "mdsa"), "Max Softmax and MDSA"
TOGETHER = "AUROC on each network's weakest kind"
BETTER = "outlier detectors minus softmax-based supervisors, mean AUROC"


@claim_test("ambiguess-softmax-four-alike", CHAPTER)
@whatever_they_weigh
def softmax_four_alike(rows: Reader) -> Verdict:
    """Each of three within 0.05 of Max Softmax in the same runs, on all eight test sets."""
    wanted = cells(PLAIN, [ADVERSARIAL])

    def tell(runs: pd.DataFrame) -> str:
        gaps = [runs[cell] - runs[*cell[:2], "max_softmax"] for cell in wanted]
        return f"{max((float(gap.mean()) for gap in gaps), key=abs):.3f}"

    told = f"farthest from Max Softmax on adversarial inputs, {by_architecture(rows, wanted, tell)}"
    parts = _alike(rows, LIKE_MAX_SOFTMAX)
    verdict = every(parts)
    return beside_theirs(rows, replace(verdict, evidence=f"{verdict.evidence}; {told}"), SOFTMAX, parts)


@claim_test("ambiguess-quantifiers-alike", CHAPTER)
@whatever_they_weigh
def quantifiers_alike(rows: Reader) -> Verdict:
    """Each of four within 0.05 of the mean softmax of the same samples or members, on all test sets."""
    return every(_alike(rows, LIKE_MEAN_SOFTMAX))


@claim_test("ambiguess-softmax-above-chance", CHAPTER)
@whatever_they_weigh
def softmax_above_chance(rows: Reader) -> Verdict:
    """Each of twelve on each of four kinds, on both sets."""
    wanted = cells(SOFTMAX_BASED)
    found = detected(rows, wanted)
    return every([_level(rows, found, cell, above, CHANCE) for cell in wanted])


@claim_test("ambiguess-softmax-strength-ambiguity", CHAPTER)
@whatever_they_weigh
def softmax_strength_ambiguity(rows: Reader) -> Verdict:
    """Their mean on ambiguous images exceeds that of the same ones on each other kind, on both sets."""
    found = detected(rows, cells(SOFTMAX_BASED))
    parts = []
    for data in TITLES:
        for kind in UNKNOWN:
            same = [name for name in SOFTMAX_BASED if (data, kind, name) in found.columns]
            text = f"{TITLES[data]}, ambiguous minus {kind.partition('/')[0]}: mean AUROC of softmax-based supervisors"
            lead = difference(typical(found, data, AMBIGUOUS, same), typical(found, data, kind, same))
            attacked_so = NOT_TRIED
            if kind == ADVERSARIAL:
                attacked_so = in_detection(rows, data, AMBIGUOUS, SOFTMAX) - theirs(rows, data, SOFTMAX)
            parts.append(whichever_attack(lead, attacked_so, partial(above, bound=0.0, evidence=text)))
    return beside_theirs(rows, every(parts), SOFTMAX, parts)


@claim_test("ambiguess-softmax-inferior-on-epistemic", CHAPTER)
@whatever_they_weigh
def softmax_inferior_on_epistemic(rows: Reader) -> Verdict:
    """Mean against mean, on each of three kinds and both sets."""
    found = detected(rows, cells(SIXTEEN, UNKNOWN))
    parts = []
    for data in TITLES:
        for kind in UNKNOWN:
            judge = partial(above, bound=0.0, evidence=f"{on(data, kind)}: {BETTER}")
            lead, attacked_so = difference(*_both(found, data, kind)), _lead_in_theirs(rows, data, kind)
            parts.append(whichever_attack(lead, attacked_so, judge))
    return beside_theirs(rows, every(parts), parts=parts)


@claim_test("ambiguess-every-kind-detected", CHAPTER)
@whatever_they_weigh
def every_kind_detected(rows: Reader) -> Verdict:
    """For each of four kinds and both sets, at least one supervisor detects it well."""
    found = detected(rows, cells(SIXTEEN))
    parts = []
    for data in TITLES:
        for kind in KINDS:
            able = [_level(rows, found, cell, above, WELL) for cell in cells(SIXTEEN, [kind], [data])]
            parts.append(at_least(able, 1, f"{on(data, kind)}, detected well"))
    return every(parts)


@claim_test("ambiguess-no-supervisor-for-all", CHAPTER)
@whatever_they_weigh
def no_supervisor_for_all(rows: Reader) -> Verdict:
    """Each of sixteen fails to detect well some kind of input, on either set: who develops a system has but one.

    An ensemble that detects well all it was shown refutes nothing: it was shown no adversarial images.
    """
    found = detected(rows, cells(SIXTEEN))
    parts = []
    for data, name in product(TITLES, SIXTEEN):
        unable = [_level(rows, found, cell, below, WELL) for cell in cells([name], data=[data])]
        part = at_least(unable, 1, f"{TITLES[data]}, what {NAMES[name]} does not detect well")
        if name in ENSEMBLES and part.verdict == "does not hold":
            part = replace(part, verdict="undecided", evidence=f"{part.evidence}; not tried on adversarial images")
        parts.append(part)
    return every(parts)


@claim_test("ambiguess-several-for-all", CHAPTER)
def several_for_all(rows: Reader) -> Verdict:
    """Max Softmax and MDSA as one, on each network's weakest kind: well, on both sets; refuted if every pair fails.

    The first of Table II with the one that the discussion calls reliable and fast, named before all other pairs: the
    best of many would have to be corrected for the choice. Two count as one by the larger of their places among nominal
    scores. Where this pair fails, another may do: then only that all pairs fail refutes the sentence. These rows are
    means over networks and runs with an interval between runs; those of single networks are not among them.
    """
    sets = [(data, _pairs(rows, data)) for data in TITLES]
    first = every([above(pairs[NAMED], WELL, f"{TITLES[data]}, {TOGETHER} of {PAIR}") for data, pairs in sets])
    if first.verdict == "holds":
        return first
    parts = []
    for data, pairs in sets:
        able = [above(one, WELL, " and ".join(NAMES[name] for name in pair)) for pair, one in pairs.items()]
        parts.append(at_least(able, 1, f"{TITLES[data]}, {TOGETHER} of pairs"))
    whole = every(parts)
    return replace(whole, evidence=f"{PAIR}: {first.verdict} ({first.evidence}); {whole.evidence}")


@claim_test("ambiguess-complementary", CHAPTER)
@whatever_they_weigh
def complementary(rows: Reader) -> Verdict:
    """Mean against mean: one group leads on ambiguous, the other on corrupted images; on both sets."""
    found = detected(rows, cells(SIXTEEN, [AMBIGUOUS, CORRUPTED]))
    parts = []
    for data in TITLES:
        outlier, softmax = _both(found, data, AMBIGUOUS)
        text = f"{on(data, AMBIGUOUS)}: softmax-based supervisors minus outlier detectors, mean AUROC"
        parts.append(greater(softmax, outlier, text))
        parts.append(greater(*_both(found, data, CORRUPTED), f"{on(data, CORRUPTED)}: {BETTER}"))
    return every(parts)


@claim_test("ambiguess-softmax-very-well-on-ambiguity", CHAPTER)
@whatever_they_weigh
def softmax_very_well_on_ambiguity(rows: Reader) -> Verdict:
    """One per family, as Table II prints them, on both sets."""
    wanted = cells(PRINTED, [AMBIGUOUS])
    found = detected(rows, wanted)
    return every([above(level(found, cell), VERY_WELL, named(cell)) for cell in wanted])


@claim_test("ambiguess-softmax-disadvantages", CHAPTER)
@whatever_they_weigh
def softmax_disadvantages(rows: Reader) -> Verdict:
    """By more than 0.05, on each of three kinds; mean over both sets, as the sentence speaks of none."""
    methods = (*WITHOUT_DISSECTOR, *OUTLIER)
    found = detected(rows, cells(methods, UNKNOWN))
    parts = []
    for kind in UNKNOWN:
        gaps = [outlier - softmax for outlier, softmax in (_both(found, d, kind, WITHOUT_DISSECTOR) for d in TITLES)]
        gap = between_models(pd.concat(gaps, axis=1).mean(axis=1).to_list())
        first, second = (_lead_in_theirs(rows, data, kind) for data in TITLES)
        judge = partial(above, bound=ALIKE, evidence=f"{kind.partition('/')[0]}: {BETTER}")
        parts.append(whichever_attack(gap, (first + second) / 2, judge))
    return beside_theirs(rows, every(parts), parts=parts)


@claim_test("ambiguess-ood-often-better", CHAPTER)
@whatever_they_weigh
def ood_often_better(rows: Reader) -> Verdict:
    """Each of four against the mean of the softmax-based in the same runs: in more than half of 24 comparisons."""
    methods = (*WITHOUT_DISSECTOR, *OUTLIER)
    found = detected(rows, cells(methods, UNKNOWN))
    parts = []
    for data, kind in product(TITLES, UNKNOWN):
        softmax = typical(found, data, kind, WITHOUT_DISSECTOR)
        for cell in cells(OUTLIER, [kind], [data]):
            lead = difference(found[cell], softmax)
            own = of_one(lead.value) if of_shared(found, cell) else lead
            judge = partial(above, bound=0.0, evidence=f"{named(cell)} minus mean AUROC of softmax-based supervisors")
            parts.append(whichever_attack(own, _lead_in_theirs(rows, data, kind, cell[2:]), judge))
    return at_least(parts, len(parts) // 2 + 1, "outlier detectors are better")


def _pairs(rows: Reader, data: str) -> dict[tuple[str, ...], Estimate]:
    """AUROC of every two of the sixteen as one on each network's weakest kind, the mean over networks and runs."""
    where = {"table": "together", "metric": "least auroc", "condition": "every kind", "network": "all", "data": data}
    found: dict[tuple[str, ...], Estimate] = {}
    for row in rows.find(**where, over="models").to_dict("records"):
        pair = tuple(sorted(str(row["method"]).split(" + ")))
        if len(pair) == 2 and {*pair} <= {*SIXTEEN}:
            value, low, high = (float(row[name]) for name in ("value", "low", "high"))
            found[pair] = Estimate(value, low, high, int(row["n"]))
    if NAMED not in found:
        raise NotRun(f"{TITLES[data]}: AUROC of {PAIR} as one, between runs")
    return found


def _alike(rows: Reader, pairs: dict[str, str]) -> list[Verdict]:
    found = detected(rows, cells([*pairs, *dict.fromkeys(pairs.values())]))
    parts = []
    for cell in cells(pairs):
        other = (*cell[:2], pairs[cell[2]])
        judge = partial(within, low=-ALIKE, high=ALIKE, evidence=f"{named(cell)} minus {NAMES[other[2]]}")
        parts.append(whichever_attack(gap(found, cell, other), of_cell(rows, cell) - of_cell(rows, other), judge))
    return parts


def _level(
    rows: Reader, found: pd.DataFrame, cell: Cell, side: Callable[[Estimate, float, str], Verdict], bound: float
) -> Verdict:
    """On which side of a bound one number lies, whichever attack is meant."""
    return whichever_attack(level(found, cell), of_cell(rows, cell), lambda one: side(one, bound, named(cell)))


def _lead_in_theirs(rows: Reader, data: str, kind: str, methods: Sequence[str] = OUTLIER) -> "pd.Series[float]":
    """By how much these lead the softmax-based that were attacked in the authors' way; only adversarial images were."""
    return theirs(rows, data, methods) - theirs(rows, data, SOFTMAX) if kind == ADVERSARIAL else NOT_TRIED


def _both(
    found: pd.DataFrame, data: str, kind: str, softmax: tuple[str, ...] = SOFTMAX_BASED
) -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """By run, the mean of the outlier detectors and that of the softmax-based."""
    return typical(found, data, kind, OUTLIER), typical(found, data, kind, softmax)
