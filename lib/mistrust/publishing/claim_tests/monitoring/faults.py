"""Claims of section II-B: what is out of distribution threatens the classifier, and anomalies mean nothing."""

import pandas as pd

from mistrust.publishing.claim_tests.monitoring.reading import (
    CHAPTER,
    TITLES,
    named,
    nominal,
    on_set,
    sets_of,
    typical,
)
from mistrust.publishing.estimates import NotRun, Reader, difference
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every

# No class of a novelty is right, so nothing of it need be tested.
KINDS = ("adversarial", "shift", "noise", "anomaly")
# A loss of accuracy that matters: one image in twenty.
THREAT = 0.05
ANOMALY = "anomaly"
# Of images without a meaning few can be classified correctly; half is the mildest reading of few.
MEANT = 0.5


@claim_test("farm-faults-threaten", CHAPTER)
def faults_threaten(rows: Reader) -> Verdict:
    """The mean over the sets of each of four categories, on both image sets, against nominal images in the same runs.

    Accuracy under faults, by run, is read from what monitors accept and reject: half of a set's images are nominal.
    """
    parts = []
    for data, title in TITLES.items():
        clean = nominal(rows, data, "network", "accuracy")
        for kind in KINDS:
            faulty = 1 - 2 * _wrong(rows, data, kind) + (1 - clean)
            text = f"{title}: accuracy on nominal images minus {kind}"
            parts.append(above(difference(clean, faulty), THREAT, text))
    return every(parts)


@claim_test("farm-anomalies-meaningless", CHAPTER)
def anomalies_meaningless(rows: Reader) -> Verdict:
    """Each set of anomalies on both image sets, both severities: accuracy on it."""
    parts = []
    for data, title in TITLES.items():
        places = sets_of(rows, data, ANOMALY, "network", table="accuracy")
        if not places:
            raise NotRun(f"accuracy on single sets of anomalies of {title}")
        for condition, severity in places:
            found = on_set(rows, data, condition, "network", "accuracy", severity, table="accuracy")
            label = condition if severity is None else f"{condition} ({severity})"
            parts.append(below(found, MEANT, named(data, label, "network", "accuracy")))
    return every(parts)


def _wrong(rows: Reader, data: str, kind: str) -> "pd.Series[float]":
    """Share of wrong predictions over whole sets: rejected or not, it is the same for every monitor."""
    rejected, accepted = (
        typical(rows, data, kind, "odin", metric, at="failures") for metric in ("safety-gain", "residual-hazard")
    )
    return rejected + accepted
