"""Table "authors": the paper's own rows, where they are at hand."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import Estimate
from mistrust.search import measures
from mistrust.search.authors import read_rows
from mistrust.search.replicates import replicate
from mistrust.search.residual import fitted
from mistrust.search.tables import LEVELS, Row, estimated
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD, order, sorts
from mistrust.search.tables.rank import rank
from mistrust.search.tables.searches import Setting, answered

AT = (1, 10, *LEVELS)
# What the rows are, as far as can be told: dogs of Kaggle's cats and dogs.
AT_DOGS, CONDITION = "dog", "authors"


def theirs(path: Path, setting: Setting) -> Iterator[Row]:
    """SDR, spread, utility and how replicates scatter, by search; of Adversarial Distance the SDR of the whole pool.

    Beside that stands what is left of it against pool members of equal confidence.
    """
    found = read_rows(path)
    pool, errors, c = found.pool, found.errors, found.pool.confidence
    whole = read_rows(path, threshold=0).pool.features
    count, chances = int(errors.sum()), measures.chances(c)
    yield {
        "table": "authors", "metric": "pool sdr", "value": found.sdr, "n": len(pool),
        "note": f"{count} errors, {chances.sum():.2f} expected, {found.rows} rows",
    }  # fmt: skip
    budget = setting.queries(len(pool))
    runs = replicate(
        errors, c, sorts(pool, setting.methods, setting.fraction), features=pool.features, numbers=setting.replicates,
        budget=budget, refit=setting.refit, seed=setting.seed,
    )  # fmt: skip
    largest = None if whole is None else measures.diameter(whole)
    distance = pool.need("distance", "The authors' rows")
    trend = fitted(distance, c, fraction=setting.fraction)
    one = Hunted(
        AT_DOGS, pool.with_(residual=trend.residual(distance, c)), errors, pool.need("features", "The spread"), trend,
        len(pool), 1.0,
    )  # fmt: skip
    yield from ({**row, "condition": CONDITION} for row in rank(one))
    for name, what in {**runs.methods, **dict(answered(one, setting, budget))}.items():
        few = min(setting.few, len(what.order))
        place = np.stack([np.searchsorted(runs.index[row], what.order[row]) for row in range(few)])
        useful = np.stack([
            measures.utility(c[rows], one.whole[rows], queries, wrong, setting.variance)
            for rows, queries, wrong in zip(runs.index, place, what.errors, strict=False)
        ])  # fmt: skip
        strewn: list[NDArray[np.float64]] = []
        if whole is not None:
            strewn = [measures.misaligned_spread(whole, rows, largest) for rows in place]
        for level in (level for level in AT if level <= budget):
            common = {"table": "authors", "method": name, "level": level, "n": len(what.order)}
            metric = "replicated sdr" if name == AD else "sdr"
            yield {**common, "metric": metric, "value": float(what.pooled[level - 1])}
            yield {**common, "metric": "errors", "value": float(what.errors[:, :level].sum(1).mean())}
            yield {**common, "metric": "confidence", "value": float(what.confidence[:, :level].mean())}
            yield {**common, "metric": "mean of ratios", "value": float(what.mean_of_ratios[level - 1])}
            yield {**common, "metric": "replicate sd", "value": float(np.std(what.sdr[:, level - 1], ddof=1))}
            value = float(useful[:, level - 1].mean())
            yield {**common, "metric": "utility", "value": value, "n": few}
            if what.spread is not None:
                yield {**common, "metric": "spread", "value": float(what.spread[:, level - 1].mean())}
            if strewn:
                value = float(np.mean([one[level - 1] for one in strewn]))
                yield {**common, "metric": "misaligned spread", "value": value, "n": len(strewn)}
    if AD in runs.methods:
        rows = order(pool, AD, budget, setting.fraction, setting.seed)
        for level in (level for level in AT if level <= budget):
            asked = rows[:level]
            value = float(measures.sdr(errors[asked], c[asked])[-1])
            low, high = measures.sdr_interval(int(errors[asked].sum()), measures.chances(c[asked]))
            yield {
                "table": "authors", "method": AD, "level": level, "metric": "sdr",
                **estimated(Estimate(value, float(low), float(high), level)),
            }  # fmt: skip
            yield from _matched(errors, c, asked)


def _matched(errors: NDArray[np.bool_], c: NDArray[np.float64], asked: NDArray[np.int64]) -> Iterator[Row]:
    """Errors found over those among members of equal confidence: what the search adds to what the class has anyway."""
    level, count, chances = len(asked), int(errors[asked].sum()), measures.alike(c[asked], c, errors)
    expected = float(chances.sum())
    common = {"table": "authors", "method": AD, "level": level, "n": level}
    yield {**common, "metric": "expected alike", "value": expected}
    if not expected:  # no member of these confidences is an error, so there is no ratio
        return
    value, (low, high) = count / expected, measures.sdr_interval(count, chances)
    yield {**common, "metric": "matched lift", **estimated(Estimate(value, float(low), float(high), level))}
    yield {**common, "metric": "matched p", "value": float(measures.p_value(count, chances))}
