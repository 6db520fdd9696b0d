"""Coverage searches that measure only what may be the best question, against the published form.

    python benchmarks/coverage.py                      # 2,000 instances, 50 questions; half a minute
    python benchmarks/coverage.py --tiny               # seconds, prints only

The published form, written here anew from what the code of Bennette and others (2020) does: at every question, the
utility after an error is summed up for all candidates over all instances. Both sides start from the same features,
clusters and answers, in one process and on one thread; both are asked for the whole search, the similarities included
(`whole`) and not (`search`). Processor time of the best round of each.
The sequences must be equal.
"""

import argparse
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits
from timing import fastest, taken_on

from mistrust import paths, rows
from mistrust.random import generator
from mistrust.search.clusters import clustered
from mistrust.search.methods.table import begin, first_best
from mistrust.search.pool import Pool

METHODS = ("bansal_weld_coded", "bansal_weld_gain", "facility")
BAR = 8.0
Order = NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=2000)
    parser.add_argument("--budget", type=int, default=50)
    parser.add_argument("--variance", type=float, default=0.001)
    parser.add_argument("--rounds", type=int, default=5, help="timings of each side, of which the best counts")
    parser.add_argument("--tiny", action="store_true", help="small sizes, print only: to see that it runs")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    if options.tiny:
        options.instances, options.budget, options.rounds, options.no_rows = 200, 10, 1, True
    with threadpool_limits(1):
        found = [row for name in METHODS for row in compared(name, options)]
    if not options.no_rows:
        note = f"variance {options.variance:g}, {options.rounds} rounds, {taken_on(1)}"
        about = {"chapter": "benchmarks", "table": "coverage", "data": "made up", "n": options.instances, "note": note}
        rows.update(rows.table(found, **about), paths.results() / "benchmarks" / "coverage.csv")


def made_up(n: int) -> tuple[Pool, NDArray[np.bool_]]:
    """A pool of ten lumps in five dimensions, and answers that err somewhat more often than confidences say."""
    draw = generator(0, "benchmarks/coverage")
    lump = draw.integers(0, 10, n)
    features = draw.normal(size=(10, 5))[lump] * 3 + draw.normal(size=(n, 5))
    confidence = 1 - 0.35 * draw.random(n) ** 2
    pool = Pool(np.arange(n), confidence, features.round(4))
    return pool.with_(clusters=clustered(pool)), draw.random(n) < 2 * (1 - confidence)


def ours(begun: Any, errors: NDArray[np.bool_], budget: int) -> Order:
    left, order = np.ones(len(errors), dtype=bool), []
    for _ in range(budget):
        row = begun.choose(left)
        begun.learn(row, bool(errors[row]))
        left[row] = False
        order.append(row)
    return np.array(order)


def similarity(pool: Pool, name: str, variance: float) -> NDArray[np.float64]:
    distances = cdist(pool.features, pool.features)
    distances = distances / distances.max()
    return 1 - distances if name == "facility" else np.exp(-(distances**2) / variance)


def published(pool: Pool, errors: NDArray[np.bool_], budget: int, name: str, alike: NDArray[np.float64]) -> Order:
    n, c = len(pool), pool.confidence
    weights = np.full(n, 1 / n) if name == "facility" else c
    cover, left, order = np.zeros(n), np.ones(n, dtype=bool), []
    asked, wrong = np.zeros(pool.clusters.max() + 1), np.zeros(pool.clusters.max() + 1)
    for _ in range(budget):
        after = weights @ np.maximum(cover[:, None], alike)
        before = weights @ cover
        if name == "facility":
            scores = (1 - c) * (-np.log(1 - c) + after - before)
        else:
            phi = (2 * (1 - c) + wrong[pool.clusters]) / (2 + asked[pool.clusters])
            scores = phi * (after if name == "bansal_weld_coded" else after - before)
        row = first_best(scores, left, scale=before)
        left[row] = False
        order.append(row)
        asked[pool.clusters[row]] += 1
        if errors[row]:
            wrong[pool.clusters[row]] += 1
            cover = np.maximum(cover, alike[row])
    return np.array(order)


def compared(name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Rows of one search."""
    pool, errors = made_up(options.instances)
    given = {} if name == "facility" else {"variance": options.variance}
    alike, begun = similarity(pool, name, options.variance), begin(name, pool, given)
    mine = ours(deepcopy(begun), errors, options.budget)
    peers = published(pool, errors, options.budget, name, alike)
    if not np.array_equal(mine, peers):
        raise SystemExit(f"{name}: the sequences differ from question {np.argmax(mine != peers) + 1} on.")
    found = []
    times = {
        "search": (
            lambda: ours(deepcopy(begun), errors, options.budget),
            lambda: published(pool, errors, options.budget, name, alike),
        ),
        "whole": (
            lambda: ours(begin(name, pool, given), errors, options.budget),
            lambda: published(pool, errors, options.budget, name, similarity(pool, name, options.variance)),
        ),
    }
    for what, (own, other) in times.items():
        best = [fastest(own, options.rounds), fastest(other, options.rounds)]
        ratio = best[1] / best[0]
        print(f"{name:20s}{what:8s}{best[0]:8.3f} s  published {best[1]:7.3f} s  ratio {ratio:6.1f}  "
              f"{int(errors[mine].sum())} errors, sequences equal{'' if ratio >= BAR else f', below {BAR:g}'}",
              flush=True)  # fmt: skip
        here = {"method": name, "condition": "published", "at": what}
        found += [{**here, "metric": "ratio", "value": ratio}, {**here, "metric": "seconds", "value": best[0]}]
    return [*found, {"method": name, "condition": "published", "metric": "agreement", "value": 0.0}]


if __name__ == "__main__":
    main()
