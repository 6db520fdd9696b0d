"""Table "detection": how well each supervisor tells bad inputs from nominal ones (Table II of the paper, and more)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mistrust import random
from mistrust.evaluation import (
    auroc,
    average_precision,
    cluster_bootstrap,
    counted_auroc,
    false_positive_rate,
    ordered,
    percentile_interval,
)
from mistrust.supervisors.tables import Row, Scores

# How many bad and nominal inputs there are at least for an AUROC to say something.
LEAST = 10


def detection(
    nominal: Scores, bad: Scores, resamples: int, seed: int, table: str = "detection", **more: object
) -> Iterator[Row]:
    """Rows of one set of bad inputs against the nominal one.

    Metrics
    -------
    auroc : negatives are all nominal inputs, wrongly classified ones too, as in the paper; interval over images.
    auroc-correct : negatives are the nominal inputs that were classified correctly.
    fpr : share of nominal inputs that alarm where 95 % of the bad ones do.
    average precision : it depends on how many inputs are bad; `note` says how many.
    """
    if min(len(bad), len(nominal)) < LEAST:
        return
    positive = np.concatenate([np.zeros(len(nominal), bool), np.ones(len(bad), bool)])
    ids = np.concatenate([nominal.ids, bad.ids])
    joint = {method: np.concatenate([nominal.by[method], bad.by[method]]) for method in bad.by}
    low, high = _interval(joint, positive, ids, resamples, seed) if resamples else ({}, {})
    common = {"table": table, "condition": bad.name, "n": len(bad), **more}
    for method, scores in joint.items():
        row = {**common, "method": method, "note": f"{len(bad)} bad, {len(nominal)} nominal"}
        about = {"low": low[method], "high": high[method], "over": "images"} if low else {}
        yield {**row, **about, "metric": "auroc", "value": auroc(scores, positive)}
        if not resamples:
            continue
        yield {**row, "metric": "fpr", "value": false_positive_rate(scores, positive)}
        yield {**row, "metric": "average precision", "value": average_precision(scores, positive)}
        right = np.concatenate([nominal.correct, np.ones(len(bad), bool)])
        yield {**row, "metric": "auroc-correct", "value": auroc(scores[right], positive[right])}


def _interval(
    joint: Mapping[str, NDArray[np.float64]],
    positive: NDArray[np.bool_],
    ids: NDArray[np.int64],
    resamples: int,
    seed: int,
) -> tuple[dict[str, float], dict[str, float]]:
    """Interval of every method's AUROC; all methods meet the same resamples of images."""
    sorted_once = [ordered(scores, positive) for scores in joint.values()]

    def statistics(weights: NDArray[np.float64]) -> Sequence[float]:
        return [counted_auroc(one.counted(weights)) for one in sorted_once]

    drawn = cluster_bootstrap(ids, statistics, resamples, random.generator(seed, "detection"))
    low, high = percentile_interval(drawn)
    return dict(zip(joint, low.tolist(), strict=True)), dict(zip(joint, high.tolist(), strict=True))
