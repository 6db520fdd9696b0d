"""Claims of the abstract and of sections IV-E and V on detection in general: all benchmark sets of both image sets.

The monitors are those as they are right, in sets of which half is nominal: the paper concludes of "the current
solutions", not of one set-up.
"""

from mistrust.publishing.claim_tests.monitoring.reading import (
    ALL,
    CHAPTER,
    MANY,
    NAMES,
    NETWORK,
    PUBLISHED_RULE,
    RANDOM,
    THREE,
    TITLES,
    Both,
    apart,
    gap_of_both,
    level,
    named,
    nominal,
    nominal_of_both,
    typical,
    typical_of_both,
)
from mistrust.publishing.claim_tests.monitoring.weighed import weighed
from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.estimates import Reader, difference
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, greater, within

BOTH = "all sets, mean of both image sets"
# A monitor that misses more than one bad image in ten gives no confidence, whatever the application.
CONFIDENCE = 0.1
# Another outcome: one image in ten more, or fewer, that alarms.
RATES = 0.1
# A monitor hangs on the classifier where another one changes its AUROC by more.
INDEPENDENT = 0.05
COMPOSED = {"mcc": "MCC", "precision": "precision", "weighted-f1": "weighted F1"}
STRONGER = "resnet20"
CLASSIFIERS = {NETWORK: "the LeNet", STRONGER: "ResNet-20"}


@claim_test("farm-no-better-than-random", CHAPTER)
def no_better_than_random(rows: Reader) -> Verdict:
    """Each of three."""
    parts = []
    for name in THREE:
        found = typical_of_both(rows, ALL, name, "mcc")
        parts.append(below(level(found, "mcc"), RANDOM, f"{BOTH}: MCC of {NAMES[name]}"))
    return every(parts)


@claim_test("farm-many-errors", CHAPTER)
def many_errors(rows: Reader) -> Verdict:
    """Each of three on both image sets: one of the two rates is high."""
    parts = []
    for data in TITLES:
        for name in THREE:
            rates = {
                "fpr": level(nominal(rows, data, name, "fpr"), "fpr"),
                "fnr": level(typical(rows, data, ALL, name, "fnr"), "fnr"),
            }
            either = [above(rate, MANY, named(data, ALL, name, metric)) for metric, rate in rates.items()]
            parts.append(at_least(either, 1, f"{named(data, ALL, name, 'fpr')}, or misses, above 0.3"))
    return every(parts)


@claim_test("farm-no-confidence", CHAPTER)
def no_confidence(rows: Reader) -> Verdict:
    """Each of three."""
    parts = []
    for name in THREE:
        found = typical_of_both(rows, ALL, name, "fnr")
        parts.append(above(level(found, "fnr"), CONFIDENCE, f"{BOTH}: misses of {NAMES[name]}"))
    return every(parts)


@claim_test("farm-thresholds-matter", CHAPTER)
def thresholds_matter(rows: Reader) -> Verdict:
    """ALOOC and ODIN: the same scores under the published rule and at 5 % false alarms, in the same runs.

    By the rates, which a threshold trades for each other: a correlation may stay where both move.
    """
    parts = []
    for name in ("alooc", "odin"):
        ours, theirs = (_rates(rows, each) for each in (name, f"{name}/{PUBLISHED_RULE}"))
        text = "at 5 % false alarms minus the published rule's"
        either = [apart(gap_of_both(ours[rate], theirs[rate]), RATES, f"{rate} {text}") for rate in ours]
        parts.append(
            at_least(either, 1, f"{BOTH}: {NAMES[name]}'s false alarms, or its misses, farther than 0.1 apart")
        )
    return every(parts)


def _rates(rows: Reader, name: str) -> dict[str, Both]:
    """Of each image set, by run."""
    return {
        "false alarms": nominal_of_both(rows, name, "fpr"),
        "misses": typical_of_both(rows, ALL, name, "fnr"),
    }


@claim_test("farm-share-matters", CHAPTER)
def share_matters(rows: Reader) -> Verdict:
    """Each of three on both image sets: what the same rates make of half nominal images, and of the paper's share."""
    parts = []
    for data, title in TITLES.items():
        for name in THREE:
            changes = []
            for metric, words in COMPOSED.items():
                halves, papers = (weighed(rows, data, ALL, name, metric, share) for share in (0.5, None))
                text = f"{title}, all sets: {words} of {NAMES[name]}, half nominal minus at the paper's share"
                changes.append(apart(difference(halves, papers), RANDOM, text))
            parts.append(at_least(changes, 1, f"{title}: MCC, precision or F1 of {NAMES[name]} farther than 0.1 apart"))
    return every(parts)


@claim_test("farm-relies-on-classifier", CHAPTER)
def relies_on_classifier(rows: Reader) -> Verdict:
    """ODIN and OOB: mean AUROC over all sets with the more accurate of two classifiers minus that with the other."""
    parts = []
    for data, title in TITLES.items():
        right = {one: nominal(rows, data, "network", "accuracy", network=one) for one in (NETWORK, STRONGER)}
        worse, better = sorted(right, key=lambda one: float(right[one].mean()))
        for name in ("odin", "oob"):
            found = {one: typical(rows, data, ALL, name, "auroc", network=one) for one in right}
            text = f"{title}, all sets: AUROC of {NAMES[name]} with {CLASSIFIERS[better]} minus {CLASSIFIERS[worse]}"
            parts.append(greater(found[better], found[worse], text))
    return every(parts)


@claim_test("farm-inputs-independent", CHAPTER)
def inputs_independent(rows: Reader) -> Verdict:
    """ALOOC: mean AUROC over all sets with one of two classifiers minus that with the other, in the same runs.

    It looks at the image alone, but takes the network of the class that the classifier says.
    """
    parts = []
    for data, title in TITLES.items():
        one, other = (typical(rows, data, ALL, "alooc", "auroc", network=each) for each in CLASSIFIERS)
        text = f"{title}, all sets: AUROC of ALOOC with {CLASSIFIERS[NETWORK]} minus {CLASSIFIERS[STRONGER]}"
        parts.append(within(difference(one, other), -INDEPENDENT, INDEPENDENT, text))
    return every(parts)
