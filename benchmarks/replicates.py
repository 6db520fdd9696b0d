"""All replicates of all methods that are sorts in one call, against a plain loop over replicates and queries.

    python benchmarks/replicates.py                  # 1,000 replicates, the loop on 20 of them: a minute
    python benchmarks/replicates.py --replicates 50 --loop 3 --rounds 1 --no-rows

A made-up pool of the size of the authors' own (4,527 instances, five features), subsets of 44 %, 50 queries, the eight
methods that are sorts, residuals from F fitted once on the pool beforehand, as `refit=False` does. The loops are the
paper's Algorithm 1 as it stands: in each subset, at each query, the lowest score among the instances not asked, then
SDR over the queries so far; for "spread" also the distances within the subset, once a replicate, and the nearest query
of each instance after each query. "plain" does the same work as ours, and takes the nearest of all queries so far anew
after each; "published" fits F of Adversarial Distance on every subset besides, with statsmodels' lowess as the
published code does, which gives the same means but not the same numbers, so that only "plain" is compared. "F" is that
fit alone, of one subset, ours against statsmodels'. Seconds are of the processor, a replicate. Sides are timed in
turns, the best round counts.
"""

import argparse
from time import process_time

import numpy as np
from scipy.spatial.distance import cdist
from statsmodels.nonparametric.smoothers_lowess import lowess
from threadpoolctl import threadpool_limits
from timing import taken_on

from mistrust import paths, rows
from mistrust.random import generator
from mistrust.search.local_linear import local_linear
from mistrust.search.replicates import RANDOM, Replicates, Sort, replicate, subset_size
from mistrust.search.residual import residual

BAR = 50.0
POOL, FEATURES = 4527, 5
OTHERS = ("nearest", "mahalanobis", "disagreement", "dropout")  # residuals of other scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=1000, help="of ours")
    parser.add_argument("--loop", type=int, default=20, help="of them that the loop does")
    parser.add_argument("--budget", type=int, default=50, help="queries in each")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    pool = made_up()

    print(f"{options.replicates:,} replicates, best of {options.rounds}, milliseconds a replicate")
    print(f"{'measured':8s} {'peer':10s} {'ours':>8s} {'loop':>9s} {'ratio':>7s} {'apart':>7s}")
    found = []
    for measured, features in (("sdr", None), ("spread", pool["features"])):
        for peer in ("plain", "published"):
            with threadpool_limits(1):  # the processor's time counts all threads
                ours, loop, apart = timed(pool, features, peer, options)
            print(f"{measured:8s} {peer:10s} {1e3 * ours:8.3f} {1e3 * loop:9.2f} {loop / ours:7.1f} {apart:7.0e}")
            here = {"condition": f"loop/{peer}", "at": measured}
            found.append({**here, "metric": "ratio", "value": loop / ours})
            if peer == "plain":
                found.append({**here, "metric": "agreement", "value": apart})
                found.append({"condition": "", "at": measured, "metric": "seconds", "value": ours * options.replicates})
    with threadpool_limits(1):
        ours, peer, apart = fits(pool, options.rounds)
    print(f"{'F':8s} {'published':10s} {1e3 * ours:8.3f} {1e3 * peer:9.2f} {peer / ours:7.1f} {apart:7.0e}")
    least = min(one["value"] for one in found if one["metric"] == "ratio")
    print(f"\nSmallest ratio: {least:.1f} (bar {BAR:g})")
    found.append({"condition": "statsmodels", "at": "F", "metric": "ratio", "value": peer / ours})
    found.append({"condition": "statsmodels", "at": "F", "metric": "agreement", "value": apart})
    if not options.no_rows:
        note = f"{taken_on(1)}, numpy {np.__version__}, "
        note += f"pool of {POOL}, {options.budget} queries"
        new = rows.table(
            found, chapter="benchmarks", table="replicates", data="made up", method="mistrust", n=options.replicates,
            note=note,
        )  # fmt: skip
        rows.update(new, paths.results() / "benchmarks" / "replicates.csv")


