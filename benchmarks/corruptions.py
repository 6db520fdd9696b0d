"""The corruptions of MNIST-C and Fashion-MNIST-C at every severity against loops over images with numpy and scipy.

    python benchmarks/corruptions.py                  # 2,000 images, ours with one thread and with two
    python benchmarks/corruptions.py --images 100 --no-rows

Each side starts from uint8 images and ends with them. The loops (tests/inputs/loops.py, the references of the golden
tests) take one image after the other in float64, or as grey levels where no float is needed, go the way of the
published code with scipy and matplotlib for scikit-image, and draw by numpy's default generator. Sides are timed in
turns, the best round counts. Results are compared as floats, ours in float32 with the loop's in float64, with the same
draws and relative to the largest value of an image; what is farther apart than the bar is named. Formulas that both
sets share are timed once.
"""

import argparse
import sys
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from timing import beside_the_others, taken_on, working

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.inputs import CORRUPTIONS, Draws, perturb, perturbed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "inputs"))
import loops

PEER, BAR, AGREEMENT = "numpy/scipy", 10.0, 1e-6
COMPARED = 50  # images whose results are compared
# The first set's name where there are two.
NAMES = {name.partition("/")[2]: name for name in reversed(list(CORRUPTIONS))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="of torch; the loops have one")
    parser.add_argument("--data", default="mnist", help="28x28 grey images")
    parser.add_argument("--only", nargs="*", choices=list(loops.LEVELS), help="these corruptions alone")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    images = repeated(load(options.data, "test"), options.images)

    print(f"{len(images)} images of {options.data}, best of {options.rounds}, microseconds an image")
    print(f"{'corruption':17s} {'s':>2s} {'threads':>7s} {'ours':>8s} {'loop':>8s} {'ratio':>7s} {'apart':>7s}")
    found: dict[int, list[dict]] = {threads: [] for threads in options.threads}
    for short in options.only or loops.LEVELS:
        for level in range(1, len(loops.LEVELS[short]) + 1):
            ours, theirs = timed(images, short, level, options.rounds, options.threads)
            for threads, own in ours.items():
                torch.set_num_threads(threads)
                apart, scale = difference(images, short, level), 1e6 / len(images)
                print(f"{short:17s} {level:2d} {threads:7d} {scale * own:8.2f} {scale * theirs:8.2f} "
                      f"{theirs / own:7.1f} {apart:7.0e}", flush=True)  # fmt: skip
                here = {"condition": PEER, "at": f"{NAMES[short]}, {working(threads)}", "level": level}
                found[threads] += [
                    {**here, "metric": "ratio", "value": theirs / own},
                    {**here, "metric": "agreement", "value": apart},
                    {**here, "condition": "", "metric": "seconds", "value": own},
                ]
    path = paths.results() / "benchmarks" / "corruptions.csv"
    lines = []
    for threads, own in found.items():
        of_all = own if options.no_rows else [
            one for one in beside_the_others(own, path) if one["at"].endswith(f", {working(threads)}")
        ]  # fmt: skip
        lines += [*own, *summary(of_all, threads)]
    if not options.no_rows:
        note = taken_on()
        new = rows.table(
            lines, chapter="benchmarks", table="corruptions", data=options.data, method="mistrust", n=len(images),
            note=note,
        )  # fmt: skip
        rows.update(new, path)


def repeated(images: ImageSet, count: int) -> ImageSet:
    """Give that many images, going round where there are fewer; ids are 0 to count - 1."""
    chosen = torch.arange(count) % len(images)
    return ImageSet(
        images.name, images.images[chosen], images.labels[chosen], torch.arange(count), images.classes
    )  # fmt: skip


def loop(pixels: np.ndarray, short: str, level: int) -> np.ndarray:
    """One image after the other, uint8 in and out."""
    formula, setting, source = loops.FORMULAS[short], loops.LEVELS[short][level - 1], loops.Fresh(level)
    out = np.empty_like(pixels)
    for index, image in enumerate(pixels):
        out[index] = formula(image, source) if short in loops.BYTES else formula(image / 255, source, *setting) * 255
    return out


def timed(images: ImageSet, short: str, level: int, rounds: int, threads: list[int]) -> tuple[dict[int, float], float]:
    """Seconds of ours by threads, and of the loop, in turns, the best of all rounds; a short turn before to warm up."""
    pixels = images.images[:, 0].numpy()
    perturbed(images.take(slice(0, 600)), NAMES[short], level)
    loop(pixels[:10], short, level)
    ours, theirs = dict.fromkeys(threads, float("inf")), float("inf")
    for _ in range(rounds):
        for count in threads:
            torch.set_num_threads(count)
            ours[count] = min(ours[count], clocked(lambda: perturbed(images, NAMES[short], level)))
        theirs = min(theirs, clocked(lambda: loop(pixels, short, level)))
    return ours, theirs


def clocked(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def difference(images: ImageSet, short: str, level: int) -> float:
    """Largest difference of a pixel from the loop's in float64, with the same draws, in largest values of its image."""
    some, name = images.take(slice(0, COMPARED)), NAMES[short]
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(CORRUPTIONS[name].levels[level - 1].items()))
    ours = perturb(some.floats(), name, level, ids=some.ids)[:, 0].numpy()
    kept, worst = {}, 0.0
    for index, image in enumerate(some.floats()[:, 0].double().numpy()):
        source = loops.Replayed(Draws(0, key, some.ids), index, kept)
        theirs = loops.FORMULAS[short](image, source, *loops.LEVELS[short][level - 1])
        worst = max(worst, float(np.abs(ours[index] - theirs).max() / (theirs.max() or 1)))  # one may be all black
    return worst


def summary(found: list[dict], threads: int) -> list[dict]:
    """Geometric mean of the ratios over all settings, the losses, and the largest difference."""
    ratios = {(one["at"], one["level"]): one["value"] for one in found if one["metric"] == "ratio"}
    mean = exp(sum(map(log, ratios.values())) / len(ratios))
    apart = {(one["at"], one["level"]): one["value"] for one in found if one["metric"] == "agreement"}
    worst = max(apart.values())
    print(f"\nAll {len(ratios)} settings, {working(threads)}: geometric mean {mean:.1f} (bar {BAR:g})")
    print(f"Largest relative difference {worst:.1e} (bar {AGREEMENT:g})")
    print(f"Slower than the loop: {named(ratios, lambda ratio: ratio < 1)}")
    print(f"Farther apart than the bar: {named(apart, lambda value: value > AGREEMENT)}")
    common = {"condition": PEER, "at": f"all, {working(threads)}"}
    return [
        {**common, "metric": "ratio", "value": mean},
        {**common, "metric": "agreement", "value": worst},
    ]  # fmt: skip


def named(values: dict[tuple[str, int], float], told: Callable[[float], bool]) -> str:
    """The settings whose value is told, or "none"."""
    found = (f"{at.partition(',')[0]} {level} ({value:.2g})" for (at, level), value in values.items() if told(value))
    return ", ".join(found) or "none"


if __name__ == "__main__":
    main()
