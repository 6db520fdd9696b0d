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
    """T1 and T2 of every class, and the share of the class that is right and nearer; none for a class without one.

    Examples
    --------
    The third image is a dog that is taken for a cat, 0.7 from the centroid of the dogs:

    >>> from mistrust.misclassification import thresholds
    >>> softmax = torch.tensor([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]], dtype=torch.float64)
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.4], [0.3, 0.7]], dtype=torch.float64)
    >>> labels, base, level = torch.tensor([0, 1, 1]), torch.arange(3), torch.zeros(3, dtype=torch.int64)
    >>> sweep = Sweep(softmax, distance, labels, base, level, ("cat", "dog"))
    >>> for row in thresholds_by_class(thresholds(distance, labels, sweep.predicted), sweep):
    ...     row["method"], row["at"], row["metric"], round(row["value"], 3), row["n"]
    ('T1', 'dog', 'distance', 0.7, 2)
    ('T1', 'dog', 'share kept', 0.5, 2)
    ('T2', 'cat', 'distance', 0.3, 1)
    ('T2', 'cat', 'share kept', 1.0, 1)
    """
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
    """What is answered, how accurate the answers are, and how many errors are left: by T1, by T2, by common limits.

    Examples
    --------
    Of three images the third, a dog taken for a cat, lies 0.3 from the centroid of the cats, too far to be answered:

    >>> from mistrust.misclassification import thresholds
    >>> softmax = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], dtype=torch.float64)
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], dtype=torch.float64)
    >>> labels, base, level = torch.tensor([0, 1, 1]), torch.arange(3), torch.zeros(3, dtype=torch.int64)
    >>> sweep = Sweep(softmax, distance, labels, base, level, ("cat", "dog"))
    >>> rows = retained(thresholds(distance, labels, sweep.predicted), sweep, "clean/test")
    >>> [(row["metric"], round(row["value"], 3)) for row in rows if row["method"] == "T2"]
    [('share kept', 0.667), ('accuracy kept', 1.0), ('errors', 0.0)]
    """
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
    """Distance to the centroid beside max softmax: AUROC, area under risk-coverage, and the risk at each coverage.

    Examples
    --------
    One of four is wrong; the distance puts it last, the softmax does not:

    >>> softmax = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.45, 0.55]], dtype=torch.float64)
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.9, 0.8], [0.7, 0.3]], dtype=torch.float64)
    >>> labels, level = torch.tensor([0, 1, 1, 1]), torch.ones(4, dtype=torch.int64)
    >>> sweep = Sweep(softmax, distance, labels, torch.arange(4), level, ("cat", "dog"))
    >>> rows = abstention(sweep, resamples=20, seed=0)
    >>> [(row["method"], round(row["value"], 3)) for row in rows if row["metric"] == "auroc"]
    [('distance', 1.0), ('max softmax', 0.667), ('distance minus max softmax', 0.333)]
    >>> [round(row["value"], 3) for row in rows if row.get("at") == "coverage=0.75"]  # where a quarter goes unanswered
    [0.0, 0.333]
    """
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
