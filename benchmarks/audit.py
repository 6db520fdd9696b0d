"""How often bracket and bisection find the breaking noise that stepping finds: every image searched both ways.

    python benchmarks/audit.py                       # some five minutes; 1,000 images, four networks, one thread
    python benchmarks/audit.py --images 20 --train 600 --no-rows   # a minute, prints only
    python benchmarks/audit.py --grids 8,4           # grids alone, without the closer look, finer ones as well

The first 1,000 test images of Fashion-MNIST that a network gets right, one noise field each, fixed and clipped, steps
of one grey level up to 510. One small network of each family, trained as the chapter's profile `quick` trains: as many
images, as many epochs. `equal` is the share of images with the same breaking noise, with its exact interval; the bar is
99 %. `farthest` is the largest difference in grey levels: where a network gives the old label back, bisection may find
a later change of the label than the first one. Beside it, without the closer look: the grid alone (rows with `at`
"grid=16") and finer ones (`--grids`), which pass over fewer. Counted, not timed.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from threadpoolctl import threadpool_limits
from timing import taken_on

from mistrust import paths, random, rows
from mistrust.data import load
from mistrust.evaluation import share
from mistrust.networks import observe, trained
from mistrust.networks.architectures.families.family import RECIPE
from mistrust.robustness.bracket import CLOSE, GRID, bracketed
from mistrust.robustness.breaking import breaking
from mistrust.robustness.experiment import Parameters

DATA = "fmnist"
NETWORKS = ("alexnet6-w16", "vgg6-w16", "resnet8-w8", "inception14-w8")
SEEDS = (0,)
BAR = 0.99
Row = dict[str, Any]


def main() -> None:
    quick = Parameters()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", default=",".join(NETWORKS), help="with commas")
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--train", type=int, default=quick.train_images, help="training images")
    parser.add_argument("--epochs", type=int, default=quick.epochs)
    parser.add_argument("--grids", default="", help="further grids alone, in grey levels, with commas")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(1)
    note = f"{options.train} training images, {options.epochs} epochs, {taken_on(1)}"
    about = {"chapter": "benchmarks", "table": "audit", "data": DATA, "condition": "stepping", "note": note}
    with threadpool_limits(1):
        for name in options.networks.split(","):
            found = list(audited(name, options))
            print(name, *(f"{row['metric']} {row.get('at', '')} {row['value']:.4g}" for row in found), flush=True)
            equal = found[0]["value"]
            print(f"  {equal:.2%} of {found[0]['n']} images are equal, the bar is {BAR:.0%}")
            if not options.no_rows:
                rows.update(rows.table(found, **about), paths.results() / "benchmarks" / "audit.csv")


def audited(name: str, options: argparse.Namespace) -> Iterator[Row]:
    known = load(DATA, "train")
    some = random.permutation(0, f"robustness/train/{DATA}", len(known))[: options.train].sort().values
    classifier = trained(name, known.take(some), replace(RECIPE, epochs=options.epochs), seed=0)
    unseen = load(DATA, "test")
    right = observe(classifier, unseen).logits.argmax(1).cpu() == unseen.labels
    images = unseen.take(right.nonzero()[: options.images, 0])
    by_steps = breaking(classifier, images, seeds=SEEDS)
    alone = [GRID, *(float(one) for one in options.grids.split(",") if one)]
    for grid, close in ((GRID, CLOSE), *((grid, 0.0) for grid in alone)):
        ours = bracketed(classifier, images, seeds=SEEDS, grid=grid, close=close, audit=0.0).breaking
        same = (by_steps.sigma == ours.sigma) & (by_steps.broken == ours.broken)
        equal = share(int(same.sum()), same.numel())
        here = {"network": name, "n": equal.n, "at": "" if close else f"grid={grid:g}"}
        yield {**here, "metric": "equal", "value": equal.value, "low": equal.low, "high": equal.high, "over": "images"}
        yield {**here, "metric": "farthest", "value": float((by_steps.sigma - ours.sigma).abs().max())}
        yield {**here, "metric": "passes ratio", "value": float(by_steps.passes.sum() / ours.passes.sum())}
    yield {"network": name, "metric": "accuracy", "value": float(right.double().mean()), "n": len(unseen)}


if __name__ == "__main__":
    main()
