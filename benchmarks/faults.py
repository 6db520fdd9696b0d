"""The fault templates that need no classifier, at every severity, against loops with scipy, OpenCV and matplotlib.

    python benchmarks/faults.py                  # 2,000 images of 32 x 32 colours
    python benchmarks/faults.py --images 100 --no-rows

Each side starts from uint8 images and ends with them. The loops (tests/inputs/colour_loops.py, the references of the
golden tests) take one image after the other in float64, go the way of the published code, and draw by numpy's default
generator; motion blur, for which that calls ImageMagick, is the same formula in numpy. Sides are timed in turns, the
best round counts. Results are compared as floats, with the same draws.
"""

import argparse
import os
import sys
from math import exp, log
from pathlib import Path
from platform import machine
from time import perf_counter

import numpy as np
import torch

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.inputs import CORRUPTIONS, Draws, faulty, perturb, perturbed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "inputs"))
import colour_loops

PEER, BAR = "scipy/opencv", 10.0
COMPARED = 50  # images whose results are compared
NAMES = {
    name.partition("/")[2]: name for name in CORRUPTIONS if name.startswith(("cifar10c/", "farm/"))
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, default=1, help="of torch; the loops have one")
    parser.add_argument("--data", default="photos", help="32x32 colour images")
    parser.add_argument("--only", nargs="*", choices=list(NAMES), help="these faults alone")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    images = repeated(load(options.data, "test"), options.images)

    print(f"{len(images)} images of {options.data}, best of {options.rounds}, microseconds an image")
    print(f"{'fault':18s} {'s':>2s} {'ours':>8s} {'loop':>8s} {'ratio':>7s} {'apart':>7s}")
    found = []
    for short in options.only or NAMES:
        for level in range(1, len(CORRUPTIONS[NAMES[short]].levels) + 1):
            mine, theirs = timed(images, short, level, options.rounds)
            apart = difference(images, short, level)
            scale = 1e6 / len(images)
            print(
                f"{short:18s} {level:2d} {scale * mine:8.2f} {scale * theirs:8.2f} {theirs / mine:7.1f} {apart:7.0e}",
                flush=True,
            )
            here = {"condition": PEER, "at": NAMES[short], "level": level}
            found.append({**here, "metric": "ratio", "value": theirs / mine})
            found.append({**here, "metric": "agreement", "value": apart})
            found.append({**here, "condition": "", "metric": "seconds", "value": mine})
    found += summary(found)
    if not options.no_rows:
        note = f"{machine()}, {os.cpu_count()} cores, {options.threads} threads, torch {torch.__version__}"
        new = rows.table(
            found, chapter="benchmarks", table="faults", data=options.data, method="mistrust", n=len(images), note=note
        )
        rows.update(new, paths.results() / "benchmarks" / "faults.csv")


def repeated(images: ImageSet, count: int) -> ImageSet:
    """Give that many images, going round where there are fewer; ids are 0 to count - 1."""
    chosen = torch.arange(count) % len(images)
    return ImageSet(
        images.name, images.images[chosen], images.labels[chosen], torch.arange(count), images.classes
    )  # fmt: skip


def loop(pixels: np.ndarray, short: str, level: int) -> np.ndarray:
    """One image after the other, (n, h, w, c) uint8 in and out."""
    formula, setting = colour_loops.FORMULAS[short], colour_loops.LEVELS[short][level - 1]
    source, out = colour_loops.Fresh(level), np.empty_like(pixels)
    for index, image in enumerate(pixels):
        out[index] = formula(image / 255, source, *setting) * 255
    return out


def ours(images: ImageSet, short: str, level: int) -> ImageSet:
    """The whole set; one angle of the rotation, of which `faulty` gives all four."""
    return perturbed(images, NAMES[short], level) if short == "rotated" else faulty(images, short, level)


def timed(images: ImageSet, short: str, level: int, rounds: int) -> tuple[float, float]:
    """Seconds of ours and of the loop, in turns, the best of all rounds; a short turn before to warm up."""
    pixels = images.images.permute(0, 2, 3, 1).contiguous().numpy()
    sides = (lambda: ours(images, short, level), lambda: loop(pixels, short, level))
    ours(images.take(slice(0, 600)), short, level)
    loop(pixels[:10], short, level)
    best = [float("inf")] * 2
    for _ in range(rounds):
        for side, run in enumerate(sides):
            start = perf_counter()
            run()
            best[side] = min(best[side], perf_counter() - start)
    return best[0], best[1]


def difference(images: ImageSet, short: str, level: int) -> float:
    """Largest difference of a pixel in [0, 1] from the loop's in float64, with the same draws."""
    some, name = images.take(slice(0, COMPARED)), NAMES[short]
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(CORRUPTIONS[name].levels[level - 1].items()))
    found = perturb(some.floats(), name, level, ids=some.ids).permute(0, 2, 3, 1).numpy()
    kept, worst = {}, 0.0
    for index, image in enumerate(some.floats().permute(0, 2, 3, 1).double().numpy()):
        source = colour_loops.Replayed(Draws(0, key, some.ids), index, kept)
        theirs = colour_loops.FORMULAS[short](image, source, *colour_loops.LEVELS[short][level - 1])
        worst = max(worst, float(np.abs(found[index] - theirs).max()))
    return worst


def summary(found: list[dict]) -> list[dict]:
    """Geometric mean of the ratios over all settings, the losses, and the largest difference."""
    ratios = {(one["at"], one["level"]): one["value"] for one in found if one["metric"] == "ratio"}
    mean = exp(sum(map(log, ratios.values())) / len(ratios))
    worst = max(one["value"] for one in found if one["metric"] == "agreement")
    slower = ", ".join(f"{at} {level} ({value:.2f})" for (at, level), value in ratios.items() if value < 1)
    print(f"\nAll {len(ratios)} settings: geometric mean {mean:.1f} (bar {BAR:g}), largest difference {worst:.1e}")
    print(f"Slower than the loop: {slower or 'none'}")
    common = {"condition": PEER, "at": "all"}
    return [
        {**common, "metric": "ratio", "value": mean},
        {**common, "metric": "agreement", "value": worst},
    ]  # fmt: skip


if __name__ == "__main__":
    main()
