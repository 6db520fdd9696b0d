"""Surprise adequacy, three kinds, against dnn-tip; and how time and memory grow with the training rows.

    python benchmarks/surprise.py                     # both parts; about a quarter of an hour
    python benchmarks/surprise.py --part growth --growth 1000 10000
    python benchmarks/surprise.py --part growth --grown knn relative_mahalanobis vim
    python benchmarks/surprise.py --part peer --queries 10000  # as many as a test set has
    python benchmarks/surprise.py --tiny              # seconds, prints only

Made-up activations: ten classes, correlated features. Against dnn-tip both sides get the same arrays, one after the
other in one process that may use so many cores (its DSA always starts five threads, so the process is pinned); best
round of each. DSA is timed on float32, as activations are, LSA and MDSA on float64. Results are compared on float64
copies of the same numbers. A time is that of fitting and scoring together. dnn-tip's DSA scores fewer queries, counted
by the query: for it the time of each is the same, while ours gains from many, so the ratio is that of our full number.

Growth is that of what compares with training rows or sums over them: the three, KNN, ViM (with a head made up from the
middles of the classes) and relative Mahalanobis. The paper's other thirteen need no line. The four of a softmax, the
four of dropout and the three of an ensemble learn nothing from training rows. Dissector and the autoencoder train
networks: the time is passes times rows, as for the classifier itself, by batches of one size; what is kept and the time
to score are the same for any number of rows. How the AUROC falls with fewer rows is measured by `subsampling.py`.

Growth runs each method in a process of its own; memory is the growth of its peak beyond activations and libraries. What
takes less than five seconds is called again, and the best call counts: the first also takes memory from the system. A
run over the time cap is stopped, has no rows, and the notes name it; larger ones of that method are left out. Run it on
a machine with nothing else to do: two threads that wait for each other on busy cores measure the other work.
"""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from time import perf_counter

import numpy as np
import torch
from dnn_tip import surprise as dnn_tip
from timing import taken_on
from watching import Growth

from mistrust import paths, rows
from mistrust.supervisors.head import Head
from mistrust.supervisors.neighbours import knn
from mistrust.supervisors.relative import relative_mahalanobis
from mistrust.supervisors.subspace import fit_vim, vim
from mistrust.supervisors.surprise import dsa, lsa, mdsa


