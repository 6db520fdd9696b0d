"""Tables "detection", "others" and "failures": every monitor on one benchmark set."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from jaxtyping import Bool
from torch import Tensor

from mistrust import random
from mistrust.evaluation import auroc, false_positive_rate
from mistrust.monitoring.impact import SAFETY
from mistrust.monitoring.measures import MEASURES, Measure, estimated, measured
from mistrust.monitoring.oracle import outcomes
from mistrust.monitoring.readouts import Readout
from mistrust.monitoring.tables import Row

# What is asked of the paper's own monitors, of their variants, and of all others.
OWN = {name: MEASURES[name] for name in ("mcc", "fpr", "fnr", "precision", "recall", "micro-f1", "weighted-f1")}
VARIANT = {name: MEASURES[name] for name in ("mcc", "fpr", "fnr", "weighted-f1")}
OTHER = {name: MEASURES[name] for name in ("mcc", "fnr")}
FAILURE = {
    **{name: MEASURES[name] for name in ("mcc", "fpr", "fnr")},
    **{name: SAFETY[name] for name in ("safety-gain", "residual-hazard", "availability-cost")},
}
OTHER_FAILURE = {name: FAILURE[name] for name in ("mcc", "residual-hazard", "availability-cost")}


@dataclass(frozen=True)
class Watcher:
    """A line of the comparison at work: whose scores, what alarms.

    Attributes
    ----------
    name : in rows.
    monitor : whose scores it reads.
    alarm : (n,) of the whole set.
    own : whether it is one of the paper's three, as it is right.
    paper : whether it is one of the paper's three at all.
    """

    name: str
    monitor: str
    alarm: Bool[Tensor, " n"]
    own: bool
    paper: bool


def detection(
    whole: Readout, watchers: list[Watcher], common: Mapping[str, Any], resamples: int, seed: int
) -> Iterator[Row]:
    """Give the rows of one benchmark set.

    Parameters
    ----------
    whole : its nominal half, and what is faulty or novel.
    common : what all its rows say: condition and level.

    Metrics
    -------
    Those of `MEASURES`, out of distribution being positive; of scores, auroc and fpr95 (false alarms where 95 % of what
    should alarm do). In "failures" the positives are predictions that should be rejected, and the measures of `SAFETY`
    join them. The paper's own monitors have intervals over images.
    """
    ood, wrong = whole.ood, whole.wrong()
    for one in watchers:
        kinds = (
            ("detection" if one.paper else "others", ood, _asked(one)),
            ("failures", wrong, _asked_of_failures(one)),
        )
        for table, positive, measures in kinds:
            row = {"table": table, "method": one.name, **common, "n": len(whole)}
            yield from _rows(row, outcomes(positive, one.alarm), whole, measures, one.own, resamples, seed)
            if one.name == one.monitor:
                yield from _scored(row, whole, one.monitor, positive, fpr95=one.own and table == "detection")


def _asked(one: Watcher) -> Mapping[str, Measure]:
    return OWN if one.own else VARIANT if one.paper else OTHER


def _asked_of_failures(one: Watcher) -> Mapping[str, Measure]:
    return FAILURE if one.own else OTHER_FAILURE


def _rows(
    row: Row, codes: Tensor, whole: Readout, measures: Mapping[str, Measure], interval: bool, resamples: int, seed: int
) -> Iterator[Row]:
    if not interval:
        for metric, value in measured(codes, measures=measures).items():
            if isfinite(float(value)):
                yield {**row, "metric": metric, "value": float(value)}
        return
    draw = random.generator(seed, "monitoring/images")
    for metric, found in estimated(codes, whole.base, resamples, draw, measures=measures).items():
        if isfinite(found.value):
            yield {
                **row, "metric": metric, "value": found.value, "low": found.low, "high": found.high, "over": "images",
                "n": found.n,
            }  # fmt: skip


def _scored(row: Row, whole: Readout, monitor: str, positive: Tensor, fpr95: bool) -> Iterator[Row]:
    scores, y = whole.scores[monitor].numpy(), positive.numpy()
    if not 0 < np.count_nonzero(y) < len(y):
        return
    yield {**row, "metric": "auroc", "value": auroc(scores, y)}
    if fpr95:
        yield {**row, "metric": "fpr95", "value": false_positive_rate(scores, y)}
