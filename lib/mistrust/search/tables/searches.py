"""Tables "searches" and "curves": what each search finds in many subsets of a pool, and by chance."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import Estimate
from mistrust.search import measures
from mistrust.search.adaptive import replicate_searches, with_clusters
from mistrust.search.replicates import RANDOM, Replicates, Searched, Sort, replicate, subset_size
from mistrust.search.simulated import simulated_null
from mistrust.search.tables import LEVELS, SURE, Row, estimated
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import adaptive, order, searching, sorts

# Queries at which curves are kept: enough to draw them.
CURVES = {"sdr": (1, 2, 5, 10, 15, 20, 30, 40, 50), "mean of ratios": (1, 10, 50), "spread": (10, 50)}
# What is kept of the last level alone, so that rows stay few.
LATE = ("replicate sd", "sure errors", "confidence", "spread", "utility", "misaligned spread")


@dataclass(frozen=True)
class Setting:
    """How pools are searched.

    Attributes
    ----------
    methods : names, sorts and adaptive ones; "random" comes of itself.
    replicates, few : subsets for sorts; subsets for adaptive searches, for utility and for the spread as published.
    budget : queries, fewer where a subset is smaller.
    variance, fraction : of the kernel of rivals and of utility; of the fit of F.
    refit : whether F is fitted on every subset, as published.
    reclustered : whether rivals make their clusters anew on every subset, as published, or once on the pool.
    seed : of subsets and of random queries.
    """

    methods: tuple[str, ...]
    replicates: int
    few: int
    budget: int
    variance: float
    fraction: float
    refit: bool
    reclustered: bool
    seed: int

    def queries(self, n: int) -> int:
        """How many queries a subset of a pool of n allows."""
        return min(self.budget, subset_size(n))


def searches(one: Hunted, setting: Setting) -> Iterator[Row]:
    """Rows of all methods of a setting in one panel; none where its subsets would be empty."""
    if not setting.queries(len(one)):
        return
    found, methods = searched(one, setting)
    for name, what in methods.items():
        yield from curves(one, name, what)
    yield from _rows(one, setting, found, methods)


def scored(one: Hunted, scores: Mapping[str, NDArray[np.float64]], setting: Setting) -> Iterator[Row]:
    """Rows of searches by scores (n,), lower first, such as residuals of another score than the distance.

    F is not fitted anew on subsets: a score comes with its trend taken off.
    """
    budget = setting.queries(len(one))
    if not budget or not scores:
        return
    found = replicated(one, {name: Sort(values) for name, values in scores.items()}, setting, budget)
    yield from _rows(one, setting, found, {name: found.methods[name] for name in scores})


@lru_cache(maxsize=4)  # both pools of a model, by its own searches and by those that join them; some 40 MB each
def searched(one: Hunted, setting: Setting) -> tuple[Replicates, Mapping[str, Searched]]:
    """Search subsets by every method of a setting, sorts and adaptive ones; made once for all tables of a pool."""
    budget = setting.queries(len(one))
    found = replicated(one, sorts(one.pool, setting.methods, setting.fraction, one.trend is not None), setting, budget)
    return found, dict(found.methods) | dict(answered(one, setting, budget))


def replicated(one: Hunted, chosen: Mapping[str, Sort], setting: Setting, budget: int) -> Replicates:
    """Search the subsets of a setting by sorts, and by chance."""
    return replicate(
        one.errors, one.pool.confidence, chosen, features=one.pool.features, numbers=setting.replicates, budget=budget,
        refit=setting.refit, seed=setting.seed,
    )  # fmt: skip


def answered(one: Hunted, setting: Setting, budget: int) -> Iterator[tuple[str, Searched]]:
    """Give the searches that read answers, each on the first replicates' subsets."""
    names = adaptive(setting.methods, one.trend is not None)
    if not names or not setting.few or one.pool.features is None:
        return
    asked = replicate_searches(
        one.pool, one.errors, names, numbers=min(setting.few, setting.replicates), budget=budget, refit=setting.refit,
        reclustered=setting.reclustered, seed=setting.seed, variance=setting.variance, fraction=setting.fraction,
    )  # fmt: skip
    yield from asked.methods.items()


def _rows(one: Hunted, setting: Setting, found: Replicates, methods: Mapping[str, Searched]) -> Iterator[Row]:
    largest = measures.diameter(one.whole) or 1.0
    x, few_rows = one.pool.features, found.index[: setting.few]
    # Of each subset, for all methods: it takes as long as all else of a utility.
    lengths = [] if x is None else [measures.diameter(x[rows]) or 1.0 for rows in few_rows]
    for name, what in methods.items():
        few = _of_few(one, setting, found, what, largest, lengths)
        levels = [level for level in LEVELS if level <= what.order.shape[1]]
        for level in levels:
            common = {"table": "searches", "method": name, "at": one.at, "level": level, "n": len(what.order)}
            for metric, value in _at(one, what, level):
                if metric not in LATE or level == levels[-1]:
                    yield {**common, "metric": metric, "value": value}
        for metric, values in few.items() if levels else ():
            yield {
                "table": "searches", "method": name, "at": one.at, "level": levels[-1], "metric": metric,
                "value": float(values[:, levels[-1] - 1].mean()), "n": len(values),
            }  # fmt: skip