def made_up() -> dict[str, np.ndarray]:
    """A pool whose distances follow confidence as the authors' own do, and errors as often as confidences say."""
    draw = generator(0, "benchmarks/replicates")
    confidence = 0.65 + 0.35 * draw.beta(2.2, 0.8, POOL).clip(1e-6, 1 - 1e-6)
    distance = np.exp(3 * confidence - 6 + 0.3 * draw.standard_normal(POOL))
    return {
        "errors": draw.random(POOL) < 1 - confidence,
        "confidence": confidence,
        "distance": distance,
        "features": draw.standard_normal((POOL, FEATURES)) * [40, 30, 20, 10, 8],
        "residual": residual(distance, confidence),
        **{name: draw.standard_normal(POOL) for name in OTHERS},
    }


def methods(pool: dict[str, np.ndarray]) -> dict[str, Sort]:
    """Seven sorts; random queries are the eighth method."""
    columns = {"adversarial_distance": "residual", "low_confidence": "confidence", "distance": "distance"}
    return {name: Sort(pool[column]) for name, column in (columns | {name: name for name in OTHERS}).items()}


def timed(pool, features, peer, options) -> tuple[float, float, float]:
    """Best seconds a replicate of both sides, in turns, and the largest relative difference of their results."""
    given = (pool["errors"], pool["confidence"], methods(pool))
    settings = {"features": features, "numbers": options.replicates, "budget": options.budget, "refit": False}
    done = replicate(*given, **settings)  # warms up, and draws what the loop is given
    best = [float("inf"), float("inf")]
    apart = 0.0 if peer == "plain" else float("nan")  # other numbers: not compared
    for _ in range(options.rounds):
        start = process_time()
        replicate(*given, **settings)
        best[0] = min(best[0], (process_time() - start) / options.replicates)
        start = process_time()
        theirs = loop(pool, features, done, options.loop, options.budget, peer == "published")
        best[1] = min(best[1], (process_time() - start) / options.loop)
        for name, (ratios, apart_from) in theirs.items() if peer == "plain" else ():
            mine = done.methods[name]
            apart = max(apart, relative(mine.sdr[: options.loop], ratios))
            if features is not None:
                apart = max(apart, relative(mine.spread[: options.loop], apart_from))
    return best[0], best[1], apart


def relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float((np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-12)).max())


def fits(pool, rounds: int) -> tuple[float, float, float]:
    """Best seconds of one fit of F on a subset, ours and statsmodels', and the largest difference of their results."""
    some = slice(0, subset_size(POOL))
    values, at = np.log(pool["distance"][some]), pool["confidence"][some]
    sides = (
        lambda: local_linear(values, at, 0.1, 3),
        lambda: lowess(values, at, frac=0.1, it=3, return_sorted=False),
    )
    best, results = [np.inf, np.inf], [values, values]
    for _ in range(rounds):
        for side, run in enumerate(sides):
            start = process_time()
            results[side] = run()
            best[side] = min(best[side], process_time() - start)
    return *best, float(np.abs(np.subtract(*results)).max())


def loop(pool, features, done: Replicates, replicates: int, budget: int, refit: bool):
    """Algorithm 1 in each subset, one query after the other."""
    scores = {name: sort.scores for name, sort in methods(pool).items()}
    results = {name: (np.empty((replicates, budget)), np.empty((replicates, budget))) for name in done.methods}
    draw = np.random.default_rng(0)
    for r in range(replicates):
        np.sort(draw.choice(len(pool["errors"]), done.index.shape[1], replace=False))  # as it would have to
        rows_ = done.index[r]
        errors, confidence = pool["errors"][rows_], pool["confidence"][rows_]
        if features is not None:
            apart = cdist(features[rows_], features[rows_])
            apart /= apart.max()
        for name, (ratios, spreads) in results.items():
            asked = []
            left = np.ones(len(rows_), dtype=bool)
            mine = None if name == RANDOM else scores[name][rows_]
            if refit and name == "adversarial_distance":
                values = np.log(pool["distance"][rows_])
                mine = values - lowess(values, confidence, frac=0.1, it=3, return_sorted=False)
            for b in range(budget):
                if mine is None:
                    q = int(np.searchsorted(rows_, done.methods[RANDOM].order[r, b]))
                else:
                    q = int(np.argmin(np.where(left, mine, np.inf)))
                left[q] = False
                asked.append(q)
                ratios[r, b] = errors[asked].sum() / (1 - confidence[asked]).sum()
                if features is not None:
                    spreads[r, b] = apart[asked].min(axis=0).mean()
    return results


if __name__ == "__main__":
    main()
