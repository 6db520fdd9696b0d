"""What the searches of the chapter on robustness save, each against its plain form.

    python benchmarks/robustness.py                       # minutes; small networks
    python benchmarks/robustness.py --tiny                # seconds, prints only
    python benchmarks/robustness.py --only bisection,tails

bisection   passes of the bracket and bisection over passes of stepping, where breaking values are above 64, where they
            are not, and on all; the share of pairs on which both agree. Counted, not timed.
targets     all targets of all images as one batch against torch's own Adam, pair by pair, to the same probability; the
            curve over how many pairs are under way at once. Sides are timed in turns, the best of as many rounds of
            each counts; their distances are compared: the largest relative difference, and the share that are equal.
both cores  the same by the clock with two threads on each side, on a machine that does nothing else.
tails       noise at a layer with what lies before it cached, against the whole network, layer by layer.
segments    seconds and breakpoints of one exact segment test, by network.
classes     seconds of one step for all targets of one image, as classes grow: measured. Of few classes a whole search
            is measured as well; of more, what 512 steps would take is modelled as 512 times a step, an upper bound,
            since pairs that arrive drop out. The network is not trained.

Processor time of the best round on one thread where nothing else is said; both sides in one process, from the same
trained network.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter, process_time
from typing import Any

import torch
from threadpoolctl import threadpool_limits
from timing import fastest, taken_on
from torch import Tensor

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.figures.robustness.costs import WANTED
from mistrust.networks import ARCHITECTURES, Classifier, Recipe, initialise, layer_names, trained, wrap
from mistrust.robustness.bracket import bracketed
from mistrust.robustness.breaking import breaking
from mistrust.robustness.regions.segments import certify
from mistrust.robustness.tails import CACHED, find_tail
from mistrust.robustness.targeted import targeted

NETWORKS = ("alexnet6-w16", "resnet8-w8")
EXACT = ("mlm-cnn", *NETWORKS)
ABOVE = 64.0  # grey levels
RATE, PROBABILITY, STEPS = 2.0, 0.9, 512
PLAIN, BLOCKS = 0, (4, 16, 64, 256)  # pair by pair, and how many are under way at once
EQUAL = 1e-4  # of the distance: the same bytes
CLASSES, WHOLE = (10, 43, 100, 1000), (10, 43, 100)  # of the latter whole searches are measured
EVERY = 10**9  # midpoints that the self-check reads: all
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    parser.add_argument("--images", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--tiny", action="store_true", help="small sizes, print only: to see that it runs")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    if options.tiny:
        options.images, options.rounds, options.no_rows = 4, 1, True
    torch.set_num_threads(1)
    about = {"chapter": "benchmarks", "table": "robustness", "data": "mnist5k", "n": options.images}
    with threadpool_limits(1):
        for name in options.only.split(","):
            found = []
            for row in PARTS[name](options):
                bar = WANTED.get(name) if row["metric"] in ("ratio", "passes ratio") else None
                below = f"  below {bar:g}" if bar and row["value"] < bar else ""
                told = (f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values())
                print(name, *told, below, flush=True)
                found.append({"condition": name, **row})
            if not options.no_rows:
                threads = "2 threads" if name == "both cores" else "1 thread"
                note = f"{options.rounds} rounds, {taken_on()}, {threads}"
                rows.update(rows.table(found, **about, note=note), paths.results() / "benchmarks" / "robustness.csv")


def network(name: str, options: argparse.Namespace, epochs: int = 6) -> tuple[Classifier, ImageSet]:
    """A trained network, and test images that it gets right."""
    known = load("mnist5k", "train").take(slice(0, 400 if options.tiny else 2000))
    classifier = trained(name, known, Recipe(epochs=epochs, batch=64, optimiser="adam", rate=1e-3), seed=0)
    images = load("mnist5k", "test").take(slice(0, 4 * options.images))
    with torch.no_grad():
        right = classifier(images.floats()).argmax(1).cpu() == images.labels
    return classifier, images.take(right.nonzero()[: options.images, 0])


def bisection(options: argparse.Namespace) -> Iterator[Row]:
    for name in (*NETWORKS, "inception14-w8"):
        for epochs in (6, 1):
            classifier, images = network(name, options, epochs)
            by_steps = breaking(classifier, images, seeds=(0, 1))
            ours = bracketed(classifier, images, seeds=(0, 1), audit=0.0).breaking
            same = (by_steps.sigma == ours.sigma) & (by_steps.broken == ours.broken)
            here = {"network": name, "at": f"{epochs} epochs"}
            parts = ((ABOVE, by_steps.sigma > ABOVE), (-ABOVE, by_steps.sigma <= ABOVE), (0.0, by_steps.sigma > 0))
            for level, which in parts:  # where noise breaks soon there is less to save: its level has a minus
                if which.any():
                    ratio = float(by_steps.passes[which].sum() / ours.passes[which].sum())
                    yield {**here, "level": level, "metric": "passes ratio", "value": ratio, "n": int(which.sum())}
            yield {**here, "metric": "equal", "value": float(same.double().mean()), "n": same.numel()}


def plain(classifier: Classifier, images: ImageSet) -> Tensor:
    """All targets, pair by pair, by torch's own Adam: the largest change of a pixel in grey levels, NaN of failures."""
    found = []
    for pixels, label in zip(images.floats(), images.labels.tolist(), strict=True):
        for target in (one for one in range(len(images.classes)) if one != label):
            x = pixels[None].clone().requires_grad_(True)
            optimiser = torch.optim.Adam([x], lr=RATE / 255)
            found.append(float("nan"))
            for taken in range(STEPS + 1):
                logits = classifier.network(classifier.scaled(x))
                if logits.detach().softmax(1)[0, target] >= PROBABILITY:
                    rounded = (x.detach() * 255).round() / 255
                    with torch.no_grad():
                        if classifier.network(classifier.scaled(rounded)).softmax(1)[0, target] >= PROBABILITY:
                            found[-1] = float((rounded - pixels).abs().max()) * 255
                            break
                if taken == STEPS:
                    break
                loss = torch.nn.functional.cross_entropy(logits, torch.tensor([target]))
                (x.grad,) = torch.autograd.grad(loss, x)  # of the pixels alone: no weight is trained
                optimiser.step()
                with torch.no_grad():
                    x.clamp_(0, 1)
    return torch.tensor(found)


