"""How long the paper's three monitors watch an image, as a multiple of the classifier's own time.

    MISTRUST_DATA=... python benchmarks/monitors.py                              # both sets of the paper; minutes
    python benchmarks/monitors.py --data mnist5k --trained-on 500 --repeats 20 --no-rows     # does it run?

One LeNet, in memory, in one framework, is watched by all. Three things are timed in turns, for one image and for many:
the classifier alone (images to logits), a monitor alone (its score of a record that the classifier's pass left), and
both (images to alarms, by `Monitor`). Each is warmed up, then repeated; the median counts. The interval of a ratio of
medians is a bootstrap over repetitions: it says how steady this machine was, not what another would give. Then each is
called once more, and the peak of memory over what there was before is taken, where the system tells (`--memory`: this
alone, which a machine that does other work can do as well).

Ferreira et al. (PRDC 2021, section IV-D-3) timed another thing: models read from disk or built anew for each image.
Networks are trained for one epoch, for no monitor's time hangs on how good it is; they go through the store, and
where that has the full run's, `--network-epochs 0 --alooc-epochs 8` takes these.
"""

import argparse
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from timing import taken_on
from watching import Growth

from mistrust import paths, rows
from mistrust.monitoring.experiment import Parameters
from mistrust.monitoring.experiment.methods import THREE
from mistrust.monitoring.experiment.system import System
from mistrust.networks import observe
from mistrust.progress import bar
from mistrust.supervisors import Monitor, Quantile, needed

AT = {"one": 1, "many": 256}
WARM = 20
CALLS = 9  # whose memory is looked at
Times = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["gtsrb-thin", "cifar10-jpeg"])
    parser.add_argument("--trained-on", type=int, default=0, help="training images; 0 takes all")
    parser.add_argument("--network-epochs", type=int, default=1, help="0 takes the recipe's, as the full run does")
    parser.add_argument("--alooc-epochs", type=int, default=1, help="8 takes the full run's from the store")
    parser.add_argument("--repeats", type=int, default=100, help="timings of each")
    parser.add_argument("--memory", action="store_true", help="take no times: the peak of memory in a call alone")
    parser.add_argument("--threads", type=int, default=1, help="of torch, for all sides")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    # Rows of the chapter, not of benchmarks at large: its claims on time are judged by them.
    about = {"chapter": "monitoring", "table": "cost", "network": "farm-lenet", "n": options.repeats}
    note = taken_on(options.threads)
    print(f"{'data':14s}{'images':>7s} {'method':20s}{'microseconds an image':>23s}{'times the classifier':>30s}")
    for data in options.data:
        found = [row for row in timed(data, options) if report(data, row)]
        if not options.no_rows:
            new = rows.table(found, data=data, note=note, **about)
            rows.update(new, paths.results() / "benchmarks" / "monitors.csv")


def timed(data: str, options: argparse.Namespace) -> Iterable[dict[str, Any]]:
    """Rows of one image set."""
    one = System(
        Parameters(
            data=(data,), network_epochs=options.network_epochs, alooc_epochs=options.alooc_epochs,
            trained_on=options.trained_on, images=1000,
            supervisors=("max_softmax",),
        ),
        data, "farm-lenet", 0,
    )  # fmt: skip
    fitted = {name: each for name, each in one.fitted().items() if name.partition("/")[0] in THREE}
    calibrate, test = one.material.calibrate(0), one.material.test(0)
    asked = needed(list(fitted.values()))
    record = observe(one.classifier, calibrate, **asked)
    monitors = {
        name: Monitor(one.classifier, each, Quantile(0.05).fit(each.score(record))) for name, each in fitted.items()
    }
    for at, count in AT.items():
        some = test.take(slice(0, count))
        pixels, seen = some.floats(), observe(one.classifier, some, **asked)
        works: dict[tuple[str, str], Callable[[], Any]] = {
            ("network", ""): lambda pixels=pixels: one.classifier(pixels)
        }
        for name, each in fitted.items():
            works[name, "monitor"] = lambda each=each, seen=seen: each.score(seen)
            works[name, "both"] = lambda name=name, pixels=pixels: monitors[name](pixels)
        for (name, condition), work in works.items():
            if (peak := grown(work)) is not None:
                here = {"method": name, "condition": condition, "at": at, "level": count, "over": "calls", "n": CALLS}
                yield {**here, "metric": "peak megabytes", **peak}
        if options.memory:
            continue
        times = in_turns(works, options.repeats)
        alone = times["network", ""]
        for (name, condition), own in times.items():
            low, middle, high = 1e6 * np.quantile(own, [0.25, 0.5, 0.75]) / count
            here = {"method": name, "condition": condition, "at": at, "level": count, "over": "repetitions"}
            yield {**here, "metric": "microseconds an image", "value": middle, "low": low, "high": high}
            if condition:
                value, *ends = ratio(own, alone)
                metric = "ratio" if condition == "monitor" else "ratio of both"
                yield {**here, "metric": metric, "value": value, "low": ends[0], "high": ends[1]}


def grown(work: Callable[[], Any]) -> dict[str, float] | None:
    """Megabytes that memory grows by in a call: the median, least and most of a few; None where nobody tells."""
    work()
    found = []
    for _ in range(CALLS):
        growth = Growth()
        work()
        found.append(growth.megabytes())
    if None in found:
        return None
    return {"value": float(np.median(found)), "low": min(found), "high": max(found)}


def in_turns(works: dict[tuple[str, str], Callable[[], Any]], repeats: int) -> dict[tuple[str, str], Times]:
    """Seconds of each repetition, all works in turns, so that a slow moment of the machine meets all of them."""
    found: dict[tuple[str, str], list[float]] = {name: [] for name in works}
    with bar(WARM + repeats, "timing", "round") as progress:
        for number in range(WARM + repeats):
            for name, work in works.items():
                start = perf_counter()
                work()
                if number >= WARM:
                    found[name].append(perf_counter() - start)
            progress.update()
    return {name: np.array(each) for name, each in found.items()}


def ratio(own: Times, alone: Times) -> tuple[float, float, float]:
    """Ratio of medians, and its 95 % percentile interval over 1,000 resampled sets of repetitions."""
    draw = np.random.default_rng(0).integers(0, len(own), (1000, len(own)))
    low, high = np.quantile(np.median(own[draw], 1) / np.median(alone[draw], 1), [0.025, 0.975])
    return float(np.median(own) / np.median(alone)), float(low), float(high)


def report(data: str, row: dict[str, Any]) -> bool:
    """Print a row; True, for it is kept."""
    name = f"{row['method']} {row['condition']}".strip()
    value = f"{row['value']:.1f} [{row['low']:.1f}, {row['high']:.1f}]"
    if row["metric"] == "peak megabytes":
        print(f"{data:14s}{row['level']:7d} {name:34s}{value:>30s} MB", flush=True)
        return True
    timing = row["metric"] == "microseconds an image"
    print(
        f"{data:14s}{row['level']:7d} {name:34s}{value if timing else '':>30s}{'' if timing else value:>26s}",
        flush=True,
    )
    return True


if __name__ == "__main__":
    main()
