"""Claims of section IV-D-1 on distributional shift (Table IV): snow, fog, brightness, contrast, saturation, rotation.

The monitors are those as published. Snow, which the published code whites out, is the right one here. A sentence that
names no image set is judged by the mean of both. Table IV shows three of eleven sets of each; we read all eleven.
"""

import pandas as pd

from mistrust.publishing.claim_tests.monitoring.reading import (
    CHAPTER,
    CIFAR,
    FAIR,
    GOOD,
    GOOD_F1,
    GTSRB,
    MANY,
    NEARLY_ALWAYS,
    TITLES,
    level,
    mean,
    named,
    nominal,
    on_set,
    published,
    typical,
    typical_of_both,
)
from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.estimates import Reader, difference
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, within

KIND = "shift"
BOTH = "shift, mean of both image sets"
# "Rarely gives a wrong output when detection is signaled": in fewer than one of ten alarms.
RARELY = 0.1
ALOOC, OOB, ODIN = map(published, ("alooc", "oob", "odin"))


@claim_test("farm-shift-oob-false-alarms", CHAPTER)
def shift_oob_false_alarms(rows: Reader) -> Verdict:
    """The nominal images are the same in all sets."""
    found = mean(nominal(rows, data, OOB, "fpr") for data in TITLES)
    return above(level(found, "fpr"), MANY, f"{BOTH}: false alarms of OOB as published")


@claim_test("farm-shift-odin-misses", CHAPTER)
def shift_odin_misses(rows: Reader) -> Verdict:
    """Mean over the sets."""
    return above(level(_mean(rows, ODIN, "fnr"), "fnr"), MANY, f"{BOTH}: misses of ODIN as published")


@claim_test("farm-shift-all-or-nothing", CHAPTER)
def shift_all_or_nothing(rows: Reader) -> Verdict:
    """OOB and ODIN, on both image sets: one of the two rates is that large."""
    parts = []
    for data in TITLES:
        for name in (OOB, ODIN):
            alarms, misses = nominal(rows, data, name, "fpr"), typical(rows, data, KIND, name, "fnr")
            rates = {"fpr": level(alarms, "fpr"), "fnr": level(misses, "fnr")}
            either = [above(rate, NEARLY_ALWAYS, named(data, KIND, name, metric)) for metric, rate in rates.items()]
            parts.append(at_least(either, 1, f"{named(data, KIND, name, 'fpr')}, or misses, above 0.7"))
    return every(parts)


@claim_test("farm-shift-alooc-fog-fair", CHAPTER)
def shift_alooc_fog_fair(rows: Reader) -> Verdict:
    """Fog of severity 5."""
    found = on_set(rows, CIFAR, "shift/fog", ALOOC, "mcc", severity=5)
    return within(found, FAIR, GOOD, named(CIFAR, "shift/fog (5)", ALOOC, "mcc"))


@claim_test("farm-shift-alooc-snow-good", CHAPTER)
def shift_alooc_snow_good(rows: Reader) -> Verdict:
    """Snow of severity 5."""
    found = on_set(rows, GTSRB, "shift/snow", ALOOC, "mcc", severity=5)
    return above(found, GOOD, named(GTSRB, "shift/snow (5)", ALOOC, "mcc"))


@claim_test("farm-shift-alooc-good-f1", CHAPTER)
def shift_alooc_good_f1(rows: Reader) -> Verdict:
    """A good F1 with a poor correlation, means over the sets."""
    f1 = level(_mean(rows, ALOOC, "weighted-f1"), "weighted-f1")
    return every([
        above(f1, GOOD_F1, f"{BOTH}: weighted F1 of ALOOC as published"),
        below(level(_mean(rows, ALOOC, "mcc"), "mcc"), FAIR, f"{BOTH}: MCC of ALOOC as published"),
    ])  # fmt: skip


@claim_test("farm-shift-alooc-rarely-wrong", CHAPTER)
def shift_alooc_rarely_wrong(rows: Reader) -> Verdict:
    """It misses many, and of its alarms over all sets nine in ten are right at least.

    A set has as many shifted images as nominal ones, so the two rates give the share of right alarms.
    """
    misses = _mean(rows, ALOOC, "fnr")

    def right(data: str) -> "pd.Series[float]":
        hits = 1 - typical(rows, data, KIND, ALOOC, "fnr")
        return hits / (hits + nominal(rows, data, ALOOC, "fpr"))

    share = level(mean(map(right, TITLES)), "precision")
    return every([
        above(level(misses, "fnr"), MANY, f"{BOTH}: misses of ALOOC as published"),
        above(share, 1 - RARELY, f"{BOTH}: share of ALOOC's alarms that are right, as published"),
    ])  # fmt: skip


@claim_test("farm-shift-inputs-more-effective", CHAPTER)
def shift_inputs_more_effective(rows: Reader) -> Verdict:
    """ALOOC, which inspects inputs, against each of the other two in the same runs."""
    own = _mean(rows, ALOOC, "mcc")
    return every([
        above(difference(own, _mean(rows, name, "mcc")), 0.0, f"{BOTH}: MCC of ALOOC minus {title}, as published")
        for name, title in ((OOB, "OOB"), (ODIN, "ODIN"))
    ])  # fmt: skip


def _mean(rows: Reader, method: str, metric: str) -> "pd.Series[float]":
    return typical_of_both(rows, KIND, method, metric)
