"""Rows of the judgement: does the matrix of some images predict the confusion of others, and with how many?"""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust import random
from mistrust.misclassification.judging import Judgement, first_half, judge, judge_all
from mistrust.misclassification.levels import over_levels
from mistrust.misclassification.matrix import Statistic, class_distances, likelihood
from mistrust.misclassification.softmax import mean_softmax
from mistrust.misclassification.tables.sweep import ALL, POOLED, Row, Sweep

FLOOR = 1e-3  # least likelihood of a cell in the log score: one that was never seen is not impossible
SIZES = (100, 300, 500, 1000, 3000, 5000)  # base images that a matrix is made from
CLEAN, CLEAN_SOFTMAX = "clean confusion", "clean mean softmax"
DRAWS = 5  # choices of so many base images


def agreements(sweep: Sweep, clean: Sweep, statistics: Sequence[Statistic], seed: int) -> list[Row]:
    """How well L, estimated on half of the base images, tells the confusion of the other half; L by level and pooled.

    Further rivals are the confusion and the mean softmax of the half's clean images. Where the other half has no
    misclassified input there is nothing to compare.

    Parameters
    ----------
    clean : the same base images, unperturbed.

    Examples
    --------
    A network that takes each class for the next one, when it errs:

    >>> from mistrust.misclassification import Statistic, distances
    >>> labels, base = torch.arange(3).repeat(40), torch.arange(120)
    >>> softmax = torch.full((120, 3), 0.125, dtype=torch.float64)
    >>> softmax = softmax.scatter_(1, ((labels + (base % 4 == 0)) % 3)[:, None], 0.75)
    >>> classes, level = ("cat", "dog", "fox"), torch.ones(120, dtype=torch.int64)
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(3)), labels, base, level, classes)
    >>> rows = agreements(sweep, sweep, [Statistic("mean")], seed=0)
    >>> chosen = [row for row in rows if row["metric"] == "top-1 share" and row["condition"] == ALL]
    >>> [(row["method"], row["value"]) for row in chosen][:3]
    [('mean', 1.0), ('mean softmax', 1.0), ('clean confusion', 1.0)]
    """
    known = clean.of(first_half(clean.base, seed))
    others = {CLEAN: known.truth, CLEAN_SOFTMAX: mean_softmax(known.probabilities, known.labels)}
    arrays = (sweep.probabilities, sweep.distance, sweep.labels, sweep.base)
    rows: list[Row] = []
    for condition, level in ((ALL, sweep.level), (POOLED, None)):
        found = judge_all(*arrays, statistics, seed, level=level, others=others, floor=FLOOR)
        for method, judged in found.items():
            if judged.counted:
                rows += _told(judged, condition, method)
        best = next(iter(found.values()))
        if level is not None and best.counted:
            common = {"table": "agreement", "condition": ALL, "method": "confusion", "metric": "log score"}
            rows.append({**common, "value": best.best_log_score, "n": best.counted})
    return rows


def _told(found: Judgement, condition: str, method: str) -> list[Row]:
    values = {
        "spearman": found.cells,
        "spearman within rows": found.rows,
        "top-1 share": found.top1 / found.counted,
        "top-3 share": found.top3 / found.counted,
        "log score": found.log_score,
        "total variation": found.variation,
    }
    common = {"table": "agreement", "condition": condition, "method": method, "n": found.counted}
    return [{**common, "metric": metric, "value": value} for metric, value in values.items()]


def growth(sweep: Sweep, statistics: Sequence[Statistic], seed: int) -> list[Row]:
    """The same matrices from fewer base images: how small D becomes, and how many top confusions it finds.

    All are taken from one half of the base images, at random, and compared with the confusion of the other half.

    Examples
    --------
    From one half of three hundred images a hundred can be drawn, five times; for more there are too few:

    >>> from mistrust.misclassification import Statistic, distances
    >>> labels, base = torch.arange(3).repeat(100), torch.arange(300)
    >>> softmax = torch.full((300, 3), 0.125, dtype=torch.float64)
    >>> softmax = softmax.scatter_(1, ((labels + (base % 4 == 0)) % 3)[:, None], 0.75)
    >>> level = torch.ones(300, dtype=torch.int64)
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(3)), labels, base, level, ("cat", "dog", "fox"))
    >>> for row in growth(sweep, [Statistic()], seed=0):
    ...     row["at"], row["metric"], round(row["value"], 3), row["n"]
    ('n=100', 'median distance', 0.306, 5)
    ('n=100', 'top-1 share', 1.0, 5)
    """
    first = first_half(sweep.base, seed)
    rest = sweep.of(~first)
    if not bool((rest.labels != rest.predicted).any()):
        return []
    half = sweep.of(first)
    rows: list[Row] = []
    for size in SIZES:
        found = list(_drawn(half, rest.truth, statistics, size, seed))
        for statistic in statistics if found else ():
            of_one = torch.tensor([values[statistic.name] for values in found], dtype=torch.float64)
            common = {"table": "growth", "condition": ALL, "method": statistic.name, "at": f"n={size}", "n": len(found)}
            median, top = of_one.nanmean(0).tolist()
            rows += [
                {**common, "metric": "median distance", "value": median},
                {**common, "metric": "top-1 share", "value": top},
            ]
    return rows


def _drawn(
    half: Sweep, truth: Float[Tensor, "k k"], statistics: Sequence[Statistic], size: int, seed: int
) -> Iterator[dict[str, tuple[float, float]]]:
    """Median distance and top-1 share of every statistic, for each choice of so many base images."""
    ids = torch.unique(half.base)
    if size > len(ids):
        return
    off = ~torch.eye(len(half.classes), dtype=torch.bool)
    for draw in range(DRAWS if size < len(ids) else 1):
        order = random.permutation(seed, f"growth/{size}/{draw}", len(ids))
        some = half.of(torch.isin(half.base, ids[order[:size]]))
        found = {}
        for statistic in statistics:
            each = [class_distances(one.distance, one.labels, statistic) for _, one in some.by_level()]
            D = torch.stack(each)
            judged = judge(over_levels(likelihood(D)).mean, truth)
            share = judged.top1 / judged.counted if judged.counted else float("nan")
            found[statistic.name] = (float(D[:, off].nanmedian()), share)
        yield found
