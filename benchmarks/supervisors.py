"""What watching an input costs, supervisor by supervisor, and what one pass for all of them saves.

    python benchmarks/supervisors.py                        # 1,000 images, one thread and two: some minutes
    python benchmarks/supervisors.py --images 50 --no-rows  # does it run?

The convolutional network of AmbiGuess on mnist5k, fitted on its 4,000 training images. "alone" is a pass of the network
that records what one supervisor reads, and its score; "one record" is the score alone, of a record that all share. The
ratio compares all of them alone with one pass and all scores. Seconds to fit leave out the pass of the network; the
autoencoder and Dissector take three passes over their training images, which is the level of these rows. Megabytes are
what a fitted supervisor keeps, with the other networks of an ensemble. The best round of each side counts; scores of
both are compared, each relative to itself.
"""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import torch
from timing import taken_on, working
from torch import Tensor

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.networks import ARCHITECTURES, Classifier, Recipe, Record, observe
from mistrust.networks.ensembles import trained_members
from mistrust.supervisors import SUPERVISORS, Supervisor, autoencoder, needed
from mistrust.supervisors.experiment.methods import SURPRISE
from mistrust.supervisors.experiment.variants import COMPARED
from mistrust.supervisors.head import feature_layer
from mistrust.supervisors.judging import empty_store

ARCHITECTURE, MEMBERS, EPOCHS = "ambiguess-conv", 5, 3
AGREEMENT = 1e-6
QUICK = 2.0  # seconds: what takes less is timed again


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=1000, help="that are scored")
    parser.add_argument("--samples", type=int, default=100, help="passes with dropout on")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="of torch, for both sides")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    train, test = load("mnist5k", "train"), load("mnist5k", "test").take(slice(0, options.images))
    network, *others = trained_members(ARCHITECTURE, train, Recipe(epochs=EPOCHS, optimiser="adam"), range(MEMBERS))
    layer = feature_layer(observe(network, test.take(slice(0, 2))))
    chosen = {name: made(name, layer) for name in COMPARED}
    autoencoder.KEPT = 0  # no round gains from what the one before rebuilt
    every = {"samples": options.samples, "members": others}
    small = observe(network, train.take(slice(0, 2)), **needed(chosen.values(), **every))
    learnt = observe(network, train, layers=[layer])
    records = {name: learnt if reads(one) else small for name, one in chosen.items()}
    for name, one in chosen.items():
        one.fit(records[name])

    found = [line("state megabytes", megabytes(one, others), name, "") for name, one in chosen.items()]
    for threads in options.threads:
        torch.set_num_threads(threads)
        print(f"\n{working(threads)}, {len(test):,} images")
        each = [*fits(chosen, records, options.rounds), *timed(network, test, chosen, every, options.rounds)]
        found += [{**one, "at": working(threads)} for one in each]
    worst = max(one["value"] for one in found if one["metric"] == "agreement")
    print(f"\nLargest relative difference {worst:.1e} (bar {AGREEMENT:g})")
    if not options.no_rows:
        note = taken_on()
        about = {"chapter": "benchmarks", "table": "supervisors", "data": "mnist5k", "network": ARCHITECTURE}
        new = rows.table(found, **about, n=len(test), note=note)
        rows.update(new, paths.results() / "benchmarks" / "supervisors.csv")


def reads(one: Supervisor) -> bool:
    """Whether it learns from training images or their activations, and not only what the classes are."""
    return one.card.fits or not {"layer", "layers"}.isdisjoint(one.card.needs)


def fits(chosen: Mapping[str, Supervisor], records: Mapping[str, Record], rounds: int) -> list[dict]:
    """Rows of what it takes to fit those that learn anything; slow ones once."""
    found = []
    for name, one in chosen.items():
        if not reads(one):
            continue
        again = type(one)(**one.parameters())
        with empty_store():
            seconds, _ = best(1, lambda again=again, name=name: again.fit(records[name]))
        if seconds < QUICK:
            seconds = min(seconds, best(rounds, lambda again=again, name=name: again.fit(records[name]))[0])
        passes = one.parameters().get("epochs", float("nan"))
        print(f"{name:30s} {seconds:10.3f} s to fit", flush=True)
        found.append({**line("seconds to fit", seconds, name, ""), "level": passes})
    return found


def timed(
    network: Classifier, test: ImageSet, chosen: Mapping[str, Supervisor], every: Mapping[str, Any], rounds: int
) -> list[dict]:
    """Rows of each supervisor alone and from one record, and of all together."""
    n, asked = len(test), needed(chosen.values(), **every)
    pass_time, record = best(rounds, lambda: observe(network, test, **asked))
    print(f"One pass that records everything: {1e6 * pass_time / n:.0f} microseconds an image")
    print(f"{'supervisor':30s} {'alone us':>10s} {'score us':>10s} {'apart':>7s}")
    found, total, scoring = [], 0.0, 0.0
    for name, one in chosen.items():
        own = needed([one], **every)
        alone, first = best(rounds, lambda one=one, own=own: anew(one).score(observe(network, test, **own)))
        score, second = best(rounds, lambda one=one: anew(one).score(record))
        total, scoring = total + alone, scoring + score
        print(f"{name:30s} {1e6 * alone / n:10.1f} {1e6 * score / n:10.1f} {apart(first, second):7.0e}", flush=True)
        found += [
            line("microseconds an image", 1e6 * alone / n, name, "alone"),
            line("microseconds an image", 1e6 * score / n, name, "one record"),
            line("agreement", apart(first, second), name, "alone"),
        ]
    ratio = total / (pass_time + scoring)
    print(f"All alone {total:.1f} s, from one record {pass_time + scoring:.1f} s: {ratio:.2f} times")
    return [*found, line("ratio", ratio, "mistrust", "each alone")]


def anew(one: Supervisor) -> Supervisor:
    """It, as if it had never scored: DSA keeps distances of training rows for as long as what was fitted lives."""
    one.fitted = replace(one.fitted)
    return one


def line(metric: str, value: float, method: str, condition: str) -> dict[str, Any]:
    """A row."""
    return {"metric": metric, "value": value, "method": method, "condition": condition}


def made(name: str, features: str) -> Supervisor:
    """A supervisor of the table, with the layers of the architecture."""
    entry = ARCHITECTURES[ARCHITECTURE]
    fields = SUPERVISORS[name]().parameters()
    wanted = {
        "layer": entry.surprise if name in SURPRISE else features,
        "layers": entry.dissector,
        "epochs": EPOCHS,
    }
    return SUPERVISORS[name](**{key: value for key, value in wanted.items() if key in fields})


def best(rounds: int, work):
    """The shortest time of several, and what came out."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        result = work()
        times.append(perf_counter() - start)
    return min(times), result


def megabytes(one: Supervisor, others: list[Classifier]) -> float:
    """What it keeps, and the further networks where it reads them."""
    tensors: list[Tensor] = list(one.fitted.state.values())
    if "members" in one.card.needs:
        tensors += [values for network in others for values in network.module.state_dict().values()]
    return sum(values.numel() * values.element_size() for values in tensors) / 1e6


def apart(first: Tensor, second: Tensor) -> float:
    """Largest relative difference of finite scores."""
    good = first.isfinite() & second.isfinite()
    return float(((first - second).abs() / (second.abs() + 1e-12))[good].max()) if bool(good.any()) else 0.0


if __name__ == "__main__":
    main()
