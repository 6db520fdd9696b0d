"""All rows of the chapter: those of every network, and what only several networks can tell."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from mistrust import rows as tidy
from mistrust.evaluation import between_models, spearman
from mistrust.misclassification.experiment.parameters import Parameters, check
from mistrust.misclassification.experiment.pieces import missing, piece, pieces
from mistrust.misclassification.judging import NULL
from mistrust.misclassification.matrix import Statistic
from mistrust.misclassification.softmax import SOFTMAX
from mistrust.misclassification.tables import ALL
from mistrust.over_models import means
from mistrust.pieces import gather

# Where numbers of several networks are close to normal, by metric; what is not named is taken as it is.
SCALE = {
    "accuracy": "logit",
    "likelihood": "arcsine",
    "share": "arcsine",
    "share kept": "arcsine",
    "accuracy kept": "arcsine",
    "top-1 share": "arcsine",
    "top-3 share": "arcsine",
    "total variation": "arcsine",
    "share of other tops": "arcsine",
    "mean softmax": "arcsine",
    "risk": "arcsine",
    "auroc": "arcsine",
    "risk-coverage area": "arcsine",
    "count": "root",
    "iterations": "root",
    "misses": "root",
    "errors": "root",
    "distance": "root",
    "median distance": "root",
    "worst deviation": "root",
    "largest difference": "root",
    "deviation": "root",
    "relative deviation": "root",
    "severity": "root",
    "spearman": "fisher",
    "spearman within rows": "fisher",
}
# Differences lie on no such scale, whatever their metric.
SIGNED = " minus "
WHERE = ["chapter", "data", "network"]
BY = [*WHERE, "table", "method", "condition", "level", "at", "metric"]
RIVALS = (NULL, Statistic().name, SOFTMAX)  # what the others are held against, and each of these against those before


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every network, means over networks, gains paired by network, agreement between networks.

    Examples
    --------
    One network trained for fifty steps, whose rows have its seed; means over networks have none:

    >>> few = dict(networks=1, train_images=200, test_images=60, epochs=5, batch=20, calibrated=0, resamples=20)
    >>> found = rows(Parameters("digits", rate=0.1, perturbations=("brightness",), levels=(10,), quantiles=(), **few))
    >>> clean = found[(found["table"] == "accuracy") & (found["at"] == "test")]
    >>> clean[["condition", "seed", "over"]].values.tolist()
    [['clean', 0.0, 'images'], ['clean', nan, 'images']]
    """
    check(parameters)
    return together(gather(piece, missing, parameters, pieces(parameters), label="networks"), parameters)


def together(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give rows of single networks, as many as there are, with what follows from them.

    That is each network's mean accuracy over perturbations, made anew where it is among the rows already; means over
    networks, gains paired by network, and agreement between networks.

    Examples
    --------
    Rows of two networks come back with their mean:

    >>> from mistrust import rows
    >>> networks = [{"seed": seed, "value": value} for seed, value in ((0, 0.8), (1, 0.9))]
    >>> single = rows.table(networks, table="accuracy", metric="accuracy", condition="clean", at="test", made="key")
    >>> found = together(single, Parameters())
    >>> found[["seed", "value", "over"]].round(3).values.tolist()
    [[0.0, 0.8, ''], [1.0, 0.9, ''], [nan, 0.85, 'models']]
    """
    found = single[~_is_over_perturbations(single)]
    every = pd.concat([found, _over_perturbations(found)], ignore_index=True)
    over = tidy.table([*_means(every), *_gains(every), *_stability(every)])
    return tidy.check(pd.concat([every, over], ignore_index=True))


def _is_over_perturbations(single: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows `_over_perturbations` gave: no piece has the accuracy of all perturbations."""
    return (single["metric"] == "accuracy") & (single["condition"] == ALL)


def _over_perturbations(single: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of all perturbations at each level, network by network."""
    found = single[single["condition"].str.startswith("perturbed/") & (single["metric"] == "accuracy")]
    by = [*WHERE, "made", "table", "method", "level", "metric", "seed"]
    means = found.groupby(by, sort=False).agg({"value": "mean", "n": "sum"}).reset_index()
    return tidy.check(means.assign(condition=ALL))


def _means(single: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Means over networks with Student's t interval; one network alone keeps the interval over its images."""
    # What is told of single images, and p-values, have no mean.
    alone = (single["table"] == "nearest") | single["method"].str.startswith("image ") | (single["metric"] == "p")
    yield from means(single[~alone], BY, _scale)


def _scale(row: Mapping[str, Any]) -> str:
    return "identity" if SIGNED in row["method"] else SCALE.get(row["metric"], "identity")


def _gains(single: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """What each rule gains over the paper's minimum, over the plain mean softmax and over the null, by pairs."""
    found = tidy.select(single, table="agreement", condition=ALL)
    by_method = {name: group.set_index(["metric", "seed"])["value"] for name, group in found.groupby("method")}
    for place, rival in enumerate(RIVALS):
        if rival not in by_method:
            continue
        for method, values in by_method.items():
            if method in (*RIVALS[: place + 1], "confusion"):
                continue
            gains = values.sub(by_method[rival]).dropna()
            for metric, gain in gains.groupby(level="metric", sort=False):
                mean = between_models(gain)
                yield {
                    **found.iloc[0][[*WHERE, "condition"]].to_dict(), "table": "gain",
                    "method": f"{method}{SIGNED}{rival}", "metric": metric, "over": "models",
                    "value": mean.value, "low": mean.low, "high": mean.high, "n": mean.n,
                }  # fmt: skip


def _stability(single: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Spearman's correlation between the matrices of two networks, mean over pairs, interval by the jackknife.

    The true confusions, too, are compared: how much there is to agree on.
    """
    for method, group in tidy.select(single, table="matrix", condition=ALL).groupby("method", sort=False):
        cells = group.pivot(index="seed", columns="at", values="value").dropna(axis=1)
        if len(cells) < 3:
            continue  # leaving one of two networks out leaves no pair
        pairs = _between(cells.to_numpy())
        if np.isnan(pairs).any():
            continue  # too few cells to have an order, or all alike
        off = pairs[~np.eye(len(pairs), dtype=bool)]
        # On Fisher's scale, so that the interval stays within -1 and 1.
        found = between_models(_pseudovalues(pairs))
        yield {
            **group.iloc[0][[*WHERE, "condition"]].to_dict(), "table": "stability", "method": method,
            "metric": "spearman", "over": "models", "n": found.n,
            "value": off.mean(), "low": np.tanh(found.low), "high": np.tanh(found.high),
        }  # fmt: skip


def _between(cells: np.ndarray) -> np.ndarray:
    """Correlation (m, m) of the orders of m networks' cells (m, cells)."""
    m = len(cells)
    found = np.eye(m)
    for i, j in combinations(range(m), 2):
        found[i, j] = found[j, i] = spearman(cells[i], cells[j])
    return found


def _pseudovalues(pairs: np.ndarray) -> np.ndarray:
    """Jackknife pseudovalues (m,) of Fisher's z of the mean over pairs of m networks (Arvesen, 1969)."""
    m = len(pairs)
    sums = pairs.sum(1) - np.diag(pairs)
    whole = sums.sum() / (m * (m - 1))
    without = (sums.sum() - 2 * sums) / ((m - 1) * (m - 2))
    edge = 1 - 1e-6
    return m * np.arctanh(np.clip(whole, -edge, edge)) - (m - 1) * np.arctanh(np.clip(without, -edge, edge))
