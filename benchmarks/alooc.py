"""Training the refiners of many classes stacked against a loop over classes.

    python benchmarks/alooc.py                                       # 43 classes; some minutes
    python benchmarks/alooc.py --classes 10 --images 8 --no-rows     # does it run?
    python benchmarks/alooc.py --device cuda --images 128

The loop is tests/supervisors/plain_alooc.py: torch modules that make the enlarged images, torch.optim.Adam as it comes,
each step refining anew. Both sides take one step of as many images a class, 28x28 in colour, with two threads; sides
are timed in turns, the best round counts. Results are compared in float64 after steps on the same images.

On a CPU our groups learn side by side, one on each thread, as `trained_refiners` has it; the loop's threads share each
operation, as torch has it. Much of the gain is the decoder's, which never makes an enlarged image, what is refined once
instead of twice, and how images and kernels lie in memory; the rest is that our two threads meet once a round. On a
machine that does other work the ratio of two threads says more of that than of us. `--threads 1` shows the arithmetic
alone.
"""

import argparse
import sys
from functools import partial
from pathlib import Path
from time import perf_counter

import torch
from timing import taken_on

from mistrust import paths, random, rows
from mistrust.data import ImageSet
from mistrust.side_by_side import side_by_side
from mistrust.supervisors.alooc import AloocRecipe, Design
from mistrust.supervisors.alooc.adversarial import Stack
from mistrust.supervisors.alooc.feed import Feed
from mistrust.supervisors.alooc.training import groups

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "supervisors"))
from plain_alooc import Plain

BAR = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=43)
    parser.add_argument("--images", type=int, nargs="+", default=[4, 16], help="of a class in a step")
    parser.add_argument("--group", type=int, default=15, help="classes that are stacked at once, at most")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    found = []
    print(f"{options.classes} classes, a step of each, best of {options.rounds} rounds (bar {BAR:g})")
    print(f"{'images':>8s}{'stacked s':>12s}{'loop s':>12s}{'ratio':>8s}")
    elsewhere = "" if options.device == "cpu" else f", {options.device}"  # rows of both stand side by side
    for count in options.images:
        times = timed(count, options)
        ratio = times["loop"] / times["stacked"]
        print(f"{count:8d}{times['stacked']:12.2f}{times['loop']:12.2f}{ratio:8.2f}", flush=True)
        here = {"at": f"images={count}{elsewhere}", "level": count}
        found.append({**here, "condition": "", "metric": "seconds", "value": times["stacked"]})
        found.append({**here, "condition": "loop", "metric": "ratio", "value": ratio})
    apart = difference()
    print(f"Largest relative difference of a weight after three steps in float64: {apart:.1e}")
    found.append({"condition": "loop", "at": "", "metric": "agreement", "value": apart})
    if not options.no_rows:
        note = taken_on(options.threads, options.device)
        about = {"chapter": "benchmarks", "table": "alooc", "data": "drawn", "method": "mistrust", "note": note}
        rows.update(rows.table(found, n=options.classes, **about), paths.results() / "benchmarks" / "alooc.csv")


def drawn(classes: int, each: int) -> ImageSet:
    """Images of noise, as many of every class."""
    ids = torch.arange(classes * each)
    names = tuple(f"class {c}" for c in range(classes))
    return ImageSet("drawn", random.uniform(0, "images", ids, (3, 28, 28)), ids % classes, ids, names)


def timed(count: int, options: argparse.Namespace) -> dict[str, float]:
    """Seconds a step of all classes on each side."""
    images, where = drawn(options.classes, count), torch.device(options.device)
    recipe = AloocRecipe(batch=count)
    stacks = []
    for some in groups(range(options.classes), options.group):
        feed = Feed(images, some, recipe, 0, device=where)
        stacks.append((Stack.new(Design(3, 28, 28), recipe, 0, feed.names, device=where), feed))
    models, pixels = [Plain(3, 28) for _ in range(options.classes)], images.images.to(where)
    for model in models:
        model.refiner.to(where)
        model.judge.to(where)

    def learn(stack: Stack, feed: Feed) -> None:
        for batch in feed.epoch(0):
            stack.step(batch)

    calls = [partial(learn, *each) for each in stacks]

    def stacked() -> None:
        if where.type == "cpu":
            side_by_side(calls)
        else:
            for call in calls:
                call()

    def loop() -> None:
        for c, model in enumerate(models):
            mine = pixels[c :: options.classes]
            model.step(mine, mine)

    best = dict.fromkeys(("stacked", "loop"), float("inf"))
    for number in range(options.rounds + 1):  # the first warms up
        for side, run in (("stacked", stacked), ("loop", loop)):
            start = perf_counter()
            run()
            if where.type == "cuda":
                torch.cuda.synchronize()
            if number:
                best[side] = min(best[side], perf_counter() - start)
    return best


def difference() -> float:
    """Largest difference of the two sides' weights, relative to the largest of its kind, over three classes.

    Biases before a normalisation are left out: their gradients are 0 but for rounding.
    """
    recipe = AloocRecipe(batch=4)
    feed = Feed(drawn(3, 12), [0, 1, 2], recipe, 0, torch.float64)
    stack = Stack.new(Design(3, 28, 28), recipe, 0, feed.names, torch.float64)
    models = [Plain(3, 28, dtype=torch.float64).load(stack.tensors, g) for g in range(3)]
    for batch in feed.epoch(0):
        for g, model in enumerate(models):
            model.step(*(x.unflatten(1, (3, 3))[:, g] for x in (batch.clean, batch.noisy)))
        stack.step(batch)
    names = [name for part in ("refiner", "discriminator") for name in stack.names[part]]
    return max(
        float((stack.tensors[name][g] - values).abs().max() / values.abs().max())
        for g, model in enumerate(models)
        for name, values in zip(names, model.weights(), strict=True)
        if name.startswith(("decoder", "head", "judge.0")) or not name.endswith("bias")
    )


if __name__ == "__main__":
    main()
