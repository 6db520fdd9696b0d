"""Rows of answering "not known": thresholds and retention of the follow-up papers, risk against coverage."""

from collections.abc import Mapping

import torch
from torch import Tensor

from mistrust.evaluation import risk_coverage
from mistrust.misclassification.abstention import CONFIDENCE, DISTANCE, compare, suspicion
from mistrust.misclassification.retention import Thresholds, kept_by_class, retention
from mistrust.misclassification.tables.sweep import ALL, Row, Sweep, told

LIMITS = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)  # the follow-up papers' distances
COVERAGES = tuple(round(0.05 * i, 2) for i in range(1, 21))


def thresholds_by_class(found: Thresholds, sweep: Sweep) -> list[Row]:
    """T1 and T2 of every class, and the share of the class that is right and nearer; none for a class without one."""
    rows: list[Row] = []
    for method, limits in (("T1", found.t1), ("T2", found.t2)):
        kept = kept_by_class(sweep.distance, sweep.labels, sweep.predicted, limits)
        common = {"table": "thresholds", "condition": "clean", "method": method}
        for c, name in enumerate(sweep.classes):
            if bool(torch.isfinite(limits[c])):
                n = int((sweep.labels == c).sum())
                rows += [
                    {**common, "at": name, "metric": "distance", "value": float(limits[c]), "n": n},
                    {**common, "at": name, "metric": "share kept", "value": float(kept[c]), "n": n},
                ]
    return rows


def retained(found: Thresholds, sweep: Sweep, condition: str) -> list[Row]:
    """What is answered, how accurate the answers are, and how many errors are left: by T1, by T2, by common limits."""
    k = len(sweep.classes)
    names = [("T1", ""), ("T2", ""), *(("limit", f"{limit:g}") for limit in LIMITS)]
    limits = torch.stack([found.t1, found.t2, *(torch.full((k,), one, dtype=torch.float64) for one in LIMITS)])
    kept = retention(sweep.distance, sweep.labels, sweep.predicted, limits)
    metrics: Mapping[str, Tensor] = {"share kept": kept.kept, "accuracy kept": kept.accuracy, "errors": kept.errors}
    return [
        {
            "table": "retention", "condition": condition, "method": method, "at": at, "metric": metric,
            "value": float(values[i]), "n": kept.n,
        }
        for i, (method, at) in enumerate(names)
        for metric, values in metrics.items()
    ]  # fmt: skip


def abstention(sweep: Sweep, resamples: int, seed: int) -> list[Row]:
    """Distance to the centroid beside max softmax: AUROC, area under risk-coverage, and the risk at each coverage."""
    scores, wrong = suspicion(sweep.probabilities, sweep.distance), sweep.labels != sweep.predicted
    if not 0 < int(wrong.sum()) < len(wrong):
        return []
    common = {"table": "abstention", "condition": ALL}
    found = compare(scores, wrong, sweep.base, resamples, seed)
    gain = f"{DISTANCE} minus {CONFIDENCE}"
    estimates = [
        *((name, "auroc", one) for name, one in found.auroc.items()),
        *((name, "risk-coverage area", one) for name, one in found.area.items()),
        (gain, "auroc", found.auroc_gain[DISTANCE]),
        (gain, "risk-coverage area", found.area_gain[DISTANCE]),
    ]
    rows: list[Row] = [{**common, "method": name, "metric": metric, **told(one)} for name, metric, one in estimates]
    for name, score in scores.items():
        curve = risk_coverage(score.numpy(), wrong.numpy())
        rows += [
            {**common, "method": name, "metric": "risk", "at": f"coverage={at:g}", "value": curve.at(at),
             "n": len(wrong)}
            for at in COVERAGES
        ]  # fmt: skip
    return rows
