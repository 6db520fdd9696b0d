"""Making labelled ambiguous images from trained decoders against plain loops, in images per second.

    python benchmarks/composing.py                 # 20,000 train and 10,000 test images, 45 pairs; some minutes
    python benchmarks/composing.py --pairs 3 --train 300 --test 150 --epochs 5 --no-rows

Two decoders a pair, one for train and one for test images. The clock runs over `compose` as a whole: grid, weights,
draw, label, decode, bytes. The decoders are trained briefly on the embedded digits. Ours take as long for any decoder;
the loop takes longer the more cells are ambiguous, which brief training makes them: the share is printed.
`--data mnist --epochs 0` takes the decoders of the chapter's full run where the store has them, else trains them.

Two peers do the same steps. "point by point" is a loop over decoders and their points with torch modules
(tests/ambiguity/plain.py), as the reference's sampler goes from point to point, but with weights for ambiguous cells
alone. It makes a few pairs' images, as many a pair as ours, so that a grid serves as many, and counts by the image.
"pair by pair" is our own code on the two decoders of a pair at a time: what stacking all of them gains or costs.
Sides are timed in turns, the best round counts. Results are compared in float64 with the same draws, the loop's with
ours.
"""

import argparse
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate, product, repeat
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from timing import taken_on

from mistrust import paths, random, rows
from mistrust.ambiguity import AmbiguousSet, Autoencoders, Composition, Making, compose, draw, members_of, plan, trained
from mistrust.ambiguity.decoders import names
from mistrust.ambiguity.sampling import admissible
from mistrust.data import load

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "ambiguity"))
from plain import Plain

