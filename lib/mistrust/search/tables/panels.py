"""Table "panel": a network and its calibration; its pools by critical class. Table "reliability": bin by bin."""

from collections.abc import Iterator
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import Estimate, cluster_bootstrap, percentile_interval, share
from mistrust.random import generator
from mistrust.search.calibration import predicted
from mistrust.search.mechanisms import Panel
from mistrust.search.reliability import ece, reliability
from mistrust.search.replicates import subset_size
from mistrust.search.tables import Row, estimated
from mistrust.search.tables.hunted import Hunted

BINS = 15
STRATA, LEAST = 50, 10
UNCALIBRATED = "uncalibrated"


def network(panel: Panel) -> Iterator[Row]:
    """Accuracies, temperature, and expected calibration error before and after; shares, on test images."""
    right, n = ~panel.errors, len(panel.errors)
    yield {"table": "panel", "metric": "accuracy", **estimated(share(int(right.sum()), n))}
    for part in ("validation", "train"):
        name = "training accuracy" if part == "train" else "validation accuracy"
        count = len(getattr(panel.parts, part))
        yield {"table": "panel", "metric": name, **estimated(share(round(panel.accuracy[part] * count), count))}
    yield {
        "table": "panel", "metric": "temperature", "value": panel.temperature.value, "n": panel.temperature.n,
        "note": panel.temperature.limit and f"at its {panel.temperature.limit} limit",
    }  # fmt: skip
    before = predicted(panel.logits)[1]
    for metric, confidence in (("ece before", before), ("ece", panel.confidence)):
        yield {"table": "panel", "metric": metric, "value": ece(confidence, right, BINS), "n": n}
    for name, value in panel.parts.notes.items():
        yield {"table": "panel", "metric": name, "value": float(value)}
    for method, confidence in ((UNCALIBRATED, before), ("", panel.confidence)):
        yield from _bins(method, confidence, right)


def _bins(method: str, confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> Iterator[Row]:
    """`at` is the bin's number, `level` its lower edge; empty bins have no row."""
    found = reliability(confidence, right, BINS)
    for place in np.flatnonzero(found.n):
        count = int(found.n[place])
        common = {"table": "reliability", "method": method, "at": str(place), "level": float(found.edges[place])}
        accuracy = Estimate(
            float(found.accuracy[place]), float(found.low[place]), float(found.high[place]), count
        )  # fmt: skip
        yield {**common, "metric": "accuracy", **estimated(accuracy)}
        yield {**common, "metric": "confidence", "value": float(found.confidence[place]), "n": count}
        yield {**common, "metric": "n", "value": count}


def pool(panel: Panel, one: Hunted, deterministic: bool, resamples: int, seed: int) -> Iterator[Row]:
    """What a pool holds, and what its gates read.

    Parameters
    ----------
    deterministic : whether the distance draws nothing, so that a second run gives the same residuals.
    """
    n = len(one)
    common = {"table": "panel", "at": one.at, "n": n}
    of = "" if n == one.size else f"{n} of {one.size}: drawn, or without those whose attack found nothing"
    yield {**common, "metric": "pool", "value": n, "note": of}
    yield {**common, "metric": "pool size", "value": one.size}
    yield {**common, "metric": "subset share", "value": subset_size(n) / n}
    yield {**common, "metric": "errors", "value": int(one.errors.sum())}
    yield {**common, "metric": "expected", "value": one.expected}
    if isfinite(one.sdr):
        yield {**common, "metric": "pool sdr", "value": one.sdr}
    yield {**common, "metric": "attacked", "value": one.attacked}
    yield {**common, "metric": "start kind", "value": one.start_kind}
    if one.start_p is not None:
        yield {**common, "metric": "start p", "value": one.start_p}
    yield {**common, "metric": "certain", "value": float((one.pool.confidence == 1).mean())}
    yield {**common, "metric": "undefined", "value": n if one.trend is None else 0}
    yield {**common, "metric": "temperature limit", "value": float(bool(panel.temperature.limit))}
    if deterministic:
        yield {**common, "metric": "retest", "value": 1.0, "note": "the distance draws nothing"}
    if one.pool.residual is not None:
        yield {**common, "metric": "residual sd", "value": float(one.pool.residual.std(ddof=1))}
        found = stratified_auc(-one.pool.residual, one.errors, one.pool.confidence, resamples, seed)
        if isfinite(found.value):
            yield {"table": "panel", "at": one.at, "metric": "residual auc", **estimated(found)}


def stratified_auc(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], confidence: NDArray[np.float64], resamples: int,
    seed: int, strata: int = STRATA, least: int = LEAST,
) -> Estimate:  # fmt: skip
    """Chance that an error scores higher than a right prediction of about its confidence, with a bootstrap interval.

    Parameters
    ----------
    scores, positive, confidence : (n,) higher is more suspicious; whether it is an error; in (0, 1].
    strata : groups of equally many instances by confidence (facts 10.1: 50), fewer where they would hold
        less than `least`.

    Returns
    -------
    Concordant pairs over all pairs within strata; NaN where no stratum has both.
    """
    n = len(scores)
    order = np.argsort(confidence, kind="stable")
    groups = [part for part in np.array_split(order, max(1, min(strata, n // least))) if len(part)]
    pairs = []
    for rows in groups:
        bad, good = rows[positive[rows]], rows[~positive[rows]]
        apart = np.sign(scores[bad][:, None] - scores[good][None])
        pairs.append((bad, good, (apart + 1) / 2))

    def statistic(weights: NDArray[np.float64]) -> list[float]:
        above = sum(float(weights[bad] @ won @ weights[good]) for bad, good, won in pairs)
        total = sum(float(weights[bad].sum() * weights[good].sum()) for bad, good, _ in pairs)
        return [above / total if total else float("nan")]

    value = statistic(np.ones(n))[0]
    several = cluster_bootstrap(np.arange(n), statistic, resamples, generator(seed, "bootstrap/search/auc"))
    low, high = percentile_interval(several)
    return Estimate(value, float(low[0]), float(high[0]), n)
