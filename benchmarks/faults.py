"""The fault templates that need no classifier, at every severity, against loops with scipy, OpenCV and matplotlib.

    python benchmarks/faults.py                  # 2,000 images of 32 x 32 colours
    python benchmarks/faults.py --images 100 --no-rows
    python benchmarks/faults.py --package /tmp/other/bin/python     # and against the package imagecorruptions

Each side starts from uint8 images and ends with them. The loops (tests/inputs/colour_loops.py, the references of the
golden tests) take one image after the other in float64, go the way of the published code, and draw by numpy's default
generator; motion blur, for which that calls ImageMagick, is the same formula in numpy. Sides are timed in turns, the
best round counts. Results are compared as floats, with the same draws.

The package needs an environment of its own, with packages of its time: python -m venv /tmp/other, and with its pip
"imagecorruptions==1.1.2" "numpy<2" "scikit-image==0.20.0" "setuptools<81". Glass and normal blur fail there all the
same. It takes one image after the other as well, has the constants of ImageNet's pictures, and so is compared by time
alone, where both have a fault of that name.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from math import exp, isnan, log
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import torch
from timing import beside_the_others, taken_on

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.inputs import CORRUPTIONS, Draws, faulty, perturb, perturbed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "inputs"))
import colour_loops

PEER, PACKAGE, BAR = "scipy/opencv", "imagecorruptions", 10.0
# Faults that the package has under the same names; its other four are not among the benchmark's.
PACKAGED = frozenset(
    {"gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise", "gaussian_blur", "defocus_blur", "glass_blur"}
    | {"zoom_blur", "snow", "fog", "elastic_transform", "spatter", "brightness", "contrast", "saturate"}
)
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
    parser.add_argument("--package", metavar="PYTHON", help="Python of the environment that has imagecorruptions")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    images = repeated(load(options.data, "test"), options.images)

    print(f"{len(images)} images of {options.data}, best of {options.rounds}, microseconds an image")
    print(
        f"{'fault':18s} {'s':>2s} {'ours':>8s} {'loop':>8s} {'ratio':>7s} {'apart':>7s} {'package':>8s} {'ratio':>7s}"
    )
    found = []
    with ExitStack() as stack:
        package = stack.enter_context(Package(options.package, pixels(images))) if options.package else None
        for short in options.only or NAMES:
            for level in range(1, len(CORRUPTIONS[NAMES[short]].levels) + 1):
                found += compared(images, short, level, options.rounds, package)
    path = paths.results() / "benchmarks" / "faults.csv"
    of_all = found if options.no_rows else beside_the_others(found, path)
    found += [one for peer in (PEER, PACKAGE) for one in summary(of_all, peer)]
    if not options.no_rows:
        note = taken_on(options.threads)
        new = rows.table(
            found, chapter="benchmarks", table="faults", data=options.data, method="mistrust", n=len(images), note=note
        )
        rows.update(new, path)


def compared(images: ImageSet, short: str, level: int, rounds: int, package: "Package | None") -> list[dict]:
    """Rows of one fault at one severity."""
    sides: dict[str, Callable[[], float]] = {
        "": partial(clocked, partial(ours, images, short, level)),
        PEER: partial(clocked, partial(loop, pixels(images), short, level)),
    }
    if package is not None and short in PACKAGED:
        sides[PACKAGE] = partial(package.seconds, short, level)
    ours(images.take(slice(0, 600)), short, level)  # to warm up
    loop(pixels(images)[:10], short, level)
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for side, run in sides.items():
            best[side] = min(best[side], run())
    apart, mine, scale = difference(images, short, level), best.pop(""), 1e6 / len(images)
    ratios = {side: seconds / mine for side, seconds in best.items() if not isnan(seconds) and seconds < float("inf")}
    words = f"{short:18s} {level:2d} {scale * mine:8.2f} {scale * best[PEER]:8.2f} {ratios[PEER]:7.1f} {apart:7.0e}"
    words += f" {scale * best[PACKAGE]:8.2f} {ratios[PACKAGE]:7.1f}" if PACKAGE in ratios else ""
    print(words, flush=True)
    here = {"at": NAMES[short], "level": level}
    return [
        {**here, "condition": "", "metric": "seconds", "value": mine},
        {**here, "condition": PEER, "metric": "agreement", "value": apart},
        *({**here, "condition": side, "metric": "ratio", "value": ratio} for side, ratio in ratios.items()),
    ]


class Package:
    """The package in an environment of its own, asked for one fault after the other."""

    def __init__(self, python: str, images: np.ndarray) -> None:
        self.python, self.images, self.stack = python, images, ExitStack()

    def __enter__(self) -> "Package":
        file = Path(self.stack.enter_context(TemporaryDirectory())) / "images.npy"
        np.save(file, self.images)
        command = [self.python, str(Path(__file__).with_name("packaged.py")), str(file)]
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = self.stack.enter_context(
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **one}
            )
        )
        return self

    def __exit__(self, *problem: object) -> None:
        self.stack.close()

    def seconds(self, short: str, level: int) -> float:
        """Seconds for all images; NaN where it fails."""
        self.process.stdin.write(f"{short} {level}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def pixels(images: ImageSet) -> np.ndarray:
    """(n, h, w, c) uint8, as loops take them."""
    return images.images.permute(0, 2, 3, 1).contiguous().numpy()


def clocked(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


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


def summary(found: list[dict], peer: str) -> list[dict]:
    """Geometric mean of the ratios to a peer over all settings, the losses, and the largest difference."""
    ratios = {
        (one["at"], one["level"]): one["value"]
        for one in found
        if one["metric"] == "ratio" and one["condition"] == peer
    }
    if not ratios:
        return []
    mean = exp(sum(map(log, ratios.values())) / len(ratios))
    slower = ", ".join(f"{at} {level} ({value:.2f})" for (at, level), value in ratios.items() if value < 1)
    print(
        f"\n{peer}: {len(ratios)} settings, geometric mean {mean:.1f} (bar {BAR:g}), least {min(ratios.values()):.1f}"
    )
    print(f"Slower: {slower or 'none'}")
    common = {"condition": peer, "at": "all"}
    apart = [one["value"] for one in found if one["metric"] == "agreement" and one["condition"] == peer]
    agreement = [{**common, "metric": "agreement", "value": max(apart)}] if apart else []
    return [{**common, "metric": "ratio", "value": mean}, *agreement]


if __name__ == "__main__":
    main()