def in_turns(
    sides: Mapping[int, Callable[[], Tensor]], rounds: int, clock: Callable[[], float]
) -> tuple[dict[int, float], dict[int, Tensor]]:
    """Seconds of each side's best round, all sides in turns, and what each gives."""
    seconds, given = dict.fromkeys(sides, float("inf")), {}
    for _ in range(rounds):
        for name, side in sides.items():
            start = clock()
            given[name] = side()
            seconds[name] = min(seconds[name], clock() - start)
    return seconds, given


def compared(own: Tensor, peer: Tensor) -> tuple[float, float]:
    """Largest relative difference of distances, infinite where one side alone arrives, and the share that are equal."""
    neither, one = own.isnan() & peer.isnan(), own.isnan() ^ peer.isnan()
    apart = ((own - peer).abs() / peer).masked_fill(neither, 0).masked_fill(one, float("inf"))
    return float(apart.max()), float((apart < EQUAL).double().mean())


def targets(options: argparse.Namespace, clock: Callable[[], float] = process_time) -> Iterator[Row]:
    for name in NETWORKS:
        classifier, images = network(name, options)
        few = images.take(slice(0, max(1, 3 * options.images // 4)))
        sides = {PLAIN: partial(plain, classifier, few)} | {
            block: partial(ours, classifier, few, block) for block in BLOCKS
        }
        seconds, given = in_turns(sides, options.rounds, clock)
        for block in BLOCKS:
            apart, equal = compared(given[block], given[PLAIN])
            here = {"network": name, "level": float(block), "n": len(few)}
            yield {**here, "metric": "ratio", "value": seconds[PLAIN] / seconds[block]}
            yield {**here, "metric": "seconds", "value": seconds[block] / len(few)}
            yield {**here, "metric": "agreement", "value": apart}
            yield {**here, "metric": "equal", "value": equal}


def both_cores(options: argparse.Namespace) -> Iterator[Row]:
    torch.set_num_threads(2)
    try:
        with threadpool_limits(2):
            yield from targets(options, perf_counter)
    finally:
        torch.set_num_threads(1)


def ours(classifier: Classifier, images: ImageSet, block: int) -> Tensor:
    """The same by the library, so many pairs under way at once."""
    return targeted(classifier, images, rate=RATE, probability=PROBABILITY, steps=STEPS, block=block).linf


def tails(options: argparse.Namespace) -> Iterator[Row]:
    for name in NETWORKS:
        classifier, images = network(name, options)
        pixels = images.floats()
        index = torch.arange(len(pixels)).repeat(4)
        with torch.no_grad():
            whole = fastest(lambda c=classifier, x=pixels, i=index: c.network(c.scaled(x[i])), 5 * options.rounds)
            for layer in layer_names(classifier):
                tail = find_tail(classifier, layer, pixels[:2])
                if tail.path != CACHED:
                    continue
                rest, factors = tail.cut(pixels), torch.ones(len(index), *tail.shape)
                own = fastest(lambda rest=rest, i=index, by=factors: rest(i, by), 5 * options.rounds)
                yield {"network": name, "at": layer, "metric": "ratio", "value": whole / own}


def segments(options: argparse.Namespace) -> Iterator[Row]:
    for name in EXACT:
        classifier, images = network(name, options)
        label = int(images.labels[0])
        own = images.take(images.labels == label).floats().double()[:4]
        starts, ends = own[:-1], own[1:]
        if not len(starts):
            continue
        seconds = fastest(lambda c=classifier, a=starts, b=ends, k=label: certify(c, a, b, k), options.rounds)
        found = certify(classifier, starts, ends, label, checks=EVERY)
        here = {"network": name, "n": len(starts)}
        yield {**here, "metric": "seconds", "value": seconds / len(starts)}
        yield {**here, "metric": "breakpoints", "value": float(found.breakpoints.double().mean())}
        yield {**here, "metric": "self-check", "value": float(found.error.max())}


def classes(options: argparse.Namespace) -> Iterator[Row]:
    one = load("mnist5k", "test").take(slice(0, 1))
    steps = 4
    for k in CLASSES[:2] if options.tiny else CLASSES:
        names = tuple(map(str, range(k)))
        built = ARCHITECTURES["resnet8-w8"].build(1, (28, 28), k)
        initialise(built, seed=0)
        classifier = wrap(built.eval(), names, name=f"resnet8-w8 of {k} classes")
        with torch.no_grad():
            label = classifier(one.floats()).argmax(1).cpu()
        image = ImageSet("one", one.images, label, one.ids, names)
        seconds = fastest(
            lambda c=classifier, image=image: targeted(c, image, rate=RATE, steps=steps), options.rounds
        ) / steps  # fmt: skip
        here = {"network": "resnet8-w8", "level": float(k), "n": 1}
        yield {**here, "metric": "seconds a step", "value": seconds}
        yield {**here, "metric": "modelled seconds", "value": STEPS * seconds}
        if k in WHOLE and not options.tiny:
            search = partial(targeted, classifier, image, rate=RATE, steps=STEPS)
            yield {**here, "metric": "seconds", "value": fastest(search, options.rounds)}


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "bisection": bisection, "targets": targets, "both cores": both_cores, "tails": tails, "segments": segments,
    "classes": classes,
}  # fmt: skip

if __name__ == "__main__":
    main()
