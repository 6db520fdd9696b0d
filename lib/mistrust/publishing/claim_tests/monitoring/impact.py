"""Claims of sections IV-D-2 (Table V) and V: what the system gains and loses by its monitor.

Table V sets a correlation of the classifier's labels on nominal images beside one of the monitor's reactions over a
whole stream: two numbers that cannot be compared. So what is said of the classifier alone and the monitored one is
judged by one measure of both (`mistrust.monitoring.impact.answers_mcc`, nominal images); what is said of the monitors
alone, by the number that the code computed for them, over the sets of novelty.
"""

import pandas as pd

from mistrust.publishing.claim_tests.monitoring.reading import (
    ALL,
    CHAPTER,
    CIFAR,
    GTSRB,
    NAMES,
    THREE,
    TITLES,
    Both,
    called,
    coded,
    gap_of_both,
    level,
    mean,
    nominal,
    published,
    typical_of_both,
)
from mistrust.publishing.estimates import Reader, difference, number
from mistrust.publishing.independent import unpaired
from mistrust.publishing.verdicts import Verdict, above, claim_test, every, greater, within

# Half of the smallest gap in Table V, all of which the text calls significant.
SIGNIFICANT = 0.05
GAP = "nominal images: MCC of the answers of the classifier alone minus"
# Table V, without a monitor.
ALONE = {GTSRB: 0.96, CIFAR: 0.74}
BEST = {GTSRB: "oob", CIFAR: "odin"}


@claim_test("farm-alone-mcc", CHAPTER)
def alone_mcc(rows: Reader) -> Verdict:
    """The small network of the paper's size on our copies of both image sets; as near as the gap that counts."""
    parts = []
    for data, printed in ALONE.items():
        found = level(nominal(rows, data, "network", "mcc"), "mcc")
        text = f"{TITLES[data]}, nominal images: MCC of the answers of the classifier alone"
        parts.append(within(found, printed - SIGNIFICANT, min(1.0, printed + SIGNIFICANT), text))
    return every(parts)


@claim_test("farm-worse-than-alone", CHAPTER)
def worse_than_alone(rows: Reader) -> Verdict:
    """As published: each of three on both image sets, in the same runs; one that changes no answer is not worse."""
    parts = []
    for data, title in TITLES.items():
        alone = nominal(rows, data, "network", "mcc")
        for name in map(published, THREE):
            own, text = nominal(rows, data, name, "mcc"), f"{title}, {GAP} those with {called(name)}"
            parts.append(_unchanged(alone, own, text) or greater(alone, own, text))
    return every(parts)


def _unchanged(alone: "pd.Series[float]", own: "pd.Series[float]", text: str, bound: float = 0.0) -> Verdict | None:
    """A verdict where all runs, two at least, give the same number with and without: no interval can tell that."""
    both = pd.concat([alone, own], axis=1, join="inner").dropna()
    if len(both) < 2 or bool((both.iloc[:, 0] != both.iloc[:, 1]).any()):
        return None
    return Verdict("does not hold", f"{text} = 0 in each of {len(both)} runs, expected above {number(bound)}")


@claim_test("farm-impact-gap", CHAPTER)
def impact_gap(rows: Reader) -> Verdict:
    """As published: each of three on both image sets."""
    parts = []
    for data, title in TITLES.items():
        for name in map(published, THREE):
            text = f"{title}, {GAP} those with {called(name)}"
            alone, own = nominal(rows, data, "network", "mcc"), nominal(rows, data, name, "mcc")
            same = _unchanged(alone, own, text, SIGNIFICANT)
            parts.append(same or above(difference(alone, own), SIGNIFICANT, text))
    return every(parts)


@claim_test("farm-impact-gap-gtsrb", CHAPTER)
def impact_gap_gtsrb(rows: Reader) -> Verdict:
    """As published: the mean over the three, between runs, which share but a number."""
    text = "nominal images, GTSRB minus CIFAR-10: mean loss of MCC of the answers by the monitors as published"
    return above(unpaired(_mean_gap(rows, GTSRB), _mean_gap(rows, CIFAR)), 0.0, text)


@claim_test("farm-impact-best", CHAPTER)
def impact_best(rows: Reader) -> Verdict:
    """As published: each leads over both others in the same runs."""
    parts = []
    for data, best in BEST.items():
        own = coded(rows, data, published(best))
        for name in THREE:
            if name != best:
                text = f"{TITLES[data]}, MCC as coded, as published: {NAMES[best]} minus {NAMES[name]}"
                parts.append(greater(own, coded(rows, data, published(name)), text))
    return every(parts)


@claim_test("farm-impact-above-random", CHAPTER)
def impact_above_random(rows: Reader) -> Verdict:
    """As published: each of three on both image sets, above 0."""
    parts = []
    for data, title in TITLES.items():
        for name in map(published, THREE):
            found = level(coded(rows, data, name), "mcc")
            parts.append(above(found, 0.0, f"{title}: MCC as coded of {called(name)}"))
    return every(parts)


@claim_test("farm-monitoring-worsens", CHAPTER)
def monitoring_worsens(rows: Reader) -> Verdict:
    """As right: each of three rejects more right answers than wrong ones, over all benchmark sets of both."""
    parts = []
    for name in THREE:
        lost, gained = (_fate(rows, name, metric) for metric in ("availability-cost", "safety-gain"))
        text = f"all sets, right minus wrong answers that {NAMES[name]} rejects, share"
        parts.append(above(gap_of_both(lost, gained), 0.0, text))
    return every(parts)


def _fate(rows: Reader, name: str, metric: str) -> Both:
    return typical_of_both(rows, ALL, name, metric, at="failures")


def _mean_gap(rows: Reader, data: str) -> "pd.Series[float]":
    monitored = mean(nominal(rows, data, published(name), "mcc") for name in THREE)
    return (nominal(rows, data, "network", "mcc") - monitored).dropna()