def headed(train: torch.Tensor, groups: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
    """ViM, fitted and scored; the head says which class's middle is nearest, as far as the first rows tell."""
    some, known = train[:1000].double(), groups[:1000]
    middles = torch.stack([some[known == group].mean(0) for group in known.unique()])
    head = Head(middles, -middles.square().sum(1) / 2)
    return vim(queries, head, **fit_vim(train, head))


METHODS = {"dsa": dsa, "lsa": lsa, "mdsa": mdsa}
GROWN = {
    **METHODS,
    "knn": lambda train, groups, queries, predicted: knn(train, queries),
    "relative_mahalanobis": lambda train, groups, queries, predicted: relative_mahalanobis(train, groups, queries),
    "vim": lambda train, groups, queries, predicted: headed(train, groups, queries),
}
BARS = {"dsa": 100.0, "lsa": 4.0, "mdsa": 2.0}
AGREEMENT = 1e-6
SOON = 5.0
PEER = "dnn-tip"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["both", "peer", "growth"], default="both")
    parser.add_argument("--rows", type=int, default=10_000, help="training rows beside dnn-tip")
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--peer-queries", type=int, default=100, help="of these dnn-tip's DSA scores so many")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--grown", nargs="+", choices=list(GROWN), default=list(GROWN), help="whose growth")
    parser.add_argument("--growth", type=int, nargs="*", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--cap", type=float, default=600, help="seconds that one run of the growth may take")
    parser.add_argument("--tiny", action="store_true", help="small sizes, print only: to see that it runs")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run = json.loads(options.child)
        print(json.dumps({"peer": beside_peer, "growth": alone}[run.pop("part")](**run)))
        return
    if options.tiny:
        options.rows, options.features, options.queries, options.peer_queries = 300, 8, 40, 10
        options.rounds, options.growth, options.no_rows, options.threads = 1, [300, 1000], True, [1]
    found: list[dict] = []
    absent: list[str] = []
    if options.part != "growth":
        found += against(options)
    if options.part != "peer":
        more, absent = growing(options)
        found += more
    if not options.no_rows:
        note = (f"{options.features} features, {options.queries} queries, {taken_on()}, "
                f"dnn-tip {version('dnn-tip')}, scipy {version('scipy')}"
                + (f"; over {options.cap:g} s: {', '.join(absent)}" if absent else ""))  # fmt: skip
        new = rows.table(found, chapter="benchmarks", table="surprise", data="made up", method="mistrust", note=note)
        rows.update(new, paths.results() / "benchmarks" / "surprise.csv")


def against(options: argparse.Namespace) -> list[dict]:
    """Rows of the comparison with dnn-tip."""
    print(f"{options.rows:,} training rows of {options.features} features, {options.queries} queries, best of "
          f"{options.rounds}, microseconds a query")  # fmt: skip
    print(f"{'method':7s} {'threads':>7s} {'ours':>9s} {PEER:>9s} {'ratio':>7s} {'apart':>8s}")
    found = []
    for threads in options.threads:
        for method in METHODS:
            given = {"part": "peer", "method": method, "count": options.rows, "features": options.features,
                     "queries": options.queries, "peer_queries": options.peer_queries,
                     "rounds": options.rounds}  # fmt: skip
            seen = child(given, threads)
            if seen is None:
                continue
            ratio = seen["peer"] / seen["ours"]
            scale = 1e6 / options.queries
            print(f"{method:7s} {threads:7d} {scale * seen['ours']:9.1f} {scale * seen['peer']:9.1f} {ratio:7.1f} "
                  f"{seen['apart']:8.1e}   (bars {BARS[method]:g}, {AGREEMENT:g})", flush=True)  # fmt: skip
            at = f"{method}, {threads} threads, {options.queries} queries"
            here = {"at": at, "level": threads, "n": options.rows}
            found += [
                {**here, "condition": PEER, "metric": "ratio", "value": ratio},
                {**here, "condition": PEER, "metric": "agreement", "value": seen["apart"]},
                {**here, "condition": "", "metric": "seconds", "value": seen["ours"]},
            ]
    return found


def growing(options: argparse.Namespace) -> tuple[list[dict], list[str]]:
    """Rows of the growth, and what was stopped or left out."""
    threads = max(options.threads)
    print(f"\nGrowth: {options.queries} queries, {options.features} features, {threads} threads")
    print(f"{'method':20s} {'rows':>10s} {'seconds':>9s} {'peak MB':>9s}")
    found, absent = [], []
    for method in options.grown:
        stopped = False
        for count in options.growth:
            given = {"part": "growth", "method": method, "count": count, "features": options.features,
                     "queries": options.queries, "rounds": options.rounds}  # fmt: skip
            seen = None if stopped else child(given, threads, options.cap)
            if seen is None:
                stopped = True
                absent.append(f"{method} of {count} rows")
                print(f"{method:20s} {count:10,d}   over {options.cap:g} s", flush=True)
                continue
            print(f"{method:20s} {count:10,d} {seen['seconds']:9.2f} {seen['peak_mb']:9.1f}", flush=True)
            here = {"at": f"growth, {method}", "level": count, "condition": "", "n": count}
            found += [{**here, "metric": metric, "value": seen[metric]} for metric in ("seconds", "peak_mb")
                      if seen[metric] is not None]  # fmt: skip
    return found, absent


def child(given: dict, threads: int, cap: float | None = None) -> dict | None:
    """Run a part in a process of its own, which may use so many cores; None where it takes too long."""
    command = [sys.executable, __file__, "--child", json.dumps({**given, "threads": threads})]
    settings = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "MKL", "OPENBLAS")}
    try:
        # The cap is for the run; making the activations and loading the libraries take a while, too.
        done = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, check=True,
                              timeout=None if cap is None else cap + 60)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    seen = json.loads(done.stdout.splitlines()[-1])
    return None if cap is not None and seen["seconds"] > cap else seen


