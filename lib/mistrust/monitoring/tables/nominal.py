"""Tables "nominal", "control", "accuracy", "cost" and "cases": what is read of one set, or of none."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from mistrust.evaluation import share
from mistrust.monitoring.impact import answers_mcc, answers_mcc_as_published
from mistrust.monitoring.readouts import Readout
from mistrust.monitoring.tables import Row
from mistrust.monitoring.tables.detection import Watcher


def shares(flags: Bool[Tensor, " n"]) -> dict[str, Any]:
    """Give a share's value, exact interval and n, as columns of a row."""
    found = share(int(flags.sum()), len(flags))
    return {"value": found.value, "low": found.low, "high": found.high, "over": "images", "n": found.n}


def nominal(one: Readout, watchers: list[Watcher], classes: int) -> Iterator[Row]:
    """How often nominal images alarm, and what monitors do to the classifier's answers there.

    Metrics
    -------
    accuracy, and mcc of the classifier alone (method "network"): answers against what should be answered or rejected.
    fpr : false alarms, by the specific oracle.
    mcc : of the system's answers, `impact.answers_mcc`.
    """
    common, wrong = {"table": "nominal", "condition": "nominal"}, one.wrong()
    yield {**common, "method": "network", "metric": "accuracy", **shares(one.right)}
    for place, each in enumerate(watchers):
        yield {**common, "method": each.name, "metric": "fpr", **shares(each.alarm)}
        found = answers_mcc(one.predicted, wrong, each.alarm, classes)
        if place == 0:
            yield {**common, "method": "network", "metric": "mcc", "value": found.alone, "n": len(one)}
        yield {**common, "method": each.name, "metric": "mcc", "value": found.monitored, "n": len(one)}


def table_five(whole: Readout, watchers: list[Watcher], classes: int, common: Mapping[str, Any]) -> Iterator[Row]:
    """Table V as its code computes it, over one benchmark set: two numbers that cannot be compared."""
    labels = whole.labels.clamp_min(0)
    for place, each in enumerate(one for one in watchers if one.paper):
        found = answers_mcc_as_published(labels, whole.predicted, whole.wrong(), each.alarm, whole.ood, classes)
        row = {"table": "nominal", **common, "metric": "mcc as published", "n": len(whole)}
        if place == 0:
            yield {**row, "method": "network", "value": found.alone}
        yield {**row, "method": each.name, "value": found.monitored}


def control(name: str, one: Readout, watchers: list[Watcher]) -> Iterator[Row]:
    """How often images of a control alarm; `watchers` hold their alarms."""
    for each in watchers:
        yield {"table": "control", "condition": name, "method": each.name, "metric": "alarms", **shares(each.alarm)}


def accuracy(bad: Readout, common: Mapping[str, Any]) -> Iterator[Row]:
    """How often the classifier is right under a fault."""
    known = bad.labels >= 0
    if bool(known.any()):
        yield {"table": "accuracy", "method": "network", **common, "metric": "accuracy", **shares(bad.right[known])}


def cases(whole: Readout, watchers: list[Watcher], common: Mapping[str, Any]) -> Iterator[Row]:
    """How many images fall under each of the oracle's ten cases, numbered as in `oracle`'s table."""
    novel = whole.ood & (whole.labels < 0)
    for each in watchers:
        alarm = each.alarm
        group = torch.where(novel, 4, 2 * whole.ood.long() + (~whole.right).long())
        # Nominal: 1 to 4 by alarm and right; faulty: 5 to 8; novel: 9 and 10.
        number = (
            torch.where(group == 4, 8, 4 * (group // 2) + group % 2) + torch.where(group == 4, 1, 2) * (~alarm).long()
        )
        for case, count in enumerate(torch.bincount(number, minlength=10).tolist(), 1):
            yield {
                "table": "cases", "method": each.name, **common, "at": str(case), "metric": "images", "value": count,
                "n": len(whole),
            }  # fmt: skip


def memory(learnt: Mapping[str, int]) -> Iterator[Row]:
    """How many megabytes (10^6 bytes) each monitor has learnt, from bytes by monitor."""
    for name, count in learnt.items():
        yield {"table": "cost", "method": name, "metric": "megabytes", "value": count / 1e6}
