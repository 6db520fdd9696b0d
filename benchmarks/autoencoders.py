"""Training many autoencoders stacked against a loop over single models.

    python benchmarks/autoencoders.py                       # 15 models, batches of 32, 100 and 1,000; some minutes
    python benchmarks/autoencoders.py --batches 32 --images 2000 --no-rows
    python benchmarks/autoencoders.py --device cuda --models 900 --batches 1000

The loop is tests/ambiguity/plain.py: torch modules, nn.functional.dropout, torch.optim.Adam as it comes, images as
floats in memory, every step encoding anew as the authors' code does. Both sides see the same number of images in
batches of the same size, one epoch a round; sides are timed in turns, the best round counts. Results are compared in
float64 with the same draws.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

import torch
from timing import taken_on

from mistrust import paths, rows
from mistrust.ambiguity.adversarial import Stack, State, Training
from mistrust.ambiguity.batches import Feed
from mistrust.ambiguity.members import Member, order_by_size, rows_of
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import width_of
from mistrust.data import ImageSet, load

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "ambiguity"))
from plain import Plain

PAIRS = [(first, second) for first in range(9) for second in range(first + 1, 10)]
BARS = {32: 1.2, 1000: 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=15)
    parser.add_argument("--loop-models", type=int, default=3, help="of these the loop is timed, and scaled")
    parser.add_argument("--batches", type=int, nargs="+", default=[32, 100, 1000])
    parser.add_argument("--images", type=int, default=60_000, help="of the training set, from the front")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--data", default="mnist")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    images = load(options.data, "train").take(slice(0, options.images))
    members = [Member(*PAIRS[i % len(PAIRS)], i // len(PAIRS)) for i in range(options.models)]

    print(
        f"{options.models} models of {images.name} ({len(images)} images), one epoch, best of {options.rounds} rounds"
    )
    print("seconds a model of 80 epochs, and the ratio of the loops' to ours")
    print("".join(f"{head:>10s}" for head in ("batch", "stacked", "loop", "fused", "ratio", "to fused")))
    found = []
    elsewhere = "" if options.device == "cpu" else f", {options.device}"  # rows of both stand side by side
    for size in options.batches:
        times = timed(images, members, size, options)
        ratios = {peer: times[peer] / times["stacked"] for peer in ("loop", "loop, fused Adam")}
        bar = f"   (bar {BARS[size]:g})" if size in BARS else ""
        print(f"{size:10d}" + "".join(f"{80 * v:10.2f}" for v in times.values())
              + "".join(f"{v:10.2f}" for v in ratios.values()) + bar, flush=True)  # fmt: skip
        here = {"at": f"batch={size}{elsewhere}", "level": size}
        found.append({**here, "condition": "", "metric": "seconds", "value": 80 * times["stacked"]})
        found += [{**here, "condition": peer, "metric": "ratio", "value": ratio} for peer, ratio in ratios.items()]
    apart = difference(images.take(slice(0, 3000)), members[:3])
    print(f"Largest relative difference of a weight after one epoch in float64, same draws: {apart:.1e}")
    found.append({"condition": "loop", "at": "", "metric": "agreement", "value": apart})
    if not options.no_rows:
        note = taken_on(options.threads, options.device)
        new = rows.table(
            found,
            chapter="benchmarks",
            table="autoencoders",
            data=options.data,
            method="mistrust",
            n=options.models,
            note=note,
        )
        rows.update(new, paths.results() / "benchmarks" / "autoencoders.csv")


def timed(images: ImageSet, members: list[Member], size: int, options: argparse.Namespace) -> dict[str, float]:
    """Seconds a model and epoch of each side."""
    members = [members[i] for i in order_by_size(images, members)]
    where = torch.device(options.device)
    design, training = Design(images.images[0].numel(), len(images.classes)), Training(batch=size)
    state = State.new(design, tuple(members), torch.float32, where)
    pixels, width = images.images.flatten(1).to(where), width_of(where, size, len(members))
    stacks = []
    for start in range(0, len(members), width):
        some = members[start : start + width]
        pairs = torch.tensor([(m.first, m.second) for m in some], device=where)
        part = state.slice(start, start + len(some))
        feed = Feed(images, some, design, size, torch.float32, pixels)
        stacks.append((Stack(part, pairs, design, training), feed))
    floats, labels = images.floats().flatten(1).to(where), images.labels.to(where)
    # Models from all over the sizes: pairs differ in their number of images.
    looped = members[:: max(1, len(members) // options.loop_models)][: options.loop_models]
    scale = sum(len(rows_of(images, m)) for m in members) / sum(len(rows_of(images, m)) for m in looped) / len(members)
    peers = {name: [single(floats, labels, images, m, design, fused) for m in looped]
             for name, fused in (("loop", None), ("loop, fused Adam", True))}  # fmt: skip

    def stacked(epoch: int) -> None:
        for stack, feed in stacks:
            for batch in feed.epoch(epoch):
                stack.step(batch)

    def loop(name: str) -> None:
        for model, optimisers, x, y, member in peers[name]:
            order = torch.randperm(len(x), device=where)
            for chosen in order.split(size):
                b = len(chosen)
                real = torch.randn(b, design.latent, device=where)
                second = torch.arange(b, device=where) >= b // 2
                real[:, 0] += torch.where(second, 3.0, -3.0)
                real_labels = torch.where(second, member.second, member.first)
                model.step(optimisers, x[chosen], y[chosen], real, real_labels)

    sides = {"stacked": lambda r: stacked(r), **{name: lambda r, name=name: loop(name) for name in peers}}
    best = dict.fromkeys(sides, float("inf"))
    for number in range(options.rounds + 1):  # the first warms up
        for side, run in sides.items():
            start = perf_counter()
            run(number)
            if where.type == "cuda":
                torch.cuda.synchronize()
            if number:
                took = (perf_counter() - start) * (1 / len(members) if side == "stacked" else scale)
                best[side] = min(best[side], took)
    return best


def single(floats, labels, images: ImageSet, member: Member, design: Design, fused: bool | None):
    """One model of the loop with its optimisers and its images."""
    model = Plain(design.pixels, design.classes).to(floats.device)
    chosen = rows_of(images, member).to(floats.device)
    return model, model.optimisers(fused=fused), floats[chosen], labels[chosen], member


def difference(images: ImageSet, members: list[Member]) -> float:
    """Largest difference between the two sides' weights after one epoch, relative to the largest weight of its kind."""
    members = [members[i] for i in order_by_size(images, members)]
    design, training = Design(images.images[0].numel(), len(images.classes)), Training(batch=100)
    pairs = torch.tensor([(m.first, m.second) for m in members])
    state = State.new(design, tuple(members), torch.float64, torch.device("cpu"))
    stack = Stack(state, pairs, design, training)
    feed = Feed(images, members, design, 100, torch.float64, images.images.flatten(1))
    models = [
        Plain(design.pixels, design.classes).double().load({n: v[g] for n, v in state.weights(design).items()})
        for g in range(len(members))
    ]
    optimisers = [model.optimisers() for model in models]
    for batch in feed.epoch(0):
        for g, count in enumerate(batch.count.tolist()):
            models[g].step(
                optimisers[g], batch.x[g, :count], pairs[g][batch.second[g, :count]], batch.real[g, :count],
                pairs[g][batch.real_second[g, :count]], batch.masks[g, :, :count],
            )  # fmt: skip
        stack.step(batch)
    ours = state.weights(design)
    return max(
        float((ours[name][g] - values).abs().max() / values.abs().max())
        for g, model in enumerate(models)
        for name, values in model.weights().items()
    )


if __name__ == "__main__":
    main()