def pin(threads: int) -> None:
    """Keep this process, with whatever threads a peer starts, on so many cores (where the system can)."""
    torch.set_num_threads(threads)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def activations(count: int, features: int, queries: int) -> tuple[torch.Tensor, ...]:
    """Float32 rows and queries of ten classes: a middle each, and correlated deviations; queries are wider."""
    source = torch.Generator().manual_seed(0)
    middles = 2 * torch.randn(10, features, generator=source)
    mix = torch.randn(features, features, generator=source) / features**0.5 + 0.3 * torch.eye(features)
    groups, predicted = torch.arange(count) % 10, torch.arange(queries) % 10
    train = torch.empty(count, features)
    for part, group in zip(train.split(8192), groups.split(8192), strict=True):
        torch.addmm(middles[group], torch.randn(len(part), features, generator=source), mix, out=part)
    wide = middles[predicted] + 1.3 * torch.randn(queries, features, generator=source) @ mix
    return train, groups, wide, predicted


def beside_peer(
    method: str, count: int, features: int, queries: int, peer_queries: int, rounds: int, threads: int
) -> dict[str, float]:
    """Best seconds of both sides for all queries, and the largest relative difference of a score."""
    pin(threads)
    train, groups, wide, predicted = activations(count, features, queries)
    some = peer_queries if method == "dsa" else queries
    kind = torch.float32 if method == "dsa" else torch.float64
    mine = (train.to(kind), groups, wide.to(kind), predicted)
    theirs = tuple(values.numpy() for values in (mine[0], groups, mine[2][:some], predicted[:some]))
    best = {"ours": float("inf"), "peer": float("inf")}
    small = (mine[0][:200], groups[:200], mine[2][:20], predicted[:20])  # warms up, and imports
    METHODS[method](*small)
    if method != "lsa" or features < 20:  # it refuses fewer rows than features
        peer(method, *(values.numpy() for values in small))
    for _ in range(rounds):
        for side, run, scale in (
            ("ours", lambda: METHODS[method](*mine), 1),
            ("peer", lambda: peer(method, *theirs), queries / some),
        ):
            start = perf_counter()
            run()
            best[side] = min(best[side], (perf_counter() - start) * scale)
    expected = torch.from_numpy(peer(method, *(v.astype(np.float64) if v.ndim == 2 else v for v in theirs)))
    scores = METHODS[method](*mine)[:some]
    return {**best, "apart": float(((scores - expected).abs() / expected.abs()).max())}


def peer(method: str, train: np.ndarray, groups: np.ndarray, queries: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Fit and score with dnn-tip, without its progress bars and prints."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        if method == "dsa":
            return dnn_tip.DSA(train, groups)(queries, predicted)
        kind = {"lsa": dnn_tip.LSA, "mdsa": dnn_tip.MDSA}[method]
        fitted = dnn_tip.MultiModalSA.build_by_class(train, groups, lambda some, _: kind(some))
        return fitted(queries, predicted)


def alone(method: str, count: int, features: int, queries: int, rounds: int, threads: int) -> dict[str, float | None]:
    """Best seconds of fitting and scoring float32 activations, and the growth of the peak memory in MB.

    Memory is that of the first call; only what takes less than SOON seconds is called again.
    """
    pin(threads)
    given = activations(count, features, queries)
    GROWN[method](*(values[:200] for values in given))  # warms up
    growth, best = Growth(), seconds(GROWN[method], given)
    peak = growth.megabytes()
    if best < SOON:
        best = min(best, *(seconds(GROWN[method], given) for _ in range(rounds)))
    return {"seconds": best, "peak_mb": peak}


def seconds(run: Callable[..., object], given: tuple[torch.Tensor, ...]) -> float:
    start = perf_counter()
    run(*given)
    return perf_counter() - start


if __name__ == "__main__":
    main()
