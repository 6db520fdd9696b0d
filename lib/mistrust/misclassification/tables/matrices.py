"""Rows of the matrix itself: its cells, how they vary over levels, what its options change, the average softmax."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.evaluation import percentile_interval
from mistrust.misclassification.levels import agreement_of_levels, at_levels, over_levels
from mistrust.misclassification.matrix import Statistic, bootstrap, class_distances, distances, likelihood
from mistrust.misclassification.selection import Selection
from mistrust.misclassification.softmax import SOFTMAX, mean_softmax_bootstrap, softmax_at_levels
from mistrust.misclassification.tables.sweep import ALL, POOLED, Row, Sweep

ORDERS = 999  # chance orders that Kendall's W is held against
MINIMUM = Statistic()


def estimated(sweep: Sweep, statistics: Sequence[Statistic]) -> dict[str, Float[Tensor, "m k k"]]:
    """L at each level by each rule, and the plain mean softmax beside it.

    Examples
    --------
    >>> from mistrust.misclassification import Statistic, distances
    >>> softmax = torch.tensor([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]], dtype=torch.float64).repeat(2, 1)
    >>> labels, level = torch.arange(3).repeat(2), torch.tensor([1, 1, 1, 2, 2, 2])
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(3)), labels, labels, level, ("cat", "dog", "fox"))
    >>> found = estimated(sweep, [Statistic()])
    >>> {name: stack.shape for name, stack in found.items()}  # two levels
    {'minimum': torch.Size([2, 3, 3]), 'mean softmax': torch.Size([2, 3, 3])}
    >>> found["mean softmax"][0, 0].round(decimals=2)  # of a cat, what is not said to be a cat
    tensor([0.0000, 0.7500, 0.2500], dtype=torch.float64)
    """
    found = {one.name: at_levels(sweep.distance, sweep.labels, sweep.level, one) for one in statistics}
    return found | {SOFTMAX: softmax_at_levels(sweep.probabilities, sweep.labels, sweep.level)}


def matrices(
    sweep: Sweep,
    stacks: Mapping[str, Float[Tensor, "m k k"]],
    statistics: Sequence[Statistic],
    resamples: int,
    seed: int,
) -> list[Row]:
    """L averaged over levels (eq. 7; Figure 2), intervals by base image, the true shares of errors beside it.

    Parameters
    ----------
    stacks : what `estimated` gave for these statistics.

    Examples
    --------
    With the sweep of `estimated`, a cat is likelier taken for a dog than for a fox:

    >>> from mistrust.misclassification import Statistic, distances
    >>> softmax = torch.eye(3).double() * 0.5 + torch.tensor([0.1, 0.3, 0.1], dtype=torch.float64)
    >>> labels, level = torch.arange(3), torch.ones(3, dtype=torch.int64)
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(3)), labels, labels, level, ("cat", "dog", "fox"))
    >>> rows = matrices(sweep, estimated(sweep, [Statistic()]), [Statistic()], resamples=20, seed=0)
    >>> by = {row["at"]: row["value"] for row in rows if row["method"] == "minimum" and row["condition"] == ALL}
    >>> by["cat>dog"] > by["cat>fox"]
    True
    """
    common = {"table": "matrix", "condition": ALL, "n": len(sweep.labels)}
    rows: list[Row] = [
        {**common, "method": "confusion", "metric": "share", "at": at, "value": float(sweep.truth[y, c])}
        for y, c, at in sweep.cells
    ]
    by_name = {one.name: one for one in statistics}
    for method, stack in stacks.items():
        L = over_levels(stack).mean
        low, high = percentile_interval(_resampled(sweep, by_name.get(method), resamples, seed).numpy())
        rows += [
            {
                **common, "method": method, "metric": "likelihood", "at": at, "over": "images",
                "value": float(L[y, c]), "low": float(low[y, c]), "high": float(high[y, c]),
            }
            for y, c, at in sweep.cells
        ]  # fmt: skip
    pooled = likelihood(class_distances(sweep.distance, sweep.labels, MINIMUM))
    common |= {"condition": POOLED, "method": MINIMUM.name, "metric": "likelihood"}
    return rows + [{**common, "at": at, "value": float(pooled[y, c])} for y, c, at in sweep.cells]


def _resampled(sweep: Sweep, statistic: Statistic | None, resamples: int, seed: int) -> Float[Tensor, "b k k"]:
    """L averaged over levels of resampled base images, the same ones at every level; of the mean softmax if None."""
    each = []
    for _, some in sweep.by_level():
        if statistic is None:
            each.append(mean_softmax_bootstrap(some.probabilities, some.labels, some.base, resamples, seed))
        else:
            each.append(likelihood(bootstrap(some.distance, some.labels, some.base, statistic, resamples, seed)))
    return torch.stack(each).nanmean(0)


def deviations(sweep: Sweep, stacks: Mapping[str, Float[Tensor, "m k k"]], seed: int) -> list[Row]:
    """How L varies over levels (eq. 8), and whether the levels put its cells in one order (Kendall's W).

    Beside W stands what it means: the mean Spearman's correlation between two levels, (m W - 1) / (m - 1). With a
    single level there is no order to compare, and no row.

    Parameters
    ----------
    stacks : what `estimated` gave.

    Examples
    --------
    At the second level the cat comes nearer to the foxes; dog and fox stay where they were:

    >>> from mistrust.misclassification import distances
    >>> first = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]
    >>> softmax = torch.tensor([*first, [0.6, 0.1, 0.3], *first[1:]], dtype=torch.float64)
    >>> labels, level = torch.arange(3).repeat(2), torch.tensor([1, 1, 1, 2, 2, 2])
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(3)), labels, labels, level, ("cat", "dog", "fox"))
    >>> rows = deviations(sweep, estimated(sweep, []), seed=0)  # of the mean softmax alone
    >>> {row["at"]: round(row["value"], 3) for row in rows if row["metric"] == "deviation"}
    {'cat>dog': 0.25, 'cat>fox': 0.25, 'dog>cat': 0.0, 'dog>fox': 0.0, 'fox>cat': 0.0, 'fox>dog': 0.0}
    """
    rows: list[Row] = []
    for method, stack in stacks.items():
        common = {"table": "levels", "condition": ALL, "method": method, "n": len(stack)}
        if len(stack) < 2:
            continue
        over = over_levels(stack)
        rows += [
            {**common, "metric": "deviation", "at": at, "value": float(over.deviation[y, c])}
            for y, c, at in sweep.cells
        ]
        rows.append({**common, "metric": "relative deviation", "value": over.variation})
        if bool(torch.isnan(stack).any(-1).any(0).all()):
            continue  # no class has a row at every level
        every, within = agreement_of_levels(stack, ORDERS, seed)
        rows += [
            {**common, "metric": "kendall w", "value": every.w},
            {**common, "metric": "kendall w by chance", "value": every.chance},
            {**common, "metric": "spearman", "value": (len(stack) * every.w - 1) / (len(stack) - 1)},
            {**common, "metric": "kendall w within rows", "value": within.w},
            {**common, "metric": "p", "value": every.p},
        ]
    return rows


def variants(sweep: Sweep, moved: Float[Tensor, "k k"]) -> list[Row]:
    """How far the paper's matrix moves when an option is taken that its text leaves open.

    Parameters
    ----------
    moved : (k, k) KMeans centroids, which eq. 3 has where eq. 5 has the means.

    Examples
    --------
    No input is misclassified here, so that of those alone there is no matrix:

    >>> from mistrust.misclassification import distances
    >>> softmax = torch.tensor([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]], dtype=torch.float64).repeat(2, 1)
    >>> labels, level = torch.arange(3).repeat(2), torch.tensor([1, 1, 1, 2, 2, 2])
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(3)), labels, labels, level, ("cat", "dog", "fox"))
    >>> rows = variants(sweep, moved=softmax[:3])  # centroids that KMeans moved to where the images lie
    >>> [(row["method"], round(row["value"], 2)) for row in rows if row["metric"] == "total variation"][:3]
    [('KMeans centroids', 0.06), ('diagonal kept', 0.6), ('only misclassified', nan)]
    """

    def averaged(some: Sweep, labels: Tensor, *, diagonal: bool = False) -> Tensor:
        return over_levels(at_levels(some.distance, labels, some.level, MINIMUM, diagonal=diagonal)).mean

    usual = averaged(sweep, sweep.labels)
    wrong = Selection(only_wrong=True).of(sweep.labels, sweep.predicted)
    by_prediction = Selection("predicted").of(sweep.labels, sweep.predicted)
    kmeans = distances(sweep.probabilities, moved)
    others: Mapping[str, Tensor] = {
        "KMeans centroids": over_levels(at_levels(kmeans, sweep.labels, sweep.level, MINIMUM)).mean,
        "diagonal kept": averaged(sweep, sweep.labels, diagonal=True),
        "only misclassified": averaged(sweep.of(wrong.index), wrong.labels) if len(wrong.index) else usual * torch.nan,
        "by predicted class": averaged(sweep.of(by_prediction.index), by_prediction.labels),
        "pooled levels": likelihood(class_distances(sweep.distance, sweep.labels, MINIMUM)),
    }
    off = ~torch.eye(len(usual), dtype=torch.bool)
    rows: list[Row] = []
    for method, other in others.items():
        whole = ~(torch.isnan(usual).any(1) | torch.isnan(other).any(1))
        a, b = usual[whole], other[whole]
        tops = [torch.where(off[whole], one, -1.0).argmax(1) for one in (a, b)]
        common = {"table": "variants", "condition": ALL, "method": method, "n": int(whole.sum())}
        rows += [
            {**common, "metric": "total variation", "value": float((a - b).abs().sum(1).mean() / 2)},
            {**common, "metric": "share of other tops", "value": float((tops[0] != tops[1]).double().mean())},
        ]
    return rows


def profiles(sweep: Sweep, example: int) -> list[Row]:
    """Average softmax of the images of one class at each level, all perturbations together (Figure 6, below).

    Examples
    --------
    >>> from mistrust.misclassification import distances
    >>> softmax = torch.tensor([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5], [0.25, 0.75]], dtype=torch.float64)
    >>> labels, level = torch.tensor([0, 1, 0, 1]), torch.tensor([1, 1, 10, 10])
    >>> sweep = Sweep(softmax, distances(softmax, torch.eye(2)), labels, labels, level, ("cat", "dog"))
    >>> [(row["level"], row["at"], row["value"]) for row in profiles(sweep, example=0)]  # cats lose what dogs gain
    [(1, 'cat', 0.75), (1, 'dog', 0.25), (10, 'cat', 0.5), (10, 'dog', 0.5)]
    """
    rows: list[Row] = []
    for level, some in sweep.by_level():
        own = some.probabilities[some.labels == example]
        common = {
            "table": "softmax", "condition": ALL, "method": sweep.classes[example], "level": level,
            "metric": "mean softmax", "n": len(own),
        }  # fmt: skip
        rows += [{**common, "at": c, "value": float(v)} for c, v in zip(sweep.classes, own.mean(0), strict=True)]
    return rows