HOW = Composition()
ROLES = {"train": HOW.delta_train, "test": HOW.delta_test}
COMPARED = 60  # train images whose results are compared, and half as many test images


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=int, default=20_000, help="images, of all pairs together")
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=45, help="of classes, from the first on; two decoders each")
    parser.add_argument("--loop-pairs", type=int, default=2, help="of these the loop point by point makes the images")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, default=2, help="of torch, for all sides")
    parser.add_argument("--data", default="mnist5k", help="what the decoders are trained on")
    parser.add_argument("--epochs", type=int, default=20, help="of their training; 0: as long as the chapter's")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    decoders = briefly(options.data, options.pairs, options.epochs)
    pairs = list(dict.fromkeys(decoders.pairs))
    some = decoders.take(slice(0, None, max(1, len(decoders) // 10)))
    for role, delta in ROLES.items():
        cells, tried = admissible(some, delta, HOW.scheme), draw(some, delta, 200, HOW.scheme, 0, role).attempts
        print(f"{role}: {cells.double().mean():.0%} of the cells are ambiguous, {200 / tried.double().mean():.0%} of "
              f"the draws are kept")  # fmt: skip

    n = options.train + options.test
    found = timed(decoders, pairs, options)
    print(f"\n{n:,} images of {len(pairs)} pairs, best of {options.rounds}")
    print(f"{'side':15s} {'images':>8s} {'seconds':>8s} {'images/s':>9s} {'ratio':>7s}")
    each = found["ours"][0] / found["ours"][1]
    for side, (seconds, count) in found.items():
        print(f"{side:15s} {count:8,d} {seconds:8.2f} {count / seconds:9,.0f} {seconds / count / each:7.1f}")
    apart = difference(decoders, pairs[0])
    print(f"Largest difference of a point, a probability or a pixel in float64, same draws: {apart:.1e}")
    if not options.no_rows:
        here = {"at": f"{options.train:,} + {options.test:,} images"}
        made = [{**here, "condition": "", "metric": "seconds", "value": found["ours"][0]}]
        made += [{**here, "condition": side, "metric": "ratio", "value": seconds / count / each}
                 for side, (seconds, count) in found.items() if side != "ours"]  # fmt: skip
        made.append({"condition": "point by point", "at": "", "metric": "agreement", "value": apart})
        note = f"{len(pairs)} pairs, {taken_on(options.threads)}"
        new = rows.table(
            made, chapter="benchmarks", table="composing", data=options.data, method="mistrust", n=n, note=note
        )
        rows.update(new, paths.results() / "benchmarks" / "composing.csv")


def briefly(data: str, pairs: int, epochs: int) -> Autoencoders:
    """Two decoders for each of so many pairs of classes; their training is not timed, and kept in the store."""
    images = load(data, "train")
    members = members_of(images, repetitions=2)
    chosen = list(dict.fromkeys((m.first, m.second) for m in members))[:pairs]
    members = [m for m in members if (m.first, m.second) in chosen]
    return trained(images, members, training=plan(data, Making(epochs=epochs)).training)


def timed(
    decoders: Autoencoders, pairs: list[tuple[int, int]], options: argparse.Namespace
) -> dict[str, tuple[float, int]]:
    """Best seconds of each side, in turns, and the number of images that it made."""
    share = {"train": options.train // len(pairs), "test": options.test // len(pairs)}
    stacks = [decoders.take([g for g, one in enumerate(decoders.pairs) if one == pair]) for pair in pairs]
    looped = stacks[:: max(1, len(stacks) // options.loop_pairs)][: options.loop_pairs]
    models = [[plain(stack, g) for g in range(2)] for stack in looped]

    def ours() -> int:
        return made(decoders, options.train, options.test)

    def by_pair() -> int:
        return sum(made(stack, share["train"], share["test"]) for stack in stacks)

    def by_point() -> int:
        source, count = np.random.default_rng(0), 0
        numbers, tosses = (source.random(3) for _ in repeat(None)), (source.random() for _ in repeat(None))
        for stack, both in zip(looped, models, strict=True):
            for model, (role, delta) in zip(both, ROLES.items(), strict=True):
                images = loop(model, stack.pairs[0], share[role], delta, numbers, tosses)
                count += len(images["images"])
        return count

    sides: dict[str, Callable[[], int]] = {"ours": ours, "pair by pair": by_pair, "point by point": by_point}
    made(stacks[0], 20, 10)  # warms up
    norm(models[0][0], torch.zeros(2))
    best = {side: (float("inf"), 0) for side in sides}
    for _ in range(options.rounds):
        for side, run in sides.items():
            start = perf_counter()
            count = run()
            best[side] = min(best[side], (perf_counter() - start, count))
    return best


def made(decoders: Autoencoders, train: int, test: int) -> int:
    parts = compose(decoders, torch.ones(len(decoders), dtype=torch.bool), train, test, HOW)
    return sum(len(part) for part in parts)


def plain(decoders: Autoencoders, g: int) -> Plain:
    """One of the autoencoders as torch modules, in evaluation mode."""
    model = Plain(decoders.design.pixels, decoders.design.classes).to(decoders.weights["decoder.0.bias"].dtype)
    return model.load({name: values[g] for name, values in decoders.weights.items()}).requires_grad_(False).eval()


def image(model: Plain, z: torch.Tensor) -> torch.Tensor:
    return model.run("decoder", z).sigmoid()


def label(model: Plain, pair: torch.Tensor, z: torch.Tensor) -> tuple[float, float]:
    """Probabilities of the two classes at one point, (2,): both outputs of the discriminator, normalised."""
    first, second = model.judge(z.expand(2, -1), pair).sigmoid()[:, 0].tolist()
    return first / (first + second), second / (first + second)


def norm(model: Plain, z: torch.Tensor) -> float:
    """Frobenius norm of the decoder's Jacobian at one point."""
    return float(torch.func.jacfwd(lambda z: image(model, z))(z).norm())


def loop(
    model: Plain,
    pair: tuple[int, int],
    count: int,
    delta: float,
    numbers: Iterator[np.ndarray],
    tosses: Iterator[float],
) -> dict[str, torch.Tensor]:
    """Images of one decoder, one after the other.

    `numbers` gives three for each attempt, in [0, 1): for the cell and for the place in it; `tosses` one per image.
    """
    grid, classes, kind = HOW.scheme.grid, torch.tensor(pair), model.decoder[0].weight.dtype
    low, widths = grid.spans(2)[:, 0].numpy(), grid.widths(2).numpy()
    corners = [low + np.array(steps) * widths for steps in product(range(grid.cells), repeat=2)]
    found = []
    for corner in corners:
        z = torch.tensor(corner + widths / 2, dtype=kind)
        p = label(model, classes, z)
        found.append(norm(model, z) if abs(p[0] - p[1]) <= delta else 0.0)
    reach = list(accumulate(found))
    points, stated, labels, pixels = [], [], [], []
    while len(points) < count:
        chance, *inside = next(numbers)
        point = corners[bisect_right(reach, chance * reach[-1])] + np.array(inside) * widths
        z = torch.tensor(point, dtype=kind)
        p = label(model, classes, z)
        if abs(p[0] - p[1]) >= delta:
            continue
        points.append(point)
        stated.append(p)
        labels.append(pair[0] if next(tosses) < p[0] else pair[1])
        pixels.append((image(model, z) * 256).floor().clamp(max=255).to(torch.uint8))
    return {
        "images": torch.stack(pixels),
        "probabilities": torch.tensor(stated, dtype=torch.float64),
        "labels": torch.tensor(labels),
        "latent": torch.tensor(np.array(points)),
    }


def difference(decoders: Autoencoders, pair: tuple[int, int]) -> float:
    """Largest difference between ours and the loop's results of one pair, with the draws that ours are keyed by.

    Relative to 1 for points, probabilities and pixels in [0, 1]; infinite where a drawn label is another.
    """
    some = decoders.take([g for g, one in enumerate(decoders.pairs) if one == pair])
    some = replace(some, weights={name: values.double() for name, values in some.weights.items()})
    parts = compose(some, torch.ones(2, dtype=torch.bool), COMPARED, COMPARED // 2, HOW)
    worst = 0.0
    for part, (role, delta) in zip(parts, ROLES.items(), strict=True):
        g = int(part.decoder[0])
        worst = max(worst, apart(part, replayed(some, g, role, delta, len(part))))
    return worst


def replayed(decoders: Autoencoders, g: int, role: str, delta: float, count: int) -> dict[str, torch.Tensor]:
    """Images of the loop with the draws that ours have for this decoder and role."""
    key, ids = f"{role}/{names(decoders)[g]}", torch.arange(100 * count)
    numbers = random.keyed(0, f"ambiguity/points/{key}", ids, lambda draws, m: draws.random((m, 3)))
    tosses = random.keyed(0, f"ambiguity/label/{key}", ids[:count], lambda draws, m: draws.random(m))
    return loop(plain(decoders, g), decoders.pairs[g], count, delta, iter(numbers.numpy()), iter(tosses.tolist()))


def apart(ours: AmbiguousSet, theirs: dict[str, torch.Tensor]) -> float:
    """Both in the order of their points, since ours come in random order."""
    mine, other = ours.latent[:, 0].argsort(), theirs["latent"][:, 0].argsort()
    if not torch.equal(ours.labels[mine], theirs["labels"][other]):
        return float("inf")
    pixels = ours.images.flatten(1)[mine].double() - theirs["images"][other].double()
    differences = (
        ours.latent[mine] - theirs["latent"][other],
        ours.probabilities[mine] - theirs["probabilities"][other],
        pixels / 255,
    )
    return max(float(one.abs().max()) for one in differences)


if __name__ == "__main__":
    main()
