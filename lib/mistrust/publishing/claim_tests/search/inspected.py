"""Claims of sections VI-B and VI-C (Figures 8 and 9) on the errors that Adversarial Distance finds.

Read, of panels that pass the gates: `explained`, under biased training of what is called a cat. With `level` (a number
of errors) the first that the search finds; without it all of the pool. And `focus`, of the strongest dose of each
mechanism.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.search.panels import by_model, passing
from mistrust.publishing.claim_tests.search.reading import (
    AD,
    CHAPTER,
    CRITICAL,
    DOSES,
    MEANT,
    WAYS,
    each,
    gap,
    opposite,
    share,
)
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, within

# A small effect (Cohen, Statistical power analysis, 1988), in standard deviations, either way.
SLIGHT = 0.2
# Focused elsewhere: most of what speaks now did not before.
MOST = 0.5


@claim_test("adversarial-distance-light-dogs", CHAPTER)
def light_dogs(rows: Reader) -> Verdict:
    """Brightness of the errors found against that of all dogs."""
    text = "brightness of the dogs found that are called cats, minus that of all dogs, in standard deviations"
    return _under_each_dose(rows, "brightness", text, found=True)


@claim_test("adversarial-distance-light-is-cat", CHAPTER)
def light_is_cat(rows: Reader) -> Verdict:
    """Brightness of all dogs of the pool, each of which is called a cat, against that of all dogs.

    Networks that were trained on all cats may do the same, and were not asked: what is found is no matter of bias yet.
    """
    text = "brightness of all dogs that are called cats, minus that of all dogs, in standard deviations"
    verdict = _under_each_dose(rows, "brightness", text, found=False)
    if verdict.verdict != "holds":
        return verdict
    return Verdict("undecided", f"{verdict.evidence}; networks without that bias were not asked")


@claim_test("adversarial-distance-light-superpixels", CHAPTER)
def light_superpixels(rows: Reader) -> Verdict:
    """Brightness of the superpixels that speak most for a cat, against the image's mean."""
    text = "brightness of the superpixels that speak most for a cat, minus the image's mean"
    return _under_each_dose(rows, "superpixel brightness", text, found=True)


@claim_test("adversarial-distance-other-sets-alike", CHAPTER)
def other_sets_alike(rows: Reader) -> Verdict:
    """Brightness of the errors found on grey test images and after overfitting: off that of their class, either way."""

    def judge(name: str) -> Verdict:
        estimate = gap(_explained(rows, "brightness", found=True, way=name))
        text = f"brightness of the errors found, minus that of their class, in standard deviations, {WAYS[name].title}"
        shown = f"{estimate.of(text)}, expected below {number(-SLIGHT)} or above {number(SLIGHT)}"
        return replace(opposite(within(estimate, -SLIGHT, SLIGHT)), evidence=shown)

    return every(each(("gray", "overfit"), judge))


@claim_test("adversarial-distance-focus-moves", CHAPTER)
def focus_moves(rows: Reader) -> Verdict:
    """What speaks most for the other class in the adversarial image: the share that did so before the change, too."""
    found = rows.find(table="focus", metric="spoke before", method=AD, condition=list(DOSES))
    found = passing(rows, found[found["seed"].notna()])
    if found.empty:
        raise NotRun("what speaks for the other class before and after the change, of the errors found")
    moved = share(by_model(found.set_index(["condition", "seed"])["value"]))
    text = "share of the superpixels that speak most for the other class in adversarial images which did so before"
    return below(moved, MOST, text)


def _under_each_dose(rows: Reader, metric: str, text: str, *, found: bool) -> Verdict:
    """Of biased training, dose by dose: a mean of doses that networks enough have in common would drop the other."""
    from mistrust.figures.search.parts import words  # matplotlib, which no claim needs

    read = rows.find(table="explained", method=AD, metric=metric, at=CRITICAL, condition=list(WAYS["biased"].doses))
    doses = sorted(set(read["condition"])) or WAYS["biased"].doses[-1:]

    def judge(dose: str) -> Verdict:
        return above(gap(_explained(rows, metric, [dose], found=found)), 0.0, f"{text}, {words(dose)}")

    return every(each(doses, judge))


def _explained(
    rows: Reader, metric: str, doses: Sequence[str] | None = None, *, found: bool, way: str = "biased"
) -> "pd.Series[float]":
    """By model; of the most errors found that there is a row for, or of the whole pool."""
    at = MEANT.get(way)
    where: dict[str, object] = {"table": "explained", "method": AD, "condition": list(doses or WAYS[way].doses)}
    read = rows.find(metric=metric, **where, **({} if at is None else {"at": at}))
    read = read[read["seed"].notna() & (read["level"].notna() if found else read["level"].map(math.isnan))]
    read = passing(rows, read, at)
    what = f"{metric} of the errors found, {WAYS[way].title}" if found else f"{metric} of the pool's errors"
    if read.empty:
        raise NotRun(what)
    last = read.sort_values("level").drop_duplicates(["data", "network", "condition", "seed"], keep="last")
    return by_model(last.set_index(["condition", "seed"])["value"])
