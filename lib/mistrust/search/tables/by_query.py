"""Tables "curves" and "confidences": what the paper draws query by query (Figures 3, 5, 6) and as boxes (Figure 7).

Parts of their own, beside what `searches` gives, of the same replicates: made again only where that part was in the
store.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from mistrust.search import measures
from mistrust.search.replicates import RANDOM, Replicates, Searched, Sort
from mistrust.search.tables import LEVELS, Row
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD
from mistrust.search.tables.searches import CURVES, Setting, beyond, curves, exact, replicated, searched

# What the paper compares; more lines than these are no picture, and rows stay few.
PAPERS = (AD, "lakkaraju_coded", "bansal_weld_coded", "low_confidence", RANDOM)
QUERIES = (5, 10, 20, 30, 40, 50)
# Of the confidences of all queries of all replicates: ends, box and middle.
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def by_query(one: Hunted, setting: Setting) -> Iterator[Row]:
    """Errors, utility and spread of the paper's searches by query; of all searches how sure their queries are."""
    if not setting.queries(len(one)):
        return
    found, methods = searched(one, setting)
    lengths = subset_lengths(one, found, setting.few)
    for name, what in methods.items():
        yield from confidences(one, name, what)
        if name in PAPERS:
            yield from _measured(one, setting, found, name, what, lengths)


def confidences(one: Hunted, name: str, what: Searched) -> Iterator[Row]:
    """Quantiles of the confidences of the queries of all replicates, as far as the last of `LEVELS`.

    `level` is the share below.
    """
    asked = what.confidence[:, : LEVELS[-1]]
    for share, value in zip(SHARES, np.quantile(asked, SHARES), strict=True):
        yield {
            "table": "confidences", "method": name, "at": one.at, "level": share, "metric": "confidence",
            "value": float(value), "n": asked.size,
        }  # fmt: skip


def further(one: Hunted, setting: Setting) -> Iterator[Row]:
    """How sure the queries of further searches are: those of the setting, random search left to the others."""
    if not setting.queries(len(one)):
        return
    _, methods = searched(one, setting)
    for name, what in methods.items():
        if name != RANDOM:
            yield from confidences(one, name, what)


def score_curves(one: Hunted, scores: Mapping[str, NDArray[np.float64]], setting: Setting) -> Iterator[Row]:
    """Rows of searches by scores (n,), lower first: their curves, how sure their queries are, and their exact p."""
    budget = setting.queries(len(one))
    if not budget or not scores:
        return
    found = replicated(one, {name: Sort(values) for name, values in scores.items()}, setting, budget)
    for name, values in scores.items():
        yield from curves(one, name, found.methods[name])
        yield from confidences(one, name, found.methods[name])
        whole = np.argsort(values, kind="stable")[: min(setting.budget, len(one))]
        yield from exact(one, name, whole)


def subset_lengths(one: Hunted, found: Replicates, few: int) -> list[float]:
    """The largest distance within each of the first subsets, which a utility divides by."""
    x = one.pool.features
    return [] if x is None else [measures.diameter(x[rows]) or 1.0 for rows in found.index[:few]]


def _measured(
    one: Hunted, setting: Setting, found: Replicates, name: str, what: Searched, lengths: list[float]
) -> Iterator[Row]:
    c, x = one.pool.confidence, one.pool.features
    curve = {"errors": (what.errors.cumsum(1).mean(0), len(what.order))}
    if what.spread is not None:
        curve["spread"] = (what.spread.mean(0), len(what.order))
    few = min(setting.few, len(what.order), len(lengths))
    if x is not None and few:
        each = zip(found.index[:few], what.order[:few], what.errors[:few], lengths[:few], strict=True)
        useful = [
            measures.utility(c[rows], x[rows], np.searchsorted(rows, queries), wrong, setting.variance, length)
            for rows, queries, wrong, length in each
        ]
        curve["utility"] = (np.mean(useful, axis=0), few)
    for metric, (values, n) in curve.items():
        # What `curves` has kept of a measure is not kept twice.
        drawn = sorted({*QUERIES} - {*CURVES[metric]} if metric in CURVES else {*QUERIES, *beyond(len(values))})
        for level in (level for level in drawn if level <= len(values)):
            yield {
                "table": "curves", "method": name, "at": one.at, "level": level, "metric": metric,
                "value": float(values[level - 1]), "n": n,
            }  # fmt: skip