def curves(one: Hunted, name: str, what: Searched) -> Iterator[Row]:
    """Rows of one search after some numbers of queries."""
    found = zip(CURVES.items(), (what.pooled, what.mean_of_ratios, _mean(what.spread)), strict=True)
    for (metric, levels), curve in found:
        if curve is None:
            continue
        for level in (level for level in (*levels, *beyond(len(curve))) if level <= len(curve)):
            yield {
                "table": "curves", "method": name, "at": one.at, "level": level, "metric": metric,
                "value": float(curve[level - 1]), "n": len(what.order),
            }  # fmt: skip


def beyond(queries: int) -> list[int]:
    """Queries at which curves are kept, too, where a search makes more than the paper's 50: the same for every pool.

    Examples
    --------
    >>> beyond(50), beyond(87), beyond(260)
    ([], [60, 70, 80], [60, 70, 80, 90, 100, 150, 200, 250])
    """
    steps = (range(LEVELS[-1] + 10, 100, 10), range(100, 500, 50), range(500, queries + 1, 500))
    return [level for step in steps for level in step if level <= queries]


def _mean(spread: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    return None if spread is None else spread.mean(0)


def _at(one: Hunted, what: Searched, level: int) -> Iterator[tuple[str, float]]:
    """Numbers of the first `level` queries, means over replicates but for the ratios of sums."""
    wrong, sure = what.errors[:, :level], what.confidence[:, :level]
    errors, expected = float(wrong.sum(1).mean()), float((1 - sure).sum(1).mean())
    alike = float(one.alike[what.order[:, :level]].sum(1).mean())
    sdr = float(what.pooled[level - 1])
    yield "sdr", sdr
    yield "mean of ratios", float(what.mean_of_ratios[level - 1])
    yield "replicate sd", float(what.sdr[:, level - 1].std(ddof=1)) if len(wrong) > 1 else float("nan")
    yield "errors", errors
    yield "sure errors", float((wrong & (sure > SURE)).sum(1).mean())
    yield "confidence", float(sure.mean())
    yield "expected", expected
    yield "expected alike", alike
    if one.sdr > 0:
        yield "lift", sdr / one.sdr
    if alike > 0:
        yield "matched lift", errors / alike
    if what.spread is not None:
        yield "spread", float(what.spread[:, level - 1].mean())


def _of_few(
    one: Hunted, setting: Setting, found: Replicates, what: Searched, largest: float, lengths: Sequence[float]
) -> dict[str, NDArray[np.float64]]:
    """Of the first replicates, (r, b) each: utility, and the spread as published."""
    few, x = min(setting.few, len(what.order)), one.pool.features
    if not few or x is None:
        return {}
    useful: list[NDArray[np.float64]] = []
    strewn: list[NDArray[np.float64]] = []
    each = zip(found.index[:few], what.order[:few], what.errors[:few], lengths[:few], strict=True)
    for rows, queries, wrong, length in each:
        place = np.searchsorted(rows, queries)
        useful.append(measures.utility(one.pool.confidence[rows], x[rows], place, wrong, setting.variance, length))
        strewn.append(measures.misaligned_spread(one.whole, place, largest))
    return {"utility": np.stack(useful), "misaligned spread": np.stack(strewn)}


def by_chance(one: Hunted, setting: Setting, methods: Iterable[str], oracles: int) -> Iterator[Row]:
    """One search of the whole pool a method: its SDR, and how rare as much is where errors are as confidences say.

    Exact for sorts, with an interval; for searches that read answers by simulated oracles, where there are any.
    Metrics "whole sdr" and "p" of table "searches".
    """
    budget = min(setting.budget, len(one))
    fixed = sorts(one.pool, methods, setting.fraction, one.trend is not None)
    c = one.pool.confidence
    for name in (*fixed, RANDOM):
        rows = order(one.pool, name, budget, setting.fraction, setting.seed)
        yield from exact(one, name, rows)
    if not oracles or one.pool.features is None:
        return
    names = adaptive(methods, one.trend is not None)
    for name, pool in with_clusters(one.pool, names, setting.seed).items():
        under_way = searching(pool, name, budget, setting.variance, setting.fraction, setting.seed)
        rows = under_way.against(one.errors)
        seen = measures.sdr(one.errors[rows], c[rows])
        null = simulated_null(under_way.against, c, oracles, setting.seed, together=True)
        for level in (level for level in LEVELS if level <= budget):
            common = {"table": "searches", "method": name, "at": one.at, "level": level}
            yield {**common, "metric": "whole sdr", "value": float(seen[level - 1]), "n": level}
            yield {**common, "metric": "p", "value": float(null.p_value(seen)[level - 1]), "n": oracles}


def exact(one: Hunted, name: str, rows: NDArray[np.int64]) -> Iterator[Row]:
    """SDR of a search of the whole pool that reads no answer, by the rows asked about; interval and p are exact.

    The interval is that of the factor by which 1 - confidence is too small (`measures.rate_interval`): where it takes
    chances beyond 1 it lies above SDR's own (`measures.sdr_interval`).
    """
    c = one.pool.confidence
    for level in (level for level in LEVELS if level <= len(rows)):
        common = {"table": "searches", "method": name, "at": one.at, "level": level, "n": level}
        count, chances = int(one.errors[rows[:level]].sum()), measures.chances(c[rows[:level]])
        value = float(measures.sdr(one.errors[rows[:level]], c[rows[:level]])[-1])
        low, high = (float(end) for end in measures.rate_interval(count, chances))
        yield {**common, "metric": "whole sdr", **estimated(Estimate(value, low, high, level))}
        yield {**common, "metric": "p", "value": float(measures.p_value(count, chances))}
