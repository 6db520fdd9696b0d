"""Correlations, precision and F1 of our rates in sets composed as the paper's were.

Half of the images in our sets of faults are nominal, of the paper's 14 to 33 % (of BTSC's 80 %). The rates do not hang
on that; these three numbers do. So a sentence that reports the paper's run is judged by what our rates make of them at
the paper's share of nominal images (`mistrust.monitoring.rereading.composed`).

Of single sets only means over runs are kept, each rate with its interval. All three numbers fall with either rate, so
their least within both intervals is the lower end and their greatest the upper one; of a mean over sets the mean of the
ends. Such an interval is wider than need be, never narrower.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mistrust.monitoring.rereading import composed, paper_share
from mistrust.publishing.claim_tests.monitoring.reading import TITLES, Both, nominal, on_set, sets_of, typical
from mistrust.publishing.estimates import Estimate, NotRun, Reader

# What the paper calls a set of which a category has only one.
LABELS = {"adversarial": "FGSM"}
# As published its images all count as nominal: there is no correlation to compare with.
NO_OOD = "shift/rotated"
SHARE = "at the paper's share of nominal images"


def weighed(
    rows: Reader, data: str, kind: str, method: str, metric: str, share: float | None = None
) -> "pd.Series[float]":
    """A metric over the benchmark sets of a category, taken as one stream in which all weigh the same, by run.

    `share`: of nominal images; the paper's where not given.
    """
    alarms, misses = nominal(rows, data, method, "fpr"), typical(rows, data, kind, method, "fnr")
    both = pd.concat([alarms, misses], axis=1, join="inner")
    nominals = paper_share(data, LABELS.get(kind, "")) if share is None else share
    values = composed(metric, nominals, both.iloc[:, 0], both.iloc[:, 1])
    return pd.Series(values, index=both.index)


def weighed_of_both(rows: Reader, kind: str, method: str, metric: str) -> Both:
    """`weighed` of each image set, by run."""
    return [weighed(rows, data, kind, method, metric) for data in TITLES]


def weighed_set(
    rows: Reader, data: str, condition: str, method: str, metric: str = "mcc", severity: int | None = None
) -> Estimate:
    """One benchmark set."""
    alarms, misses = (on_set(rows, data, condition, method, name, severity) for name in ("fpr", "fnr"))
    share = paper_share(data, condition.partition("/")[2])
    value = float(composed(metric, share, alarms.value, misses.value))
    ends = np.array([[one.low, one.high] for one in (alarms, misses)])
    known = bool(np.isfinite(ends).all())
    low, high = (float(composed(metric, share, *ends[:, place])) if known else np.nan for place in (1, 0))
    return _bounded(value, low, high, alarms.models, metric)


def weighed_sets(rows: Reader, kind: str, method: str, metric: str) -> Estimate:
    """The mean over the benchmark sets of a category, and over both image sets; rotated ones are left out."""
    found = []
    for data in TITLES:
        places = [one for one in sets_of(rows, data, kind, method) if one[0] != NO_OOD]
        if not places:
            raise NotRun(f"single benchmark sets of {kind} on {TITLES[data]}")
        one = [weighed_set(rows, data, condition, method, metric, severity) for condition, severity in places]
        found.append(_mean(one, metric))
    return _mean(found, metric)


def apart_by(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two estimates of which nothing is known together: whole interval against whole interval."""
    return Estimate(first.value - second.value, first.low - second.high, first.high - second.low, models=first.models)


def _mean(parts: Sequence[Estimate], metric: str) -> Estimate:
    value, low, high = (float(np.mean([getattr(one, name) for one in parts])) for name in ("value", "low", "high"))
    return _bounded(value, low, high, parts[0].models, metric)


def _bounded(value: float, low: float, high: float, models: int | None, metric: str) -> Estimate:
    ends = (low, high) if np.isfinite([low, high]).all() else (-np.inf, np.inf)
    return Estimate(value, *ends, models=models, least=-1.0 if metric == "mcc" else 0.0, most=1.0)
